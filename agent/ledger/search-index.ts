/**
 * The full-text index `explanation_search` (FTS5, trigram: it finds Korean inside words). Triggers keep it in
 * step with every change of an indexed row. Rows that have come in are put into it together, at the end of
 * the transaction that took them in: FTS5 writes its pending words out at every savepoint and for every
 * statement that a trigger belongs to, so that indexing row by row takes several times as long. The counts
 * by state, day and market (`explanation_count`) are kept in the same way.
 */
import { statement, type LedgerTransaction } from './ledger.ts';

const indexRows = statement<[]>(`
  INSERT INTO explanation_search (rowid, etf_ticker, etf_name, summary, shown_text)
  SELECT number, etf_ticker, etf_name, summary, shown_text FROM explanation_text
  WHERE number > (SELECT indexed_to FROM search_progress)`);

const countRows = statement<[]>(`
  INSERT INTO explanation_count (status, trade_date, market, n)
  SELECT status, trade_date, coalesce(market, ''), count(*) FROM explanation
  WHERE number > (SELECT indexed_to FROM search_progress) GROUP BY 1, 2, 3
  ON CONFLICT DO UPDATE SET n = n + excluded.n`);

const countsOfNone = statement<[]>('DELETE FROM explanation_count');
const countAll = statement<[]>(`
  INSERT INTO explanation_count (status, trade_date, market, n)
  SELECT status, trade_date, coalesce(market, ''), count(*) FROM explanation GROUP BY 1, 2, 3`);

const indexedAll = statement<[]>(
  'UPDATE search_progress SET indexed_to = (SELECT coalesce(max(number), 0) FROM explanation)',
);

const makeAnew = statement<[]>(`INSERT INTO explanation_search (explanation_search) VALUES ('rebuild')`);
const compare = statement<[]>(
  `INSERT INTO explanation_search (explanation_search, rank) VALUES ('integrity-check', 1)`,
);

/** Makes the whole index, and the counts, anew from the rows. */
export function indexAnew(tx: LedgerTransaction): void {
  tx.run(makeAnew());
  tx.run(countsOfNone());
  tx.run(countAll());
  tx.run(indexedAll());
}

/** Whether the index says what the rows say. */
export function isIndexSound(tx: LedgerTransaction): boolean {
  indexReceived(tx);
  try {
    tx.run(compare());
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CORRUPT')) return false;
    throw error;
  }
}

/** Indexes and counts every explanation that is not yet indexed. */
export function indexReceived(tx: LedgerTransaction): void {
  if (tx.run(indexRows()) === 0) return;
  tx.run(countRows());
  tx.run(indexedAll());
}
