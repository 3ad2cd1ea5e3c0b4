/**
 * The full-text index `explanation_search` (FTS5, trigram: it finds Korean inside words). Triggers keep it in
 * step with every change of an indexed row. Rows that have come in are put into it together, at the end of
 * the transaction that took them in: FTS5 writes its pending words out at every savepoint and for every
 * statement that a trigger belongs to, so that indexing row by row takes several times as long. The counts
 * by state, day and market (`explanation_count`) are kept in the same way.
 */
import { statement, type LedgerReader, type LedgerTransaction } from './ledger.ts';

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

const nothingIndexed = statement<[]>('UPDATE search_progress SET indexed_to = 0');

/**
 * From here on neither index nor counts follow the rows, until `indexAnew` in the same transaction: for who
 * puts rows where others were, which the triggers would take for those.
 */
export function stopIndexing(tx: LedgerTransaction): void {
  tx.run(nothingIndexed());
}

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

const miscounted = statement<[]>(`
  WITH told AS (SELECT status, trade_date, market, n FROM explanation_count WHERE n > 0),
    true_ones AS (SELECT status, trade_date, coalesce(market, '') AS market, count(*) AS n FROM explanation GROUP BY 1, 2, 3)
  SELECT 1 FROM (SELECT * FROM told EXCEPT SELECT * FROM true_ones)
  UNION ALL SELECT 1 FROM (SELECT * FROM true_ones EXCEPT SELECT * FROM told) LIMIT 1`);

/** Whether the counts by state, day and market are those of the rows, once all are indexed. */
export function areCountsSound(reader: LedgerReader): boolean {
  return reader.first(miscounted()) === undefined;
}

/** Indexes and counts every explanation that is not yet indexed. */
export function indexReceived(tx: LedgerTransaction): void {
  if (tx.run(indexRows()) === 0) return;
  tx.run(countRows());
  tx.run(indexedAll());
}
