/**
 * When each tenant received and applied a withdrawal (D230): by the first pull whose cursors have passed it. A record that
 * was passed before this was noted stays without a time.
 *
 * Written out: one statement marks what all tenants of a batch have passed.
 */
import { sql } from 'kysely';
import type { Trx } from '../store/open.ts';

/** Of a pull: the committed cursor, and the applied one where it was told. */
export interface Progress {
  tenantId: number;
  at: Date;
  after: number | null;
  applied: number | null;
}

/** Before the state of these tenants is written: it says how far they were. */
export async function markWithdrawals(trx: Trx, passed: readonly Progress[]): Promise<void> {
  if (passed.length === 0) return;
  await sql`
    with told as (
      select * from json_to_recordset(${JSON.stringify(passed)}::json) as n ("tenantId" bigint, at timestamptz, after bigint, applied bigint)
    ),
    -- Two processes mark the records of a tenant one after the other.
    state as (select * from tenant_pull_state where tenant_id in (select "tenantId" from told) order by tenant_id for no key update),
    pull as (
      select n.*, coalesce(s.last_good_after, 0) as received_before,
        coalesce((s.told->>'applied')::bigint, s.last_good_after, 0) as applied_before
      from told n left join state s on s.tenant_id = n."tenantId"
    ),
    mark as (
      select d.tenant_id, d.cursor, min(n.at) filter (where d.cursor > n.received_before) as received_at,
        min(n.at) filter (where d.cursor > n.applied_before and d.cursor <= n.applied) as applied_at
      from pull n join tenant_delivery d on d.tenant_id = n."tenantId" and d.delivery_type = 'INVALIDATION'
        and d.cursor > least(n.received_before, n.applied_before) and d.cursor <= n.after
      group by d.tenant_id, d.cursor
    )
    update tenant_delivery d set received_at = coalesce(d.received_at, m.received_at), applied_at = coalesce(d.applied_at, m.applied_at)
    from mark m
    where d.tenant_id = m.tenant_id and d.cursor = m.cursor
      and ((d.received_at is null and m.received_at is not null) or (d.applied_at is null and m.applied_at is not null))`.execute(
    trx,
  );
}
