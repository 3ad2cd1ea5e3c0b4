/**
 * Requests take turns by user. SQLite runs on the thread that answers every request, so a user with many requests would
 * delay all others, even a stop of a text. Between two reads or writes the process does other work, and each waiting
 * user gets one request in turn. ReadQueue go by user, not session: a user can open sessions at will.
 */
import { ApiError } from '../../../shared/wire/envelope.ts';

/**
 * Most waiting reads, and most waiting writes, of one user. A screen sends a dozen, and a user may have many windows.
 */
export const MOST_WAITING = 256;

/** Waiting requests, in one queue per user. */
export class FairQueue<Waiting> {
  /** By user, in the order of their next turns. */
  readonly #lines = new Map<string | undefined, Waiting[]>();

  /**
   * @param person undefined without a login: password verification already admits those one at a time
   * @throws ApiError COMMON429 when the user has too many waiting requests
   */
  add(person: string | undefined, waiting: Waiting): void {
    const own = this.#lines.get(person) ?? [];
    if (person !== undefined && own.length >= MOST_WAITING)
      throw new ApiError(
        'COMMON429',
        `${own.length} of your requests are waiting already: wait for their answers first.`,
      );
    own.push(waiting);
    this.#lines.set(person, own);
  }

  /** The request whose turn is next. */
  get first(): Waiting | undefined {
    const [first] = this.#lines.values();
    return first?.[0];
  }

  /** Takes the first request out; its user's next turn comes after all waiting users. */
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

  /** Takes the requests that match out of the head of each queue, up to the first that does not. */
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
   * Resolves when it is the user's turn, which lasts until the read yields the thread.
   *
   * @throws ApiError COMMON429 when the user has too many waiting requests
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
