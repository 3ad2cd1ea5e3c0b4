/**
 * The rule of what may be shown at a moment (D20). The one candidate of a ticker is the latest snapshot, by trade date
 * and `explanation_as_of`, of those that have ever been provided, or the earlier one that a person has let take its
 * place (`candidate.ts`, D60). It is shown while its state is a provided one and it is inside the serving scope. So
 * taking the latest one back leaves nothing to show, and brings no earlier text back: no stop by an Operator creates
 * exposure (console API 1, principle 3). One that still waits for its review has never been provided and replaces
 * nothing.
 *
 * Two times of the policy are part of it, and only a question is needed for them to count:
 * - What a person has let out is held for some seconds (`hold.ts`). Until then it is not provided, and replaces
 *   nothing. A clock that is set back does not hold it again once a channel was given it: what was away stays away.
 * - A text may expire on its trade date. It has been provided all the same, so nothing older comes back in its place.
 *
 * Nothing of a ticker is shown while a rebuild sets its explanations right: where the latest one is still to be put
 * back, an earlier one would take its place.
 *
 * The provision API answers from here, and the console's `exposed` (D56) is the same rule.
 *
 * Written out: provision asks it at every request.
 *
 * Before it: `agent/ledger/transitions.ts`. After it: `agent/provision/server.ts`.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Obstacle } from '../../../shared/wire/console/console.ts';
import { kstMinute } from '../../../shared/time/kst.ts';
import { UNKNOWN_MARKET, type ScopeObjection } from '../../screening/screen.ts';
import { candidateFirst } from './candidate.ts';
import { remembered, sqlite, statement, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';

export type ScopeType = 'MARKET' | 'CHANNEL' | 'INSTRUMENT' | 'SECTOR';

/** The moment of a question, as the statements here want it bound. */
export interface Moment {
  /** ISO instant. */
  now: string;
  /** The minute in Korea, `YYYY-MM-DDTHH:MM`. */
  minute: string;
}

export function momentOf(now: Date): Moment {
  return { now: now.toISOString(), minute: kstMinute(now) };
}

