/**
 * Checkpoints on a schedule: each round compares the log with the last signed checkpoint and appends another to a file
 * that the administrator chose. A target that fails or hangs is reported and tried again; no other work waits for it.
 */
import type { KeyObject } from 'node:crypto';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../time/clock.ts';
import { checkpointKey, isCode } from './key.ts';
import {
  CheckpointError,
  compare,
  differenceInWords,
  keyName,
  publicText,
  readCheckpoints,
  rowsToCompare,
  signCheckpoint,
  treesOf,
  type Checkpoint,
  type Difference,
  type LogEnd,
  type LogName,
  type LogView,
} from './checkpoint.ts';
import { variable } from '../variables.ts';

/** A chained log, independent of the database that holds it. */
export interface AuditLog {
  name: LogName;
  /** The last row; null while the log is empty. */
  end(): Promise<LogEnd | null>;
  view(rows: readonly number[]): Promise<LogView>;
  /** The roots of the tree over its first so many rows, as its rows give them now; absent for a log without a tree. */
  roots?(rows: readonly number[]): ReadonlyMap<number, string>;
}

export const CHECKPOINT_VARIABLES = {
  CAUSEWAY_CHECKPOINT_FOLDER: variable.optional(
    'folder for signed checkpoints of the audit log, best on another machine; not set: none are written',
    variable.text,
  ),
  CAUSEWAY_CHECKPOINT_MINUTES: variable.defaulted('time between two checkpoints', 60, variable.wholeNumber(1, 1_440)),
  CAUSEWAY_CHECKPOINT_KEY: variable.optional('file of the key that signs them, made on first use', variable.text),
};

export interface CheckpointPlace {
  folder: string;
  keyFile: string;
  periodMs: number;
}

export interface CheckpointState {
  /** Time of the last checkpoint that was written; null before the first. */
  lastAt: string | null;
  rows: number;
  hash: string | null;
  /** Start of the present failure; null while checkpoints are written. */
  failingSince: string | null;
  /** The first difference between the log and its checkpoints since the start; null when none was found. */
  difference: (Difference & { foundAt: string }) | null;
}

