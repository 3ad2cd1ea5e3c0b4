/**
 * When each tenant received and applied a withdrawal (D230): by the first pull whose cursors have passed it. A record that
 * was passed before this was noted stays without a time.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Passed } from '../operations/metrics.ts';
import type { Trx } from '../store/open.ts';

/** Of a pull: the committed cursor, and the applied one where it was told. */
export interface Progress {
  tenantId: number;
  at: Date;
  after: number | null;
  applied: number | null;
}

const NEAR = sql`make_interval(secs => greatest(2 * t.polling_seconds, 60))`;

/**
 * Before the state of these tenants is written: it says how far they were. Returns the times of withdrawals that were news to
 * their tenant: it asked when the record was issued. What a tenant finds on its return is no measure of the line (D235).
 */
export async function markWithdrawals(trx: Trx, passed: readonly Progress[]): Promise<Passed[]> {
  if (passed.length === 0) return [];
  const { rows } = await sql<Passed>`
    with told as (
      select * from json_to_recordset(${JSON.stringify(passed)}::json) as n ("tenantId" bigint, at timestamptz, after bigint, applied bigint)
    ),
    -- Two processes mark the records of a tenant one after the other.
    state as (select * from tenant_pull_state where tenant_id in (select "tenantId" from told) order by tenant_id for no key update),
    pull as (
      select n.*, s.last_good_pull_at, coalesce(s.last_good_after, 0) as received_before,
        coalesce((s.told->>'applied')::bigint, s.last_good_after, 0) as applied_before
      from told n left join state s on s.tenant_id = n."tenantId"
    ),
    mark as (
      select d.tenant_id, d.cursor, min(n.last_good_pull_at) as asked_at, min(n.at) filter (where d.cursor > n.received_before) as received_at,
        min(n.at) filter (where d.cursor > n.applied_before and d.cursor <= n.applied) as applied_at
      from pull n join tenant_delivery d on d.tenant_id = n."tenantId" and d.delivery_type = 'INVALIDATION'
        and d.cursor > least(n.received_before, n.applied_before) and d.cursor <= n.after
      group by d.tenant_id, d.cursor
    )
    update tenant_delivery d set received_at = coalesce(d.received_at, m.received_at), applied_at = coalesce(d.applied_at, m.applied_at)
    from mark m join tenant t on t.tenant_id = m.tenant_id
    where d.tenant_id = m.tenant_id and d.cursor = m.cursor
      and ((d.received_at is null and m.received_at is not null) or (d.applied_at is null and m.applied_at is not null))
    returning case when d.received_at = m.received_at then ${msSinceIssue('received_at')} end as received,
      case when d.applied_at = m.applied_at then ${msSinceIssue('applied_at')} end as applied`.execute(trx);
  return rows.filter(({ received, applied }) => received !== null || applied !== null);
}

/** Null where the tenant did not ask for two of its periods, or a minute, around the issue. Two processes have two clocks. */
const msSinceIssue = (column: string): RawBuilder<number | null> => sql`
  case when coalesce(m.received_at is not null and m.asked_at >= d.created_at - ${NEAR}, false) or d.received_at <= d.created_at + ${NEAR}
  then greatest(extract(epoch from ${sql.ref(`d.${column}`)} - d.created_at) * 1000, 0)::float8 end`;
