/**
 * Collects the rows that a connection changes, by triggers that only it has (README). The Intake's writes, on its own
 * connection, are not collected.
 */
import { sql } from 'kysely';
import type { Ledger, LedgerTransaction } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';
import type { LedgerTables } from '../storage/tables.ts';

interface Capture {
  /** Columns that people change in a row that the Intake makes. */
  only?: readonly string[];
  /** Columns that say nothing about a decision. */
  without?: readonly string[];
  /** Columns whose change alone is no decision. */
  quiet?: readonly string[];
  /** A column that holds the number of a row of the state history, and the SQL that names its explanation. */
  move?: { column: string; explanation: (row: string) => string };
}

/** The tables that people write. */
export const CAPTURED = {
  explanation: {
    only: [
      ...['status', 'status_since', 'published_summary', 'edited_summary', 'comment', 'policy_version'],
      ...['failed_checks', 'decided', 'version', 'held_until', 'published_before'],
      ...['stated_position', 'ended_position', 'approval_number', 'valid_until'],
    ],
  },
  instrument: { only: ['sector', 'version'] },
  // Only the Intake records screened texts.
  state_history: { without: ['id', 'text_sha256', 'screening_id'] },
  version_beside_moves: {},
  personal_draft: {},
  waiting_edit: {},
  review_note: {},
  review_sample: {},
  review_target: {},
  approval_setting: {},
  approval_series: {},
  dismissed_hit: {},
  second_opinion: { move: { column: 'after_move', explanation: (row) => `${row}.explanation_id` } },
  blind_review: { move: { column: 'move_id', explanation: (row) => `${row}.explanation_id` } },
  blind_look: {
    move: {
      column: 'move_id',
      explanation: (row) => `(SELECT explanation_id FROM blind_review WHERE move_id = ${row}.move_id)`,
    },
  },
  policy_version: {},
  policy_timing: {},
  policy_start: {},
  policy_proposal: {},
  serving_scope: {},
  scope_exclusion: {},
  serving_fact: { without: ['seq'] },
  channel: {},
  member: { quiet: ['last_login_at'] },
  member_identity: {},
  second_factor: { quiet: ['last_step'] },
  recovery_code: {},
  second_factor_setting: {},
  saved_view: {},
  inspection_request: {},
} satisfies Partial<Record<keyof LedgerTables, Capture>> as Readonly<Record<string, Capture>>;

/** A value of a row; a pair is the n-th row of an explanation's history. */
export type Value = string | number | null | readonly [explanation: string, nth: number];
export type Image = Record<string, Value>;

export interface RowChange {
  table: string;
  op: 'put' | 'delete';
  /** Absent for a row that only comes on top. */
  key: Image;
  /** The present values; of a row that the Intake makes only the changed ones. */
  row: Image;
}

interface Collected {
  name: string;
  before: string | null;
  after: string | null;
}

const LOG = 'console_action_log';

/** From now on every transaction of this connection collects its changes. */
export function startCapture(ledger: Ledger): void {
  ledger.write((tx) => {
    const run = (text: string): void => void tx.run(sql.raw(text));
    run('CREATE TEMP TABLE collected (n INTEGER PRIMARY KEY, name TEXT NOT NULL, before TEXT, after TEXT)');
    for (const [table, capture] of [...Object.entries(CAPTURED), [LOG, {}] as const]) {
      const image = (row: string): string => imageOf(tx, table, capture, row);
      const on = (event: string, before: string, after: string, when = ''): void =>
        run(`CREATE TEMP TRIGGER collect_${event}_${table} AFTER ${event} ON main.${table} ${when} BEGIN
          INSERT INTO collected (name, before, after) VALUES ('${table}', ${before}, ${after}); END`);
      if (capture.only === undefined) on('INSERT', 'NULL', image('NEW'));
      if (table === LOG || table === 'state_history') continue;
      const told = toldColumns(tx, table, capture).filter((column) => capture.quiet?.includes(column) !== true);
      const list = (row: string): string => told.map((column) => `${row}.${column}`).join(', ');
      on('UPDATE', image('OLD'), image('NEW'), `WHEN (${list('OLD')}) IS NOT (${list('NEW')})`);
      if (capture.only === undefined) on('DELETE', image('OLD'), 'NULL');
    }
  });
}