/** The messages of a server's log. */
export interface CheckpointLogger {
  info(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** A round that takes longer counts as failed, though it may still complete. */
const PATIENCE_MS = 30_000;
/** A dossier does not wait longer for the checkpoints that lie elsewhere. */
const READ_MS = 1_000;

export class Checkpoints {
  #state: CheckpointState = { lastAt: null, rows: 0, hash: null, failingSince: null, difference: null };
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** The last signed checkpoint; undefined before the file was read. */
  #last: Checkpoint | null | undefined;
  /** Length of the file after the last write, in bytes. */
  #size = 0;
  #stopped = false;
  readonly #parts;

  constructor(parts: {
    log: AuditLog;
    place: CheckpointPlace;
    clock: Clock;
    logger: CheckpointLogger;
    patienceMs?: number;
  }) {
    this.#parts = parts;
  }

  get state(): Readonly<CheckpointState> {
    return this.#state;
  }

  /** Runs a round now and after every period, until `stop`. */
  start(): void {
    const again = (): void => void this.round();
    again();
    this.#timer = setInterval(again, this.#parts.place.periodMs);
    this.#timer.unref();
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  /** Never throws. Returns after the time limit at the latest; the next round waits for one that hangs. */
  async round(): Promise<void> {
    const { patienceMs = PATIENCE_MS } = this.#parts;
    let late: NodeJS.Timeout | undefined;
    const impatience = new Promise<never>((_resolve, reject) => {
      late = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
    });
    this.#running ??= this.#write().finally(() => (this.#running = null));
    try {
      await Promise.race([this.#running, impatience]);
    } catch (error) {
      this.#fail(error);
    } finally {
      clearTimeout(late);
    }
  }

  async #write(): Promise<void> {
    const { log, place, clock, logger } = this.#parts;
    const key = await checkpointKey(place.keyFile, (made) =>
      logger.info(
        { key: publicText(made) },
        'a key for checkpoints was made; keep its public half where the log is verified',
      ),
    );
    const file = checkpointFile(place.folder, log.name, key);
    if (this.#last === undefined) this.#last = await this.#compareAll(file, key);
    else if (
      this.#last !== null &&
      compare([this.#last], await log.view(rowsToCompare([this.#last])), clock.now()) !== null
    )
      await this.#compareAll(file, key);
    const end = await log.end();
    if (end === null) return this.#succeed(null);
    const checkpoint = signCheckpoint(log.name, end, clock.now(), key);
    if ((await sizeOf(file)) < this.#size)
      throw new CheckpointError(
        `The file ${file} is shorter than it was left: see who has removed checkpoints from it.`,
      );
    this.#size = await appendLine(file, JSON.stringify(checkpoint));
    this.#last = checkpoint;
    this.#succeed(checkpoint);
  }

  /** Compares every checkpoint of the file with the log. @returns the last of them */
  async #compareAll(file: string, key: KeyObject): Promise<Checkpoint | null> {
    const { log, clock } = this.#parts;
    const text = await textOf(file);
    if (text === '') return null;
    const { checkpoints } = readCheckpoints(text, log.name, key);
    this.#tell(compare(checkpoints, await viewInSteps(log, rowsToCompare(checkpoints)), clock.now()));
    return checkpoints.at(-1) ?? null;
  }

  /** A difference stays reported until the next start: a log that goes on undisturbed does not undo it. */
  #tell(difference: Difference | null): void {
    if (difference === null || this.#state.difference !== null) return;
    const { clock, logger } = this.#parts;
    this.#state = { ...this.#state, difference: { ...difference, foundAt: clock.now().toISOString() } };
    logger.error({ difference }, differenceInWords(difference));
  }

  #succeed(checkpoint: Checkpoint | null): void {
    const { logger } = this.#parts;
    if (this.#state.failingSince !== null) logger.info({}, 'checkpoints of the audit log are written again');
    this.#state = { ...this.#state, failingSince: null };
    if (checkpoint === null) return;
    const { at: lastAt, rows, hash } = checkpoint;
    this.#state = { ...this.#state, lastAt, rows, hash };
  }

  #fail(error: unknown): void {
    // The log may be closed by now.
    if (this.#stopped) return;
    const { clock, logger } = this.#parts;
    const failingSince = this.#state.failingSince ?? clock.now().toISOString();
    this.#state = { ...this.#state, failingSince };
    logger.error({ err: error, failingSince }, 'no checkpoint of the audit log was written, trying again');
  }
}

/** Each key writes its own file, so that two writers never share one. */
export const checkpointFile = (folder: string, log: LogName, key: KeyObject): string =>
  join(folder, `${log}.${keyName(publicText(key))}.jsonl`);

/**
 * The checkpoints that sign a tree, of all files of the log in the folder, those of earlier keys too; in the order of
 * their rows. Empty without a folder, and where it cannot be read in time: a share may hang.
 */
export async function storedTrees(folder: string | null, log: LogName): Promise<Checkpoint[]> {
  if (folder === null) return [];
  let late: NodeJS.Timeout | undefined;
  const impatience = new Promise<string[]>((resolve) => {
    late = setTimeout(() => resolve([]), READ_MS);
  });
  try {
    const texts = await Promise.race([textsOf(folder, log), impatience]);
    return texts.flatMap(treesOf).toSorted((one, other) => one.rows - other.rows);
  } catch {
    return [];
  } finally {
    clearTimeout(late);
  }
}

async function textsOf(folder: string, log: LogName): Promise<string[]> {
  const names = await readdir(folder);
  const ofLog = names.filter((name) => name.startsWith(`${log}.`) && name.endsWith('.jsonl'));
  return Promise.all(ofLog.map((name) => readFile(join(folder, name), 'utf8')));
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return 0;
    throw error;
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return '';
    throw error;
  }
}

/**
 * Appends with one write and one flush. A half line of an earlier write is closed first, so that it spoils no other
 * line. The folder is never created: a missing folder is a share that is not mounted.
 *
 * @returns the new length of the file
 */
async function appendLine(file: string, line: string): Promise<number> {
  const handle = await open(file, 'a+', 0o640);
  try {
    const { size } = await handle.stat();
    const last = size === 0 ? '\n' : (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString();
    await handle.write(`${last === '\n' ? '' : '\n'}${line}\n`);
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** Rows per query. */
const STEP = 500;

/** Reads the same view in steps, so that other work runs between them. */
export async function viewInSteps(log: AuditLog, rows: readonly number[]): Promise<LogView> {
  const hashes = new Map<number, string>();
  let view: LogView = { rows: 0, hashes, restores: [] };
  for (let from = 0; from < rows.length; from += STEP) {
    view = await log.view(rows.slice(from, from + STEP));
    for (const [row, hash] of view.hashes) hashes.set(row, hash);
  }
  return { ...view, hashes };
}
