/** The folder that holds all data of a run on one machine, and the lock that keeps a second run out of it. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

export interface Home {
  root: string;
  ledger: string;
  /** The console API's token for changes at the relay; a new one for every run. */
  relayToken: string;
  logs: string;
  runFile: string;
  lockFile: string;
  /** Exists while the past of a new demo is being generated; receives its result. */
  past: string;
  /** The vendor's data: store and certificates. */
  cloud: string;
}

/** Creates the folders. Only their owner may read them: they hold keys and customers' texts. */
export function prepareHome(root: string): Home {
  const absolute = path.resolve(root);
  const home: Home = {
    root: absolute,
    ledger: path.join(absolute, 'tenant', 'ledger.sqlite'),
    relayToken: path.join(absolute, 'tenant', 'relay-token'),
    logs: path.join(absolute, 'logs'),
    runFile: path.join(absolute, 'run.json'),
    lockFile: path.join(absolute, 'start.lock'),
    past: path.join(absolute, 'past.json'),
    cloud: path.join(absolute, 'cloud'),
  };
  try {
    for (const folder of [home.root, path.dirname(home.ledger), home.logs]) makeFolder(folder);
  } catch (error) {
    throw new HomeUnusableError(absolute, error);
  }
  return home;
}

/**
 * Whether a demo with this many weeks must still be generated here: the folder is empty, or has half of an interrupted
 * one.
 */
export function isPastToLive(home: Home, weeks: number): boolean {
  const isThere = existsSync(home.ledger) || existsSync(home.cloud);
  return weeks > 0 && (!isThere || existsSync(home.past));
}

/** Half of a past is no demo: the rest of an interrupted start is removed, and generation begins again. */
export function beginPast(home: Home): void {
  writeFileSync(home.past, '', { mode: 0o600 });
  for (const made of [
    home.cloud,
    ...['', '-wal', '-shm', '.late', '.late-wal', '.late-shm'].map((end) => home.ledger + end),
  ])
    rmSync(made, { recursive: true, force: true });
}

/** @returns the result that the past has written */
export function endPast(home: Home): string {
  const told = readFileSync(home.past, 'utf8');
  rmSync(home.past);
  return told;
}

/** Creates a folder with its parents. Node's own way retries for ever on a file system without folders (`/proc`). */
function makeFolder(folder: string): void {
  try {
    makeOne(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path.dirname(folder) === folder) throw error;
    makeFolder(path.dirname(folder));
    makeOne(folder);
  }
}

function makeOne(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) mkdirSync(folder, { mode: 0o700 });
}

export class HomeUnusableError extends Error {
  override name = 'HomeUnusableError';
  constructor(folder: string, cause: unknown) {
    super(
      `CAUSEWAY_HOME names ${folder}, which cannot be made or written: choose a folder of your own ` +
        `(${cause instanceof Error ? cause.message : String(cause)}).`,
      { cause },
    );
  }
}

export class AlreadyRunningError extends Error {
  override name = 'AlreadyRunningError';
  constructor(pid: number, home: Home) {
    super(
      `Causeway runs already on ${home.root} (process ${pid}); ${home.runFile} says where. ` +
        'End that one first, or set CAUSEWAY_HOME to another folder.',
    );
  }
}

/** Locks the folder for this process; the lock of a dead process is taken over. @throws AlreadyRunningError */
export function lockHome(home: Home): () => void {
  for (;;) {
    try {
      const file = openSync(home.lockFile, 'wx', 0o600);
      writeSync(file, String(process.pid));
      closeSync(file);
      return () => rmSync(home.lockFile, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = Number(readIfThere(home.lockFile));
    if (Number.isInteger(holder) && holder > 0 && isAlive(holder)) throw new AlreadyRunningError(holder, home);
    rmSync(home.lockFile, { force: true });
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
