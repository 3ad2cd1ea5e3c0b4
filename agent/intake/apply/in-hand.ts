/**
 * Finds the entry that ends the process (out of memory, a machine fault) without an exception (D103). The place of the entry in
 * hand stands in a small file beside the ledger, which is written before each entry and never synced: the system keeps it
 * when the process ends, and after the machine's own end it counts no more. The next process applies what comes before
 * that place as usual and its entry alone; one at which two processes have ended is rejected.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { uptime } from 'node:os';
import { crc32 } from 'node:zlib';
import type { Logger } from 'pino';
import { realPath } from '../../ledger/storage/real-path.ts';
import { MOST_ENTRIES } from './batch-size.ts';

/** The file beside a ledger; null for one in memory. */
export const inHandFile = (ledger: string): string | null =>
  ledger === ':memory:' ? null : `${realPath(ledger)}.in-hand`;

/** An entry is rejected after this many processes ended at it. */
const MOST_ENDED = 2;

/** The reason on record of such an entry. */
export const POISON_REASON = `The program ended ${MOST_ENDED} times with this entry in hand: it is rejected. Tell the vendor; "intake replay" tries it again after an update.`;

/** What is done: entries are applied, or the withdrawals of a bundle are read to go ahead. */
type Work = 'APPLY' | 'WITHDRAW';

export interface Place {
  work: Work;
  /** The cursor after which the entry or the bundle comes. */
  after: number;
  /** Processes that have ended there one after the other. */
  ended: number;
}

export interface InHandParts {
  /** Null: nothing is kept. */
  file: string | null;
  /** The cursors as this process begins: a place outside of them is that of another ledger. */
  applied: number;
  committed: number;
  log: Logger;
  /** The name of the time since the machine's start. */
  boot?: string;
}

export class InHand {
  readonly #log: Logger;
  readonly #boot: string;
  #descriptor: number | null = null;
  #found: Place | null = null;
  #isTold = false;
  /** Entries to apply until the batch of the ended process is applied. */
  #wary = 0;

  constructor({ file, applied, committed, log, boot = thisBoot() }: InHandParts) {
    this.#log = log;
    this.#boot = boot;
    if (file === null) return;
    this.#tried(() => {
      this.#descriptor = openSync(file, OPENED, 0o600);
      if (!fstatSync(this.#descriptor).isFile()) throw new Error(`${file} is no file`);
      const left = placeIn(readFileSync(this.#descriptor, 'utf8'), boot);
      if (left === null || left.after < applied || left.after >= committed) return;
      this.#found = { ...left, ended: left.ended + 1 };
      this.#wary = MOST_ENTRIES;
    });
  }

  /** Where the process before this one has ended, until its entry is applied. */
  get found(): Place | null {
    return this.#found;
  }

  /** The same the first time that it is asked for. */
  tellFound(): Place | null {
    const found = this.#isTold ? null : this.#found;
    this.#isTold = true;
    return found;
  }

  /** Whether, after so many more entries, the batch of the ended process is still not applied. */
  isWaryAfter(entries: number): boolean {
    return this.#wary > entries;
  }

  /** Meanwhile the sync status tells of it. */
  get isWary(): boolean {
    return this.isWaryAfter(0);
  }

  /** Whether two processes have ended there. */
  isAccused(work: Work, after: number): boolean {
    return this.#endedAt(work, after) >= MOST_ENDED;
  }

  /** Tells what is begun. */
  take(work: Work, after: number): void {
    this.#write(`${this.#boot} ${work} ${after} ${this.#endedAt(work, after)}`);
  }

  /** Tells that nothing is in hand. */
  release(): void {
    this.#write('');
  }

  /** Learns that so many entries are committed, up to this cursor. */
  applied(entries: number, cursor: number): void {
    if (this.#found !== null && cursor > this.#found.after) this.#found = null;
    this.#wary = Math.max(0, this.#wary - entries);
  }

  /** Learns that nothing waits. */
  rest(): void {
    this.#found = null;
    this.#wary = 0;
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #endedAt(work: Work, after: number): number {
    return this.#found?.work === work && this.#found.after === after ? this.#found.ended : 0;
  }

  #write(text: string): void {
    const descriptor = this.#descriptor;
    if (descriptor !== null) this.#tried(() => writeSync(descriptor, sealed(text), 0));
  }

  /** Without the file all goes on; only an entry that ends the process would not be found. */
  #tried(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log.warn({ err: error }, 'the place of the entry in hand cannot be kept');
      this.close();
    }
  }
}

/** A link is not followed, and a pipe not waited for. */
const OPENED = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Longer than any place, so that each one covers the one before. */
const LENGTH = 120;

const sealed = (text: string): string => `${crc32(text)} ${text}`.padEnd(LENGTH);

/** The place in a file, where it is whole and of this start of the machine. */
function placeIn(kept: string, boot: string): Place | null {
  const [, seal, text = ''] = /^(\d+) (.*?) *$/u.exec(kept) ?? [];
  const [ofBoot, work, after, ended] = text.split(' ');
  if (Number(seal) !== crc32(text) || ofBoot !== boot || (work !== 'APPLY' && work !== 'WITHDRAW')) return null;
  return { work, after: Number(after), ended: Number(ended) };
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * The time since the machine's start, by name. Elsewhere than on Linux, and under a unit that hides the kernel, by the
 * minute in which it began.
 */
function thisBoot(): string {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim();
  } catch {
    return String(Math.round((Date.now() / 1000 - uptime()) / 60));
  }
}
