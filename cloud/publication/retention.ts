/**
 * Retention of delivery records, per tenant and off until an operator sets it (D5, SYNC4101; sync protocol 8).
 * Records up to the floor are removed; a pull from below it is answered 410, so that no removed record is skipped
 * unnoticed. `received_below_floor` keeps which of them the tenant had received.
 *
 * A batch is deleted and remembered in one statement.
 */
import { sql } from 'kysely';
import type { Db, Store, Trx } from '../store/open.ts';
import { lockFanOut } from './fan-out.ts';

/** Records removed per transaction: publishers wait for one such transaction at most. */
const BATCH = 5_000;

/**
 * Highest floor above the last record: more than 27 years of the peak of 1,000 records per day (sync protocol 1). A
 * higher one is a typing error that would use up the tenant's cursors.
 */
const MOST_ABOVE_HEAD = 10_000_000;

/** The range of a tenant's records. */
export interface DeliveryPosition {
  /** The highest cursor given out. */
  head: number;
  /** Records up to here are removed; 0 while retention is off. */
  retentionFloor: number;
  /**
   * The cursor of the tenant's last good pull. Records above it may not have arrived, or a restored ledger may need them
   * again. A pull from above the head confirms nothing.
   */
  confirmedCursor: number;
}

export interface RetentionOutcome extends DeliveryPosition {
  removedRecords: number;
}

/** A floor that cannot be set. Nothing has changed. */
export class RetentionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RetentionError';
  }
}

/** Among pulls in the same millisecond the lower cursor counts. */
const NEWEST_FIRST = sql`order by h.pulled_at desc, h.after_cursor`;

/** @returns null when there is no such tenant */
export async function findPosition(db: Db, tenantId: number): Promise<DeliveryPosition | null> {
  return (await listPositions(db, tenantId)).get(tenantId) ?? null;
}

/** The positions of every existing tenant, or of one. */
export async function listPositions(db: Db, tenantId: number | null): Promise<Map<number, DeliveryPosition>> {
  // The pull history is a ring of bounded size; its key begins with the tenant.
  const { rows } = await sql<{ tenant: number; head: number; floor: number; confirmed: number }>`
    select t.tenant_id as tenant, p.head, t.retention_floor as floor, coalesce((
      select h.after_cursor from tenant_pull_history h
      where h.tenant_id = t.tenant_id and h.outcome = 'COMMON200' and h.after_cursor <= p.head ${NEWEST_FIRST} limit 1), 0) as confirmed
    from tenant t cross join fan_out_count c cross join lateral (select c.fan_outs - t.cursor_lag as head) p
    where t.removed_at is null and (${tenantId}::bigint is null or t.tenant_id = ${tenantId})`.execute(db);
  return new Map(
    rows.map(({ tenant, head, floor, confirmed }) => [
      tenant,
      { head, retentionFloor: floor, confirmedCursor: confirmed },
    ]),
  );
}

export interface RetentionPermissions {
  /** Whether records without the tenant's confirmation may be removed. */
  dropUnconfirmed: boolean;
  /**
   * Permits a floor above the last record: after a restore of the store, with the cursor that the tenant had reached.
   * Cursors then continue above it, and none is used twice.
   */
  aboveHead: boolean;
}

/**
 * Sets a tenant's floor, then removes the records up to it in batches. After a kill the floor stays, and the same call
 * removes the rest.
 * @param record writes the audit entry in the transaction of the floor, before anything is removed
 * @throws RetentionError, LockTimeoutError
 */
export async function applyRetention(
  store: Store,
  tenantId: number,
  floor: number,
  permissions: RetentionPermissions,
  record: (trx: Trx) => Promise<void> = () => Promise.resolve(),
): Promise<RetentionOutcome> {
  await store.transaction(async (trx) => {
    await setFloor(trx, tenantId, floor, permissions);
    await record(trx);
  });
  let removedRecords = 0;
  for (let removed = BATCH; removed === BATCH; removedRecords += removed) {
    removed = await store.transaction((trx) => removeBatch(trx, tenantId, floor));
  }
  const after = await findPosition(store.db, tenantId);
  if (after === null) throw new RetentionError(`The tenant ${tenantId} was removed meanwhile.`);
  return { ...after, removedRecords };
}

