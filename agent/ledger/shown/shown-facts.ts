/**
 * Reads the facts about one ticker in a span from the ledger, for `shown-at.ts`. The cost grows with the ticker's
 * snapshots around the span, not with the ledger: see `candidates`.
 */
import { sql } from 'kysely';
import { isCalendarDate, kstDate } from '../../../shared/time/kst.ts';
import { chainEnd } from '../audit/audit.ts';
import { readAuthors, type Author } from '../audit/authors.ts';
import { hashFault } from '../audit/row-hash.ts';
import { isMove, madeAgain, rowsOfExplanation } from '../audit/rows-about.ts';
import { gapFault, moveFault, type WholeMove } from '../audit/logged-moves.ts';
import { provisionOf } from '../explanations/standing.ts';
import { SERVING_FIELDS, type FactKind, type FactValues, type ServingFields } from '../serving/record.ts';
import { servedPeriods } from '../serving/served.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { ConsoleActionLogTable, ExplanationTable } from '../storage/tables.ts';
import { RecordNotWholeError, UnknownTickerError } from './errors.ts';
import { factIn, isInstant } from './fact-forms.ts';
import { refuseUnlogged } from './fact-rows.ts';
import { refuseOther } from './serving-now.ts';
import {
  InstantAheadError,
  isUpThrough,
  heldBackFrom,
  type ExplanationFacts,
  type MoveFact,
  type ShownFacts,
} from './shown-at.ts';

/** An entry may be dated a week ahead (`agent/intake/apply/entry.ts`); two more days cover differing clocks. */
const MOST_AHEAD_DAYS = 9;
const DAY_MS = 86_400_000;
/** Rows per step of `walk`. */
const STEP = 8;

type Found = Pick<ExplanationTable, 'id'>;

/** Walks index `explanation_provided` down from the latest snapshot that is possible in the span. */
export const walk = prepared(
  (ticker: string, last: string, after: number) => sql<Found>`
    SELECT id FROM explanation INDEXED BY explanation_provided
    WHERE etf_ticker = ${ticker} AND published_summary IS NOT NULL AND trade_date <= ${last}
    ORDER BY trade_date DESC, explanation_as_of DESC, cursor DESC LIMIT ${sql.lit(STEP)} OFFSET ${after}`,
);

/** The same index, below a day. */
export const below = prepared(
  (ticker: string, day: string, stated: string) => sql<Found>`
    SELECT id FROM explanation INDEXED BY explanation_provided
    WHERE etf_ticker = ${ticker} AND published_summary IS NOT NULL AND trade_date <= ${day}
      AND (stated_position > ${stated} OR ended_position > ${stated})`,
);

/** Index `explanation_by_ticker`. */
export const ofDays = prepared(
  (ticker: string, first: string, last: string) => sql<Found>`
    SELECT id FROM explanation INDEXED BY explanation_by_ticker
    WHERE etf_ticker = ${ticker} AND trade_date BETWEEN ${first} AND ${last}`,
);

/** Index `explanation_ahead`: explanations that came more than a day before their trade date. */
export const ahead = prepared(
  (ticker: string, first: string, last: string) => sql<Found>`
    SELECT id FROM explanation INDEXED BY explanation_ahead
    WHERE etf_ticker = ${ticker} AND trade_date BETWEEN ${first} AND ${last} AND trade_date > date(received_at, '+1 day')`,
);

/** The primary key of `explanation_place`, and that of each row by its id. */
export const missing = prepared(
  (ticker: string, first: string, last: string) => sql<Found>`
    SELECT explanation_id AS id FROM explanation_place
    WHERE etf_ticker = ${ticker} AND day BETWEEN ${first} AND ${last} AND NOT EXISTS (SELECT 1 FROM explanation
      WHERE explanation.id = explanation_place.explanation_id AND explanation.etf_ticker = ${ticker})`,
);
/** Explanations that came ahead. */
const ANY_DAY = ['any', 'any'] as const;

/** Index `serving_fact_of_ticker`. */
export const factsOf = prepared(
  (ticker: string | null) => sql<{ seq: number; at: string; kind: FactKind; value: string }>`
    SELECT seq, at, kind, value FROM serving_fact INDEXED BY serving_fact_of_ticker WHERE ticker IS ${ticker} ORDER BY seq`,
);

