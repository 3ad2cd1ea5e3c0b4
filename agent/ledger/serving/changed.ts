/**
 * Which tickers may be exposed otherwise than at an earlier state of the record (D229). All that decides what is
 * exposed is a row of the state history or of `serving_fact` (D153), or lies at a time that `hold.ts` knows. So the
 * newest of these rows, with a moment, name a state, also after a restart.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { changedByTime, type ChangedTickers } from './hold.ts';
import type { AnsweredState } from './served.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

/** The newest rows of the record about any explanation, and a moment. */
export interface RecordState extends AnsweredState {
  at: Date;
}

const newest = prepared(
  () => sql<AnsweredState>`SELECT
    (SELECT coalesce(max(id), 0) FROM state_history) AS afterMove,
    (SELECT coalesce(max(seq), 0) FROM serving_fact) AS afterFact`,
);

export function recordNow(reader: LedgerReader, at: Date): RecordState {
  return { afterMove: 0, afterFact: 0, ...reader.first(newest()), at };
}

const named = prepared(
  ({ afterMove, afterFact }: AnsweredState) => sql<{ move: string | null; fact: string | null }>`SELECT
    (SELECT at || explanation_id FROM state_history WHERE id = ${afterMove}) AS move,
    (SELECT at || kind || coalesce(ticker, '') || value FROM serving_fact WHERE seq = ${afterFact}) AS fact`,
);

/** A digest of the rows that a state names: after a restore the same numbers name other rows. */
export function digestOf(reader: LedgerReader, state: AnsweredState): string {
  const rows = reader.first(named(state));
  return hash('sha256', JSON.stringify(rows), 'base64url').slice(0, 16);
}

/** No more rows than these are read for one answer, some ms. */
const MOST_ROWS = 10_000;

const changed = prepared(
  ({ afterMove, afterFact }: AnsweredState) => sql<{ ticker: string | null; kind: string | null }>`
    SELECT etf_ticker AS ticker, NULL AS kind
      FROM state_history CROSS JOIN explanation ON explanation.id = explanation_id WHERE state_history.id > ${afterMove}
    UNION SELECT ticker, kind FROM serving_fact WHERE seq > ${afterFact}`,
);

/** What puts rows right without telling each change. */
const UNTOLD: readonly (string | null)[] = ['RESTORED', 'REBUILD', 'CORRECTED'];

/** What record and time may have changed between two states. */
export function changedBetween(reader: LedgerReader, from: RecordState, to: RecordState): ChangedTickers {
  const byTime = changedByTime(reader, from.at, to.at);
  const rows = to.afterMove - from.afterMove + (to.afterFact - from.afterFact);
  if (byTime === 'UNKNOWN' || rows === 0) return byTime;
  if (rows < 0 || rows > MOST_ROWS) return 'UNKNOWN';
  const found = reader.all(changed(from));
  if (found.some(({ kind }) => UNTOLD.includes(kind))) return 'UNKNOWN';
  const tickers = new Set(byTime === 'ALL' ? [] : byTime);
  for (const { ticker } of found) {
    if (ticker === null) return 'ALL';
    tickers.add(ticker);
  }
  return byTime === 'ALL' ? 'ALL' : tickers;
}

const moved = prepared(
  (afterMove: number, ticker: string) => sql<{ at: string | null }>`
    SELECT max(state_history.at) AS at FROM state_history CROSS JOIN explanation ON explanation.id = explanation_id
      WHERE state_history.id > ${afterMove} AND etf_ticker = ${ticker} AND state_history.held_until IS NULL`,
);

/** When the last move about a ticker was applied after a state of the record; null: none was, or it began a hold. */
export const movedSince = (reader: LedgerReader, { afterMove }: AnsweredState, ticker: string): string | null =>
  reader.first(moved(afterMove, ticker))?.at ?? null;

const after = prepared((ticker: string, most: number) =>
  sqlite
    .selectFrom('instrument')
    .select('etf_ticker as ticker')
    .where('etf_ticker', '>', ticker)
    .orderBy('etf_ticker')
    .limit(most),
);

/** Every ticker after one, in their order. */
export const tickersAfter = (reader: LedgerReader, ticker = '', most = -1): string[] =>
  reader.all(after(ticker, most)).map((row) => row.ticker);
