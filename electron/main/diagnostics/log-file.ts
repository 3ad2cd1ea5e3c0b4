/** The program's log as files of limited size: the newest without a number, older ones numbered. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const LOG_LIMITS = { bytes: 1_000_000, files: 5 } as const;

export class LogFile {
  readonly folder: string;
  readonly #limits: { bytes: number; files: number };
  #size: number;

  /** @throws when the folder cannot be created */
  constructor(folder: string, limits: { bytes: number; files: number } = LOG_LIMITS) {
    this.folder = folder;
    this.#limits = limits;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#size = existsSync(this.#path(0)) ? statSync(this.#path(0)).size : 0;
  }

  /** Adds a line. A full disk costs the log, never the program. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    try {
      if (this.#size > 0 && this.#size + bytes > this.#limits.bytes) this.#rotate();
      appendFileSync(this.#path(0), line, { mode: 0o600 });
      this.#size += bytes;
    } catch {
      this.#size = this.#limits.bytes;
    }
  }

  /** The last characters of the newest files, oldest first. */
  tail(characters: number): string {
    let text = '';
    for (let number = 0; number < this.#limits.files && text.length < characters; number += 1) {
      if (existsSync(this.#path(number))) text = readFileSync(this.#path(number), 'utf8') + text;
    }
    return text.slice(-characters);
  }

  #rotate(): void {
    rmSync(this.#path(this.#limits.files - 1), { force: true });
    for (let number = this.#limits.files - 2; number >= 0; number -= 1) {
      if (existsSync(this.#path(number))) renameSync(this.#path(number), this.#path(number + 1));
    }
    this.#size = 0;
  }

  #path(number: number): string {
    return join(this.folder, number === 0 ? 'console.log' : `console.${number}.log`);
  }
}
