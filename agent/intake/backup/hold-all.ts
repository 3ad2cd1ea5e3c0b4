/** `intake restore --hold-all`: exposes no text of an older ledger before a review. */
import { commandActor } from '../../ledger/audit/audit.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { exposableIds } from '../../ledger/serving/visibility.ts';
import { applyMove } from '../../ledger/transitions.ts';

/** For the history. */
const HELD =
  '백업에서 복원한 원장이어서 재심사로 보냅니다. 백업 이후의 결정이 없습니다. (restored from a backup that lacks later decisions)';

/** Sends to review every text that is exposed now or would be later without a further act. Returns their number. */
export function holdEveryText(ledger: Ledger, now: Date): number {
  const at = now.toISOString();
  return ledger.write((tx) => {
    const ids = exposableIds(tx, now);
    for (const id of ids) applyMove(tx, { id, move: 'move-to-review', actor: commandActor(), at, reason: HELD });
    return ids.length;
  });
}
