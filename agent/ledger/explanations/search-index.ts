/**
 * The full-text index `explanation_search` (FTS5, trigram: it finds Korean inside words). Triggers keep it in step with
 * every change of an indexed row. New rows are indexed together, at the end of their transaction: FTS5 writes its
 * pending words out at every savepoint and at every statement of a trigger, so indexing row by row takes several times
 * as long. The counts by state, day and market (`explanation_count` and the like) and the places (`explanation_place`)
 * are kept in the same way.
 */
import { sql } from 'kysely';
import type { Ledger, LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

const reached = prepared(
  (most: number) => sql<{ upTo: number }>`
  SELECT max(number) AS upTo FROM (SELECT number FROM explanation
    WHERE number > (SELECT indexed_to FROM search_progress) ORDER BY number LIMIT ${most})`,
);

const COLUMNS = 'texts, evidence_titles';
const isNew = (upTo: number) => sql`number > (SELECT indexed_to FROM search_progress) AND number <= ${upTo}`;
const newRows = (upTo: number) => sql`FROM explanation WHERE ${isNew(upTo)}`;

const indexNew = [
  (upTo: number) => sql`INSERT INTO explanation_search (rowid, ${sql.raw(COLUMNS)})
    SELECT number, ${sql.raw(COLUMNS)} FROM explanation_text WHERE ${isNew(upTo)}`,
  (upTo: number) => sql`INSERT INTO explanation_count (status, trade_date, market, n)
    SELECT status, trade_date, coalesce(market, ''), count(*) ${newRows(upTo)} GROUP BY 1, 2, 3
    ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  (upTo: number) => sql`INSERT INTO explanation_since (status, day, n)
    SELECT status, substr(status_since, 1, 10), count(*) ${newRows(upTo)} GROUP BY 1, 2
    ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  (upTo: number) => sql`INSERT INTO explanation_day (trade_date, first_number, last_number)
    SELECT trade_date, min(number), max(number) ${newRows(upTo)} GROUP BY 1
    ON CONFLICT DO UPDATE SET
      first_number = min(first_number, excluded.first_number), last_number = max(last_number, excluded.last_number)`,
  // A row that was lost and has come again has its place on record already.
  (upTo: number) => sql`INSERT OR IGNORE INTO explanation_place (etf_ticker, day, explanation_id)
    SELECT etf_ticker, trade_date, id ${newRows(upTo)}`,
  (upTo: number) => sql`INSERT OR IGNORE INTO explanation_place (etf_ticker, day, explanation_id)
    SELECT etf_ticker, 'any', id ${newRows(upTo)} AND trade_date > date(received_at, '+1 day')`,
  (upTo: number) => sql`UPDATE search_progress SET indexed_to = ${upTo}`,
].map((build) => prepared(build));

/** The most rows that one transaction indexes: twice a batch of the Intake, so that it catches up. */
const MOST_ROWS = 4_000;

/** Indexes and counts the next unindexed explanations; false when all are indexed. */
export function indexReceived(tx: LedgerTransaction): boolean {
  const upTo = tx.first(reached(MOST_ROWS))?.upTo ?? null;
  if (upTo === null) return false;
  for (const each of indexNew) tx.run(each(upTo));
  return true;
}

/** Whether explanations wait to be indexed, after an interrupted rebuild. */
export function isIndexBehind(reader: LedgerReader): boolean {
  return (reader.first(reached(1))?.upTo ?? null) !== null;
}

/** Empties index and counts: `indexReceived` builds them again, piece by piece. */
export function forgetIndex(tx: LedgerTransaction): void {
  tx.run(sql`INSERT INTO explanation_search (explanation_search) VALUES ('delete-all')`);
  for (const counts of ['explanation_count', 'explanation_since', 'explanation_day'] as const)
    tx.run(sqlite.deleteFrom(counts));
  tx.run(sql`INSERT INTO search_progress (id, indexed_to) VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET indexed_to = 0`);
}

/** After a loss of the last rows, new rows get their numbers: those are not indexed yet. */
export function indexedRowsOnly(tx: LedgerTransaction): void {
  tx.run(
    sql`UPDATE search_progress SET indexed_to = min(indexed_to, (SELECT coalesce(max(number), 0) FROM explanation))`,
  );
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
const COMPARE = sql`INSERT INTO scratch.explanation_search (explanation_search, rank) VALUES ('integrity-check', 1)`;

/** Whether the index agrees with the rows. It checks a copy, so that no writer waits. */
export function isIndexSound(ledger: Ledger): boolean {
  return ledger.withScratch((execute) => {
    execute(COPY);
    try {
      execute(COMPARE.compile(sqlite).sql);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CORRUPT')) return false;
      throw error;
    }
  });
}

const INDEXED = sql`number <= (SELECT indexed_to FROM search_progress)`;

const miscounted = [
  {
    told: sql`SELECT status, trade_date, market, n FROM explanation_count WHERE n > 0`,
    counted: sql`SELECT status, trade_date, coalesce(market, ''), count(*) FROM explanation WHERE ${INDEXED} GROUP BY 1, 2, 3`,
  },
  {
    told: sql`SELECT status, day, n FROM explanation_since WHERE n > 0`,
    counted: sql`SELECT status, substr(status_since, 1, 10), count(*) FROM explanation WHERE ${INDEXED} GROUP BY 1, 2`,
  },
].map(
  ({ told, counted }) => sql`SELECT 1 FROM (SELECT * FROM (${told}) EXCEPT SELECT * FROM (${counted}))
    UNION ALL SELECT 1 FROM (SELECT * FROM (${counted}) EXCEPT SELECT * FROM (${told})) LIMIT 1`,
);

/** Finds a day with rows outside its stored range. A range that is too wide does no harm. */
const misnumbered = sql`
  SELECT 1 FROM (SELECT trade_date, min(number) AS first_one, max(number) AS last_one FROM explanation
    WHERE ${INDEXED} GROUP BY 1) AS rows_of
  WHERE NOT EXISTS (SELECT 1 FROM explanation_day AS told WHERE told.trade_date = rows_of.trade_date
    AND told.first_number <= rows_of.first_one AND told.last_number >= rows_of.last_one) LIMIT 1`;

/** Whether the counts by state, day and market agree with the indexed rows. */
export function areCountsSound(reader: LedgerReader): boolean {
  return [...miscounted, misnumbered].every((fault) => reader.first(fault) === undefined);
}
