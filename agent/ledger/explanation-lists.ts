/**
 * Lists of explanations (D11), made so that a page costs the same in a ledger of a thousand rows and in one
 * of a million. Every order has an index that is walked from its end: `explanation_by_time`,
 * `explanation_by_status`, `explanation_waiting`, `explanation_by_ticker`. How many there are is kept by
 * triggers in `explanation_count`, by state, day and market; the same table tells on which days a page lies, so
 * that even the last page is no long walk.
 */
import type { CheckName, ExplanationSort, ExplanationStatus } from '../../shared/wire/console.ts';
import { EXPLANATION_STATUSES } from '../../shared/wire/console.ts';
import { COLUMNS, type ExplanationRow } from './explanations.ts';
import { searchCandidates, textCondition } from './explanation-search.ts';
import { exposedNow } from './exposure.ts';
import { sqlite, statement, type LedgerReader } from './ledger.ts';
import type { ReceivedWithin } from './word-hits.ts';

export interface ExplanationFilter extends ReceivedWithin {
  statuses?: readonly ExplanationStatus[];
  market?: string;
  tradeDateFrom?: string;
  tradeDateTo?: string;
  /** A check that did not pass. */
  failedCheck?: CheckName;
  /** Id of a forbidden word that a screening has found in it. */
  word?: string;
  /** Part of ticker, name or text. */
  q?: string;
  sort: ExplanationSort;
  page: number;
  size: number;
}

export interface ExplanationList {
  rows: ExplanationRow[];
  total: number;
  /** Whether there are more than `total`: a search with very many hits stops counting. */
  more: boolean;
}

/** Where one way to a page becomes faster than another; what comes out is the same. */
export interface Turns {
  /** Up to so many rows a search reads them all. */
  readAll: number;
  /** From so many rows to pass over on, the days are asked where the page lies. */
  far: number;
  /** Up to so many hits are looked up one by one; more are met while an index is walked, which has their numbers. */
  few: number;
  /** Up to so many that came in at a time, or hold a word, are named by their numbers. */
  named: number;
  /** Hits that a search counts; a term with more is everywhere. */
  cap: number;
}
/** After every instant. */
const NEVER = '\u{10ffff}';

const TURNS: Turns = { readAll: 8_000, far: 2_000, few: 300, named: 5_000, cap: 5_000 };

/** One page of explanations, and how many there are in all. */
export function listExplanations(
  reader: LedgerReader,
  filter: ExplanationFilter,
  turns: Turns = TURNS,
): ExplanationList {
  const total = countedOf(reader, filter);
  if (total === 0) return { rows: [], total: 0, more: false };
  const { receivedFrom, receivedBefore, word, ...rest } = filter;
  const isNamed = receivedFrom !== undefined || receivedBefore !== undefined || word !== undefined;
  if (isNamed && total > turns.readAll) {
    const numbers = namedNumbers(reader, filter, turns.named);
    if (numbers.length <= turns.named) {
      const text = filter.q === undefined ? {} : { text: textCondition(filter.q) };
      const isFew = numbers.length <= turns.few;
      const found = countOf(reader, rest, { numbers, ...text });
      return { rows: pageOf(reader, rest, { numbers, isFew, ...text }), total: found, more: false };
    }
  }
  if (filter.q !== undefined) return search(reader, { ...filter, q: filter.q }, total, turns);
  if (isNamed && total > turns.readAll) return walkOn(reader, filter, {}, 0);
  if (isNamed) return { rows: pageOf(reader, filter, {}), total: countOf(reader, filter, {}), more: false };
  if (filter.failedCheck !== undefined) {
    return { rows: pageOf(reader, filter, {}), total: countOf(reader, filter, {}), more: false };
  }
  const byDay = filter.sort === 'newest' || filter.sort === 'oldest';
  const isFar = byDay && (filter.page - 1) * filter.size > turns.far;
  return { rows: isFar ? pageByDays(reader, filter) : pageOf(reader, filter, {}), total, more: false };
}

/** How many there are; the text and the failed checks are not looked at. */
function countedOf(reader: LedgerReader, filter: ExplanationFilter): number {
  const conditions = countConditions(filter);
  return (
    reader.first<{ n: number | null }>({
      sql: `SELECT sum(n) AS n FROM explanation_count ${where(conditions)}`,
      parameters: valuesOf(conditions),
    })?.n ?? 0
  );
}

function countConditions(filter: ExplanationFilter): Condition[] {
  return [
    statusCondition(filter.statuses),
    ...(filter.market === undefined ? [] : [{ sql: 'market = ?', values: [filter.market] }]),
    ...dayConditions(filter),
  ];
}

