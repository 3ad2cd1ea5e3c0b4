/**
 * Finds the explanations of an inspector's request, some hundred at a time, so that neither a console API that counts
 * them nor another process waits for a long reading. The days of the span come by the index of the trade date.
 */
import { sql, type RawBuilder } from 'kysely';
import {
  type ExplanationStatus,
  MOST_INSPECTED,
  MOST_INSPECTED_DAYS,
  type InspectionForm,
} from '../../../shared/wire/console/constants.ts';
import { EXPLANATION_STATUSES } from '../../../shared/wire/console/constants.ts';
import type { InspectionCounts, InspectionOutcomes, InspectionQuery } from '../../../shared/wire/console/inspection.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { RecordNotWholeError, UnknownTickerError } from '../shown/errors.ts';
import { isKnownTicker } from '../shown/shown-facts.ts';
import { InspectionQueryError, NothingFoundError, UnknownPersonError } from './errors.ts';
import { formsOf } from '../../../shared/wire/search-fold.ts';
import { likePart, withoutSpaceSql } from '../storage/folded.ts';
import { codesOf } from './words.ts';

export interface Found {
  id: string;
  status: ExplanationStatus;
}

/** Explanations of one step: some milliseconds. */
const STEP = 200;
const DAY_MS = 86_400_000;

const firstDay = prepared(
  () => sql<{ day: string }>`
  SELECT trade_date AS day FROM explanation INDEXED BY explanation_by_time ORDER BY trade_date LIMIT 1`,
);
const nextDay = prepared(
  (from: string, to: string) => sql<{ day: string }>`
  SELECT trade_date AS day FROM explanation INDEXED BY explanation_by_time
  WHERE trade_date BETWEEN ${from} AND ${to} ORDER BY trade_date LIMIT 1`,
);
const ofDay = prepared(
  (day: string) => sql<{ id: string }>`
  SELECT id FROM explanation INDEXED BY explanation_by_time WHERE trade_date = +${day} ORDER BY explanation_as_of, id`,
);

const isAccount = prepared((name: string) => sqlite.selectFrom('member').select('id').where('display_name', '=', name));
const hasActed = prepared(
  (name: string) => sql`SELECT 1 AS known FROM console_action_log INDEXED BY console_action_by_person
  WHERE actor = ${name} AND actor_id IS NOT NULL LIMIT 1`,
);

/**
 * Refuses what no explanation can match: a count of none would read as if there was nothing to find.
 *
 * @throws InspectionQueryError where the span lies ahead, ends before the first record, or is too long;
 *   UnknownTickerError; UnknownPersonError where no account has the name and no row of the audit log is under it
 */
export function refuseQuery(reader: LedgerReader, query: InspectionQuery, now: Date): void {
  refuseSpan(reader, query, now);
  const { ticker, person } = query;
  if (ticker !== undefined && !isKnownTicker(reader, ticker)) throw new UnknownTickerError(ticker);
  if (person === undefined || reader.first(isAccount(person)) !== undefined) return;
  if (reader.first(hasActed(person)) === undefined) throw new UnknownPersonError(person);
}

function refuseSpan(reader: LedgerReader, { from, to }: InspectionQuery, now: Date): void {
  const today = kstDate(now);
  if (from > to) throw new InspectionQueryError(`The span ends on ${to}, before its first day ${from}.`);
  if (from > today) throw new InspectionQueryError(`The span begins on ${from}, which lies ahead: today is ${today}.`);
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= MOST_INSPECTED_DAYS)
    throw new InspectionQueryError(`A span has at most ${MOST_INSPECTED_DAYS} days: ask for the rest apart.`);
  const first = reader.first(firstDay())?.day;
  if (first === undefined) throw new InspectionQueryError('No explanation has been received yet.');
  if (to < first)
    throw new InspectionQueryError(`The span ends on ${to}, before the first explanation on record, of ${first}.`);
}

const tickersAfter = prepared((ticker: string) =>
  sqlite
    .selectFrom('instrument')
    .select('etf_ticker as ticker')
    .where('etf_ticker', '>', ticker)
    .orderBy('etf_ticker')
    .limit(sql.lit(STEP)),
);
/** By the primary keys of both tables. */
const lostOf = prepared(
  ({ ticker, from, to }: { ticker: string; from: string; to: string }) => sql<{ id: string }>`
  SELECT explanation_id AS id FROM explanation_place
  WHERE etf_ticker = ${ticker} AND day BETWEEN ${from} AND ${to}
    AND NOT EXISTS (SELECT 1 FROM explanation WHERE explanation.id = explanation_place.explanation_id) LIMIT 1`,
);

