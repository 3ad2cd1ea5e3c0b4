/**
 * A semaphore for work that may wait long: a few permits are out at once. The rest wait here first come, first served,
 * urgent work before all other, and hold nothing meanwhile.
 */

/** No permit became free in time, or before the wait was ended. */
export class PermitTimeoutError extends Error {
  constructor(ms: number | null) {
    super(ms === null ? 'No permit became free before the wait was ended.' : `No permit became free within ${ms} ms.`);
    this.name = 'PermitTimeoutError';
  }
}

export interface Wait {
  /** Longest wait for a permit and for the work behind it, in ms; null: without end. Absent: the semaphore's own. */
  patienceMs?: number | null;
  /** Goes before all that is not urgent. */
  isUrgent?: boolean;
  /** Ends the wait. */
  signal?: AbortSignal | null;
}

export interface Permit {
  /** The rest of the patience after the wait for the permit, in ms, at least 1; null: without a wait, or without end. */
  remainingMs: number | null;
  /** Gives the permit to the next in line. To be called once. */
  release(): void;
}

export class Semaphore {
  #free: number;
  readonly #patienceMs: number | null;
  readonly #urgent = new Set<() => void>();
  readonly #others = new Set<() => void>();

  /** @param atOnce permits; @param patienceMs longest wait for a permit and for the work under it; null: without end */
  constructor(atOnce: number, patienceMs: number | null) {
    this.#free = atOnce;
    this.#patienceMs = patienceMs;
  }

  /** How many wait for a permit. */
  get waiting(): number {
    return this.#urgent.size + this.#others.size;
  }

  /** @throws PermitTimeoutError */
  async acquire({ patienceMs = this.#patienceMs, isUrgent = false, signal = null }: Wait = {}): Promise<Permit> {
    const release = (): void => this.#next();
    if (this.#free > 0) {
      this.#free -= 1;
      return { remainingMs: null, release };
    }
    const began = performance.now();
    await this.#wait(isUrgent ? this.#urgent : this.#others, patienceMs, signal);
    if (patienceMs === null) return { remainingMs: null, release };
    return { remainingMs: Math.max(1, Math.ceil(patienceMs - (performance.now() - began))), release };
  }

  #wait(line: Set<() => void>, patienceMs: number | null, signal: AbortSignal | null): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      line.delete(go);
      clearTimeout(late);
      signal?.removeEventListener('abort', giveUp);
    };
    const go = (): void => {
      leave();
      resolve();
    };
    const giveUp = (): void => {
      leave();
      reject(new PermitTimeoutError(patienceMs));
    };
    const late = patienceMs === null ? undefined : setTimeout(giveUp, patienceMs);
    if (signal?.aborted === true) giveUp();
    else line.add(go);
    signal?.addEventListener('abort', giveUp);
    return promise;
  }

  #next(): void {
    const line = this.#urgent.size > 0 ? this.#urgent : this.#others;
    const [first] = line;
    if (first === undefined) {
      this.#free += 1;
      return;
    }
    first();
  }
}
