/** Compares rows of `explanation` with their raw records and journals. */
import type { Selectable } from 'kysely';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import {
  isHistoryOnRecord,
  rememberedOf,
  type Remembered,
  type RememberedState,
} from '../../ledger/explanations/history.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { isExposable } from '../../ledger/explanations/transition-table.ts';
import { textDigest } from '../../ledger/explanations/history-mismatch.ts';
import type { ExplanationTable } from '../../ledger/storage/tables.ts';
import type { CommittedEntries } from './committed-entries.ts';
import { digestOf, firstChange, lastChange, type Projection, type ProjectedExplanation } from './projection.ts';

export interface RowFault {
  /** The end of a sentence that begins with the explanation's name. */
  says: string;
  /** A notice is no fault and needs no repair. */
  isNotice: boolean;
}

/** The cursor of an explanation whose raw record was truncated (`truncate.ts`): any entry is newer. */
export const NO_CURSOR = 0;

/** Its raw record was truncated: no person can expose it until the cloud sends it again. */
export function isHidden({ cursor, status }: Pick<ExplanationTable, 'cursor' | 'status'>): boolean {
  return cursor === NO_CURSOR && status === 'BLOCKED';
}

/** The fault of a row, or a notice about it; null when there is none. */
export function rowFault(
  reader: LedgerReader,
  committed: CommittedEntries,
  row: NumberedRow,
  derived: Projection,
): RowFault | null {
  const wrong = (says: string): RowFault => ({ says, isNotice: false });
  const expected = derived.explanations.get(row.explanation_result_id);
  const standing = rememberedOf(
    reader,
    row.id,
    expected === undefined ? row.summary : firstText(committed, row.summary, expected),
  );
  if (standing === undefined) return wrong('has no history');
  if (expected === undefined) {
    if (row.status !== 'INVALIDATED' && !isHidden(row)) return wrong('follows from no raw bundle');
    return isInState(row, standing) ? null : wrong('is not in the state that its history gives');
  }
  if (row.id !== explanationId(row.explanation_result_id)) return wrong('has an id that does not belong to it');
  if (row.cursor !== lastChange(expected) || digestOf(row) !== expected.digest)
    return wrong(`differs from the entry at cursor ${lastChange(expected)}`);
  if (row.received_at !== expected.receivedAt) return wrong('has another time of arrival than its first record');
  const isWithdrawn = derived.withdrawn.has(row.explanation_result_id);
  if (isWithdrawn && row.status !== 'INVALIDATED') return wrong('was withdrawn and is not marked so');
  if (!isWithdrawn && row.status === 'INVALIDATED' && standing.status !== 'INVALIDATED')
    return wrong('is marked withdrawn, but no record withdraws it');
  if (!isInState(row, standing)) return wrong('is not in the state that its history gives');
  if (row.version < leastVersion(standing, expected)) return wrong('has a version that it had before');
  if (row.status !== 'INVALIDATED' && !isScreened(row, standing, row.summary))
    return wrong('has a text that was never screened');
  if (isExposable(row.status) && !isHistoryOnRecord(reader, row.id, standing))
    return wrong('is exposed, and its history lacks an act that the audit log or a screening records');
  // The withdrawing entry was truncated, and the history keeps the withdrawal: known, and final.
  return isWithdrawn || row.status !== 'INVALIDATED'
    ? null
    : { says: 'stays withdrawn, though no record withdraws it any more', isNotice: true };
}

/** The text that an explanation came with, looked up only where it has changed since. */
export function firstText(committed: CommittedEntries, present: string, expected: ProjectedExplanation): string {
  return expected.changes.length === 1 ? present : committed.newAt(firstChange(expected)).fields.summary;
}

function isInState(row: RememberedState, told: RememberedState): boolean {
  return (Object.keys(stateColumns(told)) as (keyof RememberedState)[]).every((name) => row[name] === told[name]);
}

/** The columns of a row that follow from its history. */
export function stateColumns(told: RememberedState): RememberedState {
  const { status, status_since, published_summary, policy_version, decided, edited_summary, comment } = told;
  const { failed_checks, held_until, published_before, stated_position, ended_position } = told;
  const { approval_number, valid_until } = told;
  return {
    status,
    status_since,
    published_summary,
    policy_version,
    decided,
    edited_summary,
    comment,
    failed_checks,
    held_until,
    published_before,
    stated_position,
    ended_position,
    approval_number,
    valid_until,
  };
}

/** Every move and every change by the vendor has made a version. */
export function leastVersion(
  { moves, versionBesideMoves }: Remembered,
  expected: ProjectedExplanation | undefined,
): number {
  const updates = expected === undefined ? 0 : expected.changes.length - 1;
  return Math.max(moves + updates, versionBesideMoves);
}

/**
 * Whether the history knows this text as screened. Rows of older programs may not record it: then the text that was
 * exposed without a person counts as screened, and without one the text of the row.
 */
export function isScreened(
  row: Pick<ExplanationTable, 'cursor' | 'summary' | 'published_summary' | 'analysis_engine'>,
  told: Remembered,
  text: string,
): boolean {
  if (told.isUnchecked && row.analysis_engine !== 'v2') return false;
  if (told.exposedUnread !== null && told.exposedUnread !== text) return false;
  if (told.text !== null) return textDigest(text).equals(told.text);
  if (told.exposedUnread !== null) return true;
  const isExposedUnread = told.status === 'AUTO_PUBLISHED' && told.decided === 0;
  return row.cursor !== NO_CURSOR && row.summary === text && (!isExposedUnread || row.published_summary === text);
}

export type NumberedRow = Selectable<ExplanationTable>;

/** The next rows after a number, at most so many. */
export function nextRows(reader: LedgerReader, after: number, most: number): NumberedRow[] {
  return reader.all(
    sqlite.selectFrom('explanation').selectAll().where('number', '>', after).orderBy('number').limit(most),
  );
}

const PAGE = 500;

/** Every row, without holding them all in memory. */
export function* explanationRows(reader: LedgerReader): Generator<NumberedRow> {
  for (let last = 0; ;) {
    const rows = nextRows(reader, last, PAGE);
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.number;
  }
}