const firstAction = prepared(() => sqlite.selectFrom('console_action_log').select('at').where('seq', '=', 1));
const instrumentOf = prepared((ticker: string) =>
  sqlite.selectFrom('instrument').select(['market', 'sector']).where('etf_ticker', '=', ticker),
);

const rowOf = prepared((id: string) =>
  sqlite
    .selectFrom('explanation')
    .select(['id', 'received_at', ...SERVING_FIELDS, 'status', 'published_summary', 'held_until', 'published_before'])
    .select(['stated_position', 'ended_position', 'approval_number', 'valid_until'])
    .where('id', '=', id),
);
type Move = WholeMove & Pick<MoveFact, 'id'> & { authors: string | null };
const movesOf = prepared((id: string) =>
  sqlite
    .selectFrom('state_history')
    .select(['id', 'at', 'move', 'from_status', 'to_status', 'actor_id', 'actor', 'reason', 'policy_version'])
    .select(['published_summary', 'held_until', 'during_hold', 'position', 'authors', 'approval_number', 'valid_until'])
    .where('explanation_id', '=', id)
    .orderBy('id'),
);

const tickers = prepared(() => sqlite.selectFrom('instrument').select('etf_ticker as ticker').orderBy('etf_ticker'));

const anyFact = prepared(() => sqlite.selectFrom('serving_fact').select('seq').limit(sql.lit(1)));
const tickersOfFacts = prepared(
  () => sql<{ ticker: string }>`SELECT etf_ticker AS ticker FROM instrument
    UNION SELECT ticker FROM serving_fact WHERE ticker IS NOT NULL ORDER BY ticker`,
);

/** Whether an explanation of the ticker has been received, also where it came under another ticker since. */
export const isKnownTicker = (reader: LedgerReader, ticker: string): boolean =>
  reader.first(instrumentOf(ticker)) !== undefined || read(reader, ticker).FIELDS.length > 0;

/** The first ticker whose record does not lead to the rows that serve now, in words; null where all do. */
export function brokenRecord(reader: LedgerReader, now: Date): string | null {
  const at = now.toISOString();
  for (const { ticker } of reader.all(tickers())) {
    try {
      readShownFacts(reader, ticker, { from: at, to: at }, now);
    } catch (error) {
      if (error instanceof RecordNotWholeError) return error.message;
      throw error;
    }
  }
  return null;
}

type Recorded = { [K in FactKind]: ({ at: string } & FactValues[K])[] } & { rows: { at: string; seq: number }[] };

/** An explanation with its rows of the audit log, which its moves are held against. */
interface ReadExplanation {
  facts: ExplanationFacts;
  rows: readonly ConsoleActionLogTable[];
}

/** Facts, and all that the audit log tells of them. */
export interface Shown {
  facts: ShownFacts;
  /** The rows of the facts beside the moves. */
  rows: readonly ConsoleActionLogTable[];
  /** By the explanation's id. */
  explanations: ReadonlyMap<string, ReadExplanation>;
}

/**
 * The facts of a span, held against the rows that serve now and against the audit log.
 *
 * @param span ISO instants; its end is cut to now
 * @throws InstantAheadError, UnknownTickerError, RecordNotWholeError
 */
export const readShownFacts = (
  reader: LedgerReader,
  ticker: string,
  span: { from: string; to: string },
  now: Date,
): ShownFacts => readShown(reader, ticker, span, now).facts;

/**
 * The same with the rows.
 *
 * @param known explanations of the ticker that an earlier span of the same view and moment has read; more are added
 * @throws InstantAheadError, UnknownTickerError, RecordNotWholeError
 */
