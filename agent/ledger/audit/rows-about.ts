/**
 * The rows of the audit log about an explanation, or about what else decides about serving. People's rows have an index
 * by target; the program's own moves (received, withdrawn) have none, so they are found by the time of their move: the log
 * grows with time.
 */
import { sql } from 'kysely';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { ConsoleActionLogTable, StateHistoryTable } from '../storage/tables.ts';
import { chainEnd } from './audit.ts';

type Row = ConsoleActionLogTable;

const ofPeople = prepared(
  (target: string, type: string) => sql<Row>`
  SELECT * FROM console_action_log INDEXED BY console_action_of_people_by_target
  WHERE target_id = +${target} AND (actor_role IS NOT 'SYSTEM' OR target_type = 'member') AND target_type = +${type}
  ORDER BY seq`,
);

/** People's rows about a target. */
export const rowsOfPeople = (reader: LedgerReader, target: string, type: string): Row[] =>
  reader.all(ofPeople(target, type));

/** The literal of the partial index `console_action_of_serving`. */
export const OF_SERVING = sql`action IN ('policy.publish', 'policy.start', 'policy.cancel', 'ledger.rebuild')`;
const ofServing = prepared(
  (target: string, type: string) => sql<Row>`SELECT * FROM console_action_log INDEXED BY console_action_of_serving
  WHERE ${OF_SERVING} AND target_id = +${target} AND target_type = +${type} ORDER BY seq`,
);

/** The rows of the publication of a policy version, and of its start or its cancellation. */
export const rowsOfPolicy = (reader: LedgerReader, version: number): Row[] =>
  reader.all(ofServing(String(version), 'policy_version'));

const OF_TEXTS = sql`(detail LIKE '%"DISCLAIMER"%' OR detail LIKE '%"expiresAt"%')`;
const ofTexts = prepared(
  () => sql<Row>`SELECT * FROM console_action_log INDEXED BY console_action_of_people_by_action
  WHERE action = 'policy.publish' AND actor_role IS NOT 'SYSTEM' AND ${OF_TEXTS} ORDER BY seq`,
);
const ofStartedTexts = prepared(
  () => sql<Row>`SELECT * FROM console_action_log INDEXED BY console_action_of_serving
  WHERE ${OF_SERVING} AND action = 'policy.start' AND ${OF_TEXTS} ORDER BY seq`,
);
/** The rows by which people published, and the program started, versions that change the disclaimer or the expiry. */
export const rowsOfPolicyTexts = (reader: LedgerReader): Row[] => [
  ...reader.all(ofTexts()),
  ...reader.all(ofStartedTexts()),
];

const restores = prepared(
  () => sql<Row>`SELECT * FROM console_action_log WHERE action = 'ledger.restore' ORDER BY seq`,
);
const setAside = prepared(
  () => sql<Row>`SELECT * FROM console_action_log INDEXED BY console_action_of_people_by_action
  WHERE action = 'ledger.set-aside' AND actor_role IS NOT 'SYSTEM' ORDER BY seq`,
);

/** The rows of restores, of raw records that were set aside, and of rebuilds that hid the ticker or showed it again. */
export const rowsOfMaintenance = (reader: LedgerReader, ticker: string): Row[] => [
  ...reader.all(restores()),
  ...reader.all(setAside()),
  ...reader.all(ofServing(ticker, 'instrument')),
];

const madeAgainIn = prepared(
  () => sql<{ seq: number; end: number | null }>`
  SELECT seq, (SELECT later.seq FROM console_action_log AS later INDEXED BY console_action_of_people
      WHERE later.actor_role IS NOT 'SYSTEM' AND later.seq > log.seq AND later.at >= log.at ORDER BY later.seq LIMIT 1) AS end
  FROM console_action_log AS log INDEXED BY console_action_restore WHERE action = 'ledger.restore' ORDER BY seq`,
);

/** Whether a restore has made a row of a person again: after its own row, and before the first later act of a person. */
export function madeAgain(reader: LedgerReader): (row: number) => boolean {
  const spans = reader.all(madeAgainIn());
  return (row) => spans.some(({ seq, end }) => seq < row && row < (end ?? Infinity));
}

const firstOfLog = prepared(() => sqlite.selectFrom('console_action_log').selectAll().where('seq', '=', 1));

/** The first row of the log, with which the record of a new ledger begins. */
export const beginning = (reader: LedgerReader): Row[] => reader.all(firstOfLog());

/** Whether a row records a move of an explanation. */
export const isMove = ({ target_type, action }: Pick<Row, 'target_type' | 'action'>): boolean =>
  target_type === 'explanation' && action.startsWith('explanation.');

