/**
 * Pages of explanations: which rows count, in which order, and by which index. Every order has an
 * index that is walked from its end; what a check has held back has indexes of its own.
 *
 * Written out: the index of each page is named (`INDEXED BY`), which the builder cannot say.
 */
import {
  CHECKS,
  EXPLANATION_STATUSES,
  type CheckName,
  type ExplanationSort,
  type ExplanationStatus,
} from '../../../shared/wire/console/console.ts';
import { ROWS_NOW, type ExplanationRow } from './explanations.ts';
import { momentOf, type Moment } from '../serving/visibility.ts';
import { statement, type LedgerReader } from '../storage/ledger.ts';
import type { ReceivedWithin } from './word-hits.ts';

export interface ExplanationFilter extends ReceivedWithin {
  statuses?: readonly ExplanationStatus[];
  market?: string;
  tradeDateFrom?: string;
  tradeDateTo?: string;
  /** A check that did not pass. */
  failedCheck?: CheckName;
  /** Among these `number`s alone, which are few. */
  numbers?: readonly number[];
  /** Id of a forbidden word that a screening has found in it. */
  word?: string;
  /** Only what a person has let out and is held at this instant (ISO). */
  heldAt?: string;
  /** Part of ticker, name or text. */
  q?: string;
  sort: ExplanationSort;
  page: number;
  size: number;
}

/** A page by its ids. */
export interface FoundIds {
  ids: string[];
  total: number;
  more: boolean;
}

/** Where one way to a page becomes faster than another. */
export interface ListLimits {
  /** Up to so many rows are all read and sorted. */
  readAll: number;
  /** From so many rows to pass over on, the days are asked where the page lies. */
  far: number;
  /** Up to so many that came in at a time, or hold a word, are named by their numbers. */
  named: number;
  /** Hits of a search that are counted and listed; a term with more is everywhere. */
  cap: number;
  /** Rows that a search looks at, at most, for one page. */
  looked: number;
  /** Rows that are counted where no count is kept. */
  counted: number;
}
export interface Narrowed {
  /** That a text holds what is looked for. */
  text?: Condition;
  /** Numbers of the only rows that may. */
  numbers?: readonly number[];
  /** The only trade dates that may. */
  days?: readonly string[];
  /** In their state from the one day on until the end of the other (UTC). */
  since?: { first: string; last: string };
  /** Rows to pass over; those of the earlier pages where nothing is said. */
  offset?: number;
}

/** A piece of a WHERE, and what its `?` stand for. */
export interface Condition {
  sql: string;
  values: (string | number)[];
}

export function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
}

export function valuesOf(conditions: readonly Condition[]): (string | number)[] {
  return conditions.flatMap(({ values }) => values);
}

export function statusCondition(statuses: readonly ExplanationStatus[] = EXPLANATION_STATUSES): Condition {
  const distinct = [...new Set(statuses)];
  return { sql: `status IN (${distinct.map(() => '?').join(', ')})`, values: distinct };
}

export function dayConditions({ tradeDateFrom, tradeDateTo }: ExplanationFilter): Condition[] {
  return [
    ...(tradeDateFrom === undefined ? [] : [{ sql: 'trade_date >= ?', values: [tradeDateFrom] }]),
    ...(tradeDateTo === undefined ? [] : [{ sql: 'trade_date <= ?', values: [tradeDateTo] }]),
  ];
}

export function isByDay({ sort }: ExplanationFilter): boolean {
  return sort === 'newest' || sort === 'oldest';
}

/** Rows of the pages before. */
export function offsetOf({ page, size }: ExplanationFilter): number {
  return (page - 1) * size;
}

/** A page of all that there are. */
export function whole(filter: ExplanationFilter, ids: readonly string[]): FoundIds {
  const from = offsetOf(filter);
  return { ids: ids.slice(from, from + filter.size), total: ids.length, more: false };
}

/** As a list in one value: the number of values of a statement is bounded. */
function among(column: string, values: readonly (string | number)[]): Condition {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] };
}

/** Written as the indexes of the check have it, or SQLite does not take them. */
export const HELD_BACK = Object.fromEntries(
  CHECKS.map((check) => [check, `instr(failed_checks, '"${check}"') > 0`]),
) as Readonly<Record<CheckName, string>>;

/** Later than every instant of a day. */
const END = '\u{10ffff}';

/** Everything but the states. */
function conditionsOf(filter: ExplanationFilter, { text, numbers, days, since }: Narrowed): Condition[] {
  return [
    ...(filter.market === undefined ? [] : [{ sql: 'market = ?', values: [filter.market] }]),
    ...dayConditions(filter),
    ...(filter.failedCheck === undefined ? [] : [{ sql: HELD_BACK[filter.failedCheck], values: [] }]),
    ...(filter.receivedFrom === undefined ? [] : [{ sql: 'received_at >= ?', values: [filter.receivedFrom] }]),
    ...(filter.receivedBefore === undefined ? [] : [{ sql: 'received_at < ?', values: [filter.receivedBefore] }]),
    ...(filter.word === undefined
      ? []
      : [
          {
            sql: `EXISTS (SELECT 1 FROM word_hit WHERE word_id = ? AND word_hit.received_at = explanation.received_at
              AND explanation_id = explanation.id)`,
            values: [filter.word],
          },
        ]),
    ...(since === undefined
      ? []
      : [{ sql: 'status_since >= ? AND status_since < ?', values: [since.first, `${since.last}${END}`] }]),
    ...(days === undefined ? [] : [among('trade_date', days)]),
    ...(numbers === undefined ? [] : [among('number', numbers)]),
    ...(text === undefined ? [] : [text]),
  ];
}

