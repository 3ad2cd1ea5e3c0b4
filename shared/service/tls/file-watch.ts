/**
 * Files that may be replaced while a part runs: certificates, keys, authorities. New files are used only when they work
 * together; until then the old ones stay in use.
 */
import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/** The outcome of replaced files. */
export type FileChange<T> = { kind: 'TAKEN'; files: T } | { kind: 'REFUSED'; error: unknown };

export interface WatchedFiles<T> {
  paths: readonly string[];
  /** The value in use now. */
  first: T;
  /** Throws when the files cannot be used. */
  read(): T | Promise<T>;
  told(change: FileChange<T>): void;
}

const POLL_MS = 1_000;
/**
 * How long the absence of events is trusted: events get lost on network file systems, new mounts and links that lead
 * elsewhere.
 */
const SILENCE_MS = 500;

/** Checks files on request or periodically; the system's events only save checks (`isDue`). */
export class FileWatch<T> {
  readonly #watched: WatchedFiles<T>;
  #current: T;
  #refusal: unknown = null;
  /** State of the files when they were last read; null before the first reading. */
  #read: string | null = null;
  #checking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;
  /** Watchers of the files' folders; null: every check is needed. */
  #events: FSWatcher[] | null = null;
  #isListening = false;
  #hasChanged = true;
  #lookedAt = 0;
  readonly #monotonicMs: () => number;

  constructor(watched: WatchedFiles<T>, monotonicMs: () => number = () => performance.now()) {
    this.#watched = watched;
    this.#current = watched.first;
    this.#monotonicMs = monotonicMs;
  }

  get current(): T {
    return this.#current;
  }

  /** Why the present files are not in use, or null. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** Takes changed files into use if they are valid. Parallel callers share one check. Never throws. */
  async check(): Promise<T> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    await this.#checking;
    return this.#current;
  }

  /** Subscribes to file events for `isDue`. */
  listen(): this {
    this.#isListening = true;
    this.#hear();
    return this;
  }

  #hear(): void {
    this.#unhear();
    const folders = new Set(this.#watched.paths.map((file) => path.dirname(file)));
    this.#events = [];
    try {
      for (const folder of folders) {
        const events = watch(folder, { persistent: false }, () => (this.#hasChanged = true));
        events.on('error', () => this.#unhear());
        this.#events.push(events);
      }
    } catch {
      this.#unhear();
    }
  }

  /** Whether a check is worth its file calls: an event has come, none has come for long, or there is no watcher. */
  get isDue(): boolean {
    return this.#events === null || this.#hasChanged || this.#monotonicMs() - this.#lookedAt >= SILENCE_MS;
  }

  #unhear(): void {
    for (const events of this.#events ?? []) events.close();
    this.#events = null;
  }

  /**
   * Checks periodically from now on. A change counts once it has been stable for one period, so that a pair whose
   * second file is still being written is not reported as broken.
   */
  every(ms: number = POLL_MS): this {
    let seen: string | null = null;
    const next = (): void => {
      this.#timer = setTimeout(() => {
        void this.#marks()
          .then(async (now) => {
            if (now === seen) await this.check();
            seen = now;
          })
          .finally(() => {
            if (!this.#stopped) next();
          });
      }, ms);
      // The timer alone must not keep the process alive.
      this.#timer.unref();
    };
    next();
    return this;
  }

  stop(): void {
    this.#stopped = true;
    this.#isListening = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#unhear();
  }

  async #check(): Promise<void> {
    // Reset before the check: a change from here on sets it again.
    this.#hasChanged = false;
    this.#lookedAt = this.#monotonicMs();
    const now = await this.#marks();
    if (now === this.#read) return;
    // The folder itself may have been replaced.
    if (this.#isListening) this.#hear();
    let change: FileChange<T>;
    try {
      change = { kind: 'TAKEN', files: await this.#watched.read() };
    } catch (error) {
      change = { kind: 'REFUSED', error };
    }
    // A writer that changed a file between check and reading may still be writing: the next check reads again.
    if ((await this.#marks()) !== now || this.#stopped) {
      this.#hasChanged = true;
      return;
    }
    this.#read = now;
    this.#refusal = change.kind === 'REFUSED' ? change.error : null;
    if (change.kind === 'TAKEN') {
      if (isDeepStrictEqual(change.files, this.#current)) return;
      this.#current = change.files;
    }
    this.#watched.told(change);
  }

  async #marks(): Promise<string> {
    return (await Promise.all(this.#watched.paths.map(markOf))).join(' ');
  }
}

/** A mark that changes whenever the file does; a missing file has one too. */
async function markOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}
