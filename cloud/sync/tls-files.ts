/**
 * The certificate, key and client authority of the bundle endpoint, as files that may be replaced while
 * it runs. New ones are taken into use only when they fit each other; until then the old ones stay.
 */
import { stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { CertificateFileError, readCertificate, readPair } from '../pki/files.ts';

/** PEM texts that fit each other. */
export interface TlsFiles {
  cert: string;
  key: string;
  /** Certificate authorities of the clients. */
  clientCa: string;
}

export interface TlsPaths {
  cert: string;
  key: string;
  clientCa: string;
}

/** @throws CertificateFileError */
export function readTlsFiles(paths: TlsPaths): TlsFiles {
  const files = { ...readPair(paths), clientCa: readCertificate(paths.clientCa) };
  try {
    createSecureContext({ cert: files.cert, key: files.key, ca: files.clientCa });
  } catch (error) {
    throw new CertificateFileError(
      `The files ${paths.cert}, ${paths.key} and ${paths.clientCa} cannot be used for TLS: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  return files;
}

/** What became of files that were replaced. */
export type TlsChange = { kind: 'TAKEN'; files: TlsFiles } | { kind: 'REFUSED'; error: unknown };

const LOOK_MS = 1_000;

/**
 * Looks at the files again and again. Looking, because file events get lost on network file systems and
 * when a folder is mounted anew. A change counts when it has stood still for one look, so that a pair
 * whose second file is still being written is not taken for a broken one.
 */
export class TlsWatch {
  readonly #paths: TlsPaths;
  readonly #told: (change: TlsChange) => void;
  readonly #everyMs: number;
  #current: TlsFiles;
  /** How the files stood when they were last read, and at the last look. */
  #read: string | null = null;
  #seen: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  /** @param first what is in use now */
  constructor(paths: TlsPaths, first: TlsFiles, told: (change: TlsChange) => void, everyMs = LOOK_MS) {
    this.#paths = paths;
    this.#current = first;
    this.#told = told;
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
    let change: TlsChange;
    try {
      change = { kind: 'TAKEN', files: readTlsFiles(this.#paths) };
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
    this.#told(change);
  }

  async #appearance(): Promise<string> {
    const { cert, key, clientCa } = this.#paths;
    return (await Promise.all([cert, key, clientCa].map(appearance))).join(' ');
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
