/** `intake archive`: moves raw bodies of a certain age from the ledger into compressed files beside it. */
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { UNTOLD, type Progress, type Stage } from '../../../shared/service/long-work/progress.ts';
import { variable } from '../../../shared/service/variables.ts';
import type { Ledger, LedgerReader } from '../../ledger/storage/ledger.ts';
import { archiveFiles, moveToArchive, unmovedBefore, type Moved } from '../../ledger/inbox/raw-archive.ts';
import { mbOf, moveStages, STAGES } from '../maintenance/stages.ts';

const AFTER_DAYS = {
  help: 'age in days from which raw bodies are moved into compressed archive files beside the ledger',
  read: variable.wholeNumber(1, 36_500),
};
export const ARCHIVE_VARIABLES = {
  CAUSEWAY_LEDGER: variable.required('file of the ledger', variable.text),
  CAUSEWAY_ARCHIVE_AFTER_DAYS: variable.required(AFTER_DAYS.help, AFTER_DAYS.read),
};
/** For scheduled runs: without the argument nothing moves. */
export const ARCHIVE_TOO = {
  CAUSEWAY_ARCHIVE_AFTER_DAYS: variable.optional(`${AFTER_DAYS.help}; unset: they stay`, AFTER_DAYS.read),
};

/** Bundles of one transaction: few enough that no writer waits noticeably. */
const BATCH = 100;

const DAY_MS = 86_400_000;
const beforeOf = (days: number, now: Date): string => new Date(now.getTime() - days * DAY_MS).toISOString();

export const archiveStages = (reader: LedgerReader, days: number, now: Date): Stage[] =>
  moveStages(unmovedBefore(reader, beforeOf(days, now)));

/**
 * Moves every older body, oldest first, and stops at the first damaged one.
 *
 * @param progress told the stages of `archiveStages`
 * @param most bundles of one transaction
 * @throws StoppedError between two transactions
 */
export function archiveRawBodies(
  ledger: Ledger,
  days: number,
  now: Date,
  progress: Progress = UNTOLD,
  most = BATCH,
): Moved {
  const before = beforeOf(days, now);
  const total: Moved = { bundles: 0, records: 0, bytes: 0, archived: 0 };
  for (let moved = most; moved === most;) {
    const batch = ledger.write((tx) => moveToArchive(tx, before, most));
    moved = batch.bundles;
    total.bundles += batch.bundles;
    total.records += batch.records;
    total.bytes += batch.bytes;
    total.archived += batch.archived;
    progress.at(STAGES.moved, total.records);
  }
  return total;
}

/**
 * Copies the archives of a ledger into the folder of its copy. Archives only grow: one of equal length is the same, a
 * shorter one is its beginning, and any other file stays untouched.
 */
export function copyArchives(reader: LedgerReader, from: string, to: string, progress: Progress = UNTOLD): void {
  let copied = 0;
  for (const { name } of archiveFiles(reader).map((file) => ({ name: path.basename(file) }))) {
    const [source, target] = [path.join(from, name), path.join(to, name)];
    progress.at(STAGES.archives, copied);
    copied += mbOf(source);
    if (source === target || !existsSync(source)) continue;
    if (existsSync(target) && (statSync(target).size >= statSync(source).size || !isBeginning(target, source)))
      continue;
    const unfinished = `${target}.unfinished`;
    copyFileSync(source, unfinished);
    const handle = openSync(unfinished, 'r+');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(unfinished, target);
  }
}

const PIECE_BYTES = 1024 ** 2;

/** Whether a file is the beginning of another, longer one. */
function isBeginning(shorter: string, longer: string): boolean {
  const handles = [openSync(shorter, 'r'), openSync(longer, 'r')] as const;
  const pieces = [Buffer.alloc(PIECE_BYTES), Buffer.alloc(PIECE_BYTES)] as const;
  try {
    for (let at = 0; ;) {
      const read = readSync(handles[0], pieces[0], 0, PIECE_BYTES, at);
      if (read === 0) return true;
      const other = readSync(handles[1], pieces[1], 0, read, at);
      if (!pieces[0].subarray(0, read).equals(pieces[1].subarray(0, other))) return false;
      at += read;
    }
  } finally {
    for (const handle of handles) closeSync(handle);
  }
}
