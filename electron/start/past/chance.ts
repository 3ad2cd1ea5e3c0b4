/** Seeded chance for the past: the same for the same words, independent of other draws. */
import { hash } from 'node:crypto';
import { seededRandom, type Random } from '../../../cloud/demo/generation/random.ts';

export class Chance {
  readonly #random: Random;

  constructor(words: string) {
    // Hashed, so that similar words do not begin similarly.
    this.#random = seededRandom(hash('sha256', words));
  }

  next(): number {
    return this.#random.next();
  }

  /** Whether an event with this probability happens. */
  happens(share: number): boolean {
    return this.next() < share;
  }

  /** A whole number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(from: readonly T[]): T {
    const one = from[Math.floor(this.next() * from.length)];
    if (one === undefined) throw new RangeError('the list to choose from is empty');
    return one;
  }
}