interface Order {
  /** As in the index, so that it is walked and nothing is sorted. */
  by: string;
  /** The columns that it is by. */
  columns: string;
  /** The end of the name of the index over all states. */
  all: string;
  /** And of the one of each state; null where a state is only a condition. */
  ofStatus: string | null;
}

const ORDERS: Readonly<Record<ExplanationSort, Order>> = {
  newest: {
    by: 'trade_date DESC, explanation_as_of DESC, id',
    columns: 'trade_date, explanation_as_of, id',
    all: 'by_time',
    ofStatus: 'by_status',
  },
  oldest: {
    by: 'trade_date, explanation_as_of, id DESC',
    columns: 'trade_date, explanation_as_of, id',
    all: 'by_time',
    ofStatus: 'by_status',
  },
  'waiting-longest': {
    by: 'status_since, id',
    columns: 'status_since, id',
    all: 'by_waiting',
    ofStatus: 'waiting',
  },
  'waiting-shortest': {
    by: 'status_since DESC, id DESC',
    columns: 'status_since, id',
    all: 'by_waiting',
    ofStatus: 'waiting',
  },
  ticker: {
    by: 'etf_ticker, trade_date DESC, explanation_as_of DESC, id',
    columns: 'etf_ticker, trade_date, explanation_as_of, id',
    all: 'by_ticker',
    ofStatus: null,
  },
};

/** The index of that name, or of those that a check has held back. */
export function indexOf({ failedCheck }: ExplanationFilter, name: string): string {
  return failedCheck === undefined ? `explanation_${name}` : `explanation_${failedCheck.toLowerCase()}_${name}`;
}

const rowsOf = statement<[of: Moment & { ids: string }], ExplanationRow>(
  `${ROWS_NOW} WHERE explanation.id IN (SELECT value FROM json_each(+@ids))`,
);

/** The rows of these ids in their order, as they are at a moment. */
export function readRows(reader: LedgerReader, ids: readonly string[], now: Date): ExplanationRow[] {
  if (ids.length === 0) return [];
  const rows = reader.all(rowsOf({ ids: JSON.stringify(ids), ...momentOf(now) }));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** One page of ids. */
export function pageOf(reader: LedgerReader, filter: ExplanationFilter, narrowed: Narrowed): string[] {
  const skip = narrowed.offset ?? offsetOf(filter);
  const { sql, values } = walk(filter, narrowed, skip + filter.size);
  return idsOf(reader, `${sql} LIMIT ? OFFSET ?`, [...values, filter.size, skip]);
}

/**
 * All ids in their order, where they are few: found by their numbers, or by state and day, looked at one by one,
 * and sorted.
 */
export function allOf(reader: LedgerReader, filter: ExplanationFilter, narrowed: Narrowed): string[] {
  const way = narrowed.numbers === undefined ? `INDEXED BY ${indexOf(filter, 'by_status')}` : 'NOT INDEXED';
  const all = [statusCondition(filter.statuses), ...conditionsOf(filter, narrowed)];
  return idsOf(
    reader,
    `SELECT id FROM explanation ${way} ${where(all)} ORDER BY ${ORDERS[filter.sort].by}`,
    valuesOf(all),
  );
}

/** The first ids in their order whose text holds the term, of the first `looked` rows alone. */
export function firstOf(
  reader: LedgerReader,
  filter: ExplanationFilter,
  text: Condition,
  { looked, most }: { looked: number; most: number },
): string[] {
  const { sql, values } = walk(filter, {}, looked);
  // CROSS JOIN keeps the order of the walk, and the walk ends with the last hit that is wanted.
  return idsOf(
    reader,
    `SELECT explanation.id FROM (${sql} LIMIT ?) AS first CROSS JOIN explanation ON explanation.id = first.id
      ${where([text])} LIMIT ?`,
    [...values, looked, ...text.values, most],
  );
}

function idsOf(reader: LedgerReader, sql: string, parameters: (string | number)[]): string[] {
  return reader.all<{ id: string }>({ sql, parameters }).map(({ id }) => id);
}

/** The ids in their order, by an index that has it. @param most rows of each state that can be needed */
function walk(filter: ExplanationFilter, narrowed: Narrowed, most: number): Condition {
  const order = ORDERS[filter.sort];
  const conditions = conditionsOf(filter, narrowed);
  // Where no state is asked for, all are; those that a check has held back, and the time of waiting, are by state.
  const isByState = filter.failedCheck !== undefined || order.all === 'by_waiting';
  const states = filter.statuses ?? (isByState ? EXPLANATION_STATUSES : undefined);
  const distinct = [...new Set(states)];
  if (order.ofStatus === null || distinct.length === 0 || (narrowed.since !== undefined && distinct.length > 1)) {
    const all = [...(states === undefined ? [] : [statusCondition(states)]), ...conditions];
    return {
      sql: `SELECT id FROM explanation INDEXED BY ${indexOf(filter, order.all)} ${where(all)} ORDER BY ${order.by}`,
      values: valuesOf(all),
    };
  }
  const index = indexOf(filter, order.ofStatus);
  const branches = distinct.map((status) => {
    const all = [{ sql: 'status = ?', values: [status] }, ...conditions];
    const sql = `SELECT ${order.columns} FROM explanation INDEXED BY ${index} ${where(all)} ORDER BY ${order.by}`;
    return { sql, values: valuesOf(all) };
  });
  const [only, ...others] = branches;
  if (only !== undefined && others.length === 0) return only;
  // Each state by its own index, as many rows as can be needed of it; then they are put in order.
  return {
    sql: `SELECT id FROM (${branches.map(({ sql }) => `SELECT * FROM (${sql} LIMIT ?)`).join(' UNION ALL ')}) ORDER BY ${order.by}`,
    values: branches.flatMap(({ values }) => [...values, most]),
  };
}
