/** `intake replay` (D34): applies rejected entries again, after an update of the program that understands them. */
import { recordAction } from '../ledger/audit.ts';
import { sqlite } from '../ledger/ledger.ts';
import { indexReceived } from '../ledger/search-index.ts';
import { applyOrReject, type ApplyParts } from './apply.ts';
import { committedEntry } from './committed.ts';

export interface Replayed {
  /** Cursors of the entries that are rejected no more. */
  applied: number[];
  /** Entries that still do not fit, with why. */
  rejected: { cursor: number; reason: string }[];
}

/**
 * In cursor order and one transaction. What came after a rejected entry has been applied already, and an
 * entry older than what is held of its explanation changes nothing, so that the end is the same as if it
 * had been applied in its turn.
 *
 * @throws RawBundleDamagedError
 */
export function replayRejected(parts: ApplyParts): Replayed {
  return parts.ledger.write((tx) => {
    const replayed: Replayed = { applied: [], rejected: [] };
    for (const { cursor } of tx.all(sqlite.selectFrom('rejected_entry').select('cursor').orderBy('cursor'))) {
      const done = applyOrReject(tx, parts, committedEntry(tx, cursor));
      if (done.outcome === 'REJECTED') {
        tx.run(sqlite.updateTable('rejected_entry').set({ reason: done.reason }).where('cursor', '=', cursor));
        replayed.rejected.push({ cursor, reason: done.reason });
      } else {
        tx.run(sqlite.deleteFrom('rejected_entry').where('cursor', '=', cursor));
        replayed.applied.push(cursor);
      }
    }
    indexReceived(tx);
    if (replayed.applied.length > 0) {
      recordAction(tx, {
        at: parts.clock.now().toISOString(),
        actor: { kind: 'SYSTEM' },
        action: 'ledger.replay',
        targetType: 'ledger',
        targetId: null,
        detail: { applied: replayed.applied.length, rejected: replayed.rejected.length },
      });
    }
    return replayed;
  });
}
