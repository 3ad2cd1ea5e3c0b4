/**
 * `intake rebuild` (D36): makes the domain say again what the raw bundles and the journals say. What people
 * decided is in the journals and is never touched; what is right already is left alone.
 */
import { recordAction } from '../ledger/audit.ts';
import { explanationId, insertExplanation, insertRow, rememberInstrument } from '../ledger/explanations.ts';
import { standingOf, type Remembered, type Standing } from '../ledger/journal.ts';
import { sqlite, type LedgerTransaction } from '../ledger/ledger.ts';
import { applyMove } from '../ledger/moves.ts';
import { readCursors } from '../ledger/raw-bundles.ts';
import { restoreSectors } from '../ledger/scope.ts';
import { indexAnew, stopIndexing } from '../ledger/search-index.ts';
import type { ExplanationTable } from '../ledger/tables.ts';
import { withdrawnBefore, type ApplyParts } from './apply.ts';
import { committedEntry } from './committed.ts';
import { derive, digestOf, fieldsAt, type DerivedExplanation, type Derivation } from './derivation.ts';
import { readEntry } from './entry.ts';
import { explanationRows, firstText, isHidden, isStanding, rawFindings } from './verify.ts';

/** How many rows were not what they must be. */
export interface Rebuilt {
  /** Explanations that were missing. */
  restored: number;
  /** Explanations that said or stood otherwise. */
  corrected: number;
  /** Explanations that follow from no raw bundle: they were withdrawn, because their history cannot be deleted. */
  withdrawn: number;
  /** Explanations that say that they were withdrawn, and were not: they are left so, because nothing brings one back. */
  left: number;
}

/** The raw bundles themselves are damaged: nothing can be derived from them. */
export class RawRecordsDamagedError extends Error {
  override name = 'RawRecordsDamagedError';
  constructor(findings: readonly string[]) {
    super(
      `${findings.join('\n')}\nNothing was rebuilt, because the raw bundles are not whole: restore the ledger from a backup.`,
    );
  }
}

/** In one transaction: all of it, or nothing. @throws RawRecordsDamagedError */
export function rebuildLedger(parts: ApplyParts): Rebuilt {
  return parts.ledger.write((tx) => {
    const { findings } = rawFindings(tx);
    if (findings.length > 0) throw new RawRecordsDamagedError(findings);
    const at = parts.clock.now().toISOString();
    const derived = derive(tx);
    const rebuilt = { restored: 0, corrected: 0, withdrawn: 0, left: 0 };
    stopIndexing(tx);
    const there = correctRows(tx, derived, at, rebuilt);
    restoreRows(tx, parts, derived, there, at, rebuilt);
    rebuildHeld(tx, derived, at);
    rebuildRejected(tx, derived, at);
    rebuildInstruments(tx, derived);
    indexAnew(tx);
    recordAction(tx, {
      at,
      actor: { kind: 'SYSTEM' },
      action: 'ledger.rebuild',
      targetType: 'ledger',
      targetId: null,
      detail: { appliedCursor: readCursors(tx).applied, ...rebuilt },
    });
    return rebuilt;
  });
}

/** Sets right every row that is there; gives the vendor ids of those. */
function correctRows(tx: LedgerTransaction, derived: Derivation, at: string, rebuilt: Rebuilt): Set<string> {
  const there = new Set<string>();
  for (const row of explanationRows(tx)) {
    const expected = derived.explanations.get(row.explanation_result_id);
    // A row under an id that is not its own is nobody's: the right one is restored beside it.
    if (expected === undefined || row.id !== explanationId(row.explanation_result_id)) {
      if (row.status === 'INVALIDATED' || isHidden(row)) continue;
      applyMove(tx, { id: row.id, move: 'invalidate', actor: { kind: 'SYSTEM' }, at, reason: NO_RAW_BUNDLE });
      rebuilt.withdrawn += 1;
      continue;
    }
    there.add(row.explanation_result_id);
    if (correctRow(tx, derived, row, expected, at)) rebuilt.corrected += 1;
    if (row.status === 'INVALIDATED' && !derived.withdrawn.has(row.explanation_result_id)) rebuilt.left += 1;
  }
  return there;
}

const NO_RAW_BUNDLE = '원본 기록에 없는 설명입니다. (follows from no raw bundle)';

