/**
 * Fan-out: one delivery record per target tenant, in the transaction of the decision that causes it
 * (sync protocol 3, fan-out rules). The one place that gives out cursors.
 *
 * One statement takes a cursor of every tenant and issues all records.
 */
import { sql, type RawBuilder } from 'kysely';
import { LockTimeoutError, sqlState } from '../store/errors.ts';
import type { Db, Store, Trx } from '../store/open.ts';
import { PermitTimeoutError, type Permit, type Wait } from '../store/semaphore.ts';

/** The lock that both issuers share; its name is the contract's. */
export const FAN_OUT_LOCK = 'tenant-delivery-fanout';

/** The channel on which the issuing transaction tells that records are there; its payload is their kind (D223). */
export const NEWS_CHANNEL = 'causeway_news';

/** The subject of a record: a v1 result or a v2 analysis. */
export type Subject = { explanationResultId: string } | { movementAnalysisId: string };

/** Other issuers kept the fan-out lock, or the permits before it, for too long. Nothing was written: the caller may try again. */
export class FanOutLockTimeoutError extends LockTimeoutError {
  constructor(cause: unknown) {
    const why =
      cause instanceof PermitTimeoutError
        ? 'The publications before this one at this cloud took too long'
        : `The lock ${FAN_OUT_LOCK} was held by another publisher for too long`;
    super(`${why}; nothing was written, try again.`, cause);
    this.name = 'FanOutLockTimeoutError';
  }
}

/** Receives durations in ms, for `operations/metrics.ts`. */
export interface FanOutObserver {
  /** Until the lock was taken, or the wait for it had ended. */
  waitedForLock(ms: number): void;
  /** To write the records under the lock. */
  fannedOut(kind: 'NEW' | 'INVALIDATION', ms: number): void;
}

export interface FanOutOptions extends Wait {
  observer?: FanOutObserver | undefined;
}

/**
 * One transaction that may fan out, under a permit of this process's semaphore. The wait for the permit shortens its
 * waiting time for locks. A caller with a patience of its own keeps its permit, and so its place, and waits again, for the
 * fan-out lock or for rows that another load holds, until the patience is over (D151).
 * @throws FanOutLockTimeoutError, LockTimeoutError, ConnectionLostError
 */
export async function fanOutTransaction<T>(
  store: Store,
  work: (trx: Trx) => Promise<T>,
  options: FanOutOptions = {},
): Promise<T> {
  const { patienceMs, signal } = options;
  const until = performance.now() + (patienceMs ?? 0);
  const permit = await acquirePermit(store, options);
  try {
    for (;;) {
      try {
        return await store.transaction(async (trx) => {
          if (permit.remainingMs !== null && patienceMs === undefined)
            await sql`select set_config('lock_timeout', ${String(permit.remainingMs)}, true)`.execute(trx);
          return work(trx);
        });
      } catch (error) {
        const isOver = performance.now() >= until || signal?.aborted === true;
        if (isOver || !(error instanceof LockTimeoutError)) throw error;
      }
    }
  } finally {
    permit.release();
  }
}

async function acquirePermit(store: Store, { observer, ...wait }: FanOutOptions): Promise<Permit> {
  const began = performance.now();
  try {
    return await store.fanOutSemaphore.acquire(wait);
  } catch (error) {
    if (!(error instanceof PermitTimeoutError)) throw error;
    observer?.waitedForLock(performance.now() - began);
    throw new FanOutLockTimeoutError(error);
  }
}

/**
 * Takes the lock until the transaction ends. The database releases it after the commit is visible, so that the next
 * holder sees every cursor given out before: cursor order equals commit order. Callers take it after all other locks.
 * @throws FanOutLockTimeoutError
 */
export async function lockFanOut(trx: Trx, observer?: FanOutObserver): Promise<void> {
  const began = performance.now();
  try {
    await sql`select pg_advisory_xact_lock(hashtextextended(${FAN_OUT_LOCK}, 0))`.execute(trx);
  } catch (error) {
    throw sqlState(error) === '55P03' ? new FanOutLockTimeoutError(error) : error;
  } finally {
    observer?.waitedForLock(performance.now() - began);
  }
}

/**
 * Whether the tenant's cursors are used up (its floor was set that high). Fan-outs skip such a tenant, so that the
 * database's bound on cursors does not stop publication to the others.
 */
const usedUp = sql`c.fan_outs - t.cursor_lag > ${sql.lit(Number.MAX_SAFE_INTEGER)}`;

