/** The time of the past: it stands still until it is moved, all parts share it, and it does not pass the present. */
import { createHash } from 'node:crypto';
import type { Clock, Ids } from '../../../shared/time/clock.ts';

export class SeededClock implements Clock {
  readonly end: Date;
  #now: Date;

  constructor(begin: Date, end: Date) {
    this.#now = begin;
    this.end = end;
  }

  now(): Date {
    return this.#now;
  }

  /**
   * Moves to an instant. An event due while an earlier action is in progress happens after it: time never goes back.
   */
  moveTo(instant: Date): void {
    if (instant > this.#now) this.#now = instant > this.end ? this.end : instant;
  }

  pass(ms: number): void {
    this.moveTo(new Date(this.#now.getTime() + ms));
  }
}

/** The same ids in the same order for the same words, in the form of random UUIDs. */
export function seededIds(words: string): Ids {
  let count = 0;
  return {
    uuid: () => {
      count += 1;
      const hex = createHash('sha256').update(`${words} ${count}`).digest('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
  };
}
