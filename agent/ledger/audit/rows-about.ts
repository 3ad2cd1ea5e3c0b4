/**
 * The rows of the audit log about an explanation, or another target. People's rows have an index by target; the
 * program's own (received, withdrawn) have none, so they are found by the time of their move: the log grows with time.
 *
 * Written out: the indexes are named, and a partial one holds only beside its literal.
 */
import { statement, type LedgerReader } from '../storage/ledger.ts';
import type { ConsoleActionLogTable, StateHistoryTable } from '../storage/tables.ts';
import { chainEnd } from './audit.ts';

type Row = ConsoleActionLogTable;

const ofPeople = statement<[target: string, type: string], Row>(`
  SELECT * FROM console_action_log INDEXED BY console_action_of_people_by_target
  WHERE target_id = ? AND (actor_role IS NOT 'SYSTEM' OR target_type = 'member') AND target_type = ? ORDER BY seq`);
/** Halves the rows that come in question, twenty times in a million. */
const firstOfTime = statement<[{ at: string; end: number }], { seq: number }>(`
  WITH RECURSIVE half (low, high) AS (
    SELECT 1, CAST(@end AS INTEGER)
    UNION ALL
    SELECT iif(coalesce(row.at, '') >= @at, low, (low + high) / 2 + 1), iif(coalesce(row.at, '') >= @at, (low + high) / 2, high)
    FROM half LEFT JOIN console_action_log AS row ON row.seq = (low + high) / 2 WHERE low < high)
  SELECT low AS seq FROM half WHERE low = high`);
const nextTime = statement<[{ from: number; at: string }], { seq: number }>(
  'SELECT seq FROM console_action_log WHERE seq >= @from AND at > @at ORDER BY seq LIMIT 1',
);
const ofTime = statement<[{ from: number; to: number; at: string; target: string; type: string }], Row>(`
  SELECT * FROM console_action_log WHERE seq >= @from AND seq < @to AND at = @at AND target_id = @target
  AND target_type = @type AND actor_role = 'SYSTEM' ORDER BY seq`);
const anywhere = statement<[target: string, type: string], Row>(
  "SELECT * FROM console_action_log WHERE target_id = ? AND target_type = ? AND actor_role = 'SYSTEM' ORDER BY seq",
);

/** People's rows about a target. */
export const rowsOfPeople = (reader: LedgerReader, target: string, type: string): Row[] =>
  reader.all(ofPeople(target, type));

const firstOfLog = statement<[], Row>('SELECT * FROM console_action_log WHERE seq = 1');

/** The first row of the log, with which the record of a new ledger begins. */
export const beginning = (reader: LedgerReader): Row[] => reader.all(firstOfLog());

/** Whether a row records a move of an explanation. */
export const isMove = ({ target_type, action }: Pick<Row, 'target_type' | 'action'>): boolean =>
  target_type === 'explanation' && action.startsWith('explanation.');

/** All rows of an explanation with this history, in their order. */
export function rowsOfExplanation(
  reader: LedgerReader,
  id: string,
  history: readonly Pick<StateHistoryTable, 'move' | 'at'>[],
): Row[] {
  const ofProgram = history.filter(({ move }) => ['receive', 'text-changed', 'invalidate'].includes(move));
  const times = ofProgram.map(({ at }) => at);
  return inOrder([...rowsOfPeople(reader, id, 'explanation'), ...rowsOfProgram(reader, id, 'explanation', times)]);
}

/** The program's rows about a target, one at least for each of these times. */
export function rowsOfProgram(reader: LedgerReader, target: string, type: string, times: readonly string[]): Row[] {
  const found = [...new Set(times)].flatMap((at) => rowsAt(reader, at, target, type));
  // The clock was set back: the log is not in the order of its times.
  return found.length >= times.length ? found : reader.all(anywhere(target, type));
}

/** A clock that was set back by seconds leaves the rows of an instant near each other. */
const NEAR = 20_000;

// Written out, so that SQLite sees that the partial indexes hold.
const restores = statement<[], Row>("SELECT * FROM console_action_log WHERE action = 'ledger.restore' ORDER BY seq");
const setAside = statement<[], Row>(`
  SELECT * FROM console_action_log INDEXED BY console_action_of_people_by_action
  WHERE action = 'ledger.set-aside' AND actor_role IS NOT 'SYSTEM' ORDER BY seq`);
const rebuilds = statement<[], { at: string }>(`
  SELECT DISTINCT at FROM console_action_log INDEXED BY console_action_of_people_by_action
  WHERE action = 'ledger.rebuild' AND actor_role IS NOT 'SYSTEM'`);

/** The rows of restores, of raw records that were set aside, and of rebuilds that hid a ticker or ended then, at these times or at the beginning of any. */
export function rowsOfMaintenance(reader: LedgerReader, ticker: string, ended: readonly string[]): Row[] {
  const times = new Set([...reader.all(rebuilds()).map(({ at }) => at), ...ended]);
  const hidden = [...times].flatMap((at) => {
    const from = firstRow(reader, at);
    return reader.all(ofTime({ from, to: from + NEAR, at, target: ticker, type: 'instrument' }));
  });
  return [...reader.all(restores()), ...reader.all(setAside()), ...hidden];
}

export const inOrder = (rows: readonly Row[]): Row[] =>
  [...new Map(rows.map((row) => [row.seq, row])).values()].toSorted((one, other) => one.seq - other.seq);

/** The program's rows about a target at an instant. */
function rowsAt(reader: LedgerReader, at: string, target: string, type: string): Row[] {
  const from = firstRow(reader, at);
  const to = reader.first(nextTime({ from, at }))?.seq ?? Number.MAX_SAFE_INTEGER;
  return reader.all(ofTime({ from, to, at, target, type }));
}

/** The first row of this time or a later one, in a log whose times ascend; behind the log where there is none. */
const firstRow = (reader: LedgerReader, at: string): number =>
  reader.first(firstOfTime({ at, end: chainEnd(reader).seq + 1 }))?.seq ?? 1;
