/**
 * In which explanations a screening has found which forbidden word: counted for the Compliance Policy, and the
 * way to the list behind a count. Kept from the records of the screenings, which name at most a hundred hits each.
 */
import { sqlite, statement, type LedgerReader, type LedgerTransaction } from './ledger.ts';
import type { Screened } from './screenings.ts';

const insertHit = statement<[{ word: string; explanation: string }]>(`
  INSERT OR IGNORE INTO word_hit (word_id, received_at, explanation_id)
  SELECT @word, received_at, id FROM explanation WHERE id = @explanation`);

/** Keeps what a screening has found. Most find nothing, and then this costs nothing. */
export function recordWordHits(tx: LedgerTransaction, explanation: string, { checks }: Screened): void {
  const words = new Set(checks.flatMap(({ hits }) => hits.map(({ wordId }) => wordId)));
  for (const word of words) tx.run(insertHit({ word, explanation }));
}

/** When explanations came in: from the one instant on, and before the other. */
export interface ReceivedWithin {
  receivedFrom?: string;
  receivedBefore?: string;
}

export interface WordCount {
  wordId: string;
  /** Explanations in which it was found. */
  explanations: number;
  /** When the last of them came in. */
  lastReceivedAt: string;
}

/** The words that were found at all, most often found first. */
export function wordCounts(reader: LedgerReader, { receivedFrom, receivedBefore }: ReceivedWithin): WordCount[] {
  let query = sqlite
    .selectFrom('word_hit')
    .select((eb) => [
      'word_id as wordId',
      eb.fn.countAll<number>().as('explanations'),
      eb.fn.max('received_at').as('lastReceivedAt'),
    ])
    .groupBy('word_id')
    .orderBy('explanations', 'desc')
    .orderBy('word_id');
  if (receivedFrom !== undefined) query = query.where('received_at', '>=', receivedFrom);
  if (receivedBefore !== undefined) query = query.where('received_at', '<', receivedBefore);
  return reader.all(query);
}