export function readShown(
  reader: LedgerReader,
  ticker: string,
  span: { from: string; to: string },
  now: Date,
  known = new Map<string, ReadExplanation>(),
): Shown {
  const readAt = now.toISOString();
  if (span.from > readAt) throw new InstantAheadError(span.from, readAt);
  const to = span.to > readAt ? readAt : span.to;
  const recorded = read(reader, ticker);
  const instrument = reader.first(instrumentOf(ticker));
  if (instrument === undefined && recorded.FIELDS.length === 0) throw new UnknownTickerError(ticker);
  const told = factsIn(reader, ticker, recorded, readAt);
  refuseOther(reader, ticker, told, instrument);
  const explanations = candidates(reader, told, recorded.FIELDS, { from: span.from, to }, known);
  const facts = { ...told, explanations };
  const rows = refuseUnlogged(reader, facts, { from: span.from, to });
  const isMadeAgain = madeAgain(reader);
  for (const { id } of explanations) {
    const fault = gapFault(id, known.get(id)?.rows ?? [], isMadeAgain);
    if (fault !== null) throw new RecordNotWholeError(`the explanation ${id}`, fault);
  }
  return { facts, rows, explanations: known };
}

/** The facts beside the moves. */
const factsIn = (reader: LedgerReader, ticker: string, recorded: Recorded, readAt: string): ShownFacts => ({
  ticker,
  readAt,
  begins: reader.first(firstAction())?.at ?? readAt,
  explanations: [],
  policies: recorded.POLICY,
  scope: recorded.SCOPE,
  channels: recorded.CHANNEL,
  instrument: recorded.INSTRUMENT,
  rebuilds: recorded.REBUILD,
  corrected: recorded.CORRECTED,
  restored: recorded.RESTORED,
  recorded: recorded.rows,
});

/** After every fact. */
const LAST = '9999-12-31T23:59:59.999Z';

/**
 * The faults of the facts beside the moves, all of them and of every ticker, as clauses. The words of the policies are
 * read once, those of the last one for each ticker.
 */
export function factFaults(reader: LedgerReader): Set<string> {
  const faults = new Set<string>();
  // A ledger in which nobody has done anything yet.
  if (chainEnd(reader).seq === 0 && reader.first(anyFact()) === undefined) return faults;
  for (const ticker of [NO_TICKER, ...reader.all(tickersOfFacts()).map((row) => row.ticker)])
    try {
      const told = factsIn(reader, ticker, read(reader, ticker), LAST);
      refuseOther(reader, ticker, told, reader.first(instrumentOf(ticker)));
      refuseUnlogged(reader, told, { from: ticker === NO_TICKER ? '' : LAST, to: LAST });
    } catch (error) {
      if (!(error instanceof RecordNotWholeError)) throw error;
      faults.add(error.fault ?? `the record of ${error.subject} does not lead to its present state`);
    }
  return faults;
}

/** The facts that concern every ticker. */
const NO_TICKER = '';

function read(reader: LedgerReader, ticker: string): Recorded {
  const recorded: Recorded = {
    ...{ RESTORED: [], POLICY: [], SCOPE: [], CHANNEL: [] },
    ...{ INSTRUMENT: [], FIELDS: [], REBUILD: [], CORRECTED: [], rows: [] },
  };
  const rows = [null, ticker].flatMap((of) => reader.all(factsOf(of)));
  // A list holds facts of the ticker and of all tickers, in the order of recording.
  for (const row of rows.toSorted((one, other) => one.seq - other.seq)) {
    const fact = factIn(row);
    if (fact === null) throw new RecordNotWholeError(`the ticker ${ticker}`);
    (recorded[row.kind] as unknown[]).push(fact);
    recorded.rows.push({ at: row.at, seq: row.seq });
  }
  return recorded;
}

/**
 * The explanations that may be exposed in the span or keep another one from it. The walk goes down from the latest
 * snapshot to the first one that is up through the whole span: all below it stay behind it. Where that one is kept back, what was
 * stated or taken off after it may be below it. Explanations of the span's
 * days come in addition.
 */
