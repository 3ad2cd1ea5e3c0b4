/**
 * Requests take turns by person. SQLite answers on the thread that answers everybody, so whoever asks for much at once
 * would keep all others waiting, a stop of a text among them. Between two readings, or two writes, the process does other
 * things, and of those who wait each person gets one in turn. The person counts and not the session: sessions can be
 * opened at will.
 */
import { ApiError } from '../../../shared/wire/envelope.ts';

/** Readings of one person that wait at most, and writes. A screen asks for a dozen, and somebody may have many windows. */
export const MOST_WAITING = 256;

/** Requests that wait, in a line for each person. */
export class FairQueue<Waiting> {
  /** By person, in the order of their next turns. */
  readonly #lines = new Map<string | undefined, Waiting[]>();

  /**
   * @param person undefined: nobody who is logged in. They are let in one by one already, when their passwords are verified
   * @throws ApiError COMMON429 where too many of theirs wait already
   */
  add(person: string | undefined, waiting: Waiting): void {
    const own = this.#lines.get(person) ?? [];
    if (person !== undefined && own.length >= MOST_WAITING)
      throw new ApiError('COMMON429', `${own.length} of your requests wait already: let them be answered first.`);
    own.push(waiting);
    this.#lines.set(person, own);
  }

  /** The one whose turn is next. */
  get first(): Waiting | undefined {
    const [first] = this.#lines.values();
    return first?.[0];
  }

  /** Takes the first out; its person is next when the others, who have waited longer, have had a turn. */
  shift(): Waiting | undefined {
    const [first] = this.#lines;
    if (first === undefined) return undefined;
    const [person, own] = first;
    const waiting = own.shift();
    this.#lines.delete(person);
    if (own.length > 0) this.#lines.set(person, own);
    return waiting;
  }

  *all(): Generator<Waiting> {
    for (const own of this.#lines.values()) yield* own;
  }

  /** Takes out those at the head of each line to which this applies. */
  takeOut(applies: (waiting: Waiting) => boolean): Waiting[] {
    const out: Waiting[] = [];
    for (const [person, own] of this.#lines) {
      const stays = own.findIndex((waiting) => !applies(waiting));
      out.push(...own.splice(0, stays === -1 ? own.length : stays));
      if (own.length === 0) this.#lines.delete(person);
    }
    return out;
  }
}

export class ReadQueue {
  readonly #lines = new FairQueue<() => void>();
  #isTaken = false;

  /**
   * Settles when it is the person's turn, which lasts until the reading gives the thread away.
   *
   * @throws ApiError COMMON429 where too many of theirs wait already
   */
  async next(person: string): Promise<void> {
    if (!this.#isTaken) return this.#take();
    return new Promise((resolve) => this.#lines.add(person, resolve));
  }

  #take(): void {
    this.#isTaken = true;
    setImmediate(() => {
      this.#isTaken = false;
      const begin = this.#lines.shift();
      if (begin === undefined) return;
      this.#take();
      begin();
    });
  }
}
