/**
 * The forbidden words that screenings found in explanations: counted for the Compliance Policy, with the list behind
 * each count. Kept from the records of the screenings, which name at most a hundred hits each.
 */
import { sql } from 'kysely';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { Screened } from './screenings.ts';
import type { WordHitTable } from '../storage/tables.ts';

const insertHit = prepared(
  (word: string, explanation: string) => sql`
  INSERT OR IGNORE INTO word_hit (word_id, received_at, explanation_id)
  SELECT ${word}, received_at, id FROM explanation WHERE id = ${explanation}`,
);

/** Stores the words that a screening found. Most screenings find none and cost nothing here. */
export function recordWordHits(tx: LedgerTransaction, explanation: string, { checks }: Screened): void {
  const words = new Set(checks.flatMap(({ hits }) => hits.map(({ wordId }) => wordId)));
  for (const word of words) tx.run(insertHit(word, explanation));
}

const movedHits = prepared(
  (explanation: string, from: string, to: string) => sql`
  UPDATE word_hit SET received_at = ${to} WHERE explanation_id = ${explanation} AND received_at = ${from} AND word_id IN (
    SELECT json_extract(hit.value, '$.wordId') FROM screening, json_each(screening.checks) AS one,
      json_each(one.value, '$.hits') AS hit WHERE screening.explanation_id = ${explanation})`,
);

/** An explanation counts at another time: its record came again. */
export function moveWordHits(tx: LedgerTransaction, explanation: string, from: string, to: string): void {
  if (from !== to) tx.run(movedHits(explanation, from, to));
}

const told = sql`
  SELECT DISTINCT json_extract(hit.value, '$.wordId') AS word_id, explanation.received_at, explanation.id AS explanation_id
  FROM screening JOIN explanation ON explanation.id = screening.explanation_id,
    json_each(screening.checks) AS one, json_each(one.value, '$.hits') AS hit
  WHERE instr(screening.checks, '"wordId"') > 0 AND json_valid(screening.checks)`;
const missingHits = sql<WordHitTable>`${told} EXCEPT SELECT word_id, received_at, explanation_id FROM word_hit`;
const strayHits = sql<WordHitTable>`SELECT word_id, received_at, explanation_id FROM word_hit
  WHERE EXISTS (SELECT 1 FROM explanation WHERE explanation.id = word_hit.explanation_id) EXCEPT ${told}`;

/** The differences between the stored hits and the screenings. */
export function wordHitFaults(reader: LedgerReader): { missing: WordHitTable[]; stray: WordHitTable[] } {
  return { missing: reader.all(missingHits), stray: reader.all(strayHits) };
}

const putHit = prepared(({ word_id, received_at, explanation_id }: WordHitTable) =>
  sqlite.insertInto('word_hit').orIgnore().values({ word_id, received_at, explanation_id }),
);
const dropHit = prepared(({ word_id, received_at, explanation_id }: WordHitTable) =>
  sqlite.deleteFrom('word_hit').where((eb) => eb.and({ word_id, received_at, explanation_id })),
);

export function correctWordHit(tx: LedgerTransaction, row: WordHitTable, is: 'missing' | 'stray'): void {
  tx.run(is === 'missing' ? putHit(row) : dropHit(row));
}

/** The time range of receipt: from the one instant on, and before the other. */
export interface ReceivedWithin {
  receivedFrom?: string;
  receivedBefore?: string;
}

export interface WordCount {
  wordId: string;
  /** Explanations with the word. */
  explanations: number;
  /** When the last of them came in. */
  lastReceivedAt: string;
  /** Those of them whose hit a reviewer has dismissed. */
  dismissed: number;
}

/** Leaps from word to word and reads the hits of the range alone: a ledger of years has hundreds of thousands. */
const countedWithin = prepared(
  (from: string, before: string) => sql<WordCount>`
  WITH RECURSIVE word (id) AS (
    SELECT min(word_id) FROM word_hit
    UNION ALL SELECT (SELECT min(word_id) FROM word_hit WHERE word_id > word.id) FROM word WHERE word.id IS NOT NULL)
  SELECT word.id AS wordId, count(*) AS explanations, max(word_hit.received_at) AS lastReceivedAt,
    count(dismissed_hit.word_id) AS dismissed
  FROM word CROSS JOIN word_hit
    ON word_hit.word_id = word.id AND word_hit.received_at >= ${from} AND word_hit.received_at < ${before}
  LEFT JOIN dismissed_hit
    ON dismissed_hit.explanation_id = word_hit.explanation_id AND dismissed_hit.word_id = word_hit.word_id
  GROUP BY word.id ORDER BY explanations DESC, wordId`,
);

/** Later than every time. */
const NEVER = '~';

/** The words that were found at all, the most frequent first. */
export const wordCounts = (
  reader: LedgerReader,
  { receivedFrom = '', receivedBefore = NEVER }: ReceivedWithin,
): WordCount[] => reader.all(countedWithin(receivedFrom, receivedBefore));