/** Goes straight to the days on which the page lies. */
function pageByDays(reader: LedgerReader, filter: ExplanationFilter): ExplanationRow[] {
  const conditions = countConditions(filter);
  const days = reader.all<{ day: string; n: number }>({
    sql: `SELECT trade_date AS day, sum(n) AS n FROM explanation_count ${where(conditions)} GROUP BY trade_date
      HAVING sum(n) > 0 ORDER BY trade_date ${filter.sort === 'newest' ? 'DESC' : 'ASC'}`,
    parameters: valuesOf(conditions),
  });
  let skip = (filter.page - 1) * filter.size;
  let first = 0;
  for (let day = days[first]; day !== undefined && skip >= day.n; day = days[first]) {
    skip -= day.n;
    first += 1;
  }
  let last = first;
  for (let seen = (days[first]?.n ?? 0) - skip; seen < filter.size && last + 1 < days.length; last += 1) {
    seen += days[last + 1]?.n ?? 0;
  }
  const [tradeDateFrom, tradeDateTo] = [days[first]?.day, days[last]?.day]
    .filter((day) => day !== undefined)
    .toSorted();
  if (tradeDateFrom === undefined || tradeDateTo === undefined) return [];
  return pageOf(reader, { ...filter, tradeDateFrom, tradeDateTo }, { offset: skip });
}

/** @param among how many the filter lets through without the text */
function search(
  reader: LedgerReader,
  filter: ExplanationFilter & { q: string },
  among: number,
  { readAll, few, cap }: Turns,
): ExplanationList {
  const text = textCondition(filter.q);
  if (among <= readAll) {
    return { rows: pageOf(reader, filter, { text }), total: countOf(reader, filter, { text }), more: false };
  }
  const numbers = searchCandidates(reader, filter.q, cap);
  const isPlain = !hasFilter(filter);
  if (numbers !== null && numbers.length <= cap) {
    const total = isPlain ? numbers.length : countOf(reader, filter, { numbers });
    const isFew = numbers.length <= few;
    return { rows: pageOf(reader, filter, { numbers, isFew }), total, more: false };
  }
  // So many hits that a page is full after a short walk in its order. The numbers at hand are no help: they are
  // those received last, and what was received last need not be of the latest days.
  return walkOn(reader, filter, { text }, isPlain && numbers !== null ? cap : 0);
}

/**
 * A page of so many that it is full after a short walk. One row more than is shown tells that there are
 * others; how many is not counted.
 *
 * @param least as many as there are at least where there are others
 */
function walkOn(reader: LedgerReader, filter: ExplanationFilter, narrowed: Narrowed, least: number): ExplanationList {
  const offset = (filter.page - 1) * filter.size;
  const rows = pageOf(reader, { ...filter, size: filter.size + 1 }, { ...narrowed, offset });
  // Beyond the last page nothing tells how many there are.
  if (rows.length === 0) return { rows, total: countOf(reader, filter, narrowed), more: false };
  const more = rows.length > filter.size;
  return { rows: rows.slice(0, filter.size), total: Math.max(offset + rows.length, more ? least : 0), more };
}

/** Numbers of those that came in then, or in which the word was found; one more than `named` where there are more. */
function namedNumbers(
  reader: LedgerReader,
  { receivedFrom, receivedBefore, word }: ExplanationFilter,
  named: number,
): number[] {
  const [from, before, most] = [receivedFrom ?? '', receivedBefore ?? NEVER, named + 1];
  const found =
    word === undefined
      ? reader.all(receivedThen({ from, before, most }))
      : reader.all(withWordThen({ word, from, before, most }));
  return found.map(({ number }) => number);
}

const receivedThen = statement<[{ from: string; before: string; most: number }], { number: number }>(`
  SELECT number FROM explanation INDEXED BY explanation_received
  WHERE received_at >= @from AND received_at < @before LIMIT @most`);
const withWordThen = statement<[{ word: string; from: string; before: string; most: number }], { number: number }>(`
  SELECT number FROM word_hit JOIN explanation ON explanation.id = word_hit.explanation_id
  WHERE word_id = @word AND word_hit.received_at >= @from AND word_hit.received_at < @before LIMIT @most`);

/** What says which page is meant and what is looked for, and lets any explanation through. */
const PLAIN = new Set(['page', 'size', 'sort', 'q']);

function hasFilter(filter: ExplanationFilter): boolean {
  return Object.keys(filter).some((key) => !PLAIN.has(key));
}

/** A piece of a WHERE, and what its `?` stand for. */
export interface Condition {
  sql: string;
  values: (string | number)[];
}

function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
}

function valuesOf(conditions: readonly Condition[]): (string | number)[] {
  return conditions.flatMap(({ values }) => values);
}

function statusCondition(statuses: readonly ExplanationStatus[] = EXPLANATION_STATUSES): Condition {
  const distinct = [...new Set(statuses)];
  return { sql: `status IN (${distinct.map(() => '?').join(', ')})`, values: distinct };
}

function dayConditions({ tradeDateFrom, tradeDateTo }: ExplanationFilter): Condition[] {
  return [
    ...(tradeDateFrom === undefined ? [] : [{ sql: 'trade_date >= ?', values: [tradeDateFrom] }]),
    ...(tradeDateTo === undefined ? [] : [{ sql: 'trade_date <= ?', values: [tradeDateTo] }]),
  ];
}

