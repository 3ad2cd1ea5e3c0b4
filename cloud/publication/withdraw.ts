/** Withdrawal of published texts (sync protocol 3, operator API 3). */
import { sql } from 'kysely';
import type { Trx } from '../store/open.ts';
import { nameAfterWithdrawal } from './instrument.ts';
import { fanOutInvalidation, type FanOutObserver, type Subject } from './fan-out.ts';

/**
 * Withdraws a published result or analysis and issues its INVALIDATION records, in the caller's transaction.
 *
 * @returns the number of records issued, or null when the subject is not published now: then nothing was written
 */
export async function withdraw(
  trx: Trx,
  target: Subject,
  reason: string,
  at: Date,
  observer?: FanOutObserver,
): Promise<number | null> {
  if (!(await markWithdrawn(trx, target, reason, at))) return null;
  await nameAfterWithdrawal(trx, target);
  return fanOutInvalidation(trx, target, reason, at, observer);
}

/**
 * Marks the withdrawal alone: republication issues the records later, when it holds no other row that another
 * transaction may wait for.
 *
 * @returns whether the subject was published until now
 */
export async function markWithdrawn(trx: Trx, target: Subject, reason: string, at: Date): Promise<boolean> {
  const withdrawn = { publication_status: 'WITHDRAWN', withdrawn_at: at, withdrawal_reason: reason } as const;
  if ('explanationResultId' in target) {
    const result = await trx
      .updateTable('explanation_result')
      .set(withdrawn)
      .where('explanation_result_id', '=', target.explanationResultId)
      .where('publication_status', '=', 'PUBLISHED')
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }
  const analysis = await trx
    .updateTable('movement_analysis')
    .set(withdrawn)
    .where('movement_analysis_id', '=', target.movementAnalysisId)
    .where('publication_status', '=', 'PUBLISHED')
    .executeTakeFirst();
  if (analysis.numUpdatedRows !== 1n) return false;
  await sql`
    insert into movement_analysis_status_history (movement_analysis_id, from_status, to_status, note, changed_at)
    values (${target.movementAnalysisId}, 'AUTO_PUBLISHED', 'WITHDRAWN', ${reason}, ${at})`.execute(trx);
  return true;
}
