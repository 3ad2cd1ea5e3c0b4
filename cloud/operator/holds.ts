import { sql, type RawBuilder } from 'kysely';

/**
 * Whether any of these columns holds a text: any part of it, small and capital letters alike, and wide or composed
 * signs like the plain ones. By position, not like: what is typed has no wildcards.
 */
export function anyHolds(columns: readonly string[], text: string): RawBuilder<unknown> {
  const folded = (value: RawBuilder<unknown>): RawBuilder<unknown> => sql`lower(normalize(${value}, nfkc))`;
  const places = columns.map(
    (column) => sql`position(${folded(sql`${text}::text`)} in ${folded(sql.ref(column))}) > 0`,
  );
  return sql`(${sql.join(places, sql` or `)})`;
}
