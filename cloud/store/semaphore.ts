/**
 * Turns for those who may wait long: a few go at once, the rest wait here, in the order in which they
 * came, and hold nothing meanwhile.
 */

/** No turn came in time. */
export class TurnTimeoutError extends Error {
  constructor(ms: number) {
    super(`No turn came within ${ms} ms.`);
    this.name = 'TurnTimeoutError';
  }
}

export interface Turn {
  /** What a wait for the turn has left of the patience, in ms, at least 1; null where nobody waited, or without end. */
  remainingMs: number | null;
  /** Gives the turn to the next in line. To be called once. */
  done(): void;
}

export class Turns {
  #free: number;
  readonly #patienceMs: number | null;
  readonly #waiting = new Set<() => void>();

  /** @param atOnce how many go at once; @param patienceMs longest wait for a turn and for what it is taken for; null: without end */
  constructor(atOnce: number, patienceMs: number | null) {
    this.#free = atOnce;
    this.#patienceMs = patienceMs;
  }

  /** @throws TurnTimeoutError */
  async take(): Promise<Turn> {
    const done = (): void => this.#next();
    if (this.#free > 0) {
      this.#free -= 1;
      return { remainingMs: null, done };
    }
    const began = performance.now();
    await this.#wait();
    if (this.#patienceMs === null) return { remainingMs: null, done };
    return { remainingMs: Math.max(1, Math.ceil(this.#patienceMs - (performance.now() - began))), done };
  }

  #wait(): Promise<void> {
    const patience = this.#patienceMs;
    return new Promise((resolve, reject) => {
      if (patience === null) {
        this.#waiting.add(resolve);
        return;
      }
      const go = (): void => {
        clearTimeout(late);
        resolve();
      };
      const late = setTimeout(() => {
        this.#waiting.delete(go);
        reject(new TurnTimeoutError(patience));
      }, patience);
      this.#waiting.add(go);
    });
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(first);
    first();
  }
}
