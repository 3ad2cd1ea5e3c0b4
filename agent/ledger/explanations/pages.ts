/**
 * Pages of explanations: their conditions, orders and indexes. Every order has an index that is walked from its end;
 * rows that a check has held back have their own indexes.
 */
import { sql, type RawBuilder } from 'kysely';
import {
  CHECKS,
  EXPLANATION_STATUSES,
  type CheckName,
  type ExplanationSort,
  type ExplanationStatus,
} from '../../../shared/wire/console/console.ts';
import { rowsNow, type ExplanationRow } from './explanations.ts';
import { momentOf, type Moment } from '../serving/visibility.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';
import type { ReceivedWithin } from './word-hits.ts';

export interface ExplanationFilter extends ReceivedWithin {
  statuses?: readonly ExplanationStatus[];
  market?: string;
  tradeDateFrom?: string;
  tradeDateTo?: string;
  /** A check that did not pass. */
  failedCheck?: CheckName;
  /** Only these `number`s, which are few. */
  numbers?: readonly number[];
  /** Id of a forbidden word that a screening has found in it. */
  word?: string;
  /** Only texts that a person has approved and that are on hold at this instant (ISO). */
  heldAt?: string;
  /** Part of ticker, name, text or the title of an evidence. */
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

/** The bounds at which one access path becomes faster than another. */
export interface ListLimits {
  /** Up to this many rows are all read and sorted. */
  readAll: number;
  /** From this many skipped rows on, the counts by day locate the page. */
  far: number;
  /** Up to this many rows of a time or a word are selected by their numbers. */
  named: number;
  /** Hits of a search that are counted and listed; a term with more counts as frequent. */
  cap: number;
  /** The most rows that a search reads for one page. */
  looked: number;
  /** Rows that are counted where triggers keep no count. */
  counted: number;
}
export interface Narrowed {
  /** The condition that a text holds the search term. */
  text?: Condition;
  /** Only rows with these numbers. */
  numbers?: readonly number[];
  /** Only these trade dates. */
  days?: readonly string[];
  /** Only rows in their state from the one day until the end of the other (UTC). */
  since?: { first: string; last: string };
  /** Rows to skip; default: those of the earlier pages. */
  offset?: number;
}

/** A condition of a WHERE. */
export type Condition = RawBuilder<boolean>;

export const where = (conditions: readonly Condition[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`;

export const statusCondition = (statuses: readonly ExplanationStatus[] = EXPLANATION_STATUSES): Condition =>
  sql`status IN (${sql.join([...new Set(statuses)])})`;

export function dayConditions({ tradeDateFrom, tradeDateTo }: ExplanationFilter): Condition[] {
  return [
    ...(tradeDateFrom === undefined ? [] : [sql<boolean>`trade_date >= ${tradeDateFrom}`]),
    ...(tradeDateTo === undefined ? [] : [sql<boolean>`trade_date <= ${tradeDateTo}`]),
  ];
}

export function isByDay({ sort }: ExplanationFilter): boolean {
  return sort === 'newest' || sort === 'oldest';
}

/** Rows of the pages before. */
export function offsetOf({ page, size }: ExplanationFilter): number {
  return (page - 1) * size;
}

/** A page over all rows. */
export function whole(filter: ExplanationFilter, ids: readonly string[]): FoundIds {
  const from = offsetOf(filter);
  return { ids: ids.slice(from, from + filter.size), total: ids.length, more: false };
}

/** The values as one list, because the number of values of a statement is bounded. */
const among = (column: string, values: readonly (string | number)[]): Condition =>
  sql`${sql.ref(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;

/** The text must equal that of the partial indexes, or SQLite does not use them. */
export const HELD_BACK = Object.fromEntries(
  CHECKS.map((check) => [check, sql`instr(failed_checks, ${sql.lit(`"${check}"`)}) > 0`]),
) as Readonly<Record<CheckName, Condition>>;

/** Later than every instant of a day. */
const END = '\u{10ffff}';

/** All conditions but the states. */
function conditionsOf(filter: ExplanationFilter, { text, numbers, days, since }: Narrowed): Condition[] {
  return [
    ...(filter.market === undefined ? [] : [sql<boolean>`market = ${filter.market}`]),
    ...dayConditions(filter),
    ...(filter.failedCheck === undefined ? [] : [HELD_BACK[filter.failedCheck]]),
    ...(filter.receivedFrom === undefined ? [] : [sql<boolean>`received_at >= ${filter.receivedFrom}`]),
    ...(filter.receivedBefore === undefined ? [] : [sql<boolean>`received_at < ${filter.receivedBefore}`]),
    ...(filter.word === undefined
      ? []
      : [
          sql<boolean>`EXISTS (SELECT 1 FROM word_hit WHERE word_id = ${filter.word}
            AND word_hit.received_at = explanation.received_at AND explanation_id = explanation.id)`,
        ]),
    ...(since === undefined
      ? []
      : [sql<boolean>`status_since >= ${since.first} AND status_since < ${`${since.last}${END}`}`]),
    ...(days === undefined ? [] : [among('trade_date', days)]),
    ...(numbers === undefined ? [] : [among('number', numbers)]),
    ...(text === undefined ? [] : [text]),
  ];
}

interface Order {
  /** The order of the index, so that it is walked and nothing is sorted. */
  by: RawBuilder<unknown>;
  /** The columns of the order. */
  columns: RawBuilder<unknown>;
  /** The end of the name of the index over all states. */
  all: string;
  /** The end of the name of the index over one state; null where the state is only a condition. */
  ofStatus: string | null;
}

const ORDERS: Readonly<Record<ExplanationSort, Order>> = {
  newest: {
    by: sql`trade_date DESC, explanation_as_of DESC, id`,
    columns: sql`trade_date, explanation_as_of, id`,
    all: 'by_time',
    ofStatus: 'by_status',
  },
  oldest: {
    by: sql`trade_date, explanation_as_of, id DESC`,
    columns: sql`trade_date, explanation_as_of, id`,
    all: 'by_time',
    ofStatus: 'by_status',
  },
  'waiting-longest': {
    by: sql`status_since, id`,
    columns: sql`status_since, id`,
    all: 'by_waiting',
    ofStatus: 'waiting',
  },
  'waiting-shortest': {
    by: sql`status_since DESC, id DESC`,
    columns: sql`status_since, id`,
    all: 'by_waiting',
    ofStatus: 'waiting',
  },
  ticker: {
    by: sql`etf_ticker, trade_date DESC, explanation_as_of DESC, id`,
    columns: sql`etf_ticker, trade_date, explanation_as_of, id`,
    all: 'by_ticker',
    ofStatus: null,
  },
};

/** The index of that name, or its variant for rows that a check has held back. */
export const indexOf = ({ failedCheck }: ExplanationFilter, name: string): RawBuilder<unknown> =>
  sql.id(failedCheck === undefined ? `explanation_${name}` : `explanation_${failedCheck.toLowerCase()}_${name}`);

const rowsOf = prepared((ids: string, moment: Moment) =>
  rowsNow(moment).where(sql<boolean>`explanation.id IN (SELECT value FROM json_each(+${ids}))`),
);

/** The rows of these ids in their order, at a moment. */
export function readRows(reader: LedgerReader, ids: readonly string[], now: Date): ExplanationRow[] {
  if (ids.length === 0) return [];
  const rows = reader.all(rowsOf(JSON.stringify(ids), momentOf(now)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** One page of ids. */
export function pageOf(reader: LedgerReader, filter: ExplanationFilter, narrowed: Narrowed): string[] {
  const skip = narrowed.offset ?? offsetOf(filter);
  return idsOf(reader, sql`${walk(filter, narrowed, skip + filter.size)} LIMIT ${filter.size} OFFSET ${skip}`);
}

/** All ids in their order, for few rows: found by their numbers, or by state and day, read one by one, and sorted. */
export function allOf(reader: LedgerReader, filter: ExplanationFilter, narrowed: Narrowed): string[] {
  const way = narrowed.numbers === undefined ? sql`INDEXED BY ${indexOf(filter, 'by_status')}` : sql`NOT INDEXED`;
  const all = [statusCondition(filter.statuses), ...conditionsOf(filter, narrowed)];
  return idsOf(reader, sql`SELECT id FROM explanation ${way} ${where(all)} ORDER BY ${ORDERS[filter.sort].by}`);
}

/** The first ids in their order with the term in their text, among the first `looked` rows. */
export function firstOf(
  reader: LedgerReader,
  filter: ExplanationFilter,
  text: Condition,
  { looked, most }: { looked: number; most: number },
): string[] {
  // CROSS JOIN keeps the order of the walk, and the walk ends with the last wanted hit.
  return idsOf(
    reader,
    sql`SELECT explanation.id FROM (${walk(filter, {}, looked)} LIMIT ${looked}) AS first
      CROSS JOIN explanation ON explanation.id = first.id ${where([text])} LIMIT ${most}`,
  );
}

const idsOf = (reader: LedgerReader, query: RawBuilder<{ id: string }>): string[] =>
  reader.all(query).map(({ id }) => id);

/** The ids in their order, by an index that has it. @param most rows of each state that can be needed */
function walk(filter: ExplanationFilter, narrowed: Narrowed, most: number): RawBuilder<unknown> {
  const order = ORDERS[filter.sort];
  const conditions = conditionsOf(filter, narrowed);
  // Without a state in the filter, all states count; the indexes of held-back rows and of waiting time are by state.
  const isByState = filter.failedCheck !== undefined || order.all === 'by_waiting';
  const states = filter.statuses ?? (isByState ? EXPLANATION_STATUSES : undefined);
  const distinct = [...new Set(states)];
  if (order.ofStatus === null || distinct.length === 0 || (narrowed.since !== undefined && distinct.length > 1)) {
    const all = [...(states === undefined ? [] : [statusCondition(states)]), ...conditions];
    return sql`SELECT id FROM explanation INDEXED BY ${indexOf(filter, order.all)} ${where(all)} ORDER BY ${order.by}`;
  }
  const index = indexOf(filter, order.ofStatus);
  const branches = distinct.map((status) => {
    const all = [sql<boolean>`status = ${status}`, ...conditions];
    return sql`SELECT ${order.columns} FROM explanation INDEXED BY ${index} ${where(all)} ORDER BY ${order.by}`;
  });
  const [only, ...others] = branches;
  if (only !== undefined && others.length === 0) return only;
  // Reads the needed rows of each state by its own index, then merges them in order.
  const first = branches.map((branch) => sql`SELECT * FROM (${branch} LIMIT ${most})`);
  return sql`SELECT id FROM (${sql.join(first, sql` UNION ALL `)}) ORDER BY ${order.by}`;
}
