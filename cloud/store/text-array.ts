/** Lists of ids as one parameter. */
import { sql, type RawBuilder } from 'kysely';

/** A PostgreSQL array literal: both drivers take it the same, and the planner sees how many there are. */
export function textArray(ids: readonly string[]): RawBuilder<unknown> {
  return sql`${`{${ids.map((id) => `"${id.replaceAll(/["\\]/g, '\\$&')}"`).join()}}`}::text[]`;
}
