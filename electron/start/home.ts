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
  /** The word by which the console API may change something at the relay; a new one for every run. */
  relayToken: string;
  logs: string;
  runFile: string;
  lockFile: string;
  /** There while the past of a new demo is being made; takes what was made. */
  past: string;
  /** Everything of the vendor: store and certificates. */
  cloud: string;
}

/** Makes the folders. Only their owner may look inside: keys and customers' texts lie there. */
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

/** Whether a demo of so many weeks is still to be made here: nothing is there, or half of one that was interrupted. */
export function isPastToLive(home: Home, weeks: number): boolean {
  const isThere = existsSync(home.ledger) || existsSync(home.cloud);
  return weeks > 0 && (!isThere || existsSync(home.past));
}

/** Half of a past is no demo: what an interrupted start has left goes, and the next one begins anew. */
export function beginPast(home: Home): void {
  writeFileSync(home.past, '', { mode: 0o600 });
  for (const made of [
    home.cloud,
    ...['', '-wal', '-shm', '.late', '.late-wal', '.late-shm'].map((end) => home.ledger + end),
  ])
    rmSync(made, { recursive: true, force: true });
}

/** @returns what the past has told of itself */
export function endPast(home: Home): string {
  const told = readFileSync(home.past, 'utf8');
  rmSync(home.past);
  return told;
}

/** With its parents. Node's own way tries for ever where a file system takes no folder (`/proc`). */
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

/** Takes the folder for this process; the lock of a process that is gone is taken over. @throws AlreadyRunningError */
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
