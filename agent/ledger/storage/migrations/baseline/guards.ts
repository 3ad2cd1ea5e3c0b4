/**
 * Triggers that keep a journal append-only. `no replacing` stands beside `no deleting`, because SQLite fires no trigger
 * for the row that INSERT OR REPLACE removes.
 */
export const neverUpdated = (table: string, subject: string): string => `
CREATE TRIGGER ${table}_is_never_updated BEFORE UPDATE ON ${table}
BEGIN SELECT RAISE(ABORT, '${subject} is never changed'); END;`;

export const neverDeleted = (table: string, subject: string): string => `
CREATE TRIGGER ${table}_is_never_deleted BEFORE DELETE ON ${table}
BEGIN SELECT RAISE(ABORT, '${subject} is never deleted'); END;`;

export const neverReplaced = (table: string, subject: string, key = 'id'): string => `
CREATE TRIGGER ${table}_is_never_replaced BEFORE INSERT ON ${table}
WHEN EXISTS (SELECT 1 FROM ${table} WHERE ${key} = NEW.${key})
BEGIN SELECT RAISE(ABORT, '${subject} is never replaced'); END;`;

/** All three. */
export const journal = (table: string, subject: string, key = 'id'): string =>
  neverUpdated(table, subject) + neverDeleted(table, subject) + neverReplaced(table, subject, key);

/** Numbered from 1 without holes, which also refuses a replacement. */
export const withoutHoles = (table: string, number: string, subject: string): string => `
CREATE TRIGGER ${table}_has_no_holes BEFORE INSERT ON ${table}
WHEN NEW.${number} <> (SELECT coalesce(max(${number}), 0) + 1 FROM ${table})
BEGIN SELECT RAISE(ABORT, '${subject} numbered without holes'); END;`;
