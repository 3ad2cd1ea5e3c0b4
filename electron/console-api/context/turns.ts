/**
 * Readings take turns by person. SQLite answers on the thread that answers everybody, so whoever asks for much at once
 * would keep all others waiting, a stop of a text among them. Between two readings the process does other things, and
 * of those who wait each gets one reading in turn. The person counts and not the session: sessions can be opened at will.
 */
import { ApiError } from '../../../shared/wire/envelope.ts';

/** Readings of one person that wait at most. A screen asks for a dozen, and somebody may have many windows. */
export const MOST_WAITING = 256;

export class Turns {
  /** By person, in the order of their next turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isTaken = false;

  /**
   * Settles when it is the person's turn, which lasts until the reading gives the thread away.
   *
   * @throws ApiError COMMON429 where too many of theirs wait already
   */
  async next(person: string): Promise<void> {
    if (!this.#isTaken) return this.#take();
    const own = this.#waiting.get(person) ?? [];
    if (own.length >= MOST_WAITING)
      throw new ApiError('COMMON429', `${own.length} of your requests wait already: let them be answered first.`);
    this.#waiting.set(person, own);
    return new Promise((resolve) => own.push(resolve));
  }

  #take(): void {
    this.#isTaken = true;
    setImmediate(() => {
      this.#isTaken = false;
      const [first] = this.#waiting;
      if (first === undefined) return;
      const [person, own] = first;
      const begin = own.shift();
      // Behind the others, who have waited longer.
      this.#waiting.delete(person);
      if (own.length > 0) this.#waiting.set(person, own);
      this.#take();
      begin?.();
    });
  }
}
