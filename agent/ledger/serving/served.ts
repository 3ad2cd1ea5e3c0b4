/**
 * How often each channel was served an explanation (D20), kept beside the traffic by minute. A count covers one Korean
 * day at most, and answers that followed from one state on record (D181).
 */
import { sql } from 'kysely';
import type { Served } from '../../../shared/wire/console/console.ts';
import { kstDayNumber } from '../../../shared/time/kst.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';

/** The state on record that an answer follows from: the latest rows about the explanation. */
export interface AnsweredState {
  /** Id in `state_history`. */
  afterMove: number;
  /** Number in `serving_fact`. */
  afterFact: number;
}

/** The requests of one channel for one explanation, of one Korean day and one state. */
export interface ServedCount extends AnsweredState {
  id: string;
  channel: string;
  times: number;
  firstAt: Date;
  lastAt: Date;
}

/** A count as it is kept. */
export interface ServedPeriod extends Served, AnsweredState {}

type Row = Omit<ServedCount, 'firstAt' | 'lastAt'> & { day: number; firstAt: string; lastAt: string };
const add = prepared(
  ({ id, channel, day, afterMove, afterFact, times, firstAt, lastAt }: Row) => sql`
    INSERT INTO served_period (explanation_id, channel, day, after_move, after_fact, times, first_at, last_at)
    VALUES (${id}, ${channel}, ${day}, ${afterMove}, ${afterFact}, ${times}, ${firstAt}, ${lastAt})
    ON CONFLICT DO UPDATE SET
      times = times + excluded.times, first_at = min(first_at, excluded.first_at),
      last_at = max(last_at, excluded.last_at)`,
);

/** Adds counts to the stored ones. */
export function addServed(tx: LedgerTransaction, counts: Iterable<ServedCount>): void {
  for (const { firstAt, lastAt, ...count } of counts) {
    const times = { firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
    tx.run(add({ ...count, day: kstDayNumber(firstAt), ...times }));
  }
}

const periods = prepared(
  (id: string) => sql<ServedPeriod>`
    SELECT channel, after_move AS afterMove, after_fact AS afterFact, times, first_at AS firstAt, last_at AS lastAt
    FROM served_period WHERE explanation_id = ${id} ORDER BY channel, day, after_move, after_fact`,
);

/** The counts of an explanation, by channel and time. */
export const servedPeriods = (reader: LedgerReader, id: string): ServedPeriod[] => reader.all(periods(id));

/** The sums by channel; a channel that never got it is absent. */
export function byChannel(served: readonly ServedPeriod[]): Served[] {
  const sums = new Map<string, Served>();
  for (const { channel, times, firstAt, lastAt } of served) {
    const sum = sums.get(channel);
    if (sum === undefined) sums.set(channel, { channel, times, firstAt, lastAt });
    else {
      sum.times += times;
      if (firstAt < sum.firstAt) sum.firstAt = firstAt;
      if (lastAt > sum.lastAt) sum.lastAt = lastAt;
    }
  }
  return [...sums.values()];
}

/** By channel; a channel that never got it is absent. */
export const servedOf = (reader: LedgerReader, id: string): Served[] => byChannel(servedPeriods(reader, id));
