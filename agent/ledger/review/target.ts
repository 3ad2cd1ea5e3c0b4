/** The target time for a review, in minutes of working time. An administrator sets it; it decides nothing. */
import type { ReviewTarget } from '../../../shared/wire/console/console.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';

/** Another administrator has set it meanwhile. */
export class TargetMovedOnError extends Error {
  override name = 'TargetMovedOnError';
  readonly version: number;
  constructor(version: number) {
    super(`The target is at version ${version} now.`);
    this.version = version;
  }
}

export function reviewTarget(reader: LedgerReader): ReviewTarget {
  const row = reader.first(sqlite.selectFrom('review_target').select(['minutes', 'version']));
  return row ?? { minutes: null, version: 1 };
}

/**
 * Sets the target; null removes it. The same value leaves no trace.
 *
 * @throws TargetMovedOnError
 */
export function setReviewTarget(
  tx: LedgerTransaction,
  request: { minutes: number | null; actor: Actor; at: string; expectedVersion?: number },
): void {
  const { minutes, actor, at, expectedVersion } = request;
  const { minutes: from, version } = reviewTarget(tx);
  if (expectedVersion !== undefined && expectedVersion !== version) throw new TargetMovedOnError(version);
  if (from === minutes) return;
  tx.run(sqlite.updateTable('review_target').set({ minutes, version: version + 1 }));
  const detail = { from, to: minutes };
  recordAction(tx, { at, actor, action: 'review.target', targetType: 'review', targetId: null, detail });
}
