/**
 * How long withdrawals wait for tenants that are connected and wait for news (D223), for the metrics: one number for all
 * tenants. One that polls by its period is overdue only later (`recipients.ts`), and one that is away has an alarm of
 * its own.
 *
 * Only tenants that lag behind their head are looked at one by one, by the index of their withdrawals.
 */
import { sql } from 'kysely';
import { lagSeconds } from '../../shared/service/lag.ts';
import { HEAD } from '../entries/bundle-entries.ts';
import type { Db } from '../store/open.ts';

/** Seconds since the oldest was issued; 0: none waits. */
export interface WithdrawalLag {
  /** By the cursor of the tenant's pulls (D128). */
  received: number;
  /** As told through the relay (D230): a number may be wrong here, and 0 proves nothing. */
  applied: number;
}

export async function withdrawalLag(db: Db, now: Date): Promise<WithdrawalLag> {
  const oldest = sql`select created_at from tenant_delivery d
    where d.tenant_id = b.tenant_id and d.delivery_type = 'INVALIDATION' and d.cursor >`;
  const first = sql`order by d.cursor limit 1`;
  const { rows } = await sql<{ received: Date | null; applied: Date | null }>`
    with behind as (
      select t.tenant_id, p.last_good_after as received, (p.told->>'applied')::bigint as applied
      from tenant_pull_state p join tenant t on t.tenant_id = p.tenant_id
      where t.removed_at is null and p.waiting_until > ${now}::timestamptz
        and least(p.last_good_after, (p.told->>'applied')::bigint) < ${sql.raw(HEAD)}
    )
    select min((${oldest} b.received ${first})) as received, min((${oldest} b.applied ${first})) as applied
    from behind b`.execute(db);
  const [found] = rows;
  const seconds = (since: Date | null | undefined): number => (since ? lagSeconds(since, now) : 0);
  return { received: seconds(found?.received), applied: seconds(found?.applied) };
}
