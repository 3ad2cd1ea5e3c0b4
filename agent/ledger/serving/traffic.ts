/**
 * The channels' requests, counted by minute (D20).
 *
 * Written out: one statement moves the sums of minutes to hours.
 */
import { sql } from 'kysely';
import { TRAFFIC_OUTCOMES, type Traffic, type TrafficOutcome } from '../../../shared/wire/console/console.ts';
import { sqlite, statement, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';

export interface TrafficCount {
  /** Minutes since 1970. */
  minute: number;
  /** Empty for a request without a valid key. */
  channel: string;
  outcome: TrafficOutcome;
  requests: number;
}

/** Adds counts to the stored ones. */
export function addTraffic(tx: LedgerTransaction, counts: readonly TrafficCount[]): void {
  for (const count of counts) {
    tx.run(
      sqlite
        .insertInto('traffic_minute')
        .values({ ...count })
        .onConflict((conflict) =>
          conflict
            .columns(['minute', 'channel', 'outcome'])
            .doUpdateSet((eb) => ({ requests: eb('traffic_minute.requests', '+', eb.ref('excluded.requests')) })),
        ),
    );
  }
}

const foldMinutes = statement<[before: number]>(`
  INSERT INTO traffic_hour (hour, channel, outcome, requests)
  SELECT minute / 60, channel, outcome, sum(requests) FROM traffic_minute WHERE minute < ? GROUP BY 1, 2, 3
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests`);
const dropMinutes = statement<[before: number]>('DELETE FROM traffic_minute WHERE minute < ?');

/** The age from which counts are kept by the hour: the dashboard asks for two days. */
const MINUTES_KEPT = 7 * 24 * 60;

/** Folds counts older than a week into hours. Returns the number of removed rows. */
export function rollUpTraffic(tx: LedgerTransaction, now: Date): number {
  // Whole hours only: the rest of an hour would be added to the stored one and could not be separated from it.
  const before = Math.floor((Math.floor(now.getTime() / 60_000) - MINUTES_KEPT) / 60) * 60;
  tx.run(foldMinutes(before));
  return tx.run(dropMinutes(before));
}

export interface TrafficTotal {
  channel: string;
  outcome: TrafficOutcome;
  requests: number;
}

const totals = statement<[], TrafficTotal>(`
  SELECT channel, outcome, sum(requests) AS requests FROM (
    SELECT channel, outcome, requests FROM traffic_minute
    UNION ALL SELECT channel, outcome, requests FROM traffic_hour
  ) GROUP BY 1, 2 ORDER BY 1, 2`);

/** The totals since the beginning. */
export const trafficTotals = (reader: LedgerReader): TrafficTotal[] => reader.all(totals());

const HOUR_MS = 3_600_000;
const HOURS = 24;

interface HourCount {
  hour: number;
  channel: string;
  outcome: TrafficOutcome;
  requests: number;
}

/** 24 hours by the hour, the current one last, beside the 24 before them (console API 2). */
export function trafficOfDay(reader: LedgerReader, now: Date): Traffic {
  const last = Math.floor(now.getTime() / HOUR_MS);
  const first = last - HOURS + 1;
  const counts = countsByHour(reader, first - HOURS, last);
  const today = counts.filter(({ hour }) => hour >= first);
  const before = counts.filter(({ hour }) => hour < first);
  const channels = [...new Set(today.map(({ channel }) => channel))].toSorted();
  return {
    from: instantOf(first),
    to: now.toISOString(),
    ...summed(today),
    dayBefore: summed(before),
    hours: Array.from({ length: HOURS }, (_, index) => {
      const hour = first + index;
      return {
        at: instantOf(hour),
        ...summed(today.filter((one) => one.hour === hour)),
        dayBefore: summed(before.filter((one) => one.hour === hour - HOURS)),
      };
    }),
    channels: channels.map((channel) => {
      const its = today.filter((one) => one.channel === channel);
      return { channel, ...summed(its), outcomes: byOutcome(its) };
    }),
    outcomes: byOutcome(today),
  };
}

/** A range of the table's primary key: minutes of two days at most. */
function countsByHour(reader: LedgerReader, from: number, to: number): HourCount[] {
  return reader.all(
    sqlite
      .selectFrom('traffic_minute')
      .select([sql<number>`minute / 60`.as('hour'), 'channel', 'outcome', sql<number>`sum(requests)`.as('requests')])
      .where('minute', '>=', from * 60)
      .where('minute', '<', (to + 1) * 60)
      .groupBy(['hour', 'channel', 'outcome']),
  );
}

const ANSWERS: readonly TrafficOutcome[] = ['SERVED', 'LISTED', 'NOT_FOUND'];

/** "No text" is an answer; every other result without a text is an error. */
function summed(counts: readonly HourCount[]): { requests: number; errors: number } {
  const sum = (of: readonly HourCount[]): number => of.reduce((total, { requests }) => total + requests, 0);
  return {
    requests: sum(counts),
    errors: sum(counts.filter(({ outcome }) => !ANSWERS.includes(outcome))),
  };
}

function byOutcome(counts: readonly HourCount[]): Record<TrafficOutcome, number> {
  const found = Object.fromEntries(TRAFFIC_OUTCOMES.map((outcome) => [outcome, 0])) as Record<TrafficOutcome, number>;
  for (const { outcome, requests } of counts) found[outcome] += requests;
  return found;
}

function instantOf(hour: number): string {
  return new Date(hour * HOUR_MS).toISOString();
}
