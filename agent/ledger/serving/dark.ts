/**
 * Tickers of which nothing is exposed although a text came after each one that keeps it back (D204). Mostly the vendor
 * has withdrawn a text that was dated later; a person's approval shows the other one. It came after where it was received
 * (`number`) or stated after it.
 */
import { sql } from 'kysely';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { candidateOf, isKeptBack, isUp, momentOf, type Moment } from './visibility.ts';

const dark = prepared((moment: Moment) =>
  sqlite
    .selectFrom('instrument')
    .select('instrument.etf_ticker as ticker')
    .where(sql<boolean>`${candidateOf('instrument', moment)} IS NULL`)
    .where(
      sql<boolean>`EXISTS (SELECT 1 FROM explanation AS text WHERE text.etf_ticker = instrument.etf_ticker
        AND text.published_summary IS NOT NULL AND ${isUp('text', moment)}
        AND NOT ${isKeptBack('text', moment, sql`text.number < keeper.number AND text.stated_position <= keeper.stated_position`)})`,
    )
    .orderBy('instrument.etf_ticker'),
);

export const darkTickers = (reader: LedgerReader, now: Date): string[] =>
  reader.all(dark(momentOf(now))).map(({ ticker }) => ticker);
