/**
 * The full-text index `explanation_search` (FTS5, trigram: it finds Korean inside words). Triggers keep it in
 * step with every change of an indexed row. Rows that have come in are put into it together, at the end of
 * the transaction that took them in: FTS5 writes its pending words out at every savepoint and for every
 * statement that a trigger belongs to, so that indexing row by row takes several times as long.
 */
import { statement, type LedgerTransaction } from './ledger.ts';

const indexRows = statement<[]>(`
  INSERT INTO explanation_search (rowid, etf_ticker, etf_name, summary, shown_text)
  SELECT number, etf_ticker, etf_name, summary, shown_text FROM explanation_text
  WHERE number > (SELECT indexed_to FROM search_progress)`);

const indexedAll = statement<[]>(
  'UPDATE search_progress SET indexed_to = (SELECT coalesce(max(number), 0) FROM explanation)',
);

/** Indexes every explanation that is not yet indexed. */
export function indexReceived(tx: LedgerTransaction): void {
  if (tx.run(indexRows()) > 0) tx.run(indexedAll());
}
