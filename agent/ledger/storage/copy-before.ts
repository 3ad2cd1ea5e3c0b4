/**
 * A copy of the ledger before a migration (D170). A migration goes forward only, so the way back to the earlier program is
 * this copy. One is kept beside the ledger, the latest.
 */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { codeOf } from '../../../shared/service/error-code.ts';
import { LedgerFullError } from './errors.ts';
import type { Stage } from '../../../shared/service/long-work/estimate.ts';
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { LEDGER_VERSION, MIGRATED_STAGE, schemaVersion } from './migrate.ts';

/** Room that is left beside the copy: the migration itself writes too. */
const MARGIN = 1.2;

const COPIED = { name: 'MB to copy before the migration', perSecond: 100 };
/** A step reads the ledger once, to check what its rows refer to. */
const STEP_MB_PER_SECOND = 300;

const bytesOf = (db: Database.Database): number =>
  Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));

/** What the migration of an opened ledger takes, the copy included. */
export function migrationStages(db: Database.Database): Stage[] {
  const mb = bytesOf(db) / 1_000_000;
  const steps = LEDGER_VERSION - schemaVersion(db);
  return [
    { ...COPIED, units: mb },
    { name: MIGRATED_STAGE, units: steps, perSecond: STEP_MB_PER_SECOND / mb },
  ];
}

/**
 * @param progress told the stages of `migrationStages`
 * @returns the file of the copy; null where another process has migrated the ledger meanwhile
 * @throws LedgerFullError without room for it: the ledger stays as it is
 */
export function copyBefore(db: Database.Database, file: string, progress: Progress = UNTOLD): string | null {
  const version = schemaVersion(db);
  const copy = `${file}.schema-${version}`;
  const unfinished = `${copy}.unfinished-${process.pid}`;
  removeLeftOver(file);
  refuseWithoutRoom(db, file, version);
  progress.unfinished(unfinished);
  progress.at(COPIED.name, 0);
  try {
    rmSync(unfinished, { force: true });
    closeSync(openSync(unfinished, 'wx', 0o600));
    // One snapshot of the whole file, read page by page: a damaged ledger gives no copy and is not migrated.
    db.prepare('VACUUM INTO ?').run(unfinished);
    if (versionOf(unfinished) !== version) return null;
    sync(unfinished);
    renameSync(unfinished, copy);
    if (process.platform !== 'win32') sync(path.dirname(file));
  } finally {
    rmSync(unfinished, { force: true });
    progress.unfinished(null);
  }
  removeOthers(copy, file);
  return copy;
}

/** A copy of an earlier migration: the program that it was for is two releases back. */
function removeOthers(copy: string, file: string): void {
  const folder = path.dirname(file);
  const start = `${path.basename(file)}.schema-`;
  for (const name of readdirSync(folder))
    if (name.startsWith(start) && /^\d+$/.test(name.slice(start.length)) && name !== path.basename(copy))
      rmSync(path.join(folder, name), { force: true });
}

/** Copies of processes that were killed in the middle: each is as large as the ledger. */
function removeLeftOver(file: string): void {
  const folder = path.dirname(file);
  const start = `${path.basename(file)}.schema-`;
  for (const name of readdirSync(folder).filter((each) => each.startsWith(start))) {
    const pid = /\.unfinished-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(path.join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function refuseWithoutRoom(db: Database.Database, file: string, version: number): void {
  const needed = MARGIN * bytesOf(db);
  const { bavail, bsize } = statfsSync(path.dirname(file));
  if (bavail * bsize >= needed) return;
  const [mb, free] = [needed, bavail * bsize].map((bytes) => Math.ceil(bytes / 1024 ** 2));
  throw new LedgerFullError(
    file,
    `before its schema version ${version} is migrated a copy is made beside it, which takes ${mb} MB, and ${free} MB are free`,
  );
}

function versionOf(file: string): number {
  const db = new Database(file, { readonly: true });
  try {
    return schemaVersion(db);
  } finally {
    db.close();
  }
}

function sync(place: string): void {
  const handle = openSync(place, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
