/**
 * Published results against delivered ones (operator API 2, `boundary`): current values for any viewed day, for results
 * of v1 and v2. Triggers of the store mark each delivered result, and each withdrawn one that some tenant may still
 * hold, so that this reads marks instead of all records; see `store/migrations/baseline/boundary.ts`.
 *
 * Before it: `cloud/facts/facts.ts`. After it: `cloud/console/screens/facts/day-view.tsx`.
 */
import { sql, type RawBuilder } from 'kysely';
import type { BoundaryFact } from '../../shared/wire/facts.ts';
import type { Trx } from '../store/open.ts';

const SUBJECTS = [
  ['explanation_result', 'explanation_result_id'],
  ['movement_analysis', 'movement_analysis_id'],
] as const;

export async function readBoundary(trx: Trx): Promise<BoundaryFact> {
  // While there is no tenant nothing is undelivered. Records count whoever their tenant was: they were delivered (D66).
  const { rows } = await sql<BoundaryFact>`
    select
      case when exists (select from tenant where removed_at is null) then ${sum(undelivered)} else 0 end as "publishedWithoutDelivery",
      ${sum(notWithdrawnEverywhere)} as "deliveryNowNonpublished",
      (select sum(case kind when 'ISSUED' then records else -records end)::bigint from delivery_count) as "deliveryRows"`.execute(
    trx,
  );
  const [found] = rows;
  if (found === undefined) throw new Error('the boundary was not counted');
  return found;
}

type Count = (table: string, id: string) => RawBuilder<unknown>;

const sum = (count: Count): RawBuilder<unknown> =>
  sql.join(
    SUBJECTS.map(([table, id]) => count(table, id)),
    sql` + `,
  );

/** Published, and never delivered. */
const undelivered: Count = (table) =>
  sql`(select count(*) from ${sql.table(table)} where publication_status = 'PUBLISHED' and not delivered)`;

/** No longer published, and not withdrawn at every tenant that got it: a removed one is told nothing any more. */
const notWithdrawnEverywhere: Count = (table, id) => {
  const target = sql.ref(`v.target_${id}`);
  return sql`(
    select count(*) from ${sql.table(`unwithdrawn_${table}`)} u
    join ${sql.table(table)} x on ${sql.ref(`x.${id}`)} = ${sql.ref(`u.${id}`)}
    join tenant_delivery n on ${sql.ref(`n.${id}`)} = ${sql.ref(`x.${id}`)}
    where x.publication_status <> 'PUBLISHED'
      and not exists (select from tenant_delivery v where ${target} = ${sql.ref(`n.${id}`)} and v.tenant_id = n.tenant_id)
      and not exists (select from tenant t where t.tenant_id = n.tenant_id and t.removed_at is not null))`;
};
