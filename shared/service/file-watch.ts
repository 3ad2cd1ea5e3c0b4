/**
 * Files that may be replaced while a part runs. New ones are taken into use only when they can be
 * used together; until then the old ones stay.
 */
import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';

/** What became of files that were replaced. */
export type FileChange<T> = { kind: 'TAKEN'; files: T } | { kind: 'REFUSED'; error: unknown };

export interface WatchedFiles<T> {
  paths: readonly string[];
  /** What is in use now. */
  first: T;
  /** Throws when they cannot be used. */
  read(): T;
  told(change: FileChange<T>): void;
}

const LOOK_MS = 1_000;

/**
 * Looks at the files again and again. Looking, because file events get lost on network file systems and
 * when a folder is mounted anew. A change counts when it has stood still for one look, so that a pair
 * whose second file is still being written is not taken for a broken one.
 */
export class FileWatch<T> {
  readonly #watched: WatchedFiles<T>;
  readonly #everyMs: number;
  #current: T;
  /** How the files stood when they were last read, and at the last look. */
  #read: string | null = null;
  #seen: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(watched: WatchedFiles<T>, everyMs = LOOK_MS) {
    this.#watched = watched;
    this.#current = watched.first;
    this.#everyMs = everyMs;
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      void this.#look().finally(() => {
        if (!this.#stopped) this.#schedule();
      });
    }, this.#everyMs);
    // It is no reason for a process to go on.
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const now = await this.#appearance();
    const settled = now === this.#seen;
    this.#seen = now;
    if (!settled || now === this.#read) return;
    let change: FileChange<T>;
    try {
      change = { kind: 'TAKEN', files: this.#watched.read() };
    } catch (error) {
      change = { kind: 'REFUSED', error };
    }
    // Whoever wrote between the look and the reading is still at it.
    this.#seen = await this.#appearance();
    if (this.#seen !== now || this.#stopped) return;
    this.#read = now;
    if (change.kind === 'TAKEN') {
      if (isDeepStrictEqual(change.files, this.#current)) return;
      this.#current = change.files;
    }
    this.#watched.told(change);
  }

  async #appearance(): Promise<string> {
    return (await Promise.all(this.#watched.paths.map(appearance))).join(' ');
  }
}

async function appearance(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return [ino, size, mtimeMs, ctimeMs].join(':');
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}
