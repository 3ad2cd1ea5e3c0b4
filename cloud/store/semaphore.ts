/**
 * A semaphore for work that may wait long: a few permits are out at once. The rest wait here first come, first served,
 * and hold nothing meanwhile.
 */

/** No permit became free in time. */
export class PermitTimeoutError extends Error {
  constructor(ms: number) {
    super(`No permit became free within ${ms} ms.`);
    this.name = 'PermitTimeoutError';
  }
}

export interface Permit {
  /** The rest of the time limit after the wait for the permit, in ms, at least 1; null without a wait or a limit. */
  remainingMs: number | null;
  /** Gives the permit to the next in line. To be called once. */
  release(): void;
}

export class Semaphore {
  #free: number;
  readonly #patienceMs: number | null;
  readonly #waiting = new Set<() => void>();

  /** @param atOnce permits; @param patienceMs longest wait for a permit and for the work under it; null: without end */
  constructor(atOnce: number, patienceMs: number | null) {
    this.#free = atOnce;
    this.#patienceMs = patienceMs;
  }

  /** @throws PermitTimeoutError */
  async acquire(): Promise<Permit> {
    const release = (): void => this.#next();
    if (this.#free > 0) {
      this.#free -= 1;
      return { remainingMs: null, release };
    }
    const began = performance.now();
    await this.#wait();
    if (this.#patienceMs === null) return { remainingMs: null, release };
    return { remainingMs: Math.max(1, Math.ceil(this.#patienceMs - (performance.now() - began))), release };
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
        reject(new PermitTimeoutError(patience));
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