const collected = prepared(() => sql<Collected>`SELECT name, before, after FROM collected ORDER BY n`);
const emptied = prepared(() => sql`DELETE FROM collected`);

/** The changes of this transaction, in order; empties the list. */
export function takeCollected(tx: LedgerTransaction): { changes: RowChange[]; audit: Image[] } {
  const rows = tx.all(collected());
  if (rows.length > 0) tx.run(emptied());
  const read = ({ name, before, after }: Collected) => ({ name, before: imageIn(before), after: imageIn(after) });
  const images = rows.map(read);
  return {
    audit: images.flatMap(({ name, after }) => (name === LOG && after !== null ? [after] : [])),
    changes: images.flatMap(({ name, before, after }) =>
      name === LOG ? [] : [changeOf(name, keyColumns(tx, name), before, after)],
    ),
  };
}

function changeOf(table: string, keys: readonly string[], before: Image | null, after: Image | null): RowChange {
  const named = before ?? after ?? {};
  const key = Object.fromEntries(keys.flatMap((column) => (column in named ? [[column, named[column] ?? null]] : [])));
  if (after === null) return { table, op: 'delete', key, row: {} };
  if (CAPTURED[table]?.only === undefined || before === null) return { table, op: 'put', key, row: after };
  const changed = Object.entries(after).filter(([column, value]) => value !== before[column]);
  return { table, op: 'put', key, row: Object.fromEntries(changed) };
}

const imageIn = (text: string | null): Image | null => (text === null ? null : (JSON.parse(text) as Image));

interface Column {
  name: string;
  pk: number;
}

const columnsOf = prepared((table: string) => sql<Column>`SELECT name, pk FROM pragma_table_info(${table})`);

const KEYS = new Map<string, readonly string[]>();

/** The columns that identify a row. */
export function keyColumns(tx: LedgerTransaction, table: string): readonly string[] {
  const known = KEYS.get(table);
  if (known !== undefined) return known;
  // The number of an explanation differs in a rebuilt ledger.
  const keys =
    table === 'explanation'
      ? ['id']
      : tx
          .all(columnsOf(table))
          .filter(({ pk }) => pk > 0)
          .map(({ name }) => name);
  KEYS.set(table, keys);
  return keys;
}

/**
 * The part of a change that no capture covers; null when all is covered. A record from elsewhere may hold such a part.
 */
export function untold(tx: LedgerTransaction, { table, op, key, row }: RowChange): string | null {
  const capture = CAPTURED[table];
  if (capture === undefined) return table;
  if (op === 'delete' && (capture.only !== undefined || table === 'state_history'))
    return `the removal of a row of ${table}`;
  const told = new Set([...toldColumns(tx, table, capture), ...keyColumns(tx, table)]);
  const strange = [...Object.keys(key), ...Object.keys(row)].find((column) => !told.has(column));
  return strange === undefined ? null : `${table}.${strange}`;
}

function toldColumns(tx: LedgerTransaction, table: string, { only, without = [] }: Capture): string[] {
  const all = tx.all(columnsOf(table)).map(({ name }) => name);
  return all.filter((name) => only?.includes(name) !== false && !without.includes(name));
}

function imageOf(tx: LedgerTransaction, table: string, capture: Capture, row: string): string {
  const columns = new Set([
    ...(capture.only === undefined ? [] : keyColumns(tx, table)),
    ...toldColumns(tx, table, capture),
  ]);
  const pairs = [...columns].map((column) => {
    if (column !== capture.move?.column) return `'${column}', ${row}.${column}`;
    const explanation = capture.move.explanation(row);
    return `'${column}', json_array(${explanation}, (SELECT count(*) FROM state_history
      WHERE explanation_id = ${explanation} AND id <= ${row}.${column}))`;
  });
  return `json_object(${pairs.join(', ')})`;
}