/** The states that are provided, as SQL. */
const provided = (alias: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${alias}.status`)} IN ('AUTO_PUBLISHED', 'PUBLISHED')`;

/** Whether no scope row switches a key off. A key that is unknown (null) cannot have been switched off. */
const inside = (type: ScopeType, key: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`NOT EXISTS (SELECT 1 FROM serving_scope WHERE scope_type = ${sql.lit(type)} AND scope_key = ${key} AND enabled = 0)`;

/**
 * Market, instrument and sector of a row of `explanation` are all inside the scope. Where the row names no market, that
 * of its instrument counts; where nobody knows one, it may be any that is switched off (D64).
 */
function insideScope(alias: string): RawBuilder<boolean> {
  const ticker = sql.ref(`${alias}.etf_ticker`);
  const sector = sql`(SELECT sector FROM instrument WHERE instrument.etf_ticker = ${ticker})`;
  const market = sql`coalesce(${sql.ref(`${alias}.market`)},
    (SELECT market FROM instrument WHERE instrument.etf_ticker = ${ticker}), serving_scope.scope_key)`;
  return sql<boolean>`(${inside('MARKET', market)} AND ${inside('INSTRUMENT', ticker)} AND ${inside('SECTOR', sector)})`;
}

/**
 * Some channel may show a row of `explanation` at all: a text of v1 needs a policy, whose disclaimer goes out with it,
 * and one of v2 does not (D61).
 */
const anythingShown = sql<boolean>`((explanation.analysis_engine = 'v2' OR EXISTS (SELECT 1 FROM policy_version))
  AND EXISTS (SELECT 1 FROM channel WHERE ${inside('CHANNEL', sql.ref('channel.channel'))}))`;

/** No rebuild holds the ticker of a row of `explanation`. */
const notHeld = (alias: string): RawBuilder<boolean> =>
  sql<boolean>`NOT EXISTS (SELECT 1 FROM held_ticker WHERE held_ticker.etf_ticker = ${sql.ref(`${alias}.etf_ticker`)})`;

/**
 * Whether a text that a person let out may go out, if it was ever held: its time has come, or had come
 * when a channel was given it, whatever the clock says now.
 */
function released(alias: string): RawBuilder<boolean> {
  const until = sql.ref(`${alias}.held_until`);
  return sql<boolean>`(${until} IS NULL OR ${until} <= +@now OR EXISTS (SELECT 1 FROM served_explanation
    WHERE served_explanation.explanation_id = ${sql.ref(`${alias}.id`)} AND served_explanation.last_at >= ${until}))`;
}

/** Some text of a row of `explanation` has been provided, now or at some time before. */
const everProvided = (alias: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${alias}.published_summary`)} IS NOT NULL
    AND (${sql.ref(`${alias}.published_before`)} IS NOT NULL OR ${released(alias)}))`;

/** When the texts of a trade date expire by the active policy, as `HH:MM`; null: they do not. */
export const expiry = sql<string | null>`(SELECT expires_at FROM policy_timing ORDER BY version DESC LIMIT 1)`;

/** Whether a text of a row's trade date has expired, where texts expire at such a time. */
export const expiredBy = (alias: string, time: RawBuilder<string | null>): RawBuilder<boolean> =>
  sql<boolean>`coalesce(${sql.ref(`${alias}.trade_date`)} || 'T' || ${time} <= +@minute, FALSE)`;

/** The id of the candidate of a row's ticker. */
const candidateOf = (alias: string): RawBuilder<string | null> => sql<string | null>`(
  SELECT latest.id FROM explanation AS latest
  WHERE latest.etf_ticker = ${sql.ref(`${alias}.etf_ticker`)} AND ${everProvided('latest')}
  ORDER BY ${candidateFirst('latest')} LIMIT 1)`;

/**
 * Why a row of `explanation` is not what the provision API would give now, by the first thing that stands in the way;
 * null where it is. Wants a `Moment` bound.
 */
export const obstacleNow = sql<Obstacle | null>`CASE
  WHEN NOT ${provided('explanation')} THEN 'STATE'
  WHEN NOT ${released('explanation')} THEN 'HELD'
  WHEN explanation.id IS NOT ${candidateOf('explanation')} THEN 'REPLACED'
  WHEN ${expiredBy('explanation', expiry)} THEN 'EXPIRED'
  WHEN NOT (${anythingShown} AND ${insideScope('explanation')}) THEN 'SCOPE'
  WHEN NOT ${notHeld('explanation')} THEN 'REBUILD'
END`;

const showable = statement<[asked: Moment], { id: string }>(
  sqlite
    .selectFrom('explanation')
    .select('id')
    .where(provided('explanation'))
    .where(sql<boolean>`(explanation.id IS ${candidateOf('explanation')} OR NOT ${released('explanation')})`)
    .compile().sql,
);

/** Every explanation that a channel gets, or gets once a hold, an expiry or a switch of the scope is over. */
export function showableIds(reader: LedgerReader, now: Date): string[] {
  return reader.all(showable(momentOf(now))).map(({ id }) => id);
}

export interface ExposedExplanation {
  id: string;
  etf_ticker: string;
  etf_name: string;
  trade_date: string;
  explanation_as_of: string;
  content_as_of: string | null;
  text: string;
  engine: string;
}

/** Built once: every request of a channel asks this. The signs are told of at `statement`. */
export const SHOWN_TO = sqlite
  .selectFrom((candidate) =>
    candidate
      .selectFrom('explanation')
      .select([
        'id',
        'etf_ticker',
        'etf_name',
        'market',
        'trade_date',
        'explanation_as_of',
        'content_as_of',
        'status',
        'held_until',
        'analysis_engine',
      ])
      .select((eb) => eb.ref('published_summary').$notNull().as('text'))
      .where(sql<boolean>`etf_ticker = +@ticker`)
      .where(everProvided('explanation'))
      .orderBy(candidateFirst('explanation'))
      .limit(sql.lit(1))
      .as('e'),
  )
  .select(['e.id', 'e.etf_ticker', 'e.etf_name', 'e.trade_date', 'e.explanation_as_of', 'e.content_as_of', 'e.text'])
  .select('e.analysis_engine as engine')
  .where(provided('e'))
  .where(released('e'))
  .where(sql<boolean>`NOT ${expiredBy('e', expiry)}`)
  .where(insideScope('e'))
  .where(notHeld('e'))
  .where(inside('CHANNEL', sql`+@channel`))
  .compile().sql;

const shownTo = statement<[asked: Moment & { ticker: string; channel: string }], ExposedExplanation>(SHOWN_TO);

/**
 * The text that a channel may show for a ticker at a moment, where the policy's disclaimer goes with it; or undefined.
 */
export function exposedExplanation(
  reader: LedgerReader,
  ticker: string,
  channel: string,
  now: Date,
): ExposedExplanation | undefined {
  return reader.first(shownTo({ ticker, channel, ...momentOf(now) }));
}

const releasedNow = statement<[of: { id: string; now: string }], { released: number }>(
  sqlite
    .selectFrom('explanation')
    .select(released('explanation').as('released'))
    .where(sql<boolean>`explanation.id = @id`)
    .compile().sql,
);

/** Whether what a person let out with an explanation is still held at an instant (ISO). */
export function isHeldAt(reader: LedgerReader, id: string, now: string): boolean {
  return reader.first(releasedNow({ id, now }))?.released === 0;
}

const heldThen = statement<[of: { now: string }], { number: number }>(
  sqlite
    .selectFrom('explanation')
    .select('explanation.number')
    .where(sql<boolean>`held_until > +@now`)
    .where(sql<boolean>`NOT ${released('explanation')}`)
    .compile().sql,
);

/** Numbers of what a person has let out and no channel gets yet, at an instant (ISO; index `explanation_held`). */
export function heldNumbers(reader: LedgerReader, now: string): number[] {
  return reader.all(heldThen({ now })).map(({ number }) => number);
}

/** The candidate of every ticker, where nothing but its expiry could stand in the way. */
export const shownUnlessExpired = sqlite
  .selectFrom('instrument')
  .innerJoin('explanation', (join) => join.on(sql<boolean>`explanation.id = ${candidateOf('instrument')}`))
  .where(provided('explanation'))
  .where(released('explanation'))
  .where(anythingShown)
  .where(insideScope('explanation'))
  .where(notHeld('explanation'))
  .orderBy('explanation.etf_ticker');

const switchedOff = statement<[instrument: { ticker: string; market: string | null }], ScopeObjection>(`
  SELECT DISTINCT scope_type AS type, coalesce(known.market, '${UNKNOWN_MARKET}') AS key
  FROM serving_scope, (SELECT coalesce(@market, (SELECT market FROM instrument WHERE etf_ticker = @ticker)) AS market) AS known
  WHERE scope_type = 'MARKET' AND enabled = 0 AND scope_key = coalesce(known.market, scope_key)
  UNION ALL
  SELECT scope_type, scope_key FROM serving_scope WHERE scope_type = 'INSTRUMENT' AND scope_key = @ticker AND enabled = 0
  UNION ALL
  SELECT scope_type, scope_key FROM serving_scope WHERE scope_type = 'SECTOR' AND enabled = 0
    AND scope_key = (SELECT sector FROM instrument WHERE etf_ticker = @ticker)`);

const SCOPE = 'scope of ';

/** An instrument is known as something else now. */
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
    reader.all(switchedOff({ ticker, market })),
  );
}

const holdTicker = statement<[ticker: string]>('INSERT OR IGNORE INTO held_ticker (etf_ticker) VALUES (?)');

/** Shows nothing of these tickers until they are let go. */
export function holdTickers(tx: LedgerTransaction, tickers: Iterable<string>): void {
  for (const ticker of tickers) tx.run(holdTicker(ticker));
}

/** Shows what may be shown of every ticker again. */
export function letTickersGo(tx: LedgerTransaction): void {
  tx.run(sqlite.deleteFrom('held_ticker'));
}

/** Of how many tickers nothing is shown because a rebuild holds them. */
export function heldTickers(reader: LedgerReader): number {
  return reader.all(sqlite.selectFrom('held_ticker').selectAll()).length;
}
