/** The demo's pipeline while the cloud runs: the past days, then today as time passes. */
import { readFileSync } from 'node:fs';
import { kstDate } from '../../../shared/time/kst.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Store } from '../../store/open.ts';
import { addDays } from '../generation/calendar.ts';
import { readInstruments } from '../generation/reader.ts';
import { sleep } from '../sleep.ts';
import { Day, type World } from './day.ts';
import { generateQueues } from './control-plane.ts';
import { changedRows, writeRows, type LedgerRows } from './rows.ts';
import { generateDay } from './generate-day.ts';

export interface PipelineParts {
  store: Store;
  clock: Clock;
  world: World;
  /** The number of past days. */
  daysBehind: number;
  paceMs: number;
  /** Waits, and ends early when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Called with the error of a row that could not be written; the next turn retries it. */
  failed(error: unknown): void;
}

/** The pause between two past days, for other work of the process. */
const BREATH_MS = 20;
/** After this many days a day no longer changes: its last change is the load after a long weekend. */
const SETTLED_DAYS = 5;

/** Runs until the signal is aborted. */
export async function runPipeline(parts: PipelineParts, signal: AbortSignal): Promise<void> {
  const told = new Map<string, LedgerRows>();
  let daysBehind = parts.daysBehind;
  while (!signal.aborted) {
    try {
      await writeDays(parts, daysBehind, told, signal);
      // Older days have been written, and stay.
      daysBehind = SETTLED_DAYS;
    } catch (error) {
      parts.failed(error);
    }
    await parts.sleep(parts.paceMs, signal);
  }
}

/** Today first: users look at it. */
async function writeDays(
  { store, world, clock, sleep: wait }: PipelineParts,
  daysBehind: number,
  told: Map<string, LedgerRows>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const today = kstDate(now);
  for (let back = 0; back <= daysBehind && !signal.aborted; back += 1) {
    const date = addDays(today, -back);
    const rows = generateDay(date, world, now);
    await writeRows(store, changedRows(told.get(date) ?? new Map(), rows), signal);
    if (back <= SETTLED_DAYS) told.set(date, rows);
    // Queues belong to no day: only the present values exist.
    if (back === 0)
      await writeRows(store, new Map([['message_queue', generateQueues(new Day(date, world, now))]]), signal);
    if (daysBehind > SETTLED_DAYS) await wait(BREATH_MS, signal);
  }
  for (const date of told.keys()) if (date < addDays(today, -SETTLED_DAYS)) told.delete(date);
}

/** The seed of all randomness of the demo's pipeline: a restart makes the same days. */
const SEED = 'causeway-demo';
/** Two weeks and a half: ten trading days, with any holidays among them. */
const LEAST_DAYS_BEHIND = 17;
const PACE_MS = 15_000;

/** The ETFs of the demo as the pipeline knows them. */
export function demoWorld(seed = SEED): World {
  const file = new URL('../etfs.jsonl', import.meta.url);
  return { seed, etfs: readInstruments('etfs.jsonl', readFileSync(file, 'utf8')) };
}

/** Starts the demo's pipeline beside a serving cloud, with the past weeks. `stop` resolves after the last write. */
export function startDemoPipeline(
  store: Store,
  clock: Clock,
  failed: (error: unknown) => void,
  weeks = 0,
): { stop(): Promise<void> } {
  const stop = new AbortController();
  const daysBehind = Math.max(LEAST_DAYS_BEHIND, 7 * weeks);
  const parts = { store, clock, world: demoWorld(), daysBehind, paceMs: PACE_MS, sleep, failed };
  const ended = runPipeline(parts, stop.signal);
  return {
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}
