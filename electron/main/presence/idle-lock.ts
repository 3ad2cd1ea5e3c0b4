/**
 * Ends the console's session when nobody has used the computer for a while (D234). Time asleep counts: the system reports
 * no idle time for it. Pure.
 */
import type { Clock } from '../../../shared/time/clock.ts';
import type { Schedule } from '../services/schedule.ts';

/** How often it looks, in ms. */
const TICK_MS = 10_000;

export interface IdleLockParts {
  /** Time since the last input anywhere on this computer, in seconds. */
  idleSeconds(): number;
  /** The limit in minutes; 0: no lock. */
  minutes(): number;
  /** Called once in each absence. */
  lock(): void;
  clock: Clock;
  schedule: Schedule;
}

export class IdleLock {
  readonly #parts: IdleLockParts;
  #lookedAt: number;
  #isLocked = false;
  #cancel: () => void = () => undefined;

  constructor(parts: IdleLockParts) {
    this.#parts = parts;
    this.#lookedAt = this.#now();
  }

  /** Looks now, and from now on at every tick. */
  readonly look = (): void => {
    this.#cancel();
    const { idleSeconds, minutes, lock, schedule } = this.#parts;
    const now = this.#now();
    const awayMs = Math.max(idleSeconds() * 1_000, now - this.#lookedAt - TICK_MS);
    this.#lookedAt = now;
    const isAway = minutes() > 0 && awayMs >= minutes() * 60_000;
    if (isAway && !this.#isLocked) lock();
    this.#isLocked = isAway;
    this.#cancel = schedule(TICK_MS, this.look);
  };

  #now(): number {
    return this.#parts.clock.now().getTime();
  }
}
