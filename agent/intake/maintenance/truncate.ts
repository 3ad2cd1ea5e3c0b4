/**
 * `intake set-aside CURSOR`: raw bundles that must not count, because they were never the cloud's (a cursor that
 * jumped) or no longer are (the cloud was set back), leave the raw store for the quarantine, and the committed
 * cursor falls to where they began. The Intake then asks for what the cloud has from there on.
 *
 * Nothing is lost: the bodies lie in the quarantine, every decision in the journals. What follows from those
 * bundles alone is BLOCKED, from where no person can put it on show, until the cloud sends it again; what they
 * had changed says again what it said before, and is screened as a changed text is (D37). What they have
 * withdrawn stays withdrawn: nothing brings a withdrawn text back.
 *
 * It goes from the end backwards, some bundles in a transaction: each leaves a ledger that is whole, as if it had ended
 * there, so that others write in between, and one that was ended in the middle is simply begun again.
 */
import { sql } from 'kysely';
import { commandActor, recordAction } from '../../ledger/audit/audit.ts';
import { releaseSuperseded } from '../../ledger/inbox/entries.ts';
import { sqlite, type Ledger, type LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { CursorGapError, fallBackTo, readCursors, moveToQuarantine } from '../../ledger/inbox/raw-bundles.ts';
import { recordApplyFault } from '../../ledger/inbox/sync-state.ts';
import type { ExplanationTable } from '../../ledger/storage/tables.ts';
import type { ApplyParts } from '../apply/apply.ts';
import { CommittedEntries } from '../apply/committed-entries.ts';
import { derive, lastUpTo, type Projection, type Named } from '../apply/projection.ts';
import { instrumentFaults } from './domain-faults.ts';
import { NO_CURSOR } from '../apply/explanation-faults.ts';
import { isUnread, rescreen } from '../apply/rescreen.ts';

export interface SetAside {
  /** Where the committed cursor was. */
  before: number;
  /** Where the raw bundles, and so the committed cursor, end now. */
  committed: number;
  bundles: number;
  /** Explanations that are hidden until the cloud sends them again. */
  hidden: number;
  /** Explanations that say again what an earlier entry said. */
  takenBack: number;
}

type Parts = Omit<ApplyParts, 'ledger'> & { ledger: Ledger };

/** Most entries of the bundles that leave in one transaction, and most bytes: they are written once more. */
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
 * Every bundle that reaches beyond a cursor. A committed cursor that lies beyond the last raw bundle proves nothing,
 * and comes back to where that one ends. No other process may receive or apply meanwhile.
 *
 * @throws RawBundleDamagedError when what stays is damaged, CursorGapError when somebody has received meanwhile
 */
export function truncateAfter(parts: Parts, cursor: number): SetAside {
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
  const state: State = { derived: null, rows: [], hidden: new Set(), takenBack: new Set() };
  if (bundles.length > 0) {
    ledger.read((reader) => {
      state.derived = derive(reader, end);
      state.rows = reader.all(sqlite.selectFrom('explanation').select(['id', 'cursor']).where('cursor', '>', end));
    });
  }
  while (bundles.length > 0) ledger.write((tx) => setAsideLast(tx, parts, state, lastOf(bundles)));
  for (const id of state.hidden) state.takenBack.delete(id);
  return { before, committed: end, bundles: count, hidden: state.hidden.size, takenBack: state.takenBack.size };
}

/** Takes as many from the end as one transaction moves. */
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
  /** From all that can be read of the raw bundles, those that leave included. */
  derived: Projection | null;
  /** Explanations that say what an entry beyond the end says. */
  rows: { id: string; cursor: number }[];
  hidden: Set<string>;
  takenBack: Set<string>;
}

function setAsideLast(tx: LedgerTransaction, parts: Parts, state: State, leaving: readonly Leaving[]): void {
  const { derived } = state;
  const before = readCursors(tx);
  const end = leaving[0]?.from ?? before.committed;
  const to = leaving.at(-1)?.to ?? end;
  if (derived === null || before.committed !== to) throw new CursorGapError(before.committed, to);
  const at = parts.clock.now().toISOString();
  // They refer to raw bundles.
  tx.run(sqlite.deleteFrom('rejected_entry').where('cursor', '>', end));
  tx.run(sqlite.deleteFrom('held_invalidation').where('cursor', '>', end));
  for (const { from } of leaving) moveToQuarantine(tx, from, SET_ASIDE);
  fallBackTo(tx, end);
  recordApplyFault(tx, null);
  const committed = new CommittedEntries(tx);
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
    if (earlier === undefined) {
      hide(tx, row, at);
      state.hidden.add(row.id);
    } else {
      undoEntry(tx, parts, committed, row, earlier, at);
      state.takenBack.add(row.id);
      staying.push({ id: row.id, cursor: earlier });
    }
  }
  state.rows = staying;
  const nameOf = (names: readonly Named[]): Named | undefined => lastUpTo(names, end, ({ cursor }) => cursor);
  for (const fault of instrumentFaults(tx, derived, nameOf)) fault.mend(tx, at);
  releaseSuperseded(tx);
  recordAction(tx, {
    at,
    actor: commandActor(),
    action: 'ledger.set-aside',
    targetType: 'ledger',
    targetId: null,
    detail: {
      committedCursor: before.committed,
      appliedCursor: before.applied,
      committed: end,
      bundles: leaving.filter(({ entries }) => entries > 0).length,
      hidden: state.hidden.size,
      takenBack: state.takenBack.size,
    },
  });
}

const SET_ASIDE = 'Set aside by the administrator ("intake set-aside"): the cloud is asked again for these records.';
const HIDDEN = '원본 기록을 격리하여 공급사가 다시 보낼 때까지 제공하지 않습니다. (its raw record was set aside)';
const TAKEN_BACK =
  '원본 기록을 격리하여 이전 본문으로 되돌리고 다시 심사하였습니다. (its last raw record was set aside)';

/** Content that no raw bundle tells any more. Without a cursor of its own, whatever the cloud sends of it is news. */
function hide(tx: LedgerTransaction, row: Omit<ExplanationTable, 'number'>, at: string): void {
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

function undoEntry(
  tx: LedgerTransaction,
  { screenEntry }: Parts,
  committed: CommittedEntries,
  row: Omit<ExplanationTable, 'number'>,
  cursor: number,
  at: string,
): void {
  const { entry, fields } = committed.newAt(cursor);
  tx.run(
    sqlite
      .updateTable('explanation')
      .set({ ...fields, cursor, version: row.version + 1 })
      .where('id', '=', row.id),
  );
  if (row.status === 'INVALIDATED' || !isUnread(fields, row)) return;
  rescreen(tx, entry, { id: row.id, decided: row.decided === 1 }, { at, reason: TAKEN_BACK, screenEntry });
}
