/**
 * A copy of the ledger before a migration (D170). A migration goes forward only, so the way back to the earlier program is
 * this copy. One is kept beside the ledger, the latest. While its migration runs, a mark beside it names the version that
 * the migration leads to: one that was stopped between two steps goes on without another copy.
 */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { codeOf } from '../../../shared/service/error-code.ts';
import { LedgerFullError } from './errors.ts';
import { giveName, type SetAside } from './leftovers.ts';
import { UNTOLD, type Progress, type Stage } from '../../../shared/service/long-work/progress.ts';
import { LEDGER_VERSION, MIGRATED_STAGE, schemaVersion } from './migrate.ts';

/** Room that is left beside the copy: the migration itself writes too. */
const MARGIN = 1.2;

const COPIED = 'MB to copy before the migration';

const bytesOf = (db: Database.Database): number =>
  Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));

/** The earlier version, and the copy of the ledger in it. */
export interface Earlier {
  from: number;
  copy: string;
  /** Logs that lay beside the copy's name. */
  aside: SetAside[];
}

/** The steps that an opened ledger lacks. */
export const stepsStage = (db: Database.Database): Stage => ({
  name: MIGRATED_STAGE,
  units: LEDGER_VERSION - schemaVersion(db),
});

/**
 * Makes the copy, or finds that of a migration which was stopped.
 *
 * @param progress told the stages of the whole migration, once there is room for the copy
 * @returns null where another process has migrated the ledger meanwhile
 * @throws LedgerFullError without room for it: the ledger stays as it is
 */
export function copyBefore(db: Database.Database, file: string, progress: Progress = UNTOLD): Earlier | null {
  const version = schemaVersion(db);
  removeLeftOver(file);
  const from = begun(file, version) ?? version;
  const copy = copyOf(file, from);
  if (from === version) refuseWithoutRoom(db, file, version);
  progress.plan([{ name: COPIED, units: from === version ? bytesOf(db) / 1_000_000 : 0 }, stepsStage(db)]);
  const aside = from === version ? makeCopy(db, file, copy, progress) : [];
  if (aside === null) return null;
  closeSync(openSync(markOf(copy), 'w', 0o600));
  if (process.platform !== 'win32') sync(path.dirname(file));
  removeOthers(copy, file);
  return { from, copy, aside };
}

/** The migration has ended: the next one makes a copy of its own. */
export const endMigration = ({ copy }: Earlier): void => rmSync(markOf(copy), { force: true });

const copyOf = (file: string, version: number): string => `${file}.schema-${version}`;
const markOf = (copy: string): string => `${copy}.migrating-to-${LEDGER_VERSION}`;

/**
 * The version from which a migration was begun that has come to `version` and not to its end; null: none was. A mark
 * that a crash has left behind at the end names no later version.
 */
function begun(file: string, version: number): number | null {
  const start = `${path.basename(file)}.schema-`;
  for (const name of readdirSync(path.dirname(file)).filter((each) => each.startsWith(start))) {
    const [, from, to] = (/^(\d+)\.migrating-to-(\d+)$/.exec(name.slice(start.length)) ?? []).map(Number);
    if (from === undefined || to === undefined || from >= version || version >= to) continue;
    if (existsSync(copyOf(file, from))) return from;
  }
  return null;
}

/** Null where another process has migrated the ledger meanwhile. */
function makeCopy(db: Database.Database, file: string, copy: string, progress: Progress): SetAside[] | null {
  const version = schemaVersion(db);
  const unfinished = `${copy}.unfinished-${process.pid}`;
  progress.unfinished(unfinished);
  progress.at(COPIED, 0);
  try {
    rmSync(unfinished, { force: true });
    closeSync(openSync(unfinished, 'wx', 0o600));
    // One snapshot of the whole file, read page by page: a damaged ledger gives no copy and is not migrated.
    db.prepare('VACUUM INTO ?').run(unfinished);
    if (versionOf(unfinished) !== version) return null;
    sync(unfinished);
    const aside = giveName(unfinished, copy);
    if (process.platform !== 'win32') sync(path.dirname(file));
    return aside;
  } finally {
    rmSync(unfinished, { force: true });
    progress.unfinished(null);
  }
}

/** Copies of earlier migrations: the program that they were for is two releases back. */
function removeOthers(copy: string, file: string): void {
  const folder = path.dirname(file);
  const start = `${path.basename(file)}.schema-`;
  const kept = [copy, markOf(copy)].map((each) => path.basename(each));
  for (const name of readdirSync(folder))
    if (name.startsWith(start) && /^\d+(?:\.migrating-to-\d+)?$/.test(name.slice(start.length)) && !kept.includes(name))
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
