/**
 * Lists of explanations (D11), made so that a page costs the same in a ledger of a thousand rows and in one
 * of a million. Every order has an index that is walked from its end: `explanation_by_time`,
 * `explanation_by_status`, `explanation_waiting`, `explanation_by_ticker`. How many there are is kept by
 * triggers in `explanation_count`, by state, day and market; the same table tells on which days a page lies, so
 * that even the last page is no long walk.
 */
import type { CheckName, ExplanationSort, ExplanationStatus, StatusCounts } from '../../shared/wire/console.ts';
import { EXPLANATION_STATUSES } from '../../shared/wire/console.ts';
import { COLUMNS, type ExplanationRow } from './explanations.ts';
import { searchCandidates, SEARCH_CAP, textCondition } from './explanation-search.ts';
import { exposedNow } from './exposure.ts';
import { sqlite, statement, type LedgerReader } from './ledger.ts';

export interface ExplanationFilter {
  statuses?: readonly ExplanationStatus[];
  market?: string;
  tradeDateFrom?: string;
  tradeDateTo?: string;
  /** A check that did not pass. */
  failedCheck?: CheckName;
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

/** Up to so many rows a search reads them all: that is exact, and as fast as the index. */
const READ_ALL = 8_000;

/** One page of explanations, and how many there are in all. */
export function listExplanations(reader: LedgerReader, filter: ExplanationFilter): ExplanationList {
  const counted = daysOf(reader, filter);
  const total = counted.reduce((sum, { n }) => sum + n, 0);
  if (total === 0) return { rows: [], total: 0, more: false };
  if (filter.q !== undefined) return search(reader, filter, filter.q, total);
  if (filter.failedCheck !== undefined) {
    return { rows: pageOf(reader, filter, {}), total: countOf(reader, filter, {}), more: false };
  }
  return { rows: pageByDays(reader, filter, counted), total, more: false };
}

/** How many there are on each day, newest day first; the text and the failed checks are not looked at. */
function daysOf(reader: LedgerReader, filter: ExplanationFilter): { day: string; n: number }[] {
  const conditions: Condition[] = [
    statusCondition(filter.statuses),
    ...(filter.market === undefined ? [] : [{ sql: 'market = ?', values: [filter.market] }]),
    ...dayConditions(filter),
  ];
  return reader.all<{ day: string; n: number }>({
    sql: `SELECT trade_date AS day, sum(n) AS n FROM explanation_count ${where(conditions)} GROUP BY trade_date
      HAVING sum(n) > 0 ORDER BY trade_date DESC`,
    parameters: conditions.flatMap(({ values }) => values),
  });
}

/** Goes straight to the days on which the page lies. */
function pageByDays(
  reader: LedgerReader,
  filter: ExplanationFilter,
  newestFirst: readonly { day: string; n: number }[],
): ExplanationRow[] {
  if (filter.sort !== 'newest' && filter.sort !== 'oldest') return pageOf(reader, filter, {});
  const days = filter.sort === 'newest' ? newestFirst : newestFirst.toReversed();
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
  const ends = [days[first]?.day, days[last]?.day].filter((day) => day !== undefined).toSorted();
  const [tradeDateFrom, tradeDateTo] = [ends[0], ends.at(-1)];
  if (tradeDateFrom === undefined || tradeDateTo === undefined) return [];
  return pageOf(reader, { ...filter, tradeDateFrom, tradeDateTo }, { offset: skip });
}

/** @param among how many the filter lets through without the text */
function search(reader: LedgerReader, filter: ExplanationFilter, q: string, among: number): ExplanationList {
  const text = textCondition(q);
  const numbers = among > READ_ALL ? searchCandidates(reader, q) : undefined;
  if (numbers !== null && (numbers === undefined || numbers.length <= SEARCH_CAP)) {
    const only = numbers === undefined ? { text } : { text, numbers };
    return { rows: pageOf(reader, filter, only), total: countOf(reader, filter, only), more: false };
  }
  // So many hits that a page is full after a short walk.
  const rows = pageOf(reader, filter, { text });
  const seen = (filter.page - 1) * filter.size + rows.length;
  const more = rows.length === filter.size;
  return { rows, total: more ? Math.max(seen, SEARCH_CAP) : seen, more };
}

/** A piece of a WHERE, and what its `?` stand for. */
export interface Condition {
  sql: string;
  values: (string | number)[];
}

function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
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
  if (narrowed.numbers !== undefined) {
    // The numbers are few: they are looked up, and sorted.
    const all = [statusCondition(filter.statuses), ...conditions];
    return {
      sql: `SELECT id FROM explanation NOT INDEXED ${where(all)} ORDER BY ${order.by}`,
      values: all.flatMap(({ values }) => values),
    };
  }
  const states = filter.statuses ?? (order.all === null ? EXPLANATION_STATUSES : undefined);
  if (states === undefined || order.ofStatus === null) {
    const all = [...(states === undefined ? [] : [statusCondition(states)]), ...conditions];
    return {
      sql: `SELECT id FROM explanation INDEXED BY ${order.all ?? ''} ${where(all)} ORDER BY ${order.by}`,
      values: all.flatMap(({ values }) => values),
    };
  }
  // Each state by its own index, as many rows as can be needed of it; then they are put in order.
  const branches = [...new Set(states)].map((status) => {
    const all = [{ sql: 'status = ?', values: [status] }, ...conditions];
    return {
      sql: `SELECT * FROM (SELECT ${order.columns} FROM explanation INDEXED BY ${order.ofStatus ?? ''} ${where(all)}
        ORDER BY ${order.by} LIMIT ?)`,
      values: [...all.flatMap(({ values }) => values), most],
    };
  });
  return {
    sql: `SELECT id FROM (${branches.map(({ sql }) => sql).join(' UNION ALL ')}) ORDER BY ${order.by}`,
    values: branches.flatMap(({ values }) => values),
  };
}

function countOf(reader: LedgerReader, filter: ExplanationFilter, narrowed: Narrowed): number {
  const all = [statusCondition(filter.statuses), ...conditionsOf(filter, narrowed)];
  const way = narrowed.numbers === undefined ? '' : 'NOT INDEXED';
  return (
    reader.first<{ n: number }>({
      sql: `SELECT count(*) AS n FROM explanation ${way} ${where(all)}`,
      parameters: all.flatMap(({ values }) => values),
    })?.n ?? 0
  );
}

const countByStatus = statement<[], { status: ExplanationStatus; n: number }>(
  'SELECT status, sum(n) AS n FROM explanation_count GROUP BY status',
);

/** How many explanations are in each state; states without any count 0. */
export function statusCounts(reader: LedgerReader): StatusCounts {
  const counts = Object.fromEntries(EXPLANATION_STATUSES.map((status) => [status, 0])) as StatusCounts;
  for (const { status, n } of reader.all(countByStatus())) counts[status] = n;
  return counts;
}

const countSince = statement<[since: string], { n: number }>(
  'SELECT count(*) AS n FROM explanation WHERE received_at >= ?',
);
const lastReceived = statement<[], { at: string | null }>('SELECT max(received_at) AS at FROM explanation');

/** How many have come in since an instant, and when the last one came (index `explanation_received`). */
export function receivedSince(reader: LedgerReader, since: string): { count: number; last: string | null } {
  return { count: reader.first(countSince(since))?.n ?? 0, last: reader.first(lastReceived())?.at ?? null };
}
