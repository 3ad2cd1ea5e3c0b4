/**
 * Reserved room on the ledger's disk for logins and for ending exposure on a full disk (D141). A file `….reserve` holds
 * the room. While `….full` stands in its place, the Intake leaves the released room alone.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { LedgerFullError } from './errors.ts';
import { realPath } from './real-path.ts';

const BYTES = 16 * 1024 * 1024;
/** The reserve is created only where this multiple of its size is free, so that it takes no needed room. */
const TIMES_FREE = 4;
const STEP = Buffer.alloc(1024 * 1024);

const markOf = (file: string): string => `${realPath(file)}.full`;
const reserveOf = (file: string): string => `${realPath(file)}.reserve`;

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

  /** Reserves the room where enough is free, and ends an earlier release. Never throws: a ledger works without it. */
  make(): void {
    const place = reserveOf(this.#file);
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

  /** Releases the room. @returns whether it is released now */
  giveUp(): boolean {
    const place = reserveOf(this.#file);
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
 * The released room is for people who stop texts.
 *
 * @throws LedgerFullError
 */
export function leaveReserve(file: string): void {
  if (existsSync(markOf(file)))
    throw new LedgerFullError(file, 'the space reserved for logins and stops has been released');
}