/** Everything but the states. */
function conditionsOf(filter: ExplanationFilter, { text, numbers }: Narrowed): Condition[] {
  return [
    ...(filter.market === undefined ? [] : [{ sql: 'market = ?', values: [filter.market] }]),
    ...dayConditions(filter),
    ...(filter.failedCheck === undefined
      ? []
      : [
          {
            sql: 'EXISTS (SELECT 1 FROM json_each(explanation.failed_checks) WHERE json_each.value = ?)',
            values: [filter.failedCheck],
          },
        ]),
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
    // As a list in one value: the number of values of a statement is bounded.
    ...(numbers === undefined
      ? []
      : [{ sql: 'number IN (SELECT value FROM json_each(?))', values: [JSON.stringify(numbers)] }]),
    ...(text === undefined ? [] : [text]),
  ];
}

interface Order {
  /** As in the index, so that it is walked and nothing is sorted. */
  by: string;
  /** The columns that it is by. */
  columns: string;
  /** The index over all states, or null where each state is walked by itself. */
  all: string | null;
  /** The index of one state, or null where a state is only a condition. */
  ofStatus: string | null;
}

const ORDERS: Readonly<Record<ExplanationSort, Order>> = {
  newest: {
    by: 'trade_date DESC, explanation_as_of DESC, id',
    columns: 'trade_date, explanation_as_of, id',
    all: 'explanation_by_time',
    ofStatus: 'explanation_by_status',
  },
  oldest: {
    by: 'trade_date, explanation_as_of, id DESC',
    columns: 'trade_date, explanation_as_of, id',
    all: 'explanation_by_time',
    ofStatus: 'explanation_by_status',
  },
  'waiting-longest': {
    by: 'status_since, id',
    columns: 'status_since, id',
    all: null,
    ofStatus: 'explanation_waiting',
  },
  'waiting-shortest': {
    by: 'status_since DESC, id DESC',
    columns: 'status_since, id',
    all: null,
    ofStatus: 'explanation_waiting',
  },
  ticker: {
    by: 'etf_ticker, trade_date DESC, explanation_as_of DESC, id',
    columns: 'etf_ticker, trade_date, explanation_as_of, id',
    all: 'explanation_by_ticker',
    ofStatus: null,
  },
};

interface Narrowed {
  /** That a text holds what is looked for. */
  text?: Condition;
  /** Numbers of the only rows that may. */
  numbers?: readonly number[];
  isFew?: boolean;
  /** Rows to pass over; those of the earlier pages where nothing is said. */
  offset?: number;
}

function pageOf(reader: LedgerReader, filter: ExplanationFilter, narrowed: Narrowed): ExplanationRow[] {
  const skip = narrowed.offset ?? (filter.page - 1) * filter.size;
  const { sql, values } = idsOf(filter, narrowed, skip + filter.size);
  const ids = reader
    .all<{ id: string }>({ sql: `${sql} LIMIT ? OFFSET ?`, parameters: [...values, filter.size, skip] })
    .map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = reader.all(
    sqlite
      .selectFrom('explanation')
      .select(COLUMNS)
      .select(exposedNow.as('exposed'))
      .where('explanation.id', 'in', ids),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The ids in their order. @param most rows of each state that can be needed */
function idsOf(filter: ExplanationFilter, narrowed: Narrowed, most: number): Condition {
  const order = ORDERS[filter.sort];
  const conditions = conditionsOf(filter, narrowed);
  if (narrowed.isFew === true) {
    // They are looked up one by one, and sorted.
    const all = [statusCondition(filter.statuses), ...conditions];
    return {
      sql: `SELECT id FROM explanation NOT INDEXED ${where(all)} ORDER BY ${order.by}`,
      values: valuesOf(all),
    };
  }
  const states = filter.statuses ?? (order.all === null ? EXPLANATION_STATUSES : undefined);
  if (states === undefined || order.ofStatus === null) {
    const all = [...(states === undefined ? [] : [statusCondition(states)]), ...conditions];
    return {
      sql: `SELECT id FROM explanation INDEXED BY ${order.all ?? ''} ${where(all)} ORDER BY ${order.by}`,
      values: valuesOf(all),
    };
  }
  // Each state by its own index, as many rows as can be needed of it; then they are put in order.
  const branches = [...new Set(states)].map((status) => {
    const all = [{ sql: 'status = ?', values: [status] }, ...conditions];
    return {
      sql: `SELECT * FROM (SELECT ${order.columns} FROM explanation INDEXED BY ${order.ofStatus ?? ''} ${where(all)}
        ORDER BY ${order.by} LIMIT ?)`,
      values: [...valuesOf(all), most],
    };
  });
  return {
    sql: `SELECT id FROM (${branches.map(({ sql }) => sql).join(' UNION ALL ')}) ORDER BY ${order.by}`,
    values: valuesOf(branches),
  };
}

function countOf(reader: LedgerReader, filter: ExplanationFilter, narrowed: Narrowed): number {
  const all = [statusCondition(filter.statuses), ...conditionsOf(filter, narrowed)];
  // By their numbers, and not by another index.
  const way = narrowed.numbers === undefined ? '' : 'NOT INDEXED';
  return (
    reader.first<{ n: number }>({
      sql: `SELECT count(*) AS n FROM explanation ${way} ${where(all)}`,
      parameters: valuesOf(all),
    })?.n ?? 0
  );
}
