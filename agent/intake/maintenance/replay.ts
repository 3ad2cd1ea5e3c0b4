/** `intake replay` (D34): applies rejected entries again, after an update of the program that understands them. */
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { commandActor, recordAction } from '../../ledger/audit/audit.ts';
import { isRejected, supersedeEntry } from '../../ledger/inbox/entries.ts';
import { rememberInstrument } from '../../ledger/explanations/explanations.ts';
import type { Ledger, LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { indexReceived } from '../../ledger/explanations/search-index.ts';
import { applyOrReject, type ApplyParts } from '../apply/apply.ts';
import { CommittedEntries, readCommitted, type CommittedEntry } from '../apply/committed-entries.ts';
import { derive, DERIVED, extend, type Projection } from '../apply/projection.ts';
import { targetOf } from '../apply/entry.ts';
import { unprovedBundles } from './unproved-texts.ts';

export interface Replayed {
  /** Cursors of the entries that are no longer rejected. */
  applied: number[];
  /** Cursors of the entries that later ones have overtaken: they stay on record and change nothing. */
  superseded: number[];
  /** Entries that still do not fit, with the reason. */
  rejected: { cursor: number; reason: string }[];
}

/** Such a text stays rejected: no row of the audit log names its bundle, and the row of its rejection is no proof (D199). */
const UNPROVED = 'no verification key at hand has signed its bundle. Name the key that has.';

/** Entries of one transaction. */
const BATCH = 100;

type Parts = Omit<ApplyParts, 'ledger'> & { ledger: Ledger };

/**
 * Applies rejected entries in cursor order, some in a transaction. Entries after a rejected one have already been
 * applied: an entry that a later one of the same explanation has overtaken stays on record as superseded and is not
 * applied, because an older entry may not replace the present content (D37).
 *
 * @param progress told the stages of `deriveStages`
 * @throws RawBundleDamagedError, StoppedError
 */
export function replayRejected(parts: Parts, progress: Progress = UNTOLD): Replayed {
  const { ledger } = parts;
  const derived = ledger.read((reader) => derive(reader, { progress }));
  const unproved = unprovedBundles(ledger, parts.isProved, derived.upTo);
  const replayed: Replayed = { applied: [], superseded: [], rejected: [] };
  const rows = ledger.all(sqlite.selectFrom('rejected_entry').select('cursor').orderBy('cursor'));
  for (let from = 0; from < rows.length; from += BATCH) {
    progress.at(DERIVED, derived.upTo);
    ledger.write((tx) => {
      extend(tx, derived);
      const before = replayed.applied.length;
      const committed = new CommittedEntries(tx);
      for (const { cursor } of rows.slice(from, from + BATCH)) {
        if (!isRejected(tx, cursor)) continue;
        const each = committed.at(cursor);
        // A withdrawal is never refused.
        if (readCommitted(each).kind === 'NEW' && unproved.has(each.raw.cursorFrom))
          replayed.rejected.push({ cursor, reason: UNPROVED });
        else replayOne(tx, parts, derived, each, replayed);
      }
      indexReceived(tx);
      const applied = replayed.applied.length - before;
      if (applied > 0) recordReplay(tx, parts, { applied, rejected: replayed.rejected.length });
    });
  }
  return replayed;
}

function replayOne(
  tx: LedgerTransaction,
  parts: Parts,
  derived: Projection,
  committed: CommittedEntry,
  replayed: Replayed,
): void {
  const { cursor } = committed.entry;
  if (isOvertaken(derived, committed)) {
    supersedeEntry(tx, cursor);
    replayed.superseded.push(cursor);
    return;
  }
  const done = applyOrReject(tx, parts, committed);
  if (done.outcome === 'REJECTED') {
    tx.run(sqlite.updateTable('rejected_entry').set({ reason: done.reason }).where('cursor', '=', cursor));
    replayed.rejected.push({ cursor, reason: done.reason });
    return;
  }
  tx.run(sqlite.deleteFrom('rejected_entry').where('cursor', '=', cursor));
  replayed.applied.push(cursor);
  nameAsLast(tx, derived, committed, parts.clock.now().toISOString());
}

/** A replayed entry does not replace an instrument's later name. */
function nameAsLast(tx: LedgerTransaction, { instruments }: Projection, each: CommittedEntry, at: string): void {
  const { entry } = each;
  const read = readCommitted(each);
  if (read.kind !== 'NEW') return;
  const last = instruments.get(read.entry.explanation_result.etf_ticker)?.at(-1);
  if (last !== undefined && last.cursor > entry.cursor) rememberInstrument(tx, last, at);
}

function recordReplay(tx: LedgerTransaction, { clock }: Parts, detail: Record<string, unknown>): void {
  recordAction(tx, {
    at: clock.now().toISOString(),
    actor: commandActor(),
    action: 'ledger.replay',
    targetType: 'ledger',
    targetId: null,
    detail,
  });
}

/** Whether a later, applied entry concerns the same explanation. */
function isOvertaken(derived: Projection, each: CommittedEntry): boolean {
  const { entry } = each;
  const read = readCommitted(each);
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
