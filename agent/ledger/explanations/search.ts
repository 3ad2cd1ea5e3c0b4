/**
 * Finds words inside texts of a language without spaces between all words. The trigram index answers terms of three
 * characters and more. A shorter term is the beginning of trigrams, which `explanation_term` lists: every text ends in
 * marks of its own in the index, so no occurrence is missed. The texts are indexed without white space (`search-fold.ts`), and
 * the titles of the evidence with them.
 *
 * A term with few hits is found whole. A page of a frequent term by trade date is found day by day: `explanation_day`
 * gives the range of row numbers of a day, and the index gives the hits in a range without reading the others. The
 * other orders list the rows received last and report that there are more. The total is the same on every page, and
 * every counted row is on one of the pages.
 */
import { sql } from 'kysely';
import {
  allOf,
  dayConditions,
  isByDay,
  firstOf,
  statusCondition,
  where,
  whole,
  type Condition,
  type ExplanationFilter,
  type FoundIds,
  type ListLimits,
} from './pages.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';
import { VENDOR_FIELDS, VENDOR_TABLE } from '../storage/vendor-fields.ts';
import { formsOf } from '../../../shared/wire/search-fold.ts';
import { inOrder, likePart } from '../storage/folded.ts';

/** The number of newest rows that are searched for a short term before the index is asked. */
const SAMPLE = 1_000;
/** Hits in the sample from which on a term counts as frequent. */
const FREQUENT = 10;
/** Trigrams that are looked up at a time. */
const TERMS_AT_ONCE = 400;

/** Few short terms begin more trigrams than this; such a term counts as frequent. */
const MOST_TERMS = 4_000;

/**
 * The rows received last first: FTS5 reads its lists from either end, and from a given number, which must be bound as
 * an integer; otherwise it reads the whole list.
 */
const matching = prepared(
  (match: string, from: number, to: number, most: number) => sql<{ number: number }>`
  SELECT rowid AS number FROM explanation_search
  WHERE explanation_search MATCH ${match} AND rowid BETWEEN CAST(${from} AS INTEGER) AND CAST(${to} AS INTEGER)
  ORDER BY rowid DESC LIMIT ${most}`,
);
const termsFrom = prepared(
  (from: string, before: string, most: number) =>
    sql<{ term: string }>`SELECT term FROM explanation_term WHERE term > ${from} AND term < ${before} LIMIT ${most}`,
);

/** What is read as it is written. A form that stands there stands in the folded text too. */
const WRITTEN = [...VENDOR_FIELDS.filter((name) => VENDOR_TABLE[name].use === 'searched'), 'published_summary'].map(
  (column) => `explanation.${column}`,
);

const inSample = prepared(
  (part: string) => sql<{ n: number }>`
  SELECT count(*) AS n FROM explanation
  WHERE number > (SELECT max(number) FROM explanation) - ${SAMPLE} AND ${holds(WRITTEN, part)}`,
);

/**
 * The condition that a text holds the term, in upper or lower case and with any white space. To fold the texts of a row takes
 * many times as long as to read them, so they are read first: whether its first two characters stand there in this order, and
 * then whether the term does as it is written.
 */
export function textCondition(q: string): Condition {
  const forms = formsOf(q);
  const written = anyOf(
    forms.map((form) =>
      both(holds(WRITTEN, inOrder(form)), anyOf([holds(WRITTEN, likePart(form)), folded('texts', form)])),
    ),
  );
  // An escaped letter of the stored JSON stands there by its number.
  const mayHold = [...forms.map(inOrder), '%\\\\u%'].map((part) => holds(['explanation.evidences'], part));
  return anyOf([written, both(anyOf(mayHold), anyOf(forms.map((form) => folded('evidence_titles', form))))]);
}

const anyOf = (all: readonly Condition[]): Condition => sql`(${sql.join(all, sql` OR `)})`;
const both = (one: Condition, other: Condition): Condition => sql`(${one} AND ${other})`;

const holds = (columns: readonly string[], part: string): Condition =>
  anyOf(columns.map((column) => sql`${sql.ref(column)} LIKE ${part} ESCAPE '\\'`));

const folded = (column: string, form: string): Condition =>
  sql`EXISTS (SELECT 1 FROM explanation_text AS searched
    WHERE searched.number = explanation.number AND ${holds([column], likePart(form))})`;

function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** The queries for the index; null for a frequent short term: reading the texts is faster then. */
function matchesOf(reader: LedgerReader, q: string): string[] | null {
  const matches: string[] = [];
  for (const form of formsOf(q)) {
    const found = [...form].length >= 3 ? [phrase(form)] : shortMatches(reader, form);
    if (found === null) return null;
    matches.push(...found);
  }
  return matches;
}

