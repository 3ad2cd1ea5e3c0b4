/**
 * What is never changed or deleted is not replaced either: SQLite asks no trigger for the row that an
 * INSERT OR REPLACE takes away. A raw bundle that comes again changes nothing (D36).
 */
const journal = (table: string, what: string): string => `
CREATE TRIGGER ${table}_is_never_replaced BEFORE INSERT ON ${table}
WHEN EXISTS (SELECT 1 FROM ${table} WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, '${what} is never replaced'); END;`;

export const sql = `
CREATE TRIGGER raw_bundle_is_never_replaced BEFORE INSERT ON raw_bundle
WHEN EXISTS (SELECT 1 FROM raw_bundle WHERE cursor_from = NEW.cursor_from)
BEGIN SELECT RAISE(IGNORE); END;
${journal('quarantined_bundle', 'a quarantined bundle')}
${journal('state_history', 'state history')}
`;
