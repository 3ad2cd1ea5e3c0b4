/**
 * `intake rebuild` (D36): derives the domain again from the raw bundles and the journals, and corrects the rows that
 * differ. The journals, which hold people's decisions, are never touched.
 *
 * It derives without the write lock and writes in small transactions of whole rows, so that others write in between and
 * an interrupted run is begun again. A ticker with rows to correct is hidden from the first transaction to the last, or
 * until the next run: as long as its latest explanation is missing, an earlier one would take its place (D20).
 */
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { commandActor, recordAction } from '../../ledger/audit/audit.ts';
import { explanationId, statusOf } from '../../ledger/explanations/explanations.ts';
import { cameNow, heldAhead } from '../../ledger/serving/ahead.ts';
import { endTickerHold, holdTickers, recordFormerFields } from '../../ledger/serving/record.ts';
import { isDecidedOnRecord, isHistoryOnRecord, rememberedOf, wasHeldBack } from '../../ledger/explanations/history.ts';
import type { Ledger, LedgerReader, LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { isExposable } from '../../ledger/explanations/transition-table.ts';
import { applyMove, recordFoundWithdrawn, recordReceived } from '../../ledger/transitions.ts';
import { followHistory, putHistoryOnRecord } from '../../ledger/explanations/history-check.ts';
import { readCursors, setAppliedCursor } from '../../ledger/inbox/raw-bundles.ts';
import { positionOfEntry } from '../../ledger/explanations/position.ts';
import { recordScreening } from '../../ledger/explanations/screenings.ts';
import {
  areCountsSound,
  forgetIndex,
  indexedRowsOnly,
  indexReceived,
  isIndexSound,
} from '../../ledger/explanations/search-index.ts';
import type { ApplyParts } from '../apply/apply.ts';
import { CommittedEntries } from '../apply/committed-entries.ts';
import {
  appliedEnd,
  derive,
  extend,
  firstChange,
  lastChange,
  laterIds,
  type ProjectedExplanation,
  type Projection,
} from '../apply/projection.ts';
import {
  foundWordFaults,
  heldFaults,
  instrumentFaults,
  rejectedFaults,
  waitingEditFaults,
  type DomainFault,
} from './domain-faults.ts';
import {
  explanationRows,
  firstText,
  isHidden,
  isScreened,
  leastVersion,
  nextRows,
  rowFault,
  stateColumns,
  type NumberedRow,
} from '../apply/explanation-faults.ts';
import { DOUBTED, NEVER_SCREENED, restoreExplanation } from '../apply/restore-explanation.ts';
import { rescreen } from '../apply/rescreen.ts';
import { STAGES } from './stages.ts';
import { UnprovedTextError, unprovedTexts } from './unproved-texts.ts';
import { rawFindings } from './verify.ts';

/** The numbers of corrected rows. */
export interface Rebuilt {
  /** Explanations that were missing. */
  restored: number;
  /** Explanations with another content or state. */
  corrected: number;
  /** Explanations that follow from no raw bundle: they were withdrawn, because their history cannot be deleted. */
  withdrawn: number;
  /**
   * Explanations whose row was wrongly withdrawn: their history records the withdrawal now, because no withdrawn text
   * returns.
   */
  left: number;
}

/** The raw bundles themselves are damaged: nothing can be derived from them. */
export class RawRecordsDamagedError extends Error {
  override name = 'RawRecordsDamagedError';
  constructor(findings: readonly string[]) {
    super(
      `${findings.join('\n')}\nNothing was rebuilt, because the raw bundles are not whole: run "repair", or restore the ledger from a backup.`,
    );
  }
}

/** Rows that one transaction checks: some tens of milliseconds, some hundreds where all are wrong. */
const BATCH = 200;

type Parts = Omit<ApplyParts, 'ledger'> & { ledger: Ledger };

/** The state that one transaction of a rebuild works with. */
interface Work {
  parts: Parts;
  tx: LedgerTransaction;
  at: string;
  derived: Projection;
  committed: CommittedEntries;
  /** What does not fit between history and audit log, by explanation, until it is on record. */
  untold: Map<string, string>;
  rebuilt: Rebuilt;
  batch: number;
  progress: Progress;
}

/**
 * @param batch rows that one transaction checks
 * @param progress told the stages of `rebuildStages`
 * @throws RawRecordsDamagedError, UnprovedTextError, StoppedError
 */
export function rebuildLedger(parts: Parts, batch = BATCH, progress = UNTOLD): Rebuilt {
  const { ledger, clock } = parts;
  const { derived, rejected, untold, faulty } = ledger.read((reader) => {
    const { findings } = rawFindings(reader, [], { progress });
    if (findings.length > 0) throw new RawRecordsDamagedError(findings);
    const told = derive(reader, { progress });
    const unproved = unprovedTexts(reader, told, parts.isProved);
    if (unproved.length > 0) throw new UnprovedTextError(unproved);
    const { faults } = followHistory(reader, (move) => progress.at(STAGES.history, move));
    return {
      derived: told,
      rejected: rejectedFaults(reader, told),
      untold: faults,
      faulty: faultyTickers(reader, told, faults, progress),
    };
  });
  const rebuilt: Rebuilt = { restored: 0, corrected: 0, withdrawn: 0, left: 0 };
  /** Each transaction first takes in the entries that the Intake has applied meanwhile. */
  const write = <T>(work: (each: Work) => T): T =>
    ledger.write((tx) => {
      extend(tx, derived);
      const committed = new CommittedEntries(tx);
      return work({ parts, tx, at: clock.now().toISOString(), derived, committed, untold, rebuilt, batch, progress });
    });

  progress.at(STAGES.index, 0);
  const isIndexed = isIndexSound(ledger) && areCountsSound(ledger);
  write(({ tx, at }) => {
    holdTickers(tx, faulty, at);
    if (readCursors(tx).applied < derived.upTo) setAppliedCursor(tx, appliedEnd(tx));
    // From here on the triggers skip rows that are not indexed.
    if (isIndexed) indexedRowsOnly(tx);
    else forgetIndex(tx);
    recordRebuild(tx, at, { appliedCursor: derived.upTo });
  });
  const corrected = correctRows(write, 0);
  restoreRows(write, [...derived.explanations.keys()], batch);
  // The Intake may have restored a row meanwhile without its first arrival.
  correctRows(write, corrected);
  write(tellStrays);
  mendAll(write, rejected);
  write(({ tx, at }) => {
    for (const fault of [...heldFaults(tx, derived), ...instrumentFaults(tx, derived)]) fault.mend(tx, at);
    endTickerHold(tx, at);
  });
  mendAll(write, ledger.read(foundWordFaults));
  mendAll(write, ledger.read(waitingEditFaults));
  while (ledger.write(indexReceived));
  ledger.write((tx) =>
    recordRebuild(tx, clock.now().toISOString(), { appliedCursor: readCursors(tx).applied, ...rebuilt }),
  );
  return rebuilt;
}

/** The tickers of every row that must be corrected, before and after. */
function faultyTickers(
  reader: LedgerReader,
  derived: Projection,
  untold: ReadonlyMap<string, string>,
  progress: Progress,
): Set<string> {
  const committed = new CommittedEntries(reader);
  const tickers = new Set<string>();
  const missing = new Set(derived.explanations.keys());
  for (const row of explanationRows(reader)) {
    progress.at(STAGES.compared, row.number);
    const fault = rowFault(reader, committed, row, derived);
    if (row.id !== explanationId(row.explanation_result_id)) tickers.add(row.etf_ticker);
    else if ((fault === null || fault.isNotice) && !untold.has(row.id)) missing.delete(row.explanation_result_id);
    else tickers.add(row.etf_ticker);
  }
  for (const id of missing) {
    const expected = derived.explanations.get(id);
    if (expected !== undefined) tickers.add(committed.newAt(lastChange(expected)).fields.etf_ticker);
  }
  return tickers;
}

type Write = <T>(work: (each: Work) => T) => T;

/** Begun, and with the numbers ended. */
function recordRebuild(tx: LedgerTransaction, at: string, detail: Record<string, unknown>): void {
  recordAction(tx, {
    at,
    actor: commandActor(),
    action: 'ledger.rebuild',
    targetType: 'ledger',
    targetId: null,
    detail,
  });
}

function mendAll(write: Write, faults: readonly DomainFault[]): void {
  for (let from = 0; from < faults.length; from += BATCH)
    write(({ tx, at }) => {
      for (const fault of faults.slice(from, from + BATCH)) fault.mend(tx, at);
    });
}

/** Corrects the rows after a number; returns the number of the last one. */
function correctRows(write: Write, after: number): number {
  for (let last = after; ;) {
    const done = last;
    const end = write((work) => {
      const rows = nextRows(work.tx, done, work.batch);
      for (const row of rows) {
        work.progress.at(STAGES.corrected, row.number);
        correctRow(work, row);
      }
      return rows.at(-1)?.number;
    });
    if (end === undefined) return last;
    last = end;
  }
}

const NO_RAW_BUNDLE = '원본 기록에 없는 설명입니다. (follows from no raw bundle)';
const FOUND_WITHDRAWN = '철회된 것으로 기록되어 있어 그대로 둡니다. (the row said that it was withdrawn)';

function correctRow(work: Work, row: NumberedRow): void {
  const { tx, at, derived, committed, rebuilt } = work;
  const fault = rowFault(tx, committed, row, derived);
  const isUntold = work.untold.has(row.id);
  if ((fault === null || fault.isNotice) && !isUntold) return;
  const isItsOwn = row.id === explanationId(row.explanation_result_id);
  const expected = isItsOwn ? derived.explanations.get(row.explanation_result_id) : undefined;
  // A row under a wrong id belongs to no explanation: the right one is restored beside it.
  if (expected === undefined && row.status !== 'INVALIDATED' && !isHidden(row)) {
    // Applying the pending entry corrects its explanation.
    if (isItsOwn && laterIds(tx, derived).has(row.explanation_result_id)) return;
    tellHistory(work, row.id);
    withdrawStray(work, row);
    return;
  }
  rebuilt.corrected += 1;
  tellHistory(work, row.id);
  const told = expected === undefined ? null : committed.newAt(lastChange(expected));
  const text = told?.fields.summary ?? row.summary;
  const isBegunAnew = rememberedOf(tx, row.id, text) === undefined;
  if (isBegunAnew) giveHistory(work, row, expected);
  const first = expected === undefined ? text : firstText(committed, text, expected);
  recordWithdrawal(work, row, first);
  const standing = rememberedOf(tx, row.id, first);
  if (standing === undefined) throw new Error(`the explanation ${row.id} has no history`);
  if (told !== null) recordFormerFields(tx, at, row.id, told.fields.etf_ticker);
  tx.run(
    sqlite
      .updateTable('explanation')
      .set({
        ...(told === null || expected === undefined
          ? {}
          : { ...told.fields, cursor: lastChange(expected), received_at: expected.receivedAt }),
        ...stateColumns(standing),
        version: Math.max(row.version + 1, leastVersion(standing, expected)),
      })
      .where('id', '=', row.id),
  );
  if (told === null) {
    // An explanation without a raw record is never exposed, regardless of its history.
    if (standing.status !== 'INVALIDATED' && standing.status !== 'BLOCKED') withdrawStray(work, row);
    return;
  }
  if (standing.status === 'INVALIDATED' || withdrawIfMissed(work, row.explanation_result_id)) return;
  // A text is exposed only where row, history and audit log agree.
  const isDoubted =
    isExposable(standing.status) &&
    ((isUntold && !isBegunAnew) || !isExposable(row.status) || !isHistoryOnRecord(tx, row.id, standing));
  if (!isDoubted && isScreened({ ...row, analysis_engine: told.fields.analysis_engine }, standing, text)) return;
  const known = { id: row.id, decided: isDoubted || standing.decided === 1 };
  const reason = isDoubted ? DOUBTED : NEVER_SCREENED;
  rescreen(tx, told.entry, known, { at, came: told.came, reason, screenEntry: work.parts.screenEntry });
}

/** The moves that follow are held against the rows that follow. */
function tellHistory({ tx, at, untold }: Work, id: string): void {
  const fault = untold.get(id);
  if (fault === undefined) return;
  putHistoryOnRecord(tx, id, at, fault);
  untold.delete(id);
}

/** Histories of explanations without a row. */
function tellStrays(work: Work): void {
  for (const id of [...work.untold.keys()]) if (statusOf(work.tx, id) === undefined) tellHistory(work, id);
}

function withdrawStray({ tx, at, rebuilt }: Work, { id, summary }: NumberedRow): void {
  const standing = rememberedOf(tx, id, summary);
  // The withdrawal goes on from what the history tells, whatever the row says.
  if (standing !== undefined)
    tx.run(
      sqlite
        .updateTable('explanation')
        .set((eb) => ({ ...stateColumns(standing), version: eb('version', '+', 1) }))
        .where('id', '=', id),
    );
  if (standing?.status !== 'INVALIDATED')
    applyMove(tx, { id, move: 'invalidate', actor: { kind: 'SYSTEM' }, at, reason: NO_RAW_BUNDLE });
  rebuilt.withdrawn += 1;
}

/** A withdrawn row stays withdrawn; its history gets the withdrawal where it lacks one. */
function recordWithdrawal({ tx, at, derived, rebuilt }: Work, row: NumberedRow, first: string): void {
  const standing = rememberedOf(tx, row.id, first);
  if (row.status !== 'INVALIDATED' || standing === undefined || standing.status === 'INVALIDATED') return;
  const withdrawal = derived.withdrawn.get(row.explanation_result_id);
  if (withdrawal === undefined) rebuilt.left += 1;
  const { status: from, policy_version: policyVersion } = standing;
  recordFoundWithdrawn(tx, {
    ...{ id: row.id, from, at, policyVersion, cursor: withdrawal?.cursor },
    reason: withdrawal?.reason ?? FOUND_WITHDRAWN,
  });
}

/**
 * A row without any history is screened as if its text had come now. A hidden text stays hidden, and where a person had
 * decided a person decides again.
 */
function giveHistory(work: Work, row: NumberedRow, expected: ProjectedExplanation | undefined): void {
  const { tx, at, parts, committed } = work;
  const told = expected === undefined ? undefined : committed.newAt(lastChange(expected));
  const found = told === undefined ? undefined : parts.screenEntry(tx, told.entry);
  const wasDecided = row.decided === 1 || isDecidedOnRecord(tx, row.id);
  const screened = found?.screened.outcome ?? 'BLOCKED';
  const isHeldBack =
    wasDecided || (screened === 'AUTO_PUBLISHED' && (!isExposable(row.status) || wasHeldBack(tx, row.id)));
  const to = row.status === 'INVALIDATED' || (isHeldBack && found !== undefined) ? 'PENDING_REVIEW' : screened;
  const text = told?.fields.summary ?? row.summary;
  recordReceived(tx, {
    id: row.id,
    at,
    to,
    reason: wasDecided ? DOUBTED : NEVER_SCREENED,
    policyVersion: found?.screened.policyVersion ?? null,
    text,
    screeningId: found === undefined ? null : recordScreening(tx, row.id, at, found.screened),
    publishedSummary: to === 'AUTO_PUBLISHED' ? text : undefined,
    heldUntil: to === 'AUTO_PUBLISHED' ? heldAhead(told?.fields ?? row, told?.came ?? cameNow(tx, at)) : null,
    position: positionOfEntry(tx, expected === undefined ? row.cursor : firstChange(expected)),
  });
}

/** A withdrawal of the raw bundles that the history does not know of. */
function withdrawIfMissed({ tx, derived, at }: Work, target: string): boolean {
  const withdrawal = derived.withdrawn.get(target);
  if (withdrawal === undefined) return false;
  const { cursor, reason } = withdrawal;
  applyMove(tx, { id: explanationId(target), move: 'invalidate', actor: { kind: 'SYSTEM' }, at, cursor, reason });
  return true;
}

/** Restores missing explanations in the state of their history, or, without one, of a screening. */
function restoreRows(write: Write, targets: readonly string[], batch: number): void {
  for (let from = 0; from < targets.length; from += batch)
    write((work) => {
      work.progress.at(STAGES.restored, from);
      for (const target of targets.slice(from, from + batch)) {
        const expected = work.derived.explanations.get(target);
        if (expected === undefined || statusOf(work.tx, explanationId(target)) !== undefined) continue;
        work.rebuilt.restored += 1;
        restoreRow(work, target, expected);
      }
      indexReceived(work.tx);
    });
}

function restoreRow(work: Work, target: string, expected: ProjectedExplanation): void {
  const { tx, derived, committed } = work;
  const cursor = lastChange(expected);
  const { entry, fields, came } = committed.newAt(cursor);
  const isUntold = work.untold.has(explanationId(target));
  tellHistory(work, explanationId(target));
  const lost = {
    entry,
    came,
    fields,
    cursor,
    firstCursor: firstChange(expected),
    receivedAt: expected.receivedAt,
    changes: expected.changes.length,
    firstText: firstText(committed, fields.summary, expected),
    isWithdrawn: derived.withdrawn.has(target),
    isUntold,
  };
  restoreExplanation(tx, lost, { at: work.at, screenEntry: work.parts.screenEntry });
  if (statusOf(tx, explanationId(target)) !== 'INVALIDATED') withdrawIfMissed(work, target);
}
