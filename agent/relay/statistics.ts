/** The relay's counts for `GET /status`. Kept in memory alone: they restart with the process (D39). */
import type { Clock } from '../../shared/time/clock.ts';
import type { RelayStatus } from '../../shared/wire/relay.ts';

/** One pull in progress; its end calls exactly one of these methods. */
export interface PullRecord {
  /** The answer was forwarded whole. Returns the time since the pull began, in ms. */
  relayed(status: number, bytes: number): number;
  failed(message: string): void;
  cut(message: string): void;
  abandoned(): void;
}

export class Statistics {
  readonly #clock: Clock;
  readonly #told: Pick<RelayStatus, 'startedAt' | 'lastAnswer' | 'lastFailure' | 'counts'>;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#told = {
      startedAt: this.#now(),
      lastAnswer: null,
      lastFailure: null,
      counts: { pulls: 0, relayed: 0, failed: 0, cut: 0, abandoned: 0, refused: 0, bytes: 0 },
    };
  }

  snapshot(): Pick<RelayStatus, 'startedAt' | 'lastAnswer' | 'lastFailure' | 'counts'> {
    return { ...this.#told, counts: { ...this.#told.counts } };
  }

  refused(): void {
    this.#told.counts.refused += 1;
  }

  pull(): PullRecord {
    const { counts } = this.#told;
    const began = performance.now();
    counts.pulls += 1;
    return {
      relayed: (status, bytes) => {
        const ms = Math.round((performance.now() - began) * 10) / 10;
        counts.relayed += 1;
        counts.bytes += bytes;
        this.#told.lastAnswer = { at: this.#now(), status, bytes, ms };
        return ms;
      },
      failed: (message) => {
        counts.failed += 1;
        this.#told.lastFailure = { at: this.#now(), message };
      },
      cut: (message) => {
        counts.cut += 1;
        this.#told.lastFailure = { at: this.#now(), message };
      },
      abandoned: () => {
        counts.abandoned += 1;
      },
    };
  }

  #now(): string {
    return this.#clock.now().toISOString();
  }
}
