/** `intake replay` (D34): applies rejected entries again, after an update of the program that understands them. */
import { recordAction } from '../ledger/audit.ts';
import { supersedeEntry } from '../ledger/entries.ts';
import { sqlite } from '../ledger/ledger.ts';
import { indexReceived } from '../ledger/search-index.ts';
import { applyOrReject, type ApplyParts } from './apply.ts';
import { committedEntry, type CommittedEntry } from './committed.ts';
import { derive, type Derivation } from './derivation.ts';
import { readEntry, targetOf } from './entry.ts';
import { rebuildInstruments } from './rebuild.ts';

export interface Replayed {
  /** Cursors of the entries that are rejected no more. */
  applied: number[];
  /** Cursors of the entries that later ones have overtaken: they stay on record and change nothing. */
  superseded: number[];
  /** Entries that still do not fit, with why. */
  rejected: { cursor: number; reason: string }[];
}

/**
 * In cursor order and one transaction. What came after a rejected entry has been applied already: an entry
 * that a later one of the same explanation has overtaken stays on record as superseded and is not applied,
 * because nothing older may take the place of what the history tells (D37).
 *
 * @throws RawBundleDamagedError
 */
export function replayRejected(parts: ApplyParts): Replayed {
  return parts.ledger.write((tx) => {
    const replayed: Replayed = { applied: [], superseded: [], rejected: [] };
    const derived = derive(tx);
    for (const { cursor } of tx.all(sqlite.selectFrom('rejected_entry').select('cursor').orderBy('cursor'))) {
      const committed = committedEntry(tx, cursor);
      if (isOvertaken(derived, committed)) {
        supersedeEntry(tx, cursor);
        replayed.superseded.push(cursor);
        continue;
      }
      const done = applyOrReject(tx, parts, committed);
      if (done.outcome === 'REJECTED') {
        tx.run(sqlite.updateTable('rejected_entry').set({ reason: done.reason }).where('cursor', '=', cursor));
        replayed.rejected.push({ cursor, reason: done.reason });
      } else {
        tx.run(sqlite.deleteFrom('rejected_entry').where('cursor', '=', cursor));
        replayed.applied.push(cursor);
      }
    }
    // An entry of long ago does not rename what a later one has named.
    rebuildInstruments(tx, derive(tx));
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

/** Whether a later entry, applied in its turn, has said what this one is about. */
function isOvertaken(derived: Derivation, { entry, text }: CommittedEntry): boolean {
  const read = readEntry(entry, text.whole);
  switch (read.kind) {
    case 'NEW': {
      const known = derived.explanations.get(read.entry.explanation_result.explanation_result_id);
      return known !== undefined && known.lastCursor > entry.cursor;
    }
    case 'INVALIDATION':
      return (derived.withdrawn.get(targetOf(read.entry))?.cursor ?? 0) > entry.cursor;
    case 'REJECTED':
      return false;
  }
}