function candidates(
  reader: LedgerReader,
  facts: ShownFacts,
  former: Recorded['FIELDS'],
  { from, to }: { from: string; to: string },
  known: Map<string, ReadExplanation>,
): ExplanationFacts[] {
  const { ticker } = facts;
  const dayAfter = (days: number): string => kstDate(new Date(Date.parse(to) + days * DAY_MS));
  const furthest = dayAfter(MOST_AHEAD_DAYS);
  // A later trade date means that the explanation came after the span, or that `explanation_ahead` has it.
  const last = to === facts.readAt ? furthest : dayAfter(1);
  const found = new Map<string, ExplanationFacts>();
  const add = (id: string): void => {
    if (found.has(id)) return;
    const told = known.get(id) ?? explanationOf(reader, id, former);
    known.set(id, told);
    found.set(id, told.facts);
  };
  for (const { id, ...then } of former) {
    const now = reader.first(rowOf(id));
    if (now === undefined) throw new RecordNotWholeError(`the explanation ${id}`);
    const isElsewhere = (['etf_ticker', 'trade_date', 'explanation_as_of'] as const).some(
      (name) => then[name] !== now[name],
    );
    // Received again after the span: `received_at` holds the later time only.
    if (isElsewhere || now.received_at > to) add(id);
  }
  for (const { id } of reader.all(ofDays(ticker, kstDate(new Date(from)), last))) add(id);
  for (const { id } of reader.all(ahead(ticker, last, furthest))) add(id);
  let lowest: ExplanationFacts | undefined;
  for (let after = 0; lowest === undefined; after += STEP) {
    const rows = reader.all(walk(ticker, last, after));
    for (const { id } of rows) add(id);
    lowest = rows.flatMap(({ id }) => found.get(id) ?? []).find((one) => isUpThrough(facts, one, { from, to }));
    if (rows.length < STEP) break;
  }
  const stated = lowest === undefined ? '' : heldBackFrom(facts, lowest, [...found.values()], { from, to });
  if (lowest !== undefined && stated !== undefined)
    for (const { id } of reader.all(below(ticker, lowest.fields.trade_date, stated))) add(id);
  // A row below the lowest one changes something in the span only while that one is kept back.
  const first = stated === undefined ? (lowest?.fields.trade_date ?? '') : '';
  const gone = [...reader.all(missing(ticker, first, last)), ...reader.all(missing(ticker, ...ANY_DAY))];
  const lost = gone.find(({ id }) => !found.has(id));
  if (lost !== undefined) throw new RecordNotWholeError(`the explanation ${lost.id}`);
  return [...found.values()];
}

/**
 * Reads an explanation of a ticker, and holds its moves against the audit log.
 *
 * @throws RecordNotWholeError
 */
export const readExplanation = (reader: LedgerReader, id: string, ticker: string): ReadExplanation =>
  explanationOf(reader, id, read(reader, ticker).FIELDS);

function explanationOf(reader: LedgerReader, id: string, former: Recorded['FIELDS']): ReadExplanation {
  const row = reader.first(rowOf(id));
  const history = reader.all(movesOf(id)).map((move) => ({ ...move, authors: authorsOf(id, move) }));
  const rows = rowsOfExplanation(reader, id, history);
  const fault = hashFault(rows) ?? moveFault(id, history, rows.filter(isMove));
  if (fault !== null) throw new RecordNotWholeError(`the explanation ${id}`, fault);
  const told = provisionOf(history);
  const served = servedPeriods(reader, id);
  const names = [
    ...(['status', 'published_summary', 'held_until', 'published_before'] as const),
    ...(['stated_position', 'ended_position', 'approval_number', 'valid_until'] as const),
  ];
  const isWhole =
    row !== undefined &&
    told !== undefined &&
    isCalendarDate(row.trade_date) &&
    names.every((name) => row[name] === told[name]) &&
    served.every(({ firstAt, lastAt }) => isInstant(firstAt) && isInstant(lastAt));
  if (!isWhole) throw new RecordNotWholeError(`the explanation ${id}`);
  const facts = {
    id,
    fields: fieldsOf(row),
    // A change of the ticker is recorded under both tickers.
    former: former.filter((each) => each.id === id).map(({ at, ...fields }) => ({ at, fields: fieldsOf(fields) })),
    moves: history.map(({ from_status: _, actor_id: __, authors, ...move }) => ({
      ...move,
      authors: authors.map(({ name }) => name),
    })),
    served,
  };
  return { facts, rows };
}

/** @throws RecordNotWholeError */
function authorsOf(id: string, { authors }: Pick<Move, 'authors'>): Author[] {
  try {
    return readAuthors(authors);
  } catch {
    throw new RecordNotWholeError(`the explanation ${id}`);
  }
}

const fieldsOf = (row: ServingFields): ServingFields =>
  Object.fromEntries(SERVING_FIELDS.map((name) => [name, row[name]])) as ServingFields;
