/**
 * Fan-out: one delivery record per target tenant, in the transaction of the decision that causes it
 * (document 3 section 3, fan-out rules). The one place that gives out cursors.
 */
import { sql } from 'kysely';
import type { Trx } from '../store/open.ts';

/** The lock that both issuers share; its name is the contract's. */
export const FAN_OUT_LOCK = 'tenant-delivery-fanout';

/** How long a publisher waits for the lock before it gives up, in milliseconds. */
const FAN_OUT_LOCK_TIMEOUT_MS = 5_000;

/** What a record is about: a v1 result or a v2 analysis. */
export type Subject = { explanationResultId: string } | { movementAnalysisId: string };

/** Another issuer held the fan-out lock for too long. Nothing was written: the caller may try again. */
export class FanOutLockTimeoutError extends Error {
  constructor(waitedMs: number, cause: unknown) {
    super(
      `The lock ${FAN_OUT_LOCK} was held by another publisher for more than ${waitedMs} ms; nothing was written, try again.`,
      { cause },
    );
    this.name = 'FanOutLockTimeoutError';
  }
}

/** From here to its end a transaction waits for no lock longer than this. */
export async function limitLockWait(trx: Trx, timeoutMs = FAN_OUT_LOCK_TIMEOUT_MS): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(timeoutMs)}, true)`.execute(trx);
}

/**
 * Takes the lock until the transaction ends. The database gives it back only after the commit is
 * visible, so that the next holder's statements see every cursor given out before: that is what
 * makes cursor order equal commit order. Callers take it after all other locks.
 * @throws FanOutLockTimeoutError
 */
async function lockFanOut(trx: Trx, timeoutMs: number): Promise<void> {
  await limitLockWait(trx, timeoutMs);
  try {
    await sql`select pg_advisory_xact_lock(hashtextextended(${FAN_OUT_LOCK}, 0))`.execute(trx);
  } catch (error) {
    if (sqlState(error) === '55P03') throw new FanOutLockTimeoutError(timeoutMs, error);
    throw error;
  }
}

/**
 * The next cursor of tenant `t`: above its last record, and above what retention has removed. Walks
 * the primary key of the tenant's partition backwards by one row.
 */
const nextCursor = sql`greatest(
  coalesce((select d.cursor from tenant_delivery d where d.tenant_id = t.tenant_id order by d.cursor desc limit 1), 0),
  t.retention_floor) + 1`;

/**
 * Issues a NEW record to every tenant that exists.
 * @returns how many records were written
 */
export async function fanOutNew(
  trx: Trx,
  subject: Subject,
  at: Date,
  lockTimeoutMs = FAN_OUT_LOCK_TIMEOUT_MS,
): Promise<number> {
  await lockFanOut(trx, lockTimeoutMs);
  const { resultId, analysisId } = columns(subject);
  const issued = await sql`
    insert into tenant_delivery (tenant_id, cursor, delivery_type, explanation_result_id, movement_analysis_id, created_at)
    select t.tenant_id, ${nextCursor}, 'NEW', ${resultId}::text, ${analysisId}::text, ${at}::timestamptz
    from tenant t
    where t.removed_at is null`.execute(trx);
  return Number(issued.numAffectedRows ?? 0n);
}

/**
 * Issues an INVALIDATION record to those tenants alone that received the NEW of the same subject.
 * @returns how many records were written
 */
export async function fanOutInvalidation(
  trx: Trx,
  target: Subject,
  reason: string,
  at: Date,
  lockTimeoutMs = FAN_OUT_LOCK_TIMEOUT_MS,
): Promise<number> {
  await lockFanOut(trx, lockTimeoutMs);
  const { resultId, analysisId } = columns(target);
  // Each of the two has its own unique index.
  const received =
    resultId === null ? sql`r.movement_analysis_id = ${analysisId}` : sql`r.explanation_result_id = ${resultId}`;
  const issued = await sql`
    insert into tenant_delivery (tenant_id, cursor, delivery_type, target_explanation_result_id, target_movement_analysis_id, reason, created_at)
    select t.tenant_id, ${nextCursor}, 'INVALIDATION', ${resultId}::text, ${analysisId}::text, ${reason}::text, ${at}::timestamptz
    from tenant_delivery r
    join tenant t on t.tenant_id = r.tenant_id
    where ${received} and t.removed_at is null`.execute(trx);
  return Number(issued.numAffectedRows ?? 0n);
}

function columns(subject: Subject): { resultId: string | null; analysisId: string | null } {
  return 'explanationResultId' in subject
    ? { resultId: subject.explanationResultId, analysisId: null }
    : { resultId: null, analysisId: subject.movementAnalysisId };
}

/** The SQLSTATE of an error that came from the database, else null. */
export function sqlState(error: unknown): string | null {
  return typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^[0-9A-Z]{5}$/.test(error.code)
    ? error.code
    : null;
}