function shortMatches(reader: LedgerReader, form: string): string[] | null {
  if ((reader.first(inSample(likePart(form)))?.n ?? 0) >= FREQUENT) return null;
  // The index keeps its trigrams in lower case; each of those meant is longer than the term.
  const beginning = form.toLowerCase();
  const terms = reader.all(termsFrom(beginning, `${beginning}\u{10ffff}`, MOST_TERMS + 1));
  if (terms.length > MOST_TERMS) return null;
  const matches: string[] = [];
  for (let at = 0; at < terms.length; at += TERMS_AT_ONCE) {
    matches.push(
      terms
        .slice(at, at + TERMS_AT_ONCE)
        .map(({ term }) => phrase(term))
        .join(' OR '),
    );
  }
  return matches;
}

/** Numbers of the explanations with the term in a range of numbers, those received last first. */
function hitsOf(
  reader: LedgerReader,
  matches: readonly string[],
  { from = 0, to = Number.MAX_SAFE_INTEGER, most }: { from?: number; to?: number; most: number },
): number[] {
  const found = matches.flatMap((match) => reader.all(matching(match, from, to, most)).map(({ number }) => number));
  return [...new Set(found)].toSorted((a, b) => b - a).slice(0, most);
}

/** The numbers of all explanations with the term; null where they are more than `most`, or where reading is faster. */
export function fewHits(reader: LedgerReader, q: string, most: number): number[] | null {
  const matches = matchesOf(reader, q);
  if (matches === null) return null;
  const numbers = hitsOf(reader, matches, { most: most + 1 });
  return numbers.length > most ? null : numbers;
}

/** Identifies the page and the term, and accepts every explanation. */
const PLAIN = new Set(['page', 'size', 'sort', 'q']);

/** @param among the number of rows that the filter accepts without the text */
export function searchExplanations(
  reader: LedgerReader,
  filter: ExplanationFilter & { q: string },
  among: number,
  limits: ListLimits,
): FoundIds {
  const { cap, looked } = limits;
  const text = textCondition(filter.q);
  const matches = matchesOf(reader, filter.q);
  if (matches === null) {
    if (among <= looked) return whole(filter, allOf(reader, filter, { text }));
    return { ...whole(filter, firstOf(reader, filter, text, { looked, most: cap })), more: true };
  }
  const numbers = hitsOf(reader, matches, { most: cap + 1 });
  if (numbers.length <= cap) return whole(filter, allOf(reader, filter, { numbers }));
  if (!isByDay(filter)) {
    const isPlain = Object.keys(filter).every((key) => PLAIN.has(key));
    const latest = isPlain ? numbers.slice(0, cap) : hitsOf(reader, matches, { most: looked });
    return { ...whole(filter, allOf(reader, filter, { numbers: latest })), more: true };
  }
  const found = byDays(reader, filter, matches, limits);
  return { ...whole(filter, found.ids.slice(0, cap)), more: !found.isAll || found.ids.length > cap };
}

/** The first ids in the order of the days, the same for every page: all counted ones, and one more. */
function byDays(
  reader: LedgerReader,
  filter: ExplanationFilter & { q: string },
  matches: readonly string[],
  { cap, looked }: ListLimits,
): { ids: string[]; isAll: boolean } {
  const needed = cap + 1;
  const days = numberedDays(reader, filter);
  const ids: string[] = [];
  let [at, width, seen] = [0, 1, 0];
  while (at < days.length && ids.length < needed && seen < looked) {
    const group = days.slice(at, at + width);
    const from = Math.min(...group.map(({ first }) => first));
    const to = Math.max(...group.map(({ last }) => last));
    const numbers = hitsOf(reader, matches, { from, to, most: cap + 1 });
    if (numbers.length > cap && group.length > 1) {
      width = Math.floor(group.length / 2);
      continue;
    }
    // A single day with so many numbers between its first and its last: its own rows are fewer.
    const hits = numbers.length > cap ? { text: textCondition(filter.q) } : { numbers };
    ids.push(...allOf(reader, filter, { days: group.map(({ day }) => day), ...hits }));
    seen += numbers.length;
    at += group.length;
    if (numbers.length * 2 <= cap) width *= 2;
  }
  return { ids, isAll: at >= days.length };
}

function numberedDays(reader: LedgerReader, filter: ExplanationFilter): { day: string; first: number; last: number }[] {
  const counted: Condition[] = [
    statusCondition(filter.statuses),
    sql`n > 0`,
    ...(filter.market === undefined ? [] : [sql<boolean>`market = ${filter.market}`]),
    ...dayConditions(filter),
  ];
  return reader.all(
    sql`SELECT trade_date AS day, first_number AS first, last_number AS last FROM explanation_day
      WHERE trade_date IN (SELECT trade_date FROM explanation_count ${where(counted)})
      ORDER BY trade_date ${filter.sort === 'newest' ? sql`DESC` : sql`ASC`}`,
  );
}
