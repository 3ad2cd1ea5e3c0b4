/**
 * `intake set-aside CURSOR`: raw bundles that must not count, because they were never the cloud's (a cursor that
 * jumped) or no longer are (the cloud was set back), leave the raw store for the quarantine, and the committed
 * cursor falls to where they began. The Intake then asks for what the cloud has from there on.
 *
 * Nothing is lost: the bodies lie in the quarantine, every decision in the journals. What follows from those
 * bundles alone is BLOCKED, from where no person can put it on show, until the cloud sends it again; what they
 * had changed says again what it said before, and is screened as a changed text is (D37). What they have
 * withdrawn stays withdrawn: nothing brings a withdrawn text back.
 */
import { recordAction } from '../ledger/audit.ts';
import { rescreened } from '../ledger/explanations.ts';
import { sqlite, type LedgerTransaction } from '../ledger/ledger.ts';
import { applyMove } from '../ledger/moves.ts';
import { fallBackTo, readCursors, setAside } from '../ledger/raw-bundles.ts';
import { indexAnew, stopIndexing } from '../ledger/search-index.ts';
import { recordApplyFault } from '../ledger/sync-state.ts';
import type { ExplanationTable } from '../ledger/tables.ts';
import { NO_CURSOR, type ApplyParts } from './apply.ts';
import { committedEntry } from './committed.ts';
import { derive, fieldsAt, type DerivedExplanation } from './derivation.ts';
import { readEntry } from './entry.ts';
import { rebuildHeld, rebuildInstruments, rebuildRejected } from './rebuild.ts';
import { explanationRows } from './verify.ts';

export interface SetAside {
  /** Where the raw bundles, and so the committed cursor, end now. */
  committed: number;
  bundles: number;
  /** Explanations that are hidden until the cloud sends them again. */
  hidden: number;
  /** Explanations that say again what an earlier entry said. */
  takenBack: number;
}

/** Every bundle that reaches beyond a cursor; in one transaction. @throws RawBundleDamagedError */
export function setAsideAfter(parts: ApplyParts, cursor: number): SetAside {
  return parts.ledger.write((tx) => {
    const before = readCursors(tx);
    const bundles = tx.all(
      sqlite.selectFrom('raw_bundle').select('cursor_from').where('cursor_to', '>', cursor).orderBy('cursor_from'),
    );
    const [first] = bundles;
    const done = {
      committed: first?.cursor_from ?? before.committed,
      bundles: bundles.length,
      hidden: 0,
      takenBack: 0,
    };
    if (first === undefined) return done;
    // They refer to raw bundles; the rest of them is derived anew below.
    tx.run(sqlite.deleteFrom('rejected_entry').where('cursor', '>', done.committed));
    for (const { cursor_from } of bundles) setAside(tx, cursor_from, SET_ASIDE);
    fallBackTo(tx, done.committed);
    recordApplyFault(tx, null);

    const at = parts.clock.now().toISOString();
    const derived = derive(tx);
    stopIndexing(tx);
    for (const row of explanationRows(tx)) {
      if (row.cursor <= done.committed) continue;
      const earlier = derived.explanations.get(row.explanation_result_id);
      if (earlier === undefined) {
        hide(tx, row, at);
        done.hidden += 1;
      } else {
        takeBack(tx, parts, row, earlier, at);
        done.takenBack += 1;
      }
    }
    rebuildHeld(tx, derived, at);
    rebuildRejected(tx, derived, at);
    rebuildInstruments(tx, derived);
    indexAnew(tx);
    recordAction(tx, {
      at,
      actor: { kind: 'SYSTEM' },
      action: 'ledger.set-aside',
      targetType: 'ledger',
      targetId: null,
      detail: { committedCursor: before.committed, appliedCursor: before.applied, ...done },
    });
    return done;
  });
}

const SET_ASIDE = 'Set aside by the administrator ("intake set-aside"): the cloud is asked again for these records.';
const HIDDEN = '원본 기록을 격리하여 공급사가 다시 보낼 때까지 제공하지 않습니다. (its raw record was set aside)';
const TAKEN_BACK =
  '원본 기록을 격리하여 이전 본문으로 되돌리고 다시 심사하였습니다. (its last raw record was set aside)';

/** What no raw bundle tells any more. Without a cursor of its own, whatever the cloud sends of it is news. */
function hide(tx: LedgerTransaction, row: ExplanationTable, at: string): void {
  tx.run(sqlite.updateTable('explanation').set({ cursor: NO_CURSOR, failed_checks: '[]' }).where('id', '=', row.id));
  if (row.status === 'INVALIDATED') return;
  applyMove(tx, {
    id: row.id,
    move: 'text-changed',
    actor: { kind: 'SYSTEM' },
    at,
    reason: HIDDEN,
    screened: { outcome: 'BLOCKED', policyVersion: row.policy_version, screeningId: null },
    withoutText: true,
  });
}

function takeBack(
  tx: LedgerTransaction,
  { screenEntry }: ApplyParts,
  row: ExplanationTable,
  { cursor }: DerivedExplanation,
  at: string,
): void {
  const fields = fieldsAt(tx, cursor);
  tx.run(
    sqlite
      .updateTable('explanation')
      .set({ ...fields, cursor, version: row.version + 1 })
      .where('id', '=', row.id),
  );
  if (row.status === 'INVALIDATED' || fields.summary === row.summary) return;
  const { entry, text } = committedEntry(tx, cursor);
  const read = readEntry(entry, text.whole);
  if (read.kind !== 'NEW') throw new TypeError(`the entry at cursor ${cursor} is no NEW`);
  const screened = rescreened(tx, row.id, at, screenEntry(tx, read.entry).screened);
  applyMove(tx, {
    id: row.id,
    move: 'text-changed',
    actor: { kind: 'SYSTEM' },
    at,
    reason: TAKEN_BACK,
    screened: row.decided === 1 ? { ...screened, outcome: 'PENDING_REVIEW' } : screened,
  });
}
