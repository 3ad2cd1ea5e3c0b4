/** Gives the restored ledger its name; see `restore.ts`. Every place here is a real path. */
import { constants, copyFileSync, existsSync, linkSync, renameSync } from 'node:fs';
import { giveName, logWithoutLedger, moveLogs, type SetAside } from '../../ledger/storage/leftovers.ts';
import { BackupError, sync } from './backup.ts';

/** Gives a file the name of the present ledger, which stays under another one. An empty file has no claim to the logs. */
export function replace(incoming: string, file: string, kept: string): SetAside[] {
  if (logWithoutLedger(file) !== null) {
    renameSync(file, kept);
    return putFirst(incoming, file);
  }
  const aside = keep(file, kept);
  renameSync(incoming, file);
  return aside;
}

/** Gives a file the free name of the ledger. A ledger that another process has made meanwhile stays. */
export function putFirst(incoming: string, file: string): SetAside[] {
  if (existsSync(file))
    throw new BackupError(
      `Another process created the ledger ${file} during the restore: stop all parts, then restore again.`,
    );
  return giveName(incoming, file);
}

/**
 * Links the present ledger under another name; moves the log of a damaged one too, which the next ledger would take for
 * its own.
 */
function keep(file: string, kept: string): SetAside[] {
  try {
    linkSync(file, kept);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw error;
    // Not every file system gives a file two names.
    copyFileSync(file, kept, constants.COPYFILE_EXCL);
    sync(kept);
  }
  return moveLogs(file, kept);
}