/** The start of the tenant's last good pull, also above the head; null without one. */
async function findLastPullStart(trx: Trx, tenantId: number): Promise<number | null> {
  const { rows } = await sql<{ after: number }>`
    select h.after_cursor as after from tenant_pull_history h
    where h.tenant_id = ${tenantId} and h.outcome = 'COMMON200' ${NEWEST_FIRST} limit 1`.execute(trx);
  return rows[0]?.after ?? null;
}

const noTenant = (tenantId: number): string => `There is no tenant ${tenantId}: see "tenant list".`;

function refuse(
  tenantId: number,
  floor: number,
  { head, retentionFloor, confirmedCursor }: DeliveryPosition,
  askedFrom: number | null,
  { dropUnconfirmed, aboveHead }: RetentionPermissions,
): string | null {
  if (floor > head && !aboveHead) {
    return `The floor ${floor} lies above the last record of tenant ${tenantId}, which is ${head}. If the store was restored from a backup and the tenant had reached ${floor} before, say --above-head.`;
  }
  if (floor > head + MOST_ABOVE_HEAD) {
    return `The floor ${floor} lies more than ${MOST_ABOVE_HEAD} above the last record of tenant ${tenantId}, which is ${head}: see what the tenant has reached, and give that.`;
  }
  // A pull from the floor proves that the tenant has all records below; a pull from below it would be refused.
  if (floor > head && askedFrom !== floor && !dropUnconfirmed) {
    return `The last good pull of tenant ${tenantId} went on from ${askedFrom ?? 'nowhere'}, not from ${floor}: what it has not got up to there would be lost to it. Give the floor that it asks from, or allow the loss with --drop-unconfirmed.`;
  }
  if (floor < retentionFloor)
    return `The records of tenant ${tenantId} up to ${retentionFloor} are gone already: a floor only goes up.`;
  if (floor <= head && floor > Math.max(confirmedCursor, retentionFloor) && !dropUnconfirmed) {
    return `Tenant ${tenantId} has confirmed its records up to ${confirmedCursor} only: those from ${confirmedCursor + 1} to ${floor} would be lost to it. Choose a floor of at most ${confirmedCursor}, or allow the loss with --drop-unconfirmed.`;
  }
  return null;
}

/**
 * Checks and sets the floor under the lock of fan-outs and commands, so that nothing changes between the two. Later
 * cursors are given out above the floor.
 */
async function setFloor(trx: Trx, tenantId: number, floor: number, permissions: RetentionPermissions): Promise<void> {
  await lockFanOut(trx);
  const position = await findPosition(trx, tenantId);
  const askedFrom = await findLastPullStart(trx, tenantId);
  const refusal = position === null ? noTenant(tenantId) : refuse(tenantId, floor, position, askedFrom, permissions);
  if (refusal !== null) throw new RetentionError(refusal);
  await sql`
    update tenant t set
      retention_floor = greatest(t.retention_floor, ${floor}),
      cursor_lag = least(t.cursor_lag, c.fan_outs - ${floor})
    from fan_out_count c where t.tenant_id = ${tenantId}`.execute(trx);
}

/**
 * Removes the lowest records and keeps which publications they had delivered, in one statement.
 * @returns the number of removed records
 */
async function removeBatch(trx: Trx, tenantId: number, floor: number): Promise<number> {
  await lockFanOut(trx);
  const { rows } = await sql<{ removed: number }>`
    with batch as (
      select cursor from tenant_delivery where tenant_id = ${tenantId} and cursor <= ${floor} order by cursor limit ${BATCH}::integer
    ),
    gone as (
      delete from tenant_delivery where tenant_id = ${tenantId} and cursor <= (select max(cursor) from batch)
      returning cursor, explanation_result_id, movement_analysis_id
    ),
    received as (
      select coalesce(range_agg(int8range(n, n + 1)), '{}') as numbers
      from gone
      left join explanation_result r on r.explanation_result_id = gone.explanation_result_id
      left join movement_analysis m on m.movement_analysis_id = gone.movement_analysis_id
      cross join lateral (select coalesce(r.publication_number, m.publication_number) as n) numbered
      where n is not null
    )
    update tenant t set received_below_floor = t.received_below_floor + (select numbers from received)
    where t.tenant_id = ${tenantId}
    returning (select count(*) from gone) as removed`.execute(trx);
  const row = rows[0];
  if (row === undefined) throw new RetentionError(noTenant(tenantId));
  return row.removed;
}