/** The tenants to which no record can be issued any more. */
export async function usedUpTenants(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select t.tenant_id as id from tenant t cross join fan_out_count c
    where t.removed_at is null and c.fan_outs + 1 - t.cursor_lag > ${sql.lit(Number.MAX_SAFE_INTEGER)}`.execute(db);
  return rows.map(({ id }) => id);
}

interface Issued {
  issued: number;
  counted: number;
}

interface IssuedNew extends Issued {
  passed: number;
}

/** The database tells of it after the commit, and not at all where there is none. */
const issuedAndCounted = (kind: 'NEW' | 'INVALIDATION'): RawBuilder<unknown> => sql`
  select (select count(*) from issued) as issued, (select count(*) from counted) as counted, pg_notify(${NEWS_CHANNEL}, ${kind})`;

/** The count has lost its row, so no tenant would get the publication: the transaction must not commit. */
export class FanOutCountError extends Error {
  constructor() {
    super('The table fan_out_count must have its one row; nothing was published. Restore the store from a backup.');
    this.name = 'FanOutCountError';
  }
}

/** @throws FanOutCountError */
function readIssued([row]: Issued[]): number {
  if (row?.counted !== 1) throw new FanOutCountError();
  return row.issued;
}

/** Counts this fan-out; a tenant's cursor in it is the count less the tenant's lag. */
const counted = sql`update fan_out_count set fan_outs = fan_outs + 1 returning fan_outs`;

/**
 * Issues a NEW record to every tenant.
 * @returns how many records were written, and how many tenants have no cursor left for one
 * @throws FanOutLockTimeoutError, FanOutCountError
 */
export async function fanOutNew(
  trx: Trx,
  subject: Subject,
  at: Date,
  observer?: FanOutObserver,
): Promise<{ issued: number; passedOver: number }> {
  await lockFanOut(trx, observer);
  const began = performance.now();
  const { resultId, analysisId } = columns(subject);
  const { rows } = await sql<IssuedNew>`
    with counted as (${counted}),
    passed_over as (
      update tenant t set cursor_lag = cursor_lag + 1 from counted c where t.removed_at is null and ${usedUp} returning 1
    ),
    issued as (
      insert into tenant_delivery (tenant_id, cursor, delivery_type, explanation_result_id, movement_analysis_id, created_at)
      select t.tenant_id, c.fan_outs - t.cursor_lag, 'NEW', ${resultId}::text, ${analysisId}::text, ${at}::timestamptz
      from tenant t cross join counted c
      where t.removed_at is null and not (${usedUp})
      returning 1
    )
    ${issuedAndCounted('NEW')}, (select count(*) from passed_over) as passed`.execute(trx);
  observer?.fannedOut('NEW', performance.now() - began);
  return { issued: readIssued(rows), passedOver: rows[0]?.passed ?? 0 };
}

/**
 * Issues an INVALIDATION record to the tenants that were issued the NEW of the same subject, by their records or by the
 * records of retention. For the others `cursor_lag` grows by one.
 *
 * @returns the number of records written
 * @throws FanOutLockTimeoutError, FanOutCountError
 */
export async function fanOutInvalidation(
  trx: Trx,
  target: Subject,
  reason: string,
  at: Date,
  observer?: FanOutObserver,
): Promise<number> {
  await lockFanOut(trx, observer);
  const began = performance.now();
  const { resultId, analysisId } = columns(target);
  const { rows } = await sql<Issued>`
    with counted as (${counted}),
    received as materialized (${issuedTo(target)}),
    passed_over as (
      update tenant t set cursor_lag = cursor_lag + 1 from counted c
      where t.removed_at is null and (${usedUp} or not exists (select from received r where r.tenant_id = t.tenant_id))
    ),
    issued as (
      insert into tenant_delivery (tenant_id, cursor, delivery_type, target_explanation_result_id, target_movement_analysis_id, reason, created_at)
      select t.tenant_id, c.fan_outs - t.cursor_lag, 'INVALIDATION', ${resultId}::text, ${analysisId}::text, ${reason}::text, ${at}::timestamptz
      from received r join tenant t on t.tenant_id = r.tenant_id cross join counted c
      where t.removed_at is null and not (${usedUp})
      returning 1
    )
    ${issuedAndCounted('INVALIDATION')}`.execute(trx);
  observer?.fannedOut('INVALIDATION', performance.now() - began);
  return readIssued(rows);
}

/** The tenants to which the NEW of a subject was issued, by a record or by the records of retention. */
export function issuedTo(subject: Subject): RawBuilder<unknown> {
  const { resultId, analysisId } = columns(subject);
  // Each of the two has its own unique index.
  const [record, number] =
    resultId === null
      ? [
          sql`r.movement_analysis_id = ${analysisId}`,
          sql`select publication_number from movement_analysis where movement_analysis_id = ${analysisId}`,
        ]
      : [
          sql`r.explanation_result_id = ${resultId}`,
          sql`select publication_number from explanation_result where explanation_result_id = ${resultId}`,
        ];
  return sql`
    select r.tenant_id from tenant_delivery r where ${record}
    union
    select t.tenant_id from tenant t where t.received_below_floor @> (${number})`;
}

/** The columns that name a subject. */
export function columns(subject: Subject): { resultId: string | null; analysisId: string | null } {
  return 'explanationResultId' in subject
    ? { resultId: subject.explanationResultId, analysisId: null }
    : { resultId: null, analysisId: subject.movementAnalysisId };
}
