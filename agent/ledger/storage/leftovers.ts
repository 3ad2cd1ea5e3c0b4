/**
 * What a killed program leaves beside a ledger's name. SQLite takes a log for that of whatever file has the name now, so a
 * file gets the name of a ledger only once every leftover of that name has another one. Each `place` here is a real path.
 */
import { closeSync, lstatSync, openSync, readSync, renameSync } from 'node:fs';
import { LedgerLogLeftError } from './errors.ts';
import { realPath } from './real-path.ts';

/** The files that SQLite keeps beside a ledger: its log, the log's index, and the rollback journal. */
export const LOGS = ['-wal', '-shm', '-journal'] as const;

/** A leftover, and the name that it has now. */
export interface SetAside {
  from: string;
  to: string;
}

/**
 * Gives a finished file the name of a ledger, which no other file has. Leftovers of that name are renamed first and never
 * deleted: a log may hold the only copy of committed decisions.
 */
export function giveName(finished: string, place: string): SetAside[] {
  const aside = setAside(place);
  renameSync(finished, place);
  return aside;
}

function setAside(place: string): SetAside[] {
  let number = 1;
  while (LOGS.some((end) => isThere(`${place}.left-${number}${end}`))) number += 1;
  return moveLogs(place, `${place}.left-${number}`);
}

/** Moves the logs beside one name to another. */
export function moveLogs(place: string, to: string): SetAside[] {
  return LOGS.map((end) => ({ from: `${place}${end}`, to: `${to}${end}` }))
    .filter(({ from }) => isThere(from))
    .map((each) => {
      renameSync(each.from, each.to);
      return each;
    });
}

/** How long another process may take to make a ledger, whose journal is there meanwhile. */
const MADE_MS = 1_000;
const LOOK_MS = 20;

/**
 * Refuses to open or begin a ledger beside the log of another one: SQLite deletes the log beside an empty file, also where
 * it only reads.
 *
 * @throws LedgerLogLeftError
 */
export function refuseLeftLog(file: string): void {
  const place = realPath(file);
  for (let ms = 0; leftAt(place) === `${place}-journal` && isThere(place) && ms < MADE_MS; ms += LOOK_MS)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  const left = logWithoutLedger(place);
  if (left !== null) throw new LedgerLogLeftError(place, left);
}

/** The log with bytes beside a name. */
export const logBeside = (place: string): string | undefined =>
  [`${place}-wal`, `${place}-journal`].find((log) => bytesOf(log) > 0);

/** The log beside a name that no ledger has; null where there is none, or where it holds nothing. */
export function logWithoutLedger(place: string): string | null {
  const left = leftAt(place);
  return left === null || (left === `${place}-journal` && isOfBeginning(left)) ? null : left;
}

function leftAt(place: string): string | null {
  // The log is looked for first: another process that makes this ledger makes its file before its log.
  const left = logBeside(place);
  return left === undefined || bytesOf(place) > EMPTY_BYTES ? null : left;
}

/** SQLite takes a file of one byte for an empty one. */
const EMPTY_BYTES = 1;

const HEADER = Buffer.from('SQLite format 3\0');

/**
 * Whether a journal lies beside a file that is no ledger: SQLite deletes it. Not for a process that has the ledger open:
 * when a file is closed, the system takes the locks of all its connections.
 */
export const hasStrangeJournal = (place: string): boolean =>
  bytesOf(`${place}-journal`) > 0 && bytesOf(place) > EMPTY_BYTES && !hasHeader(place);

const hasHeader = (place: string): boolean => begins(place, HEADER.length).equals(HEADER);

/** SQLite's mark of a rollback journal; zeros until the journal is synced. */
const JOURNAL_MARK = Buffer.from('d9d505f920a163d7', 'hex');
const JOURNAL_HEADER_BYTES = 28;

/**
 * Whether a rollback journal was begun where no page was yet: a first start that was killed. It keeps the pages from before
 * its transaction, so it keeps none.
 */
function isOfBeginning(journal: string): boolean {
  // The process that makes the ledger may have ended its transaction since.
  if (!isThere(journal)) return true;
  const header = begins(journal, JOURNAL_HEADER_BYTES);
  const mark = header.subarray(0, JOURNAL_MARK.length);
  const isJournal = mark.equals(JOURNAL_MARK) || mark.every((byte) => byte === 0);
  return isJournal && header.readUInt32BE(16) === 0 && isPowerOfTwo(header.readUInt32BE(20));
}

/** As the size of a sector is. */
const isPowerOfTwo = (size: number): boolean => size > 0 && (size & (size - 1)) === 0;

/** The first bytes of a file; zeros behind its end. */
function begins(place: string, length: number): Buffer {
  const handle = openSync(place, 'r');
  try {
    const read = Buffer.alloc(length);
    readSync(handle, read, 0, length, 0);
    return read;
  } finally {
    closeSync(handle);
  }
}

/** A link counts as well, wherever it leads: SQLite follows it once its target is there. */
export const isThere = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false }) !== undefined;
const bytesOf = (place: string): number => lstatSync(place, { throwIfNoEntry: false })?.size ?? 0;