/**
 * Steps of the search; the caller rests between them. The oldest explanation comes first.
 *
 * @throws RecordNotWholeError where the row of an explanation of these days is gone: what it held is not known (D156)
 */
export function* findInspected(reader: LedgerReader, query: InspectionQuery): Generator<Found[]> {
  yield* refuseLost(reader, query);
  const asked = askedBy(query);
  for (let from = query.from; ;) {
    const day = reader.first(nextDay(from, query.to))?.day;
    if (day === undefined) return;
    const ids = reader.all(ofDay(day)).map(({ id }) => id);
    for (let at = 0; at < ids.length; at += STEP) {
      const step = ids.slice(at, at + STEP);
      const found: Found[] = reader.all(asked.where('id', 'in', listOf(step)));
      const byId = new Map(found.map((one) => [one.id, one]));
      yield step.flatMap((id) => byId.get(id) ?? []);
    }
    from = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
  }
}

function* refuseLost(reader: LedgerReader, { ticker: only, from, to }: InspectionQuery): Generator<Found[]> {
  const refuse = (ticker: string): void => {
    const lost = reader.first(lostOf({ ticker, from, to }));
    if (lost !== undefined) throw new RecordNotWholeError(`the explanation ${lost.id}`);
  };
  if (only !== undefined) return refuse(only);
  for (let last: string | undefined = ''; last !== undefined;) {
    const tickers: string[] = reader.all(tickersAfter(last)).map(({ ticker }) => ticker);
    for (const ticker of tickers) {
      refuse(ticker);
      yield [];
    }
    last = tickers.at(-1);
  }
}

const listOf = <T>(values: readonly T[]) => sql<T>`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
const withMove = (holding: RawBuilder<unknown>) =>
  sql<boolean>`EXISTS (SELECT 1 FROM state_history AS move WHERE move.explanation_id = explanation.id AND ${holding})`;
const holds = (column: string, text: string) =>
  sql<boolean>`(${sql.join(
    formsOf(text).map((form) => sql`${sql.raw(withoutSpaceSql(column))} LIKE ${likePart(form)} ESCAPE '\\'`),
    sql` OR `,
  )})`;

function askedBy({ ticker, person, outcomes, word, reason }: InspectionQuery) {
  let query = sqlite.selectFrom('explanation').select(['id', 'status']);
  if (ticker !== undefined) query = query.where('etf_ticker', '=', ticker);
  // A list of bound values would be looked for by the index of the states, over the whole table.
  if (outcomes !== undefined) query = query.where('status', 'in', listOf(outcomes));
  if (person !== undefined)
    query = query.where(
      withMove(sql`(move.actor = ${person} AND move.actor_id IS NOT NULL OR EXISTS
        (SELECT 1 FROM json_each(coalesce(move.authors, '[]')) AS author WHERE author.value ->> 'name' = ${person}))`),
    );
  if (word !== undefined)
    query = query.where(({ or }) => or([holds('summary', word), withMove(holds('move.published_summary', word))]));
  if (reason !== undefined) {
    const codes = JSON.stringify(codesOf(reason));
    query = query.where(
      withMove(sql`(${holds('move.reason', reason)} OR EXISTS (SELECT 1 FROM json_each(${codes}) AS code
        WHERE move.reason = code.value OR substr(move.reason, 1, length(code.value) + 1) = code.value || ':'))`),
    );
  }
  return query;
}

/** In the order of the states; those without an explanation are left out. */
export function outcomesOf(found: Iterable<ExplanationStatus>): InspectionOutcomes {
  const counts = new Map<ExplanationStatus, number>();
  for (const status of found) counts.set(status, (counts.get(status) ?? 0) + 1);
  return EXPLANATION_STATUSES.flatMap((status) => {
    const count = counts.get(status);
    return count === undefined ? [] : [{ status, count }];
  });
}

export interface Listed extends InspectionCounts {
  ids: string[];
}

/** @param rest runs between two steps */
export async function listInspected(
  reader: LedgerReader,
  query: InspectionQuery,
  rest: () => Promise<unknown>,
): Promise<Listed> {
  const found: Found[] = [];
  for (const step of findInspected(reader, query)) {
    found.push(...step);
    await rest();
  }
  return {
    total: found.length,
    outcomes: outcomesOf(found.map(({ status }) => status)),
    ids: found.map(({ id }) => id),
  };
}

/** @throws NothingFoundError, InspectionQueryError */
export function refuseTotal(total: number, form: InspectionForm): void {
  if (total === 0) throw new NothingFoundError();
  if (total > MOST_INSPECTED[form])
    throw new InspectionQueryError(
      `${total} explanations are more than the ${MOST_INSPECTED[form]} of one ${form === 'LIST' ? 'list' : 'archive'}: ask for a shorter span.`,
    );
}
