/**
 * Reads from the ledger what decides about one ticker in a span (`shown-at.ts`). Its cost follows from the snapshots of the
 * ticker around the span, and not from the size of the ledger: see `candidates`.
 *
 * Written out: it names its indexes, and walks one by its expression.
 */
import { kstDate } from '../../../shared/time/kst.ts';
import { readAuthors } from '../audit/authors.ts';
import { provisionOf, type Provision } from '../explanations/standing.ts';
import type { FactKind, FactValues, ServingFields } from '../serving/record.ts';
import { servedOf } from '../serving/served.ts';
import { statement, type LedgerReader } from '../storage/ledger.ts';
import { candidateAt, InstantAheadError, type ExplanationFacts, type MoveFact, type ShownFacts } from './shown-at.ts';

/** No explanation of it ever came. */
export class UnknownTickerError extends Error {
  override name = 'UnknownTickerError';
  constructor(ticker: string) {
    super(`No explanation of ${ticker} has been received: check the code.`);
  }
}

/** The rows that serve now do not follow from the record: the record cannot tell what was shown. */
export class RecordNotWholeError extends Error {
  override name = 'RecordNotWholeError';
  constructor(subject: string) {
    super(
      `What is on record of ${subject} does not lead to what is so now, so what was shown cannot be told: run "intake verify" on the host of the ledger.`,
    );
  }
}

/** An entry may be dated a week ahead (`agent/intake/apply/entry.ts`); the rest is for clocks. */
const MOST_AHEAD_DAYS = 9;
const DAY_MS = 86_400_000;
/** Rows of one step of the walk. */
const STEP = 8;

const PLACE = `max(trade_date || 'T' || explanation_as_of, coalesce(lifted_to, ''))`;

/** Index `explanation_provided`, from the newest place that anything could have had in the span. */
export const WALK = `
  SELECT id, ${PLACE} AS place FROM explanation INDEXED BY explanation_provided
  WHERE etf_ticker = @ticker AND published_summary IS NOT NULL AND ${PLACE} <= @bound
  ORDER BY ${PLACE} DESC, lift DESC, cursor DESC LIMIT ${STEP} OFFSET @after`;
const walk = statement<[{ ticker: string; bound: string; after: number }], { id: string; place: string }>(WALK);

/** Index `explanation_by_ticker`. */
export const OF_DAYS = `
  SELECT id FROM explanation INDEXED BY explanation_by_ticker
  WHERE etf_ticker = @ticker AND trade_date BETWEEN @first AND @last`;
const ofDays = statement<[{ ticker: string; first: string; last: string }], { id: string }>(OF_DAYS);

/** Index `explanation_ahead`: what came long before its trade date. */
export const AHEAD = `
  SELECT id FROM explanation INDEXED BY explanation_ahead
  WHERE etf_ticker = @ticker AND trade_date BETWEEN @first AND @last AND trade_date > date(received_at, '+1 day')`;
const ahead = statement<[{ ticker: string; first: string; last: string }], { id: string }>(AHEAD);

/** Index `explanation_lifted`: a person gave these another place. */
export const LIFTED = `
  SELECT id FROM explanation INDEXED BY explanation_lifted WHERE etf_ticker = @ticker AND lifted_to IS NOT NULL`;
const lifted = statement<[{ ticker: string }], { id: string }>(LIFTED);

/** Index `serving_fact_of_ticker`. */
export const FACTS =
  'SELECT seq, at, kind, value FROM serving_fact INDEXED BY serving_fact_of_ticker WHERE ticker IS @ticker ORDER BY seq';
const factsOf = statement<[{ ticker: string | null }], { seq: number; at: string; kind: FactKind; value: string }>(
  FACTS,
);

const firstAction = statement<[], { at: string }>('SELECT at FROM console_action_log WHERE seq = 1');
const isKnownTicker = statement<[ticker: string], { market: string | null; sector: string | null }>(
  'SELECT market, sector FROM instrument WHERE etf_ticker = ?',
);

type Row = ServingFields & Provision & { id: string; received_at: string };
const rowOf = statement<[id: string], Row>(`
  SELECT id, received_at, etf_ticker, etf_name, market, trade_date, explanation_as_of, content_as_of, analysis_engine, cursor,
    status, published_summary, held_until, published_before, lifted_to, lift
  FROM explanation WHERE id = ?`);
