/**
 * Records every change that decides what channels are given and that the state history does not tell, in the transaction
 * of the change (D153). `shown.ts` reads it: from the two it tells what was shown at any moment.
 *
 * Written out: JSON functions, which the builder does not have.
 */
import { statement, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';
import type { ServingScopeTable } from '../storage/tables.ts';

/** What each kind of row says. Truths are 0 and 1, as SQLite has them. */
export interface FactValues {
  /** The record begins here in a ledger that is older; what was so before is not known. */
  BEGIN: Record<string, never>;
  /** A backup took the place of the ledger: what channels were given after `since` is not in it. */
  RESTORED: { since: string | null };
  /** A version that changes disclaimer or expiry. */
  POLICY: { version: number; disclaimer: string; expiresAt: string | null; by: string };
  SCOPE: { type: ServingScopeTable['scope_type']; key: string; enabled: number; by: string };
  CHANNEL: { channel: string; open: number };
  INSTRUMENT: { market: string | null; sector: string | null; by?: string | null | undefined };
  /** The vendor's fields of an explanation before an entry changed them. */
  FIELDS: { id: string } & ServingFields;
  /** A rebuild hides the ticker, or ends doing so. */
  REBUILD: { held: number };
  /** Rows of the ticker were not as the journals tell, and are again. */
  CORRECTED: Record<string, never>;
}

/** The vendor's fields that decide whether and how an explanation is shown. */
export interface ServingFields {
  etf_ticker: string;
  etf_name: string;
  market: string | null;
  trade_date: string;
  explanation_as_of: string;
  content_as_of: string | null;
  analysis_engine: string;
  cursor: number;
}

export type FactKind = keyof FactValues;

const insertFact = statement<[{ at: string; kind: FactKind; ticker: string | null; value: string }]>(
  'INSERT INTO serving_fact (at, kind, ticker, value) VALUES (@at, @kind, @ticker, @value)',
);

/** @param ticker null where it concerns every one */
export function recordFact<K extends FactKind>(
  tx: LedgerTransaction,
  at: string,
  kind: K,
  ticker: string | null,
  value: FactValues[K],
): void {
  tx.run(insertFact({ at, kind, ticker, value: JSON.stringify(value) }));
}

const newestPolicy = statement<[], { value: string }>(
  "SELECT value FROM serving_fact WHERE ticker IS NULL AND kind = 'POLICY' ORDER BY seq DESC LIMIT 1",
);

/** Words and criteria of the screening decide nothing about what is given: a version that changes only these makes no row. */
export function recordPolicy(tx: LedgerTransaction, at: string, published: FactValues['POLICY']): void {
  const row = tx.first(newestPolicy());
  const before = row === undefined ? undefined : (JSON.parse(row.value) as FactValues['POLICY']);
  if (before?.disclaimer === published.disclaimer && before.expiresAt === published.expiresAt) return;
  recordFact(tx, at, 'POLICY', null, published);
}

const insertInstrument = statement<[{ at: string; ticker: string; by: string | null }]>(`
  INSERT INTO serving_fact (at, kind, ticker, value)
  SELECT @at, 'INSTRUMENT', etf_ticker, json_object('market', market, 'sector', sector, 'by', @by)
  FROM instrument WHERE etf_ticker = @ticker`);

/** Market and sector of an instrument, as its row has them now. `by`: the person who has said the sector. */
export function recordInstrument(tx: LedgerTransaction, at: string, ticker: string, by: string | null = null): void {
  tx.run(insertInstrument({ at, ticker, by }));
}

const insertFields = statement<[{ at: string; id: string; ticker: string }]>(`
  INSERT INTO serving_fact (at, kind, ticker, value)
  SELECT @at, 'FIELDS', told.ticker, json_object('id', id, 'etf_ticker', etf_ticker, 'etf_name', etf_name,
    'market', market, 'trade_date', trade_date, 'explanation_as_of', explanation_as_of, 'content_as_of', content_as_of,
    'analysis_engine', analysis_engine, 'cursor', cursor)
  FROM explanation, (SELECT etf_ticker AS ticker FROM explanation WHERE id = @id UNION SELECT @ticker) AS told
  WHERE id = @id`);

/** Keeps the vendor's fields that an explanation has until now, for the ticker that it leaves and the one that it joins. */
export function recordFormerFields(tx: LedgerTransaction, at: string, id: string, nextTicker: string): void {
  tx.run(insertFields({ at, id, ticker: nextTicker }));
}

const holdTicker = statement<[ticker: string]>('INSERT OR IGNORE INTO held_ticker (etf_ticker) VALUES (?)');
const heldNow = statement<[], { etf_ticker: string }>('SELECT etf_ticker FROM held_ticker ORDER BY etf_ticker');
const endHolds = statement<[]>('DELETE FROM held_ticker');

/** Hides these tickers during a rebuild, until `endTickerHold`. */
export function holdTickers(tx: LedgerTransaction, tickers: Iterable<string>, at: string): void {
  for (const ticker of tickers) {
    recordFact(tx, at, 'CORRECTED', ticker, {});
    if (tx.run(holdTicker(ticker)) > 0) recordFact(tx, at, 'REBUILD', ticker, { held: 1 });
  }
}

/** Ends the hiding of all tickers. */
export function endTickerHold(tx: LedgerTransaction, at: string): void {
  for (const { etf_ticker } of tx.all(heldNow())) recordFact(tx, at, 'REBUILD', etf_ticker, { held: 0 });
  tx.run(endHolds());
}

/** The number of tickers that a rebuild hides. */
export const heldTickers = (reader: LedgerReader): number => reader.all(heldNow()).length;

const newestAt = statement<[], { at: string }>('SELECT at FROM serving_fact ORDER BY seq DESC LIMIT 1');

/** When the newest row was recorded; null where there is none. */
export const lastFactAt = (reader: LedgerReader): string | null => reader.first(newestAt())?.at ?? null;
