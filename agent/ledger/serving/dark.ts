/**
 * Tickers of which nothing is provided although texts came after the one that keeps them back (D204). Mostly the vendor
 * has withdrawn a text that was dated later than those; a person's approval shows one of them.
 */
import { sql } from 'kysely';
import { sqlite, statement, type LedgerReader } from '../storage/ledger.ts';
import { candidateOf, isUp, latestExposed, momentOf, type Moment } from './visibility.ts';

const dark = statement<[asked: Moment], { ticker: string }>(
  sqlite
    .selectFrom('instrument')
    .select('instrument.etf_ticker as ticker')
    .where(sql<boolean>`${candidateOf('instrument')} IS NULL`)
    .where(
      sql<boolean>`EXISTS (SELECT 1 FROM explanation AS text WHERE text.etf_ticker = instrument.etf_ticker
        AND text.published_summary IS NOT NULL AND ${isUp('text')}
        AND text.number > ${latestExposed(sql.ref('instrument.etf_ticker'), sql`latest.number`)})`,
    )
    .orderBy('instrument.etf_ticker')
    .compile().sql,
);

export const darkTickers = (reader: LedgerReader, now: Date): string[] =>
  reader.all(dark(momentOf(now))).map(({ ticker }) => ticker);
