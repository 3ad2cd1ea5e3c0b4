/**
 * The full-text index `explanation_search` (FTS5, trigram: it finds Korean inside words). Triggers keep it in step with
 * every change of an indexed row. New rows are indexed together, at the end of their transaction: FTS5 writes its
 * pending words out at every savepoint and at every statement of a trigger, so indexing row by row takes several times
 * as long. The counts by state, day and market (`explanation_count` and the like) and the places (`explanation_place`)
 * are kept in the same way.
 *
 * Written out: the builder has no words for FTS5, and rows are indexed by the thousand.
 */
import type { Ledger, LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { statement } from '../storage/query.ts';

const reached = statement<[most: number], { upTo: number }>(`
  SELECT max(number) AS upTo FROM (SELECT number FROM explanation
    WHERE number > (SELECT indexed_to FROM search_progress) ORDER BY number LIMIT ?)`);

const COLUMNS = 'texts, evidence_titles';
const indexRows = statement<[{ upTo: number }]>(`
  INSERT INTO explanation_search (rowid, ${COLUMNS})
  SELECT number, ${COLUMNS} FROM explanation_text
  WHERE number > (SELECT indexed_to FROM search_progress) AND number <= @upTo`);

const NEW_ROWS = 'FROM explanation WHERE number > (SELECT indexed_to FROM search_progress) AND number <= @upTo';
const countNew = [
  `INSERT INTO explanation_count (status, trade_date, market, n)
    SELECT status, trade_date, coalesce(market, ''), count(*) ${NEW_ROWS} GROUP BY 1, 2, 3
    ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  `INSERT INTO explanation_since (status, day, n)
    SELECT status, substr(status_since, 1, 10), count(*) ${NEW_ROWS} GROUP BY 1, 2
    ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  `INSERT INTO explanation_day (trade_date, first_number, last_number)
    SELECT trade_date, min(number), max(number) ${NEW_ROWS} GROUP BY 1
    ON CONFLICT DO UPDATE SET
      first_number = min(first_number, excluded.first_number), last_number = max(last_number, excluded.last_number)`,
].map((sql) => statement<[{ upTo: number }]>(sql));

/** A row that was lost and has come again has its place on record already. */
const keepPlaces = [
  `SELECT etf_ticker, trade_date, id ${NEW_ROWS}`,
  `SELECT etf_ticker, 'any', id ${NEW_ROWS} AND trade_date > date(received_at, '+1 day')`,
].map((rows) =>
  statement<[{ upTo: number }]>(`INSERT OR IGNORE INTO explanation_place (etf_ticker, day, explanation_id) ${rows}`),
);

const indexedUpTo = statement<[{ upTo: number }]>('UPDATE search_progress SET indexed_to = @upTo');

/** The most rows that one transaction indexes: twice a batch of the Intake, so that it catches up. */
const MOST_ROWS = 4_000;

/** Indexes and counts the next unindexed explanations; false when all are indexed. */
export function indexReceived(tx: LedgerTransaction): boolean {
  const upTo = tx.first(reached(MOST_ROWS))?.upTo ?? null;
  if (upTo === null) return false;
  tx.run(indexRows({ upTo }));
  for (const each of [...countNew, ...keepPlaces]) tx.run(each({ upTo }));
  tx.run(indexedUpTo({ upTo }));
  return true;
}

/** Whether explanations wait to be indexed, after an interrupted rebuild. */
export function isIndexBehind(reader: LedgerReader): boolean {
  return (reader.first(reached(1))?.upTo ?? null) !== null;
}

const forgetAll = statement<[]>(`INSERT INTO explanation_search (explanation_search) VALUES ('delete-all')`);
const countNone = ['explanation_count', 'explanation_since', 'explanation_day'].map((table) =>
  statement<[]>(`DELETE FROM ${table}`),
);
const nothingIndexed = statement<[]>(`
  INSERT INTO search_progress (id, indexed_to) VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET indexed_to = 0`);

/** Empties index and counts: `indexReceived` builds them again, piece by piece. */
export function forgetIndex(tx: LedgerTransaction): void {
  tx.run(forgetAll());
  for (const none of countNone) tx.run(none());
  tx.run(nothingIndexed());
}

const endWithRows = statement<[]>(`
  UPDATE search_progress SET indexed_to = min(indexed_to, (SELECT coalesce(max(number), 0) FROM explanation))`);

/** After a loss of the last rows, new rows get their numbers: those are not indexed yet. */
export function indexedRowsOnly(tx: LedgerTransaction): void {
  tx.run(endWithRows());
}

/** A copy of the index and of its rows, in the scratch database. */
const COPY = `
  CREATE TABLE scratch.explanation_text (number INTEGER PRIMARY KEY, ${COLUMNS});
  CREATE VIRTUAL TABLE scratch.explanation_search USING fts5(${COLUMNS},
    content='explanation_text', content_rowid='number', tokenize='trigram', columnsize=0);
  BEGIN;
  INSERT INTO scratch.explanation_text SELECT * FROM main.explanation_text
    WHERE number <= (SELECT indexed_to FROM main.search_progress);
  DELETE FROM scratch.explanation_search_data;
  INSERT INTO scratch.explanation_search_data SELECT * FROM main.explanation_search_data;
  DELETE FROM scratch.explanation_search_idx;
  INSERT INTO scratch.explanation_search_idx SELECT * FROM main.explanation_search_idx;
  COMMIT;
  -- FTS5 remembers its tables as it made them until a change is taken back.
  BEGIN; INSERT INTO scratch.explanation_search (rowid, texts) VALUES (-1, 'abc'); ROLLBACK;`;
const COMPARE = `INSERT INTO scratch.explanation_search (explanation_search, rank) VALUES ('integrity-check', 1)`;

/** Whether the index agrees with the rows. It checks a copy, so that no writer waits. */
export function isIndexSound(ledger: Ledger): boolean {
  return ledger.withScratch((execute) => {
    execute(COPY);
    try {
      execute(COMPARE);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CORRUPT')) return false;
      throw error;
    }
  });
}

const INDEXED = 'number <= (SELECT indexed_to FROM search_progress)';

const miscounted = [
  {
    told: 'SELECT status, trade_date, market, n FROM explanation_count WHERE n > 0',
    counted: `SELECT status, trade_date, coalesce(market, ''), count(*) FROM explanation WHERE ${INDEXED} GROUP BY 1, 2, 3`,
  },
  {
    told: 'SELECT status, day, n FROM explanation_since WHERE n > 0',
    counted: `SELECT status, substr(status_since, 1, 10), count(*) FROM explanation WHERE ${INDEXED} GROUP BY 1, 2`,
  },
].map(({ told, counted }) =>
  statement<[]>(`SELECT 1 FROM (SELECT * FROM (${told}) EXCEPT SELECT * FROM (${counted}))
    UNION ALL SELECT 1 FROM (SELECT * FROM (${counted}) EXCEPT SELECT * FROM (${told})) LIMIT 1`),
);

/** Finds a day with rows outside its stored range. A range that is too wide does no harm. */
const misnumbered = statement<[]>(`
  SELECT 1 FROM (SELECT trade_date, min(number) AS first_one, max(number) AS last_one FROM explanation
    WHERE ${INDEXED} GROUP BY 1) AS rows_of
  WHERE NOT EXISTS (SELECT 1 FROM explanation_day AS told WHERE told.trade_date = rows_of.trade_date
    AND told.first_number <= rows_of.first_one AND told.last_number >= rows_of.last_one) LIMIT 1`);

/** Whether the counts by state, day and market agree with the indexed rows. */
export function areCountsSound(reader: LedgerReader): boolean {
  return [...miscounted, misnumbered].every((fault) => reader.first(fault()) === undefined);
}