function correctRow(
  tx: LedgerTransaction,
  derived: Derivation,
  row: ExplanationTable,
  expected: DerivedExplanation,
  at: string,
): boolean {
  const isSaid = row.cursor === expected.cursor && digestOf(row) === expected.digest;
  const fields = isSaid ? {} : { ...fieldsAt(tx, expected.cursor), cursor: expected.cursor };
  const summary = isSaid ? row.summary : fieldsAt(tx, expected.cursor).summary;
  const standing = standingOf(tx, row.id, firstText(tx, summary, expected));
  const isFinal = row.status === 'INVALIDATED' && standing?.status !== 'INVALIDATED';
  const stands = standing === undefined || isFinal || isStanding(row, standing);
  const version = row.version + 1;
  if (!isSaid || !stands) {
    const told = stands || standing === undefined ? {} : standingColumns(standing);
    tx.run(
      sqlite
        .updateTable('explanation')
        .set({ ...fields, ...told, version })
        .where('id', '=', row.id),
    );
  }
  const withdrawn = withdrawIfMissed(
    tx,
    derived,
    row.explanation_result_id,
    isFinal ? row.status : (standing?.status ?? row.status),
    at,
  );
  return !isSaid || !stands || withdrawn;
}

/** A withdrawal of the raw bundles that the history does not know of. */
function withdrawIfMissed(
  tx: LedgerTransaction,
  derived: Derivation,
  target: string,
  status: string,
  at: string,
): boolean {
  const withdrawal = derived.withdrawn.get(target);
  if (withdrawal === undefined || status === 'INVALIDATED') return false;
  const { reason } = withdrawal;
  applyMove(tx, { id: explanationId(target), move: 'invalidate', actor: { kind: 'SYSTEM' }, at, reason });
  return true;
}

function standingColumns({ failed_checks: _checks, versions: _versions, ...standing }: Remembered): Standing {
  return standing;
}

/** Puts back what is missing: where its history says, or, without one, where a screening says. */
function restoreRows(
  tx: LedgerTransaction,
  { screenEntry }: ApplyParts,
  derived: Derivation,
  there: ReadonlySet<string>,
  at: string,
  rebuilt: Rebuilt,
): void {
  for (const [target, expected] of derived.explanations) {
    if (there.has(target)) continue;
    rebuilt.restored += 1;
    const { entry, text } = committedEntry(tx, expected.cursor);
    const fields = fieldsAt(tx, expected.cursor);
    const first = committedEntry(tx, expected.firstCursor).raw.receivedAt;
    const id = explanationId(target);
    const standing = standingOf(tx, id, firstText(tx, fields.summary, expected));
    if (standing === undefined) {
      const read = readEntry(entry, text.whole);
      if (read.kind !== 'NEW') throw new TypeError(`the entry at cursor ${entry.cursor} is no NEW`);
      const found = screenEntry(tx, read.entry);
      const taken = derived.withdrawn.has(target) ? withdrawnBefore(found.screened) : found;
      insertExplanation(tx, fields, { cursor: expected.cursor, at, receivedAt: first, ...taken });
    } else {
      const { versions, ...told } = standing;
      const version = versions + expected.updates;
      tx.run(insertRow({ ...fields, ...told, id, cursor: expected.cursor, received_at: first, version }));
    }
    withdrawIfMissed(tx, derived, target, standing?.status ?? 'PENDING_REVIEW', at);
  }
}

export function rebuildHeld(tx: LedgerTransaction, derived: Derivation, at: string): void {
  const before = tx.all(sqlite.selectFrom('held_invalidation').selectAll());
  const heldAt = new Map(before.map((row) => [row.target_id, row.held_at]));
  tx.run(sqlite.deleteFrom('held_invalidation'));
  for (const [target, { cursor, reason }] of derived.withdrawn) {
    if (derived.explanations.has(target)) continue;
    const held_at = heldAt.get(target) ?? at;
    tx.run(sqlite.insertInto('held_invalidation').values({ target_id: target, cursor, reason, held_at }));
  }
}

/** Those that fit by now stay on record: applying them is `intake replay`'s. */
export function rebuildRejected(tx: LedgerTransaction, derived: Derivation, at: string): void {
  const kept = new Set([...derived.fitNow, ...derived.superseded]);
  const known = new Set<number>();
  for (const { cursor } of tx.all(sqlite.selectFrom('rejected_entry').select('cursor'))) {
    if (derived.misfits.has(cursor) || kept.has(cursor)) known.add(cursor);
    else tx.run(sqlite.deleteFrom('rejected_entry').where('cursor', '=', cursor));
  }
  for (const [cursor, reason] of derived.misfits) {
    if (known.has(cursor)) continue;
    const { raw, text } = committedEntry(tx, cursor);
    tx.run(
      sqlite
        .insertInto('rejected_entry')
        .values({ cursor, cursor_from: raw.cursorFrom, reason, entry: text.whole, rejected_at: at }),
    );
  }
}

/** As the vendor has named them last, in the sectors that people have said: an exclusion may hang on them. */
export function rebuildInstruments(tx: LedgerTransaction, { instruments }: Derivation): void {
  // What no entry has named is no market.
  tx.run(sqlite.updateTable('instrument').set({ market: null }));
  for (const { cursor, market } of instruments.values()) rememberInstrument(tx, { ...fieldsAt(tx, cursor), market });
  restoreSectors(tx);
}
