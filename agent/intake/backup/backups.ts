/** `intake backups`: adds a backup to a folder and removes the oldest. Meant for a schedule. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { variable } from '../../../shared/service/variables.ts';
import type { SetAside } from '../../ledger/storage/leftovers.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { ARCHIVE_TOO } from './archive.ts';
import { BackupError, backupLedger, type Position } from './backup.ts';

export const BACKUPS_VARIABLES = {
  CAUSEWAY_LEDGER: variable.required('file of the ledger', variable.text),
  CAUSEWAY_BACKUP_FOLDER: variable.required(
    'folder of the backups, on another disk than the ledger; it is made where there is none',
    variable.text,
  ),
  CAUSEWAY_BACKUP_KEEP: variable.defaulted(
    'how many backups are kept; the oldest go when a new one is written and verified',
    14,
    variable.wholeNumber(1, 10_000),
  ),
  ...ARCHIVE_TOO,
};

/** The time `2026-11-20T08:00:00.000Z` in the form of file names, which sort by time. */
const nameAt = (now: Date): string => `ledger-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.sqlite`;
const OURS = /^ledger-\d{8}T\d{6}Z\.sqlite$/;

export interface BackupFile {
  file: string;
  position: Position;
  /** Logs that lay beside the name. */
  aside: SetAside[];
  /** What the copy's check could not judge without the record key. */
  unjudged: string[];
  /** Names of the removed backups. */
  removed: string[];
  /** Whether ledger and backup lie on one disk, where one fault destroys both. */
  isOnSameDisk: boolean;
}

/** What a killed run has left, which no run writes any more: it would fill the disk night by night. */
const LEFT_AFTER_MS = 86_400_000;
const UNFINISHED = /^ledger-\d{8}T\d{6}Z\.sqlite\.unfinished(?:-wal|-shm|-journal)?$/;

function removeLeftOver(folder: string, now: Date): void {
  for (const name of readdirSync(folder).filter((each) => UNFINISHED.test(each))) {
    const file = path.join(folder, name);
    const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now.getTime();
    if (now.getTime() - at > LEFT_AFTER_MS) rmSync(file, { force: true });
  }
}

/**
 * Adds a backup. Removes nothing before the new backup is written and verified, and only files with names of its own
 * form.
 *
 * @param keep how many backups are kept
 * @param progress told the stages of `backupStages`
 * @throws BackupError, StoppedError: nothing is left of the new backup then
 */
export async function addBackup(
  ledger: Ledger,
  folder: string,
  keep: number,
  now: Date,
  progress: Progress = UNTOLD,
): Promise<BackupFile> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new BackupError(
      `The folder ${folder} in CAUSEWAY_BACKUP_FOLDER cannot be made (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
  const file = path.join(folder, nameAt(now));
  removeLeftOver(folder, now);
  const { unjudged, aside, ...position } = await backupLedger(ledger, file, progress);
  // A clock that was ahead may have left names that sort before the new one; the new one stays regardless.
  const others = backupsIn(folder).filter((name) => name !== path.basename(file));
  const removed = others.slice(keep - 1);
  for (const name of removed) rmSync(path.join(folder, name), { force: true });
  return { file, position, aside, unjudged, removed, isOnSameDisk: statSync(folder).dev === statSync(ledger.file).dev };
}

/** The names of the backups in a folder, newest first. */
export function backupsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => OURS.test(name))
    .toSorted()
    .toReversed();
}

/** When the newest backup of a folder was written; null: there is none, or the folder cannot be read. */
export function lastBackupAt(folder: string): Date | null {
  try {
    const [newest] = backupsIn(folder);
    return newest === undefined ? null : statSync(path.join(folder, newest)).mtime;
  } catch {
    return null;
  }
}