const movesOf = statement<[id: string], Omit<MoveFact, 'authors'> & { authors: string | null }>(`
  SELECT at, move, to_status, actor, reason, policy_version, published_summary, held_until, during_hold, lifted_to, lift, authors
  FROM state_history WHERE explanation_id = ? ORDER BY id`);

type Recorded = { [K in FactKind]: ({ at: string } & FactValues[K])[] };

/**
 * @param span ISO instants; its end is cut to now
 * @throws InstantAheadError, UnknownTickerError, RecordNotWholeError
 */
export function readShownFacts(
  reader: LedgerReader,
  ticker: string,
  span: { from: string; to: string },
  now: Date,
): ShownFacts {
  const readAt = now.toISOString();
  if (span.from > readAt) throw new InstantAheadError(span.from, readAt);
  const to = span.to > readAt ? readAt : span.to;
  const recorded = read(reader, ticker);
  const instrument = reader.first(isKnownTicker(ticker));
  if (instrument === undefined && recorded.FIELDS.length === 0) throw new UnknownTickerError(ticker);
  const facts: ShownFacts = {
    ticker,
    readAt,
    begins: recorded.BEGIN[0]?.at ?? reader.first(firstAction())?.at ?? readAt,
    explanations: [],
    policies: recorded.POLICY,
    scope: recorded.SCOPE,
    channels: recorded.CHANNEL,
    instrument: recorded.INSTRUMENT,
    rebuilds: recorded.REBUILD,
    corrected: recorded.CORRECTED,
    restored: recorded.RESTORED,
  };
  refuseOther(reader, ticker, facts, instrument);
  const explanations = candidates(reader, facts, recorded.FIELDS, { from: span.from, to });
  return { ...facts, explanations };
}

function read(reader: LedgerReader, ticker: string): Recorded {
  const recorded: Recorded = {
    ...{ BEGIN: [], RESTORED: [], POLICY: [], SCOPE: [], CHANNEL: [] },
    ...{ INSTRUMENT: [], FIELDS: [], REBUILD: [], CORRECTED: [] },
  };
  const rows = [null, ticker].flatMap((of) => reader.all(factsOf({ ticker: of })));
  // A list holds rows of both: their order is that of their recording.
  for (const each of rows.toSorted((one, other) => one.seq - other.seq))
    (recorded[each.kind] as unknown[]).push({ at: each.at, ...(JSON.parse(each.value) as object) });
  return recorded;
}

/**
 * Every explanation that may be shown or keep another one from being shown. Down from the newest place, until one had been
 * provided when the span began: those below it stand behind it as long as the span lasts. Beside them those of the days
 * themselves, and those whose place was another one.
 */
function candidates(
  reader: LedgerReader,
  facts: ShownFacts,
  former: Recorded['FIELDS'],
  { from, to }: { from: string; to: string },
): ExplanationFacts[] {
  const { ticker } = facts;
  const dayAfter = (days: number): string => kstDate(new Date(Date.parse(to) + days * DAY_MS));
  const furthest = dayAfter(MOST_AHEAD_DAYS);
  // What is dated later than the next day came after the span, or is in the index of those that did not.
  const last = to === facts.readAt ? furthest : dayAfter(1);
  const found = new Map<string, ExplanationFacts>();
  const add = (id: string): void => {
    if (!found.has(id)) found.set(id, explanationFacts(reader, id, former));
  };
  for (const { id } of reader.all(lifted({ ticker }))) add(id);
  for (const { id, ...then } of former) {
    const now = reader.first(rowOf(id));
    if (now === undefined) continue;
    const isElsewhere = (['etf_ticker', 'trade_date', 'explanation_as_of'] as const).some(
      (name) => then[name] !== now[name],
    );
    // Received again since: the index tells of the later time.
    if (isElsewhere || now.received_at > to) add(id);
  }
  for (const { id } of reader.all(ofDays({ ticker, first: kstDate(new Date(from)), last }))) add(id);
  for (const { id } of reader.all(ahead({ ticker, first: last, last: furthest }))) add(id);
  for (let after = 0; ; after += STEP) {
    const rows = reader.all(walk({ ticker, bound: `${last}T~`, after }));
    for (const { id } of rows) add(id);
    const lowest = rows.at(-1);
    if (lowest === undefined || rows.length < STEP) break;
    const settled = [...found.values()].filter(({ moves }) => isSettled(moves, from));
    const top = candidateAt({ ...facts, explanations: settled }, from);
    if (top !== undefined && top.place > lowest.place) break;
  }
  return [...found.values()];
}

