/** `intake restore --hold-all`: nothing that an older ledger would show goes out before a person has looked at it. */
import { commandActor } from '../../ledger/audit/audit.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { exposableIds } from '../../ledger/serving/visibility.ts';
import { applyMove } from '../../ledger/transitions.ts';

/** For the history. */
const HELD =
  '백업에서 복원한 원장이어서 재심사로 보냅니다. 백업 이후의 결정이 없습니다. (restored from a backup that lacks later decisions)';

/** Sends every text that a channel gets now, or would get later by itself, to review. Gives their number. */
export function holdEveryText(ledger: Ledger, now: Date): number {
  const at = now.toISOString();
  return ledger.write((tx) => {
    const ids = exposableIds(tx, now);
    for (const id of ids) applyMove(tx, { id, move: 'move-to-review', actor: commandActor(), at, reason: HELD });
    return ids.length;
  });
}
