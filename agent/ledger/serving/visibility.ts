/**
 * Visibility: which explanation is exposed at a moment (D20). Each ticker has at most one candidate: the latest snapshot,
 * by trade date and `explanation_as_of`, in the state AUTO_PUBLISHED or PUBLISHED. It is exposed while it lies inside the
 * serving scope. A later snapshot that was exposed and is off keeps back what was received, or approved by a person,
 * before it was taken off, so no earlier text comes back: a stop by an Operator never creates exposure (console API 1,
 * principle 3). What comes after that is a new statement (D60, D202). A snapshot that waits for its review replaces
 * nothing.
 *
 * Four times belong to the rule; it reads the clock at each request, so no process acts when they pass:
 * - A text that lies ahead (`ahead.ts`) is on hold until its time.
 * - An approved text is on hold for some seconds (`hold.ts`), and until then is not exposed and replaces nothing. Once a
 *   channel has been served it, a clock that is set back does not put it on hold again.
 * - A text may expire on its trade date. It remains the candidate, so no older text comes back in its place.
 * - The approval of a text may lapse (`approval.ts`), with the same effect.
 *
 * A rebuild hides a whole ticker while it restores its explanations: as long as the latest one is missing, an earlier
 * one would take its place.
 *
 * The provision API reads through this file, and the console's `exposed` (D56) is the same rule.
 *
 * Before it: `agent/ledger/transitions.ts`. After it: `agent/provision/server.ts`.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Exposure, Obstacle } from '../../../shared/wire/console/console.ts';
import { kstMinute } from '../../../shared/time/kst.ts';
import { UNKNOWN_MARKET, type ScopeObjection } from '../../screening/findings.ts';
import { aheadNow } from './ahead.ts';
import { SERVING_FIELDS } from './record.ts';
import type { AnsweredState } from './served.ts';
import { remembered, type LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

export type ScopeType = 'MARKET' | 'CHANNEL' | 'INSTRUMENT' | 'SECTOR';

/** The moment of a request. */
export interface Moment {
  /** ISO instant. */
  now: string;
  /** The minute in Korea, `YYYY-MM-DDTHH:MM`. */
  minute: string;
}

/** Where the minute does not matter. */
type Instant = Pick<Moment, 'now'>;

export function momentOf(now: Date): Moment {
  return { now: now.toISOString(), minute: kstMinute(now) };
}

