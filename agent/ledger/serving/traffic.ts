/** The channels' requests, counted by minute (D20). */
import { sql } from 'kysely';
import { TRAFFIC_OUTCOMES, type Traffic, type TrafficOutcome } from '../../../shared/wire/console/console.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

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

const foldMinutes = (before: number) => sql`
  INSERT INTO traffic_hour (hour, channel, outcome, requests)
  SELECT minute / 60, channel, outcome, sum(requests) FROM traffic_minute WHERE minute < ${before} GROUP BY 1, 2, 3
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests`;

/** The age from which counts are kept by the hour, as the dashboard asks for them. */
const MINUTES_KEPT = 7 * 24 * 60;

/** Folds counts older than a week into hours. Returns the number of removed rows. */
export function rollUpTraffic(tx: LedgerTransaction, now: Date): number {
  // Whole hours only: the rest of an hour would be added to the stored one and could not be separated from it.
  const before = Math.floor((Math.floor(now.getTime() / 60_000) - MINUTES_KEPT) / 60) * 60;
  tx.run(foldMinutes(before));
  return tx.run(sqlite.deleteFrom('traffic_minute').where('minute', '<', before));
}

export interface TrafficTotal {
  channel: string;
  outcome: TrafficOutcome;
  requests: number;
}

const totals = prepared(
  () => sql<TrafficTotal>`
    SELECT channel, outcome, sum(requests) AS requests FROM (
      SELECT channel, outcome, requests FROM traffic_minute
      UNION ALL SELECT channel, outcome, requests FROM traffic_hour
    ) GROUP BY 1, 2 ORDER BY 1, 2`,
);

/** The totals since the beginning. */
export const trafficTotals = (reader: LedgerReader): TrafficTotal[] => reader.all(totals());

const HOUR_MS = 3_600_000;
const HOURS = 24;
const WEEK = 7 * HOURS;

interface HourCount {
  hour: number;
  channel: string;
  outcome: TrafficOutcome;
  requests: number;
}

type Counted = Omit<Traffic, 'marks' | 'now'>;

/**
 * 24 hours by the hour, the current one last, beside the 24 before them (console API 2) and the same of a week before
 * (D233).
 */
export function trafficOfDay(reader: LedgerReader, now: Date): Counted {
  const last = Math.floor(now.getTime() / HOUR_MS);
  const first = last - HOURS + 1;
  const hoursBefore = (hours: number): HourCount[] => reader.all(countsByHour(first - hours, last - hours));
  const [today, yesterday, aWeekAgo] = [hoursBefore(0), hoursBefore(HOURS), hoursBefore(WEEK)];
  const channels = [...new Set(today.map(({ channel }) => channel))].toSorted();
  return {
    from: instantOf(first),
    to: now.toISOString(),
    ...summed(today),
    dayBefore: summed(yesterday),
    weekBefore: summed(aWeekAgo),
    hours: Array.from({ length: HOURS }, (_, index) => {
      const hour = first + index;
      return {
        at: instantOf(hour),
        ...summed(today.filter((one) => one.hour === hour)),
        dayBefore: summed(yesterday.filter((one) => one.hour === hour - HOURS)),
        weekBefore: summed(aWeekAgo.filter((one) => one.hour === hour - WEEK)),
      };
    }),
    channels: channels.map((channel) => {
      const its = today.filter((one) => one.channel === channel);
      return { channel, ...summed(its), outcomes: byOutcome(its) };
    }),
    outcomes: byOutcome(today),
  };
}

/** Ranges of both primary keys. An hour whose minutes are folded has none of them left. */
const countsByHour = prepared(
  (from: number, to: number) => sql<HourCount>`
    SELECT minute / 60 AS hour, channel, outcome, sum(requests) AS requests FROM traffic_minute
      WHERE minute >= ${from} * 60 AND minute < (${to} + 1) * 60 GROUP BY 1, 2, 3
    UNION ALL SELECT hour, channel, outcome, requests FROM traffic_hour WHERE hour BETWEEN ${from} AND ${to}`,
);

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
