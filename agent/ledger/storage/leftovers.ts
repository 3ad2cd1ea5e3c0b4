/**
 * What a killed program leaves beside a ledger's name. SQLite takes a log for that of whatever file has the name now, so a
 * file gets the name of a ledger only once every leftover of that name has another one.
 */
import { existsSync, renameSync, statSync } from 'node:fs';
import { LedgerLogLeftError } from './errors.ts';

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
export function giveName(finished: string, file: string): SetAside[] {
  const aside = setAside(file);
  renameSync(finished, file);
  return aside;
}

function setAside(file: string): SetAside[] {
  let number = 1;
  while (LOGS.some((end) => existsSync(`${file}.left-${number}${end}`))) number += 1;
  return LOGS.map((end) => ({ from: `${file}${end}`, to: `${file}.left-${number}${end}` }))
    .filter(({ from }) => existsSync(from))
    .map((each) => {
      renameSync(each.from, each.to);
      return each;
    });
}

/**
 * Refuses to begin a new ledger beside the log of another one.
 *
 * @throws LedgerLogLeftError
 */
export function refuseLeftLog(file: string): void {
  // The log is looked for first: another process that makes this ledger makes its file before its log.
  const left = (['-wal', '-journal'] as const).find((end) => bytesOf(`${file}${end}`) > 0);
  if (left === undefined) return;
  // SQLite deletes the log beside an empty file. A journal is there for a moment while a new file is made.
  const isNew = !existsSync(file) || (left === '-wal' && bytesOf(file) === 0);
  if (isNew) throw new LedgerLogLeftError(file, `${file}${left}`);
}

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
