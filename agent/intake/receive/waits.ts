/**
 * When the Intake asks again (D122, D223). It may wait at the cloud for news: then the next pull follows the last one at
 * once, provided that the wait was real. All times are the host's own and monotonic, so no clock of either side and no
 * header of an answer can make a loop.
 */

/**
 * `AT_ONCE`: more records wait. `WAITING`: at once too, to wait for news. `SOON`: after a wait that broke off. `PERIOD`:
 * after the period, and not before `notBeforeMs`.
 */
export type Next =
  | { when: 'AT_ONCE' }
  | { when: 'WAITING' }
  | { when: 'SOON'; ms: number }
  | { when: 'PERIOD'; notBeforeMs: number };

/**
 * The wait before the next pull: the period, give or take a tenth of it, so that tenants spread out. Never shorter than
 * the upstream asked for. @param jitter from 0 to 1
 */
export function waitMs(periodMs: number, notBeforeMs: number, jitter: number): number {
  return Math.max(periodMs * (0.9 + 0.2 * jitter), notBeforeMs * (1 + 0.1 * jitter));
}

export interface WaitsParts {
  /** As configured; 0: never. */
  seconds: number;
  periodMs: number;
  /** A monotonic clock, in ms. */
  elapsedMs(): number;
  /** From 0 to 1. */
  random(): number;
  /** Told when a device that cuts waits has been learned, and when the configured wait is tried again. */
  learned?(what: { waitSeconds: number; cutSeconds: number | null }): void;
}

/** No wait is learned to be shorter. */
const SHORTEST_SECONDS = 5;
/** A break before this is no cut of a wait. */
const SHORTEST_CUT_MS = 2_000;
/** Two breaks are of one device when they differ by less, or by a tenth. */
const SAME_MS = 1_000;
/** A shorter wait may have been learned from a chance, or the device is gone. */
const RELEARN_MS = 3_600_000;
/** The first pause after a break, from and to. */
const SOON_MS = [1_000, 5_000] as const;

export class Waits {
  readonly #parts: WaitsParts;
  #seconds: number;
  #began = 0;
  /** The last good answer shows that waits work here. */
  #isKnown = false;
  /** Breaks in a row. */
  #breaks = 0;
  /** After which the last wait broke off. */
  #lastCutMs: number | null = null;
  #cutSeconds: number | null = null;
  #learnedAt: number | null = null;

  constructor(parts: WaitsParts) {
    this.#parts = parts;
    this.#seconds = parts.seconds;
  }

  /** Of the next pull, as far as is known; 0: it does not wait. */
  get seconds(): number {
    return this.#seconds;
  }

  /** Something on the way ends waits after so many seconds; null: nothing is known to. */
  get cutSeconds(): number | null {
    return this.#cutSeconds;
  }

  /** A pull begins. @returns the seconds that it may wait; null: it does not */
  begin(): number | null {
    this.#began = this.#parts.elapsedMs();
    if (this.#learnedAt !== null && this.#began - this.#learnedAt >= RELEARN_MS) {
      this.#take(this.#parts.seconds, null);
      this.#learnedAt = null;
      this.#lastCutMs = null;
    }
    return this.#seconds === 0 ? null : this.#seconds;
  }

  /** The pull has got a good answer. @param isApplied whether it says that the cloud knows waits */
  answered({ hasEntries, isApplied }: { hasEntries: boolean; isApplied: boolean }): Next {
    const hasWaited = this.#seconds > 0 && !hasEntries && this.#tookMs() >= this.#seconds * 500;
    this.#isKnown = this.#seconds > 0 && (isApplied || hasWaited);
    if (hasWaited) this.#lastCutMs = null;
    if (!hasWaited && !(hasEntries && this.#isKnown)) return { when: 'PERIOD', notBeforeMs: 0 };
    this.#breaks = 0;
    return { when: 'WAITING' };
  }

  /** The pull has got no answer, or a 5xx. @param notBeforeMs as the upstream asks */
  broke(notBeforeMs: number): Next {
    if (this.#seconds === 0 || !this.#isKnown) return { when: 'PERIOD', notBeforeMs };
    this.#learn(this.#tookMs());
    const { random, periodMs } = this.#parts;
    const [from, to] = SOON_MS;
    const pauseMs = (from + (to - from) * random()) * 2 ** this.#breaks;
    this.#breaks += 1;
    if (pauseMs >= periodMs) return { when: 'PERIOD', notBeforeMs };
    return { when: 'SOON', ms: Math.max(pauseMs, notBeforeMs * (1 + 0.1 * random())) };
  }

  #tookMs(): number {
    return this.#parts.elapsedMs() - this.#began;
  }

  /** Halves the wait when two in a row broke off after the same time, before their end. */
  #learn(tookMs: number): void {
    if (tookMs < SHORTEST_CUT_MS || tookMs >= this.#seconds * 1_000) return;
    const last = this.#lastCutMs;
    this.#lastCutMs = tookMs;
    if (last === null || Math.abs(tookMs - last) > Math.max(SAME_MS, tookMs / 10)) return;
    const isShortest = this.#seconds <= SHORTEST_SECONDS;
    this.#lastCutMs = null;
    this.#learnedAt ??= this.#parts.elapsedMs();
    this.#take(isShortest ? 0 : Math.max(SHORTEST_SECONDS, Math.floor(this.#seconds / 2)), Math.round(tookMs / 1_000));
  }

  #take(seconds: number, cutSeconds: number | null): void {
    this.#seconds = seconds;
    this.#cutSeconds = cutSeconds;
    this.#parts.learned?.({ waitSeconds: seconds, cutSeconds });
  }
}
