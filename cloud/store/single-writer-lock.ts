/**
 * The lock on the embedded store's folder. PGlite has no lock of its own, and two processes on one folder lose rows in
 * silence. The lock is the write lock of a small SQLite file, which the operating system releases at any end of its
 * holder: a stale file never blocks.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** Another process has the embedded store open. */
export class StoreInUseError extends Error {
  constructor(folder: string, holder: string) {
    super(
      `The embedded store ${folder} is open in process ${holder}: stop that process first, or set CAUSEWAY_DATABASE_URL to a PostgreSQL server, which takes many at once.`,
    );
    this.name = 'StoreInUseError';
  }
}

export interface FolderLock {
  release(): void;
}

/**
 * Takes the lock of a store's folder, or fails at once.
 * @throws StoreInUseError naming the holder's process id
 */
export function lockFolder(folder: string): FolderLock {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const holderFile = `${folder}.pid`;
  const handle = new DatabaseSync(`${folder}.lock`, { timeout: 0 });
  try {
    // Rollback journal without a written page: only the reserved lock is needed.
    handle.exec('begin immediate');
  } catch (error) {
    handle.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new StoreInUseError(folder, readHolder(holderFile));
    }
    throw error;
  }
  // The id is only for the message; it stays behind after a kill, which harms nothing.
  writeFileSync(holderFile, `${process.pid}\n`);
  return {
    release: () => {
      if (!handle.isOpen) return;
      handle.exec('rollback');
      handle.close();
    },
  };
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '(unknown)';
  }
}
