/**
 * Whether another program holds the ledger's write lock for long (D201). Then nothing is received, withdrawn or stopped,
 * and what was provided goes on being given: each part looks for itself, because nobody can write it down.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { isBusy } from './errors.ts';
import { refuseLeftLog } from './leftovers.ts';
import type { Ledger } from './ledger.ts';

/** The longest batch of the Intake takes a part of it. */
export const HELD_MS = 10_000;
const EVERY_MS = 1_000;
const LOOK_MS = 250;

export const HELD_BY_ANOTHER =
  'Another program has held the ledger for more than ten seconds, so nothing is received, withdrawn or changed meanwhile. Ask the administrator to find it ("intake doctor") and to end it.';

type Locked = Pick<Ledger, 'tryWrite' | 'dataVersion'>;

export class WriteLockWatch {
  readonly #ledger: Locked;
  readonly #now: () => number;
  readonly #heldMs: number;
  #since: number | null = null;
  /** While it was never free: the time between looks in which nobody committed. */
  #quietMs = 0;
  #lookedAt = 0;
  #version: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** @param now any steady clock, in ms */
  constructor(ledger: Locked, now: () => number = () => performance.now(), heldMs = HELD_MS) {
    this.#ledger = ledger;
    this.#now = now;
    this.#heldMs = heldMs;
  }

  /** Looks once a second, until `end`. */
  begin(): this {
    this.#timer = setInterval(() => this.look(), EVERY_MS).unref();
    return this;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /**
   * Whether another program has the lock at this moment. A commit meanwhile shows that programs take turns; one that
   * takes it again at once, after seconds of silence, takes turns with itself.
   */
  look(): boolean {
    let isTaken: boolean;
    let version: number;
    try {
      version = this.#ledger.dataVersion();
      isTaken = this.#ledger.tryWrite(() => undefined) === null;
    } catch {
      // A disk that does not write has alarms of its own.
      this.#since = null;
      return false;
    }
    const goesOn = version !== this.#version;
    const now = this.#now();
    if (!isTaken || this.#since === null) this.#quietMs = 0;
    else if (!goesOn) this.#quietMs += now - this.#lookedAt;
    if (!isTaken) this.#since = null;
    else if (goesOn || this.#since === null) this.#since = now;
    this.#version = version;
    this.#lookedAt = now;
    return isTaken;
  }

  get isHeld(): boolean {
    if (this.#since === null) return false;
    return this.#now() - this.#since >= this.#heldMs || this.#quietMs >= 2 * this.#heldMs;
  }
}

/**
 * The same for a command: returns at once where the lock is free or there is no ledger, and else once it is known.
 *
 * @param heldMs for tests
 */
export async function isHeldByAnother(file: string, heldMs = HELD_MS): Promise<boolean> {
  let db: Database.Database;
  try {
    refuseLeftLog(file);
    db = new Database(file, { fileMustExist: true, timeout: 0 });
  } catch {
    return false;
  }
  const lock: Locked = {
    dataVersion: () => Number(db.pragma('data_version', { simple: true })),
    tryWrite: (work) => {
      try {
        return { value: db.transaction(work as () => never).immediate() };
      } catch (error) {
        if (isBusy(error)) return null;
        throw error;
      }
    },
  };
  const watch = new WriteLockWatch(lock, undefined, heldMs);
  try {
    while (watch.look() && !watch.isHeld) await sleep(Math.min(LOOK_MS, heldMs));
    return watch.isHeld;
  } finally {
    db.close();
  }
}
