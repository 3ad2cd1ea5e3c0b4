/**
 * Lists of explanations (D11), made so that a page costs the same in a ledger of a thousand rows and in one of a
 * million. Triggers keep the totals in `explanation_count` (state, day, market) and `explanation_since` (state, day of
 * the state's beginning); the same tables locate the days of a page, so that even the last page needs no long walk.
 * Rows without such a count are counted up to a bound: rows beyond it are reported (`more`) and not listed.
 */
import { sql } from 'kysely';
import type { ExplanationRow } from './explanations.ts';
import {
  allOf,
  dayConditions,
  HELD_BACK,
  indexOf,
  isByDay,
  offsetOf,
  pageOf,
  readRows,
  statusCondition,
  where,
  whole,
  type Condition,
  type ExplanationFilter,
  type FoundIds,
  type ListLimits,
} from './pages.ts';
import { heldNumbers } from '../serving/visibility.ts';
import { formsOf } from '../../../shared/wire/search-fold.ts';
import { fewHits, searchExplanations, textCondition } from './search.ts';
import type { LedgerReader } from '../storage/ledger.ts';

export interface ExplanationList {
  rows: ExplanationRow[];
  total: number;
  /** Whether there are more than `total`. Rows beyond `total` are listed by continuing the walk, or not at all. */
  more: boolean;
}

/** Later than every instant. */
const NEVER = '\u{10ffff}';

const LIST_LIMITS: ListLimits = {
  readAll: 2_000,
  far: 1_000,
  named: 5_000,
  cap: 2_000,
  looked: 6_000,
  counted: 10_000,
};

/** One page of explanations at a moment, with the total. */
export function listExplanations(
  reader: LedgerReader,
  filter: ExplanationFilter,
  now: Date,
  limits: ListLimits = LIST_LIMITS,
): ExplanationList {
  const { q, ...rest } = filter;
  // White space alone is no term.
  const meant = q === undefined || formsOf(q).length === 0 ? rest : { ...rest, q };
  const { ids, ...told } = findIds(reader, meant, limits);
  return { rows: readRows(reader, ids, now), ...told };
}

function findIds(reader: LedgerReader, filter: ExplanationFilter, limits: ListLimits): FoundIds {
  const text = filter.q === undefined ? {} : { text: textCondition(filter.q) };
  if (filter.numbers !== undefined) return whole(filter, allOf(reader, filter, { numbers: filter.numbers, ...text }));
  const counted = countedOf(reader, filter, limits.counted);
  if (counted.total === 0) return { ids: [], total: 0, more: false };
  const { receivedFrom, receivedBefore, word, ...rest } = filter;
  const isNamed = receivedFrom !== undefined || receivedBefore !== undefined || word !== undefined;
  // The texts on hold, a minute at most, are always few.
  if (filter.heldAt !== undefined)
    return whole(filter, allOf(reader, filter, { numbers: heldNumbers(reader, filter.heldAt), ...text }));
  if (!counted.more && counted.total <= limits.readAll) {
    const days = filter.market === undefined ? {} : { days: daysOf(reader, filter).map(({ day }) => day) };
    // To read the titles of the evidence of every row takes longer than to ask the index.
    const numbers = filter.q === undefined ? null : fewHits(reader, filter.q, limits.cap);
    return whole(filter, allOf(reader, filter, { ...days, ...(numbers === null ? text : { numbers }) }));
  }
  if (isNamed) {
    const numbers = namedNumbers(reader, filter, limits.named);
    if (numbers.length <= limits.named) return whole(filter, allOf(reader, rest, { numbers, ...text }));
  }
  if (filter.q !== undefined) return searchExplanations(reader, { ...filter, q: filter.q }, counted.total, limits);
  if (isNamed) {
    const { statuses, market, failedCheck } = rest;
    const isNamedAlone = [statuses, market, failedCheck, ...dayConditions(rest)].every((one) => one === undefined);
    return walkOn(reader, filter, isNamedAlone ? limits.named : 0);
  }
  if (counted.more && offsetOf(filter) >= counted.total) return { ids: [], ...counted };
  return { ids: plainPage(reader, filter, limits.far), ...counted };
}

/** Their number, without regard to the text. Rows that a check has held back are counted up to a bound. */
function countedOf(reader: LedgerReader, filter: ExplanationFilter, most: number): { total: number; more: boolean } {
  const conditions = countConditions(filter);
  if (filter.failedCheck === undefined) {
    const all = sql<{ n: number | null }>`SELECT sum(n) AS n FROM explanation_count ${where(conditions)}`;
    return { total: reader.first(all)?.n ?? 0, more: false };
  }
  const held = [...conditions, HELD_BACK[filter.failedCheck]];
  const counted = sql<{ n: number }>`SELECT count(*) AS n FROM (
    SELECT 1 FROM explanation INDEXED BY ${indexOf(filter, 'by_status')} ${where(held)} LIMIT ${most + 1})`;
  const found = reader.first(counted)?.n ?? 0;
  return { total: Math.min(found, most), more: found > most };
}

