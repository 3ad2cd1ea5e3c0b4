/**
 * Files that may be replaced while a part runs: certificates, keys, authorities. New ones are taken into use only when
 * they can be used together; until then the old ones stay.
 */
import { stat } from 'node:fs/promises';
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

const LOOK_MS = 1_000;

/**
 * Looks at files when it is asked to, or again and again: file events get lost on network file systems and new mounts.
 */
export class FileWatch<T> {
  readonly #watched: WatchedFiles<T>;
  #current: T;
  #refusal: unknown = null;
  /** How the files stood when they were last read; null: not since the first time. */
  #read: string | null = null;
  #looking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(watched: WatchedFiles<T>) {
    this.#watched = watched;
    this.#current = watched.first;
  }

  get current(): T {
    return this.#current;
  }

  /** Why the files as they stand now are not in use, or null. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** Takes changed files into use, if they fit. Callers at the same time share one look. Never throws. */
  async look(): Promise<T> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
    return this.#current;
  }

  /**
   * Looks by itself from now on. A change then counts when it has stood still for one look, so that a pair whose
   * second file is still being written is not taken for a broken one.
   */
  every(ms: number = LOOK_MS): this {
    let seen: string | null = null;
    const next = (): void => {
      this.#timer = setTimeout(() => {
        void this.#marks()
          .then(async (now) => {
            if (now === seen) await this.look();
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
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const now = await this.#marks();
    if (now === this.#read) return;
    let change: FileChange<T>;
    try {
      change = { kind: 'TAKEN', files: await this.#watched.read() };
    } catch (error) {
      change = { kind: 'REFUSED', error };
    }
    // A writer that came between the look and the reading is still at it: the next look reads again.
    if ((await this.#marks()) !== now || this.#stopped) return;
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
async function markOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  }
}
