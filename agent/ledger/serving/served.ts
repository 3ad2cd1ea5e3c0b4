/**
 * How often each channel was given an explanation (D20), kept beside the traffic by minute.
 *
 * Written out: it runs for every explanation that a channel is given.
 */
import type { Served } from '../../../shared/wire/console/console.ts';
import { statement, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';

/** The requests of one channel for one explanation within a period. */
export interface ServedCount {
  id: string;
  channel: string;
  times: number;
  firstAt: Date;
  lastAt: Date;
}

const add = statement<[{ id: string; channel: string; times: number; firstAt: string; lastAt: string }]>(`
  INSERT INTO served_explanation (explanation_id, channel, times, first_at, last_at)
  VALUES (@id, @channel, @times, @firstAt, @lastAt)
  ON CONFLICT (explanation_id, channel) DO UPDATE SET
    times = times + excluded.times, first_at = min(first_at, excluded.first_at),
    last_at = max(last_at, excluded.last_at)`);

/** Adds counts to the stored ones. */
export function addServed(tx: LedgerTransaction, counts: Iterable<ServedCount>): void {
  for (const { firstAt, lastAt, ...count } of counts) {
    tx.run(add({ ...count, firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() }));
  }
}

const ofExplanation = statement<[id: string], Served>(`
  SELECT channel, times, first_at AS firstAt, last_at AS lastAt
  FROM served_explanation WHERE explanation_id = ? ORDER BY channel`);

/** By channel; a channel that never got it is absent. */
export function servedOf(reader: LedgerReader, id: string): Served[] {
  return reader.all(ofExplanation(id));
}
