/** The one operation on an analysis (operator API 3). */
import { sql } from 'kysely';
import type { Confirm } from '../accounts/request.ts';
import { ApiError, FAILURES } from '../../shared/wire/envelope.ts';
import type { Invalidated } from '../../shared/wire/operator/operator.ts';
import { fanOutTransaction, type FanOutObserver } from '../publication/fan-out.ts';
import { withdraw } from '../publication/withdraw.ts';
import type { Store, Trx } from '../store/open.ts';
import { recordActivity, withdrawnBy, type ActivityActor } from '../accounts/activity-log.ts';
import { analysisOfId } from './analyses.ts';

/**
 * Withdraws a published text, issues the withdrawal to its recipients and writes the audit entry, in one transaction.
 *
 * @param confirm checks once more whether the operator may
 * @throws ApiError COMMON401, COMMON404, ANALYSIS4091
 */
export async function withdrawAnalysis(
  store: Store,
  { id, reason, actor, at }: { id: string; reason: string; actor: ActivityActor; at: Date },
  confirm: Confirm,
  observer?: FanOutObserver,
): Promise<Invalidated> {
  return fanOutTransaction(
    store,
    async (trx) => {
      await confirm(trx);
      const { rows } = await sql<{ engine: 'v1' | 'v2' | null }>`
        select a.engine from (${analysisOfId(id)}) a`.execute(trx);
      const found = rows[0];
      if (found === undefined) throw new ApiError('COMMON404');
      const { engine } = found;
      // A run without a result was never published.
      if (engine === null) throw new ApiError('ANALYSIS4091');
      const deliveries = await withdraw(
        trx,
        engine === 'v2' ? { movementAnalysisId: id } : { explanationResultId: id },
        reason,
        at,
        observer,
      );
      if (deliveries === null) throw new ApiError('ANALYSIS4091', await whyNotPublished(trx, id, engine));
      await recordActivity(trx, {
        at,
        actor,
        type: 'ANALYSIS_INVALIDATED',
        targetType: engine === 'v2' ? 'MOVEMENT_ANALYSIS' : 'EXPLANATION_RESULT',
        targetId: id,
        reason,
      });
      return { id, publicationState: 'INVALIDATED', withdrawnAt: at.toISOString(), deliveries };
    },
    // A text that must not be shown any more does not wait behind loads (D151).
    { isUrgent: true, observer },
  );
}

/** Who has withdrawn it, when and why, for the operator who comes second; undefined: it was never published. */
async function whyNotPublished(trx: Trx, id: string, engine: 'v1' | 'v2'): Promise<string | undefined> {
  const of =
    engine === 'v2'
      ? sql`movement_analysis where movement_analysis_id = ${id}`
      : sql`explanation_result where explanation_result_id = ${id}`;
  const { rows } = await sql<{ withdrawn_at: Date | null; withdrawal_reason: string | null }>`
    select withdrawn_at, withdrawal_reason from ${of}`.execute(trx);
  const { withdrawn_at: at = null, withdrawal_reason: why = null } = rows[0] ?? {};
  if (at === null) return undefined;
  const by = await withdrawnBy(trx, id);
  const who = by === null ? 'It was withdrawn' : `${by} withdrew this one`;
  return `${FAILURES.ANALYSIS4091.message} ${who} at ${at.toISOString()}${why === null ? '.' : `: ${why}`}`;
}