type Moved = Pick<StateHistoryTable, 'move' | 'at'> & { id: number };

/** All rows of an explanation with this history, in their order. */
export const rowsOfExplanation = (reader: LedgerReader, id: string, history: readonly Moved[]): Row[] =>
  inOrder([...rowsOfPeople(reader, id, 'explanation'), ...rowsOfProgram(reader, id, history)]);

export const inOrder = <R extends Row>(rows: readonly R[]): R[] =>
  [...new Map(rows.map((row) => [row.seq, row])).values()].toSorted((one, other) => one.seq - other.seq);

type Between = { from: number; to: number; target: string };
const ofProgram = ({ from, to, target }: Between) =>
  sql`SELECT * FROM console_action_log WHERE seq >= ${from} AND seq < ${to} AND target_id = ${target}
  AND target_type = 'explanation' AND actor_role = 'SYSTEM'`;
const between = prepared((span: Between) => sql<Row>`${ofProgram(span)} ORDER BY seq`);
const ofTime = prepared(
  (span: Between & { at: string }) => sql<Row>`${ofProgram(span)} AND at = ${span.at} ORDER BY seq`,
);

function rowsOfProgram(reader: LedgerReader, target: string, history: readonly Moved[]): Row[] {
  const moves = history.filter(({ move }) => ['receive', 'text-changed', 'invalidate'].includes(move));
  const found = [...new Set(moves.map(({ at }) => at))].flatMap((at) => rowsAt(reader, at, target));
  // Others of the program's rows, as of an edit that ended, are no moves.
  if (found.filter(isMove).length >= moves.length) return found;
  // The clock was set back: the log is not in the order of its times, but always in that of the history.
  return moves.flatMap(({ id }) => reader.all(between({ ...aroundMove(reader, id), target })));
}

/** Halves the rows that come in question, twenty times in a million. */
const firstOfTime = prepared(
  ({ at, end }: { at: string; end: number }) => sql<{ seq: number }>`WITH RECURSIVE half (low, high) AS (
    SELECT 1, CAST(${end} AS INTEGER)
    UNION ALL
    SELECT iif(coalesce(row.at, '') >= ${at}, low, (low + high) / 2 + 1), iif(coalesce(row.at, '') >= ${at}, (low + high) / 2, high)
    FROM half LEFT JOIN console_action_log AS row ON row.seq = (low + high) / 2 WHERE low < high)
  SELECT low AS seq FROM half WHERE low = high`,
);
const nextTime = prepared(
  ({ from, at }: { from: number; at: string }) => sql<{ seq: number }>`
  SELECT seq FROM console_action_log WHERE seq >= ${from} AND at <> ${at} ORDER BY seq LIMIT 1`,
);

/** The program's rows about an explanation at an instant, in a log whose times ascend. */
function rowsAt(reader: LedgerReader, at: string, target: string): Row[] {
  const end = chainEnd(reader).seq + 1;
  const from = reader.first(firstOfTime({ at, end }))?.seq ?? 1;
  const to = reader.first(nextTime({ from, at }))?.seq ?? end;
  return reader.all(ofTime({ from, to, at, target }));
}

const receipts = () => sqlite.selectFrom('state_history').select('id').where('move', '=', 'receive').limit(sql.lit(1));
const receivedBy = prepared((move: number) => receipts().where('id', '<=', move).orderBy('id', 'desc'));
const receivedAfter = prepared((move: number) => receipts().where('id', '>', move).orderBy('id'));
/** The first receipt among some rows, with its number in the history. */
const firstReceipt = prepared(
  ({ from, to }: { from: number; to: number }) => sql<{ seq: number; id: number }>`
  SELECT seq, (SELECT min(id) FROM state_history WHERE explanation_id = +target_id AND move = 'receive') AS id
  FROM console_action_log WHERE seq >= ${from} AND seq < ${to} AND action = 'explanation.receive' AND id IS NOT NULL
  ORDER BY seq LIMIT 1`,
);

/** The rows of the log from the last receipt up to a move of the history, and before the next one, whatever their times. */
function aroundMove(reader: LedgerReader, move: number): { from: number; to: number } {
  const [last, next] = [reader.first(receivedBy(move)), reader.first(receivedAfter(move))];
  const end = chainEnd(reader).seq + 1;
  const placeOf = (id: number): number => {
    let [low, high] = [1, end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const receipt = reader.first(firstReceipt({ from: middle, to: high }));
      if (receipt === undefined || receipt.id > id) high = middle;
      else if (receipt.id < id) low = receipt.seq + 1;
      else return receipt.seq;
    }
    return low;
  };
  return { from: last === undefined ? 1 : placeOf(last.id), to: next === undefined ? end : placeOf(next.id) };
}
