/**
 * `intake set-aside CURSOR` truncates the raw store: bundles beyond a cursor that were never the cloud's (the cursor
 * jumped) or no longer are (the cloud was restored from a backup) move into the quarantine, and the committed cursor
 * falls to where they began. The Intake then pulls the cloud's records from there on.
 *
 * Nothing is lost: the bodies stay in the quarantine, decisions in the history and the audit log. An explanation that
 * only those bundles held is BLOCKED until the cloud sends it again; no person can expose it. An explanation that they
 * had changed gets its earlier text back and is screened again (D37). A withdrawal that they brought stays.
 *
 * It works backwards from the end, some bundles in a transaction. Each transaction leaves a whole ledger, so that other
 * processes can write in between and an interrupted run is begun again.
 */
import { sql } from 'kysely';
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { releaseSuperseded } from '../../ledger/inbox/entries.ts';
import type { Ledger, LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { beginEpoch, epochNow } from '../../ledger/explanations/position.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { CursorGapError, fallBackTo, readCursors, moveToQuarantine } from '../../ledger/inbox/raw-bundles.ts';
import { recordApplyFault } from '../../ledger/inbox/sync-state.ts';
import type { ExplanationTable } from '../../ledger/storage/tables.ts';
import type { ApplyParts } from '../apply/apply.ts';
import { CommittedEntries } from '../apply/committed-entries.ts';
import { derive, DERIVED, lastUpTo, type Projection, type Named } from '../apply/projection.ts';
import { instrumentFaults } from './domain-faults.ts';
import { recordFormerFields } from '../../ledger/serving/record.ts';
import { NO_CURSOR } from '../apply/explanation-faults.ts';
import { isUnread, rescreen } from '../apply/rescreen.ts';
import { UnprovedTextError, unprovedTexts } from './unproved-texts.ts';

export interface Truncation {
  /** The committed cursor before. */
  before: number;
  /** The new end of the raw bundles, and so the committed cursor. */
  committed: number;
  bundles: number;
  /** Explanations that are hidden until the cloud sends them again. */
  hidden: number;
  /** Explanations that have the text of an earlier entry again. */
  reverted: number;
}

type Parts = Omit<ApplyParts, 'ledger'> & { ledger: Ledger };

/** Most entries, and most bytes, that one transaction moves into the quarantine. */
const BATCH = 500;
const BATCH_BYTES = 16 * 1024 ** 2;

interface Leaving {
  from: number;
  to: number;
  /** 0 where nothing is stored. */
  entries: number;
  bytes: number;
}

/**
 * Truncates after a cursor: moves every bundle that reaches beyond it. A committed cursor beyond the last raw bundle
 * falls to that bundle's end. No other process may receive or apply meanwhile.
 *
 * @param progress told the stages of `deriveStages`
 * @throws StoppedError between two transactions, RawBundleDamagedError when a remaining bundle is damaged, UnprovedTextError
 *   when one brought a text that nobody has signed, CursorGapError when another process has received
 */
export function truncateAfter(parts: Parts, cursor: number, progress: Progress = UNTOLD): Truncation {
  const { ledger } = parts;
  const bundles: Leaving[] = ledger.all(
    sqlite
      .selectFrom('raw_bundle')
      .select(['cursor_from as from', 'cursor_to as to', 'entry_count as entries'])
      .select(sql<number>`length(body)`.as('bytes'))
      .where('cursor_to', '>', cursor)
      .orderBy('cursor_from'),
  );
  const before = readCursors(ledger).committed;
  const proven = ledger.first(
    sqlite.selectFrom('raw_bundle').select(({ fn }) => fn.coalesce(fn.max('cursor_to'), sql<number>`0`).as('to')),
  );
  const rawEnd = proven?.to ?? 0;
  const count = bundles.length;
  if (cursor < before && rawEnd < before) bundles.push({ from: rawEnd, to: before, entries: 0, bytes: 0 });
  const end = bundles[0]?.from ?? before;
  const state: State = { derived: null, rows: [], hidden: new Set(), reverted: new Set() };
  if (bundles.length > 0) {
    ledger.read((reader) => {
      state.derived = derive(reader, { ignoreDamageAfter: end, progress });
      // An earlier text that comes back is screened again.
      const unproved = unprovedTexts(reader, state.derived, parts.isProved, end);
      if (unproved.length > 0) throw new UnprovedTextError(unproved);
      state.rows = reader.all(sqlite.selectFrom('explanation').select(['id', 'cursor']).where('cursor', '>', end));
    });
  }
  while (bundles.length > 0) {
    progress.at(DERIVED, end);
    ledger.write((tx) => truncateLast(tx, parts, state, lastOf(bundles)));
  }
  for (const id of state.hidden) state.reverted.delete(id);
  return { before, committed: end, bundles: count, hidden: state.hidden.size, reverted: state.reverted.size };
}

/** Removes from the list the last bundles, as many as one transaction moves, and returns them. */
function lastOf(bundles: Leaving[]): Leaving[] {
  const last: Leaving[] = [];
  let [entries, bytes] = [0, 0];
  for (let next = bundles.at(-1); next !== undefined; next = bundles.at(-1)) {
    entries += next.entries;
    bytes += next.bytes;
    if (last.length > 0 && (entries > BATCH || bytes > BATCH_BYTES)) break;
    last.unshift(next);
    bundles.pop();
  }
  return last;
}

interface State {
  /** The projection of all readable raw bundles, truncated ones included. */
  derived: Projection | null;
  /** Explanations whose last entry lies beyond the end. */
  rows: { id: string; cursor: number }[];
  hidden: Set<string>;
  reverted: Set<string>;
}

function truncateLast(tx: LedgerTransaction, parts: Parts, state: State, leaving: readonly Leaving[]): void {
  const { derived } = state;
  const before = readCursors(tx);
  const end = leaving[0]?.from ?? before.committed;
  const to = leaving.at(-1)?.to ?? end;
  if (derived === null || before.committed !== to) throw new CursorGapError(before.committed, to);
  const at = parts.clock.now().toISOString();
  // These rows refer to the raw bundles that leave.
  tx.run(sqlite.deleteFrom('rejected_entry').where('cursor', '>', end));
  tx.run(sqlite.deleteFrom('held_invalidation').where('cursor', '>', end));
  for (const { from } of leaving) moveToQuarantine(tx, from, TRUNCATED);
  fallBackTo(tx, end);
  recordApplyFault(tx, null);
  const nameOf = (names: readonly Named[]): Named | undefined => lastUpTo(names, end, ({ cursor }) => cursor);
  for (const fault of instrumentFaults(tx, derived, nameOf)) fault.mend(tx, at);
  releaseSuperseded(tx);
  const changed: { row: ExplanationRow; earlier: number | undefined }[] = [];
  const staying: State['rows'] = [];
  for (const known of state.rows) {
    if (known.cursor <= end) {
      staying.push(known);
      continue;
    }
    const row = tx.first(sqlite.selectFrom('explanation').selectAll().where('id', '=', known.id));
    if (row === undefined || row.cursor <= end) continue;
    const changes = derived.explanations.get(row.explanation_result_id)?.changes ?? [];
    const earlier = lastUpTo(changes, end, (change) => change);
    changed.push({ row, earlier });
    (earlier === undefined ? state.hidden : state.reverted).add(row.id);
    if (earlier !== undefined) staying.push({ id: row.id, cursor: earlier });
  }
  state.rows = staying;
  beginEpoch(tx, at, {
    committedCursor: before.committed,
    appliedCursor: before.applied,
    committed: end,
    bundles: leaving.filter(({ entries }) => entries > 0).length,
    hidden: state.hidden.size,
    reverted: state.reverted.size,
    epoch: epochNow(tx) + 1,
  });
  // An explanation that is taken off here keeps back all that was stated before, and no later one (D202).
  const committed = new CommittedEntries(tx);
  for (const { row, earlier } of changed)
    if (earlier === undefined) hide(tx, row, at);
    else undoEntry(tx, parts, committed, row, earlier, at);
}

const TRUNCATED = 'Set aside by the administrator ("intake set-aside"): the cloud is asked again for these records.';
const HIDDEN = '원본 기록을 격리하여 공급사가 다시 보낼 때까지 제공하지 않습니다. (its raw record was set aside)';
const REVERTED = '원본 기록을 격리하여 이전 본문으로 되돌리고 다시 심사하였습니다. (its last raw record was set aside)';

type ExplanationRow = Omit<ExplanationTable, 'number'>;

/** Hides an explanation that no raw bundle holds any more. It loses its cursor, so that any later entry applies. */
function hide(tx: LedgerTransaction, row: ExplanationRow, at: string): void {
  recordFormerFields(tx, at, row.id, row.etf_ticker);
  const isOff = row.status === 'INVALIDATED';
  // Without a move its history goes on telling the checks of its text.
  const checks = isOff ? {} : { failed_checks: '[]' };
  tx.run(
    sqlite
      .updateTable('explanation')
      .set({ cursor: NO_CURSOR, ...checks })
      .where('id', '=', row.id),
  );
  if (isOff) return;
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

function undoEntry(
  tx: LedgerTransaction,
  { screenEntry }: Parts,
  committed: CommittedEntries,
  row: ExplanationRow,
  cursor: number,
  at: string,
): void {
  const { entry, fields, came } = committed.newAt(cursor);
  recordFormerFields(tx, at, row.id, fields.etf_ticker);
  tx.run(
    sqlite
      .updateTable('explanation')
      .set({ ...fields, cursor, version: row.version + 1 })
      .where('id', '=', row.id),
  );
  if (row.status === 'INVALIDATED' || !isUnread(fields, row)) return;
  rescreen(tx, entry, { id: row.id, decided: row.decided === 1 }, { at, came, reason: REVERTED, screenEntry });
}
