/**
 * Files that may be replaced while a part runs: certificates, keys, authorities. New ones are taken into use only when
 * they can be used together; until then the old ones stay.
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
  /** Throws when they cannot be used. */
  read(): T | Promise<T>;
  told(change: FileChange<T>): void;
}

const POLL_MS = 1_000;
/** For so long a silent system is believed: file events get lost on network file systems, new mounts and links that lead away. */
const SILENCE_MS = 500;

/** Looks at files when it is asked to, or again and again; the system's events only spare looks (`isDue`). */
export class FileWatch<T> {
  readonly #watched: WatchedFiles<T>;
  #current: T;
  #refusal: unknown = null;
  /** How the files stood when they were last read; null: not since the first time. */
  #read: string | null = null;
  #checking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;
  /** Tell of changes in the files' folders; null: no look can be spared. */
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

  /** Why the files as they stand now are not in use, or null. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** Takes changed files into use, if they fit. Callers at the same time share one look. Never throws. */
  async check(): Promise<T> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    await this.#checking;
    return this.#current;
  }

  /** Has the system tell of changes from now on, for `isDue`. */
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

  /** Whether a look is worth its file calls: the system has told of a change, or has been silent for long, or tells nothing. */
  get isDue(): boolean {
    return this.#events === null || this.#hasChanged || this.#monotonicMs() - this.#lookedAt >= SILENCE_MS;
  }

  #unhear(): void {
    for (const events of this.#events ?? []) events.close();
    this.#events = null;
  }

  /**
   * Looks by itself from now on. A change then counts when it has stood still for one look, so that a pair whose
   * second file is still being written is not taken for a broken one.
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
      // It is no reason for a process to go on.
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
    // Before the files are looked at: what changes from here on is told anew.
    this.#hasChanged = false;
    this.#lookedAt = this.#monotonicMs();
    const now = await this.#marks();
    if (now === this.#read) return;
    // The folder itself may be another one now.
    if (this.#isListening) this.#hear();
    let change: FileChange<T>;
    try {
      change = { kind: 'TAKEN', files: await this.#watched.read() };
    } catch (error) {
      change = { kind: 'REFUSED', error };
    }
    // A writer that came between the look and the reading is still at it: the next look reads again.
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

/** Changes whenever the file does; one that is missing has a mark too. */
async function markOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}