function countConditions(filter: ExplanationFilter): Condition[] {
  return [
    statusCondition(filter.statuses),
    ...(filter.market === undefined ? [] : [sql<boolean>`market = ${filter.market}`]),
    ...dayConditions(filter),
  ];
}

/** The trade dates that have rows, in the order of the list, with their numbers. */
function daysOf(reader: LedgerReader, filter: ExplanationFilter): { day: string; n: number }[] {
  return reader.all(
    sql`SELECT trade_date AS day, sum(n) AS n FROM explanation_count ${where(countConditions(filter))}
      GROUP BY trade_date HAVING sum(n) > 0 ORDER BY trade_date ${filter.sort === 'oldest' ? sql`ASC` : sql`DESC`}`,
  );
}

/** A page with a known number of rows before it. */
function plainPage(reader: LedgerReader, filter: ExplanationFilter, far: number): string[] {
  const isFar = offsetOf(filter) > far && filter.failedCheck === undefined;
  if (isByDay(filter) && (isFar || filter.market !== undefined)) {
    const { days, offset } = lieOn(daysOf(reader, filter), filter);
    return days.length === 0 ? [] : pageOf(reader, filter, { days, offset });
  }
  const isWhole = filter.market === undefined && dayConditions(filter).length === 0;
  if (isFar && isWhole && (filter.sort === 'waiting-longest' || filter.sort === 'waiting-shortest')) {
    const since = reader.all(
      sql<{ day: string; n: number }>`SELECT day, sum(n) AS n FROM explanation_since
        ${where([statusCondition(filter.statuses)])} GROUP BY day HAVING sum(n) > 0
        ORDER BY day ${filter.sort === 'waiting-longest' ? sql`ASC` : sql`DESC`}`,
    );
    const { days, offset } = lieOn(since, filter);
    const [first, last] = [days.at(0), days.at(-1)].filter((day) => day !== undefined).toSorted();
    return first === undefined || last === undefined ? [] : pageOf(reader, filter, { since: { first, last }, offset });
  }
  return pageOf(reader, filter, {});
}

/** The days of the page, and the number of their rows before it. */
function lieOn(
  days: readonly { day: string; n: number }[],
  filter: ExplanationFilter,
): { days: string[]; offset: number } {
  let offset = offsetOf(filter);
  let first = 0;
  for (let day = days[first]; day !== undefined && offset >= day.n; day = days[first]) {
    offset -= day.n;
    first += 1;
  }
  let last = first;
  for (let seen = (days[first]?.n ?? 0) - offset; seen < filter.size && last + 1 < days.length; last += 1) {
    seen += days[last + 1]?.n ?? 0;
  }
  return { days: days.slice(first, last + 1).map(({ day }) => day), offset };
}

/**
 * A page that is full after a short walk. One row beyond it shows that there are more; those are not counted.
 *
 * @param least a lower bound of the total
 */
function walkOn(reader: LedgerReader, filter: ExplanationFilter, least: number): FoundIds {
  const offset = offsetOf(filter);
  const found = pageOf(reader, { ...filter, size: filter.size + 1 }, { offset });
  const more = found.length > filter.size || found.length === 0;
  const ids = found.slice(0, filter.size);
  // Beyond the last page the number of rows before it is unknown.
  const seen = found.length === 0 ? 0 : offset + ids.length;
  return { ids, total: more ? Math.max(seen, least) : seen, more };
}

/** Numbers of the rows received in that time, or with that word; one more than `named` where there are more. */
function namedNumbers(
  reader: LedgerReader,
  { receivedFrom, receivedBefore, word }: ExplanationFilter,
  named: number,
): number[] {
  const [from, before, most] = [receivedFrom ?? '', receivedBefore ?? NEVER, named + 1];
  const found = word === undefined ? receivedThen(from, before, most) : withWordThen(word, from, before, most);
  return reader.all(found).map(({ number }) => number);
}

const receivedThen = (from: string, before: string, most: number) => sql<{ number: number }>`
  SELECT number FROM explanation INDEXED BY explanation_received
  WHERE received_at >= ${from} AND received_at < ${before} LIMIT ${most}`;
const withWordThen = (word: string, from: string, before: string, most: number) => sql<{ number: number }>`
  SELECT number FROM word_hit JOIN explanation ON explanation.id = word_hit.explanation_id
  WHERE word_id = ${word} AND word_hit.received_at >= ${from} AND word_hit.received_at < ${before} LIMIT ${most}`;
