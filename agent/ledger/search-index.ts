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

const countWaiting = statement<[]>(`
  INSERT INTO explanation_since (status, day, n)
  SELECT status, substr(status_since, 1, 10), count(*) FROM explanation
  WHERE number > (SELECT indexed_to FROM search_progress) GROUP BY 1, 2
  ON CONFLICT DO UPDATE SET n = n + excluded.n`);

const numberDays = statement<[]>(`
  INSERT INTO explanation_day (trade_date, first_number, last_number)
  SELECT trade_date, min(number), max(number) FROM explanation
  WHERE number > (SELECT indexed_to FROM search_progress) GROUP BY 1
  ON CONFLICT DO UPDATE SET
    first_number = min(first_number, excluded.first_number), last_number = max(last_number, excluded.last_number)`);

const COUNTS = ['explanation_count', 'explanation_since', 'explanation_day'];
const countsOfNone = COUNTS.map((table) => statement<[]>(`DELETE FROM ${table}`));

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
  tx.run(nothingIndexed());
  for (const none of countsOfNone) tx.run(none());
  countNew(tx);
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

const miscounted = [
  {
    told: 'SELECT status, trade_date, market, n FROM explanation_count WHERE n > 0',
    counted: "SELECT status, trade_date, coalesce(market, ''), count(*) FROM explanation GROUP BY 1, 2, 3",
  },
  {
    told: 'SELECT status, day, n FROM explanation_since WHERE n > 0',
    counted: 'SELECT status, substr(status_since, 1, 10), count(*) FROM explanation GROUP BY 1, 2',
  },
].map(({ told, counted }) =>
  statement<[]>(`SELECT 1 FROM (SELECT * FROM (${told}) EXCEPT SELECT * FROM (${counted}))
    UNION ALL SELECT 1 FROM (SELECT * FROM (${counted}) EXCEPT SELECT * FROM (${told})) LIMIT 1`),
);

/** A day whose rows lie outside of what is told of it. More than there is does no harm. */
const misnumbered = statement<[]>(`
  SELECT 1 FROM (SELECT trade_date, min(number) AS first_one, max(number) AS last_one FROM explanation GROUP BY 1) AS rows_of
  WHERE NOT EXISTS (SELECT 1 FROM explanation_day AS told WHERE told.trade_date = rows_of.trade_date
    AND told.first_number <= rows_of.first_one AND told.last_number >= rows_of.last_one) LIMIT 1`);

/** Whether what is kept by state, day and market is that of the rows, once all are indexed. */
export function areCountsSound(reader: LedgerReader): boolean {
  return [...miscounted, misnumbered].every((fault) => reader.first(fault()) === undefined);
}

/** Indexes and counts every explanation that is not yet indexed. */
export function indexReceived(tx: LedgerTransaction): void {
  if (tx.run(indexRows()) === 0) return;
  countNew(tx);
}

function countNew(tx: LedgerTransaction): void {
  tx.run(countRows());
  tx.run(countWaiting());
  tx.run(numberDays());
  tx.run(indexedAll());
}
