/**
 * Counts the channels' requests (D20): in memory by minute, channel and outcome, and served texts by explanation and
 * channel; a second later in the ledger. No request waits for a count: while another process writes, the counts add up
 * and are retried a moment later. After an error the retries slow down, to one every eight seconds.
 */
import type { Logger } from 'pino';
import type { Clock } from '../../shared/time/clock.ts';
import { kstDayNumber } from '../../shared/time/kst.ts';
import type { TrafficOutcome } from '../../shared/wire/console/console.ts';
import type { Ledger } from '../ledger/storage/ledger.ts';
import { addServed, type AnsweredState, type ServedCount } from '../ledger/serving/served.ts';
import { addTraffic, rollUpTraffic, type TrafficCount } from '../ledger/serving/traffic.ts';

const FLUSH_MS = 1_000;
/** A try that finds the ledger busy costs nothing. The Intake leaves the lock between two batches, a few ms each time. */
const BUSY_MS = 7;
/** The ledger is busy for this long before the log reports it. */
const BUSY_TOLD_MS = 60_000;
/** The number of times that the retry interval doubles after errors. */
const MOST_DOUBLINGS = 3;
const MINUTE_MS = 60_000;
/** The shortest interval between foldings of old counts. */
const ROLL_UP_MS = 3_600_000;

export interface TrafficParts {
  ledger: Pick<Ledger, 'tryWrite'>;
  clock: Clock;
  log: Pick<Logger, 'warn' | 'error'>;
  flushMs?: number;
}

/** An explanation that a request was served, and the state on record that the answer follows from. */
export type ServedState = AnsweredState & { id: string };

export class TrafficCounter {
  readonly #parts: TrafficParts;
  #counts = new Map<string, TrafficCount>();
  #served = new Map<string, ServedCount>();
  #timer: NodeJS.Timeout | null = null;
  #rolledUpAt = Number.NEGATIVE_INFINITY;
  /** Tries in a row that ended with an error. */
  #failures = 0;
  /** Since when every try has found the ledger busy. */
  #busySince: number | null = null;
  #isTold = false;

  constructor(parts: TrafficParts) {
    this.#parts = parts;
  }

  /** `channel` is empty for a request without a valid key. */
  count(channel: string, outcome: TrafficOutcome, served: readonly ServedState[] = []): void {
    const now = this.#parts.clock.now();
    for (const state of served) this.#countServed(channel, state, now);
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    const key = JSON.stringify([minute, channel, outcome]);
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { minute, channel, outcome, requests: 1 });
    else known.requests++;
    this.#flushLater();
  }

  /** Writes the counts. False when the ledger could not be written: the counts stay and are retried. */
  flush(): boolean {
    if (this.#counts.size === 0) return true;
    try {
      const now = this.#parts.clock.now();
      const isDue = Math.abs(now.getTime() - this.#rolledUpAt) >= ROLL_UP_MS;
      const written = this.#parts.ledger.tryWrite((tx) => {
        addTraffic(tx, [...this.#counts.values()]);
        addServed(tx, this.#served.values());
        if (isDue) rollUpTraffic(tx, now);
      });
      if (written === null) {
        this.#busySince ??= now.getTime();
        if (now.getTime() - this.#busySince >= BUSY_TOLD_MS)
          this.#tell(new Error('another process keeps the ledger busy'));
        this.#flushLater(BUSY_MS);
        return false;
      }
      if (isDue) this.#rolledUpAt = now.getTime();
    } catch (error) {
      this.#tell(error);
      this.#failures += 1;
      this.#flushLater();
      return false;
    }
    this.#failures = 0;
    this.#busySince = null;
    this.#isTold = false;
    this.#counts.clear();
    this.#served.clear();
    return true;
  }

  /** Writes the last counts, with retries for `patienceMs`; the log reports the counts that remain. */
  async close(patienceMs: number): Promise<void> {
    const end = performance.now() + patienceMs;
    while (!this.flush()) {
      if (performance.now() > end) {
        this.#parts.log.error(
          { counts: [...this.#counts.values()], served: [...this.#served.values()] },
          'counts of requests could not be written to the ledger and are lost',
        );
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Once, until the counts are written. */
  #tell(err: unknown): void {
    if (!this.#isTold)
      this.#parts.log.warn({ err }, 'the ledger cannot be written now; counts of requests are kept and tried again');
    this.#isTold = true;
  }

  #countServed(channel: string, state: ServedState, now: Date): void {
    // Neither an id nor the name of a channel holds a line end.
    const key = `${channel}\n${state.id}\n${state.afterMove}\n${state.afterFact}\n${kstDayNumber(now)}`;
    const known = this.#served.get(key);
    if (known === undefined) this.#served.set(key, { ...state, channel, times: 1, firstAt: now, lastAt: now });
    else {
      known.times++;
      known.lastAt = now;
    }
  }

  #flushLater(soonestMs = Number.POSITIVE_INFINITY): void {
    const laterMs = (this.#parts.flushMs ?? FLUSH_MS) * 2 ** Math.min(this.#failures, MOST_DOUBLINGS);
    const ms = Math.min(soonestMs, laterMs);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.flush();
    }, ms);
  }
}
