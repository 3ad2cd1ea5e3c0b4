/**
 * Room on the ledger's disk that is given up when there is no other, for logins and for taking texts off show (D141). A
 * file `….reserve` takes the room. While `….full` stands in its place, the Intake leaves the room alone.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { LedgerFullError } from './errors.ts';

const BYTES = 16 * 1024 * 1024;
/** So many times its size must be free before it is made, so that it takes no room that is needed. */
const TIMES_FREE = 4;
const STEP = Buffer.alloc(1024 * 1024);

const markOf = (file: string): string => `${file}.full`;

export class Reserve {
  readonly #file: string;
  readonly #bytes: number;

  constructor(file: string, bytes = BYTES) {
    this.#file = file;
    this.#bytes = bytes;
  }

  get isGivenUp(): boolean {
    return existsSync(markOf(this.#file));
  }

  /** Takes the room where there is enough; what was given up ends with it. Never throws: a ledger works without. */
  make(): void {
    const place = `${this.#file}.reserve`;
    try {
      const has = existsSync(place) ? statSync(place).size : 0;
      const { bavail, bsize } = statfsSync(this.#file);
      if (has < this.#bytes) {
        if (bavail * bsize < TIMES_FREE * this.#bytes) return;
        fill(place, this.#bytes);
      }
      rmSync(markOf(this.#file), { force: true });
    } catch {
      rmSync(place, { force: true });
    }
  }

  /** @returns false where there is none to give */
  giveUp(): boolean {
    const place = `${this.#file}.reserve`;
    if (!existsSync(place)) return this.isGivenUp;
    try {
      rmSync(place);
      closeSync(openSync(markOf(this.#file), 'a', 0o600));
      return true;
    } catch {
      return false;
    }
  }
}

function fill(place: string, bytes: number): void {
  const handle = openSync(place, 'w', 0o600);
  try {
    for (let left = bytes; left > 0; left -= STEP.length) writeSync(handle, STEP, 0, Math.min(left, STEP.length));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * The room that was given up is for people who stop texts.
 *
 * @throws LedgerFullError
 */
export function leaveReserve(file: string): void {
  if (existsSync(markOf(file))) throw new LedgerFullError(file, 'what was kept for logins and stops is given up');
}
