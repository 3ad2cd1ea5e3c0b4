import { sql, type RawBuilder } from 'kysely';

/**
 * Whether any of these columns contains the text, without regard to case, width and composition of characters. Uses
 * position instead of like: the typed text has no wildcards.
 */
export function anyHolds(columns: readonly string[], text: string): RawBuilder<unknown> {
  const folded = (value: RawBuilder<unknown>): RawBuilder<unknown> => sql`lower(normalize(${value}, nfkc))`;
  const places = columns.map(
    (column) => sql`position(${folded(sql`${text}::text`)} in ${folded(sql.ref(column))}) > 0`,
  );
  return sql`(${sql.join(places, sql` or `)})`;
}