/** The row's state lets it be exposed. */
const hasExposableState = (alias: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${alias}.status`)} IN ('AUTO_PUBLISHED', 'PUBLISHED')`;

/** No row of the scope switches the key off. An unknown key (null) cannot have been switched off. */
const inside = (type: ScopeType, key: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`NOT EXISTS (SELECT 1 FROM serving_scope WHERE scope_type = ${sql.lit(type)} AND scope_key = ${key} AND enabled = 0)`;

/**
 * Market, instrument and sector of a row of `explanation` are all inside the scope. A row without a market takes that
 * of its instrument; where both are unknown, every switched-off market counts against it (D64).
 */
function insideScope(alias: string): RawBuilder<boolean> {
  const ticker = sql.ref(`${alias}.etf_ticker`);
  const sector = sql`(SELECT sector FROM instrument WHERE instrument.etf_ticker = ${ticker})`;
  const market = sql`coalesce(${sql.ref(`${alias}.market`)},
    (SELECT market FROM instrument WHERE instrument.etf_ticker = ${ticker}), serving_scope.scope_key)`;
  return sql<boolean>`(${inside('MARKET', market)} AND ${inside('INSTRUMENT', ticker)} AND ${inside('SECTOR', sector)})`;
}

/** For a v1 text, a policy exists: its disclaimer goes out with the text (D61). */
const hasPolicy = sql<boolean>`(explanation.analysis_engine = 'v2' OR EXISTS (SELECT 1 FROM policy_in_force))`;

const hasChannelAndPolicy = sql<boolean>`(${hasPolicy}
  AND EXISTS (SELECT 1 FROM channel WHERE ${inside('CHANNEL', sql.ref('channel.channel'))}))`;

/** No rebuild holds the ticker of a row of `explanation`. */
const notRebuilding = (alias: string): RawBuilder<boolean> =>
  sql<boolean>`NOT EXISTS (SELECT 1 FROM held_ticker WHERE held_ticker.etf_ticker = ${sql.ref(`${alias}.etf_ticker`)})`;

/** The row has no hold, or its hold has passed, or a channel was served the text after it had (the clock may be set back). */
function holdIsOver(alias: string, { now }: Instant): RawBuilder<boolean> {
  const until = sql.ref(`${alias}.held_until`);
  return sql<boolean>`(${until} IS NULL OR ${until} <= +${now} OR EXISTS (SELECT 1 FROM served_period
    WHERE served_period.explanation_id = ${sql.ref(`${alias}.id`)} AND served_period.last_at >= ${until}))`;
}

/** The row is or was exposed: it has a text that is not on hold, or had an earlier one. */
const everExposed = (alias: string, at: Instant): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${alias}.published_summary`)} IS NOT NULL
    AND (${sql.ref(`${alias}.published_before`)} IS NOT NULL OR ${holdIsOver(alias, at)}))`;

/** The time at which the active policy expires the texts of a trade date, as `HH:MM`; null: never. */
export const expiry = sql<string | null>`(SELECT expires_at FROM policy_timing
  WHERE version = (SELECT version FROM policy_in_force))`;

/** The texts of the row's trade date have expired, given the time of day at which texts expire. */
export const expiredBy = (alias: string, time: RawBuilder<string | null>, { minute }: Moment): RawBuilder<boolean> =>
  sql<boolean>`coalesce(${sql.ref(`${alias}.trade_date`)} || 'T' || ${time} <= +${minute}, FALSE)`;

/** The approval of the row's text has lapsed. */
const hasLapsed = (alias: string, { now }: Instant): RawBuilder<boolean> =>
  sql<boolean>`coalesce(${sql.ref(`${alias}.valid_until`)} <= +${now}, FALSE)`;

/** State and time let the row be exposed. */
export const isUp = (alias: string, at: Instant): RawBuilder<boolean> =>
  sql<boolean>`(${hasExposableState(alias)} AND ${holdIsOver(alias, at)})`;

/** The order of the rows of a ticker, the latest first: that of the index `explanation_provided`. */
const latestFirst = (alias: string): RawBuilder<unknown> =>
  sql.raw(`${alias}.trade_date DESC, ${alias}.explanation_as_of DESC, ${alias}.cursor DESC`);
const isLater = (one: string, other: string): RawBuilder<boolean> =>
  sql.raw(`${one}.etf_ticker = ${other}.etf_ticker AND ${one}.trade_date >= ${other}.trade_date
    AND (${one}.trade_date, ${one}.explanation_as_of, ${one}.cursor) > (${other}.trade_date, ${other}.explanation_as_of, ${other}.cursor)`);

/** A later row, `keeper`, was taken off after this one had been stated: this one does not come back (D60, D202). */
export const isKeptBack = (
  alias: string,
  at: Instant,
  by = sql<boolean>`TRUE`,
): RawBuilder<boolean> => sql<boolean>`EXISTS (
  SELECT 1 FROM explanation AS keeper
  WHERE ${isLater('keeper', alias)} AND ${everExposed('keeper', at)} AND NOT ${isUp('keeper', at)} AND ${by}
    AND coalesce(keeper.ended_position, '~') >= ${sql.ref(`${alias}.stated_position`)})`;

/** A value of the latest row of a ticker that is or was exposed, which is named `latest`. */
const latestExposed = <T>(ticker: RawBuilder<unknown>, at: Instant, value: RawBuilder<T>): RawBuilder<T> => sql<T>`(
  SELECT ${value} FROM explanation AS latest
  WHERE latest.etf_ticker = ${ticker} AND ${everExposed('latest', at)} ORDER BY ${latestFirst('latest')} LIMIT 1)`;

/** Where the latest row of a ticker was taken off; empty while it is up. It keeps back all that was stated by then. */
const frontEnd = (ticker: RawBuilder<unknown>, at: Instant): RawBuilder<string> =>
  latestExposed(ticker, at, sql`CASE WHEN ${isUp('latest', at)} THEN '' ELSE coalesce(latest.ended_position, '~') END`);

/** The candidate is the latest row with this. The look at the front comes first: it needs no other row. */
const isEligible = (alias: string, ticker: RawBuilder<unknown>, at: Instant): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${alias}.published_summary`)} IS NOT NULL
    AND ${sql.ref(`${alias}.stated_position`)} > ${frontEnd(ticker, at)} AND ${isUp(alias, at)} AND NOT ${isKeptBack(alias, at)})`;

/** The id of the candidate of a row's ticker; null: there is none. */
export const candidateOf = (alias: string, at: Instant): RawBuilder<string | null> => {
  const ticker = sql.ref(`${alias}.etf_ticker`);
  return sql<string | null>`(SELECT top.id FROM explanation AS top
    WHERE top.etf_ticker = ${ticker} AND ${isEligible('top', ticker, at)} ORDER BY ${latestFirst('top')} LIMIT 1)`;
};

/** Whether a row that is up is the candidate of its ticker, without a walk over the ticker's others. */
const isCandidate = (alias: string, at: Instant): RawBuilder<boolean> => sql<boolean>`(
  ${sql.ref(`${alias}.stated_position`)} > ${frontEnd(sql.ref(`${alias}.etf_ticker`), at)}
  AND NOT EXISTS (SELECT 1 FROM explanation AS later
    WHERE later.published_summary IS NOT NULL AND ${isLater('later', alias)} AND ${isUp('later', at)}
      AND NOT ${isKeptBack('later', at)})
  AND NOT ${isKeptBack(alias, at)})`;

/** The first obstacle that keeps a row of `explanation` from being exposed; null where it is exposed. */
export const obstacleNow = (moment: Moment): RawBuilder<Obstacle | null> => sql<Obstacle | null>`CASE
  WHEN NOT ${hasExposableState('explanation')} THEN 'STATE'
  WHEN NOT ${holdIsOver('explanation', moment)} THEN iif(${aheadNow(moment)} IS NULL, 'HELD', 'AHEAD')
  WHEN NOT ${isCandidate('explanation', moment)} THEN 'REPLACED'
  WHEN ${expiredBy('explanation', expiry, moment)} THEN 'EXPIRED'
  WHEN ${hasLapsed('explanation', moment)} THEN 'LAPSED'
  WHEN NOT (${hasChannelAndPolicy} AND ${insideScope('explanation')}) THEN 'SCOPE'
  WHEN NOT ${notRebuilding('explanation')} THEN 'REBUILD'
END`;

const exposable = prepared((at: Instant) =>
  sqlite
    .selectFrom('explanation')
    .select('id')
    .where(hasExposableState('explanation'))
    .where(sql<boolean>`(NOT ${holdIsOver('explanation', at)} OR ${isCandidate('explanation', at)})`),
);

/** Every explanation that is exposed, or will be once a hold ends or the scope is switched on. */
export function exposableIds(reader: LedgerReader, now: Date): string[] {
  return reader.all(exposable(momentOf(now))).map(({ id }) => id);
}

/** The latest rows of the record about a row of `explanation` (D181). */
const afterMove = (alias: string): RawBuilder<number> =>
  sql`(SELECT max(state_history.id) FROM state_history WHERE explanation_id = ${sql.ref(`${alias}.id`)})`;
const afterFact = (alias: string): RawBuilder<number> => {
  const newest = (ticker: RawBuilder<unknown>): RawBuilder<number> =>
    sql`coalesce((SELECT max(seq) FROM serving_fact WHERE serving_fact.ticker IS ${ticker}), 0)`;
  return sql`max(${newest(sql.lit(null))}, ${newest(sql.ref(`${alias}.etf_ticker`))})`;
};

export interface ExposedExplanation extends AnsweredState {
  id: string;
  etf_ticker: string;
  etf_name: string;
  trade_date: string;
  explanation_as_of: string;
  content_as_of: string | null;
  text: string;
  approval_number: string | null;
  engine: string;
}

/** Every request of a channel runs it. `prepared` explains the `+` before a value. */
export const exposedTo = prepared((ticker: string, channel: string, moment: Moment) =>
  sqlite
    .selectFrom((candidate) =>
      candidate
        .selectFrom('explanation')
        .select(['id', 'status', 'held_until', 'approval_number', 'valid_until', ...SERVING_FIELDS])
        .select((eb) => eb.ref('published_summary').$notNull().as('text'))
        .where(sql<boolean>`etf_ticker = +${ticker}`)
        .where(isEligible('explanation', sql`+${ticker}`, moment))
        .orderBy(latestFirst('explanation'))
        .limit(sql.lit(1))
        .as('e'),
    )
    .select(['e.id', 'e.etf_ticker', 'e.etf_name', 'e.trade_date', 'e.explanation_as_of', 'e.content_as_of', 'e.text'])
    .select(['e.approval_number', 'e.analysis_engine as engine'])
    .select([afterMove('e').as('afterMove'), afterFact('e').as('afterFact')])
    .where(sql<boolean>`NOT ${expiredBy('e', expiry, moment)}`)
    .where(sql<boolean>`NOT ${hasLapsed('e', moment)}`)
    .where(insideScope('e'))
    .where(notRebuilding('e'))
    .where(inside('CHANNEL', sql`+${channel}`)),
);

/** The exposed explanation of a ticker for a channel. The caller adds the disclaimer, or withholds a v1 text without one. */
export function exposedExplanation(
  reader: LedgerReader,
  ticker: string,
  channel: string,
  now: Date,
): ExposedExplanation | undefined {
  return reader.first(exposedTo(ticker, channel, momentOf(now)));
}

const onHold = prepared((at: Instant) =>
  sqlite
    .selectFrom('explanation')
    .select('explanation.number')
    .where('held_until', '>', sql<string>`+${at.now}`)
    .where(sql<boolean>`NOT ${holdIsOver('explanation', at)}`),
);

/** Numbers of the explanations on hold at an instant (ISO; index `explanation_held`). */
export function heldNumbers(reader: LedgerReader, now: string): number[] {
  return reader.all(onHold({ now })).map(({ number }) => number);
}

/** The candidate of every ticker, whatever scope and expiry say. */
const candidates = (at: Instant) =>
  sqlite
    .selectFrom('instrument')
    .innerJoin('explanation', (join) => join.on('explanation.id', '=', candidateOf('instrument', at)))
    .where(notRebuilding('explanation'))
    .where(sql<boolean>`NOT ${hasLapsed('explanation', at)}`);

/** The candidate of every ticker that is exposed as long as it has not expired. */
export const exposedUnlessExpired = (at: Instant) =>
  candidates(at).where(hasChannelAndPolicy).where(insideScope('explanation')).orderBy('explanation.etf_ticker');

/** Ticker and market of every text that is exposed as far as the scope lets it. */
export const exposedInScope = prepared((moment: Moment) =>
  candidates(moment)
    .where(hasPolicy)
    .where(sql<boolean>`NOT ${expiredBy('explanation', expiry, moment)}`)
    .select(['explanation.etf_ticker as ticker', 'explanation.market']),
);

const exposures = prepared((moment: Moment) =>
  candidates(moment)
    .where(sql<boolean>`NOT ${expiredBy('explanation', expiry, moment)}`)
    .select('explanation.number')
    .select(sql<number>`(${hasChannelAndPolicy} AND ${insideScope('explanation')})`.as('exposed')),
);

/** Numbers of the explanations whose text is exposed now, and of those that the scope alone keeps from all. */
export function exposureNumbers(reader: LedgerReader, now: Date): Record<Exposure, number[]> {
  const numbers: Record<Exposure, number[]> = { EXPOSED: [], EXCLUDED: [] };
  for (const { number, exposed } of reader.all(exposures(momentOf(now))))
    numbers[exposed === 1 ? 'EXPOSED' : 'EXCLUDED'].push(number);
  return numbers;
}

const switchedOff = prepared(
  (ticker: string, market: string | null) => sql<ScopeObjection>`
    SELECT DISTINCT scope_type AS type, coalesce(known.market, ${sql.lit(UNKNOWN_MARKET)}) AS key
    FROM serving_scope, (SELECT coalesce(${market}, (SELECT market FROM instrument WHERE etf_ticker = ${ticker})) AS market) AS known
    WHERE scope_type = 'MARKET' AND enabled = 0 AND scope_key = coalesce(known.market, scope_key)
    UNION ALL
    SELECT scope_type, scope_key FROM serving_scope WHERE scope_type = 'INSTRUMENT' AND scope_key = ${ticker} AND enabled = 0
    UNION ALL
    SELECT scope_type, scope_key FROM serving_scope WHERE scope_type = 'SECTOR' AND enabled = 0
      AND scope_key = (SELECT sector FROM instrument WHERE etf_ticker = ${ticker})`,
);

const SCOPE = 'scope of ';

/** Drops the remembered scope answers after a change of an instrument. */
export function forgetScope({ memo }: LedgerReader): void {
  for (const question of memo?.keys() ?? []) if (question.startsWith(SCOPE)) memo?.delete(question);
}

/** The reasons that keep an instrument outside the serving scope now; empty when it is inside (D14). */
export function scopeObjections(
  reader: LedgerReader,
  instrument: { ticker: string; market: string | null },
): ScopeObjection[] {
  const { ticker, market } = instrument;
  return remembered(reader, `${SCOPE}${JSON.stringify([ticker, market])}`, () =>
    reader.all(switchedOff(ticker, market)),
  );
}
