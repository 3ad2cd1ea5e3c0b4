/**
 * Pulls that wait for news (D223). A notification says that some tenant has records; one statement then tells who of all
 * waiting has, and each of these asks again by itself, as if it had just come.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../shared/time/clock.ts';
import { whenOver } from '../../shared/service/http/when-over.ts';
import { NEWS_CHANNEL } from '../publication/fan-out.ts';
import type { WaitEnd } from '../operations/metrics.ts';
import type { Listening } from '../store/listening.ts';
import type { Store } from '../store/open.ts';
import { AWAKE } from './certificate-sql.ts';

/** In milliseconds. */
export interface WaitPace {
  /** One second of a preference. */
  second: number;
  /** For how long a NEW gathers others, so that a burst becomes one bundle. */
  gather: number;
  /** Between two looks without a notification. */
  look: number;
}

const PACE: WaitPace = { second: 1_000, gather: 250, look: 15_000 };
/** Answered in one turn of the process; other requests come between. */
const ONE_TURN = 64;

interface Waiting {
  tenantId: number;
  /** Of its certificate. */
  fingerprint: string;
  after: number;
}

interface Waiter extends Waiting {
  end(why: WaitEnd): void;
}

export interface WaitingParts {
  store: Store;
  clock: Clock;
  ended(why: WaitEnd): void;
  /** A look failed; the next one comes by itself. */
  failed(error: unknown): void;
  pace?: Partial<WaitPace>;
}

export class WaitingPulls {
  readonly #parts: WaitingParts;
  readonly #pace: WaitPace;
  readonly #waiters = new Map<number, Waiter>();
  /** How often something was told. */
  #told = 0;
  #listening: Listening | null = null;
  #every: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #isDue = false;
  #isStopped = false;

  constructor(parts: WaitingParts) {
    this.#parts = parts;
    this.#pace = { ...PACE, ...parts.pace };
  }

  get count(): number {
    return this.#waiters.size;
  }

  /** To be taken before the pull looks for records: what is told from here on is not missed by `hold`. */
  mark(): number {
    return this.#told;
  }

  /** Returns when the pull is to be answered. */
  hold(waiting: Waiting, seconds: number, mark: number, response: ServerResponse): Promise<WaitEnd> {
    if (this.#isStopped) return Promise.resolve('STOPPING');
    this.#begin();
    const { promise, resolve } = Promise.withResolvers<WaitEnd>();
    const { tenantId } = waiting;
    const late = setTimeout(() => waiter.end('TIME'), seconds * this.#pace.second);
    let isOver = false;
    const waiter: Waiter = {
      ...waiting,
      end: (why) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(late);
        if (this.#waiters.get(tenantId) === waiter) this.#waiters.delete(tenantId);
        this.#parts.ended(why);
        resolve(why);
      },
    };
    this.#waiters.get(tenantId)?.end('DISPLACED');
    this.#waiters.set(tenantId, waiter);
    whenOver(response, () => waiter.end('GONE'));
    if (mark !== this.#told) this.#look();
    return promise;
  }

  /** Ends all waits, and those that come from here on. */
  endAll(): void {
    this.#isStopped = true;
    clearInterval(this.#every);
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    for (const waiter of this.#waiters.values()) waiter.end('STOPPING');
  }

  /** After `endAll`: returns when nothing asks the store any more. */
  async stopped(): Promise<void> {
    await Promise.all([this.#listening?.stop(), this.#looking]);
  }

  /** With the first waiting pull: a cloud without any has no such connection. */
  #begin(): void {
    if (this.#listening !== null) return;
    this.#every = setInterval(() => this.#look(), this.#pace.look).unref();
    this.#listening = this.#parts.store.listen(NEWS_CHANNEL, {
      heard: (kind) => {
        this.#told += 1;
        if (kind === 'NEW') this.#gathering ??= setTimeout(() => this.#look(), this.#pace.gather);
        else this.#look();
      },
      missed: () => {
        this.#told += 1;
        this.#look();
      },
    });
  }

  /** Looks now, or once more after the look that has begun. */
  #look(): void {
    this.#isDue = true;
    this.#looking ??= this.#lookWhileDue().finally(() => (this.#looking = null));
  }

  async #lookWhileDue(): Promise<void> {
    while (this.#isDue && !this.#isStopped) {
      this.#isDue = false;
      if (this.#gathering !== null) clearTimeout(this.#gathering);
      this.#gathering = null;
      await this.#wake().catch((error: unknown) => this.#parts.failed(error));
    }
  }

  async #wake(): Promise<void> {
    const waiters = [...this.#waiters.values()];
    if (waiters.length === 0) return;
    const values = [
      `{${waiters.map(({ fingerprint }) => fingerprint).join()}}`,
      `{${waiters.map(({ after }) => after).join()}}`,
      this.#parts.clock.now(),
    ];
    const rows = await this.#parts.store.prepared<{ place: number }>(AWAKE.name, AWAKE.text, values);
    for (const [index, { place }] of rows.entries()) {
      if (index % ONE_TURN === 0) await nextTurn();
      waiters[place - 1]?.end('NEWS');
    }
  }
}
