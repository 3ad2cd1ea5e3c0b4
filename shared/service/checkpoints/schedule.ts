/**
 * Checkpoints on a schedule: each round holds the log against the last one that was signed and appends another to a
 * file of the administrator's choice. A place that fails, or hangs, is told and tried again; nothing waits for it.
 */
import type { KeyObject } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
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
  type Checkpoint,
  type Difference,
  type LogEnd,
  type LogName,
  type LogView,
} from './checkpoint.ts';
import { variable } from '../variables.ts';

/** A chained log, whatever database holds it. */
export interface AuditLog {
  name: LogName;
  /** Its end; null while it is empty. */
  end(): Promise<LogEnd | null>;
  view(rows: readonly number[]): Promise<LogView>;
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
  /** Of the last checkpoint that was written; null before the first. */
  lastAt: string | null;
  rows: number;
  hash: string | null;
  /** Since when none could be written; null while they can. */
  failingSince: string | null;
  /** The first difference between the log and its checkpoints since the start; null when none was found. */
  difference: (Difference & { foundAt: string }) | null;
}

/** The messages of a server's log. */
export interface CheckpointLogger {
  info(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** A round that takes longer has failed, though it may still end well. */
const PATIENCE_MS = 30_000;

export class Checkpoints {
  #state: CheckpointState = { lastAt: null, rows: 0, hash: null, failingSince: null, difference: null };
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** The last signed checkpoint; undefined before the file was read. */
  #last: Checkpoint | null | undefined;
  /** How long the file was left, in bytes. */
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

  /** A round now and after every period, until `stop`. */
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

  /** Never throws. Returns after the patience at the latest; a round that hangs is waited for by the next one. */
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
    else if (this.#last !== null && compare([this.#last], await log.view(rowsToCompare([this.#last]))) !== null)
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

  /** Every checkpoint of the file against the log. @returns the last of them */
  async #compareAll(file: string, key: KeyObject): Promise<Checkpoint | null> {
    const { log } = this.#parts;
    const text = await textOf(file);
    if (text === '') return null;
    const { checkpoints } = readCheckpoints(text, log.name, key);
    this.#tell(compare(checkpoints, await viewInSteps(log, rowsToCompare(checkpoints))));
    return checkpoints.at(-1) ?? null;
  }

  /** A difference stays told until the next start: that the log goes on undisturbed does not undo it. */
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

/** Each key has a file of its own, so that two writers never share one. */
export const checkpointFile = (folder: string, log: LogName, key: KeyObject): string =>
  join(folder, `${log}.${keyName(publicText(key))}.jsonl`);

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
 * One write and one flush; a line that an earlier write left half is closed first, so that it spoils no other. The
 * folder is never made: one that is absent is a share that is not mounted.
 *
 * @returns how long the file is then
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

/** Rows that are looked up at once. */
const STEP = 500;

/** The same view, looked up in steps between which other work fits. */
export async function viewInSteps(log: AuditLog, rows: readonly number[]): Promise<LogView> {
  const hashes = new Map<number, string>();
  let view: LogView = { rows: 0, hashes, restores: [] };
  for (let from = 0; from < rows.length; from += STEP) {
    view = await log.view(rows.slice(from, from + STEP));
    for (const [row, hash] of view.hashes) hashes.set(row, hash);
  }
  return { ...view, hashes };
}