/** What had been provided by then stays so: no hold of a first text is left that an undo could end. */
function isSettled(moves: readonly MoveFact[], from: string): boolean {
  const before = provisionOf(moves.slice(0, moves.findLastIndex(({ at }) => at <= from) + 1));
  if (before === undefined || before.published_summary === null) return false;
  return before.published_before !== null || before.held_until === null || before.held_until <= from;
}

function explanationFacts(reader: LedgerReader, id: string, former: Recorded['FIELDS']): ExplanationFacts {
  const row = reader.first(rowOf(id));
  const moves = reader.all(movesOf(id)).map((move) => ({
    ...move,
    authors: readAuthors(move.authors).map(({ name }) => name),
  }));
  const told = provisionOf(moves);
  if (row === undefined || told === undefined) throw new RecordNotWholeError(`the explanation ${id}`);
  const names = ['status', 'published_summary', 'held_until', 'published_before', 'lifted_to', 'lift'] as const;
  if (names.some((name) => row[name] !== told[name])) throw new RecordNotWholeError(`the explanation ${id}`);
  return {
    id,
    fields: fieldsOf(row),
    // A change of the ticker stands under both.
    former: former.filter((each) => each.id === id).map(({ at, ...fields }) => ({ at, fields: fieldsOf(fields) })),
    moves,
    served: servedOf(reader, id),
  };
}

const fieldsOf = ({
  etf_ticker,
  etf_name,
  market,
  trade_date,
  explanation_as_of,
  content_as_of,
  analysis_engine,
  cursor,
}: ServingFields): ServingFields => ({
  ...{ etf_ticker, etf_name, market, trade_date },
  ...{ explanation_as_of, content_as_of, analysis_engine, cursor },
});

const scopeNow = statement<[ticker: string], { type: string; key: string; enabled: number }>(`
  SELECT scope_type AS type, scope_key AS key, enabled FROM serving_scope
  WHERE scope_type IN ('MARKET', 'CHANNEL', 'SECTOR') OR scope_type = 'INSTRUMENT' AND scope_key = ?`);
const channelsNow = statement<[], { channel: string }>('SELECT channel FROM channel');
const policyNow = statement<[], { disclaimer: string; expiresAt: string | null }>(`
  SELECT json_extract(snapshot, '$.disclaimer.aiNotice') || ' ' || json_extract(snapshot, '$.disclaimer.text') AS disclaimer,
    (SELECT expires_at FROM policy_timing WHERE policy_timing.version = policy_version.version) AS expiresAt
  FROM policy_version ORDER BY version DESC LIMIT 1`);
const heldNow = statement<[ticker: string], { held: number }>('SELECT 1 AS held FROM held_ticker WHERE etf_ticker = ?');

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** Somebody may have changed a row past the program: then the record does not tell it. */
function refuseOther(
  reader: LedgerReader,
  ticker: string,
  facts: ShownFacts,
  instrument: { market: string | null; sector: string | null } | undefined,
): void {
  const listed = (entries: Iterable<readonly [string, unknown]>): string =>
    JSON.stringify([...new Map(entries)].filter(([, value]) => value !== undefined).toSorted(byKey));
  const refuse = (subject: string, told: unknown, now: unknown): void => {
    if (told !== now) throw new RecordNotWholeError(subject);
  };
  const switches = (rows: readonly { type: string; key: string; enabled: number }[]): string =>
    listed(rows.map(({ type, key, enabled }) => [`${type}:${key}`, enabled]));
  refuse('the serving scope', switches(facts.scope), switches(reader.all(scopeNow(ticker))));
  const last = facts.instrument.at(-1);
  refuse(`the instrument ${ticker}`, last?.market ?? null, instrument?.market ?? null);
  refuse(`the instrument ${ticker}`, last?.sector ?? null, instrument?.sector ?? null);
  const open = listed(facts.channels.map(({ channel, open }) => [channel, open === 1 ? 1 : undefined]));
  refuse('the channels', open, listed(reader.all(channelsNow()).map(({ channel }) => [channel, 1])));
  refuse(`the ticker ${ticker}`, facts.rebuilds.at(-1)?.held ?? 0, reader.first(heldNow(ticker))?.held ?? 0);
  const [policy, active] = [facts.policies.at(-1), reader.first(policyNow())];
  refuse('the policy', policy?.expiresAt, active?.expiresAt);
  refuse('the policy', policy?.disclaimer, active?.disclaimer);
}
