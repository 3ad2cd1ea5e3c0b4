/**
 * What may be shown at this moment (D20). The one candidate of a ticker is the latest snapshot, by
 * trade date and `explanation_as_of`, of those that have ever been provided: a later one replaces the
 * earlier ones for good. It is shown while its state is a provided one and it is inside the serving
 * scope. So taking the latest one back leaves nothing to show, and never brings an earlier text back:
 * no stop by an Operator creates exposure (document 1 section 1, principle 3). One that still waits
 * for its review has never been provided and replaces nothing.
 *
 * Nothing of a ticker is shown while a rebuild sets its explanations right: where the latest one is still to be put
 * back, an earlier one would take its place.
 *
 * The provision API answers from here, and the console's `exposed` (D56) is the same rule.
 */
import { sql, type RawBuilder } from 'kysely';
import type { ScopeObjection } from '../screening/screen.ts';
import { sqlite, statement, type LedgerReader, type LedgerTransaction } from './ledger.ts';

export type ScopeType = 'MARKET' | 'CHANNEL' | 'INSTRUMENT' | 'SECTOR';

/** The states that are provided, as SQL. */
const provided = (alias: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${alias}.status`)} IN ('AUTO_PUBLISHED', 'PUBLISHED')`;

/** Whether no scope row switches a key off. A key that is unknown (null) cannot have been switched off. */
const inside = (type: ScopeType, key: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`NOT EXISTS (SELECT 1 FROM serving_scope WHERE scope_type = ${sql.lit(type)} AND scope_key = ${key} AND enabled = 0)`;

/**
 * Market, instrument and sector of a row of `explanation` are all inside the scope. Where the row names no
 * market, that of its instrument counts: what is silent does not get round a market that is switched off.
 */
function insideScope(alias: string): RawBuilder<boolean> {
  const ticker = sql.ref(`${alias}.etf_ticker`);
  const sector = sql`(SELECT sector FROM instrument WHERE instrument.etf_ticker = ${ticker})`;
  const market = sql`coalesce(${sql.ref(`${alias}.market`)},
    (SELECT market FROM instrument WHERE instrument.etf_ticker = ${ticker}))`;
  return sql<boolean>`(${inside('MARKET', market)} AND ${inside('INSTRUMENT', ticker)} AND ${inside('SECTOR', sector)})`;
}

/**
 * Some channel may show anything at all, and there is a policy: no text goes out without a disclaimer,
 * and that is the policy's.
 */
const anythingShown = sql<boolean>`(EXISTS (SELECT 1 FROM policy_version)
  AND EXISTS (SELECT 1 FROM channel WHERE ${inside('CHANNEL', sql.ref('channel.channel'))}))`;

/** No rebuild holds the ticker of a row of `explanation`. */
const notHeld = (alias: string): RawBuilder<boolean> =>
  sql<boolean>`NOT EXISTS (SELECT 1 FROM held_ticker WHERE held_ticker.etf_ticker = ${sql.ref(`${alias}.etf_ticker`)})`;

/** 1 where this row of `explanation` is what the provision API would give now, else 0. */
export const exposedNow = sql<number>`(
  ${provided('explanation')} AND ${anythingShown} AND ${insideScope('explanation')} AND ${notHeld('explanation')}
  AND explanation.id = (
    SELECT latest.id FROM explanation AS latest
    WHERE latest.etf_ticker = explanation.etf_ticker AND latest.published_summary IS NOT NULL
    ORDER BY latest.trade_date DESC, latest.explanation_as_of DESC, latest.cursor DESC LIMIT 1))`;

export interface ExposedExplanation {
  id: string;
  etf_ticker: string;
  etf_name: string;
  trade_date: string;
  explanation_as_of: string;
  content_as_of: string | null;
  text: string;
}

// Built once: every request of a channel asks this. The signs are told of at `statement`.
const shownTo = statement<[ticker: string, channel: string], ExposedExplanation>(
  sqlite
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
        ])
        .select((eb) => eb.ref('published_summary').$notNull().as('text'))
        .where(sql<boolean>`etf_ticker = +${'?'}`)
        .where('published_summary', 'is not', null)
        .orderBy('trade_date', 'desc')
        .orderBy('explanation_as_of', 'desc')
        .orderBy('cursor', 'desc')
        .limit(sql.lit(1))
        .as('e'),
    )
    .select(['e.id', 'e.etf_ticker', 'e.etf_name', 'e.trade_date', 'e.explanation_as_of', 'e.content_as_of', 'e.text'])
    .where(provided('e'))
    .where(insideScope('e'))
    .where(notHeld('e'))
    .where(inside('CHANNEL', sql`+${'?'}`))
    .compile().sql,
);

/** What a channel may show for a ticker at this moment, beside the disclaimer of the active policy; or undefined. */
export function exposedExplanation(
  reader: LedgerReader,
  ticker: string,
  channel: string,
): ExposedExplanation | undefined {
  return reader.first(shownTo(ticker, channel));
}

const switchedOff = statement<[instrument: { ticker: string; market: string | null }], ScopeObjection>(`
  SELECT scope_type AS type, scope_key AS key FROM serving_scope WHERE scope_type = 'MARKET' AND enabled = 0
    AND scope_key = coalesce(@market, (SELECT market FROM instrument WHERE etf_ticker = @ticker))
  UNION ALL
  SELECT scope_type, scope_key FROM serving_scope WHERE scope_type = 'INSTRUMENT' AND scope_key = @ticker AND enabled = 0
  UNION ALL
  SELECT scope_type, scope_key FROM serving_scope WHERE scope_type = 'SECTOR' AND enabled = 0
    AND scope_key = (SELECT sector FROM instrument WHERE etf_ticker = @ticker)`);

/** What keeps an instrument outside the serving scope now; empty when it is inside (D14). */
export function scopeObjections(
  reader: LedgerReader,
  instrument: { ticker: string; market: string | null },
): ScopeObjection[] {
  return reader.all(switchedOff({ ticker: instrument.ticker, market: instrument.market }));
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
