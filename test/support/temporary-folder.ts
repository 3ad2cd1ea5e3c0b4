/**
 * A folder for the temporary files of a suite, in memory where there is enough. SQLite and PostgreSQL sync each commit,
 * and on a disk the processors stand idle meanwhile; what the parts ask of a disk is asserted at the system calls, not
 * at a device.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
/** Two packages and the clusters of three workers, beside the memory of the processes themselves. */
const LEAST_BYTES = 6 * 1024 ** 3;

/** A new folder that every user may read: a PostgreSQL server of root runs as another user. */
export function temporaryFolder(): string {
  const folder = memoryFolder() ?? newFolder(tmpdir());
  chmodSync(folder, 0o755);
  return folder;
}

const newFolder = (place: string): string => mkdtempSync(path.join(place, 'causeway-tests-'));

/** Null where the system has no such memory, too little of it, or starts no program from there. */
function memoryFolder(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, process.availableMemory()) < LEAST_BYTES) return null;
    const folder = newFolder(MEMORY);
    const program = path.join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    const canRun = spawnSync(program).status === 0;
    rmSync(canRun ? program : folder, { recursive: true });
    return canRun ? folder : null;
  } catch {
    return null;
  }
}
