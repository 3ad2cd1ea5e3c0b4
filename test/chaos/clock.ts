/** A wall clock that a test sets, for processes that are started with its variables. The monotonic clock stays true. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from '../support/pki.ts';

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

/** Why a clock cannot be set on this machine; null: it can. */
export const clockHindrance = existsSync(LIBRARY) ? null : 'a clock needs the package libfaketime';

export class FakeClock {
  readonly #folder: string;
  /** Whether it was ever wrong: statements that seem old or early are kept in quarantine then. */
  isMoved = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#write(0);
  }

  get env(): Record<string, string> {
    if (clockHindrance !== null) return {};
    return {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: path.join(this.#folder, 'clock'),
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DISABLE_SHM: '1',
    };
  }

  /** @param seconds away from the true time */
  set(seconds: number): void {
    this.isMoved = true;
    this.#write(seconds);
  }

  #write(seconds: number): void {
    writeWhole(this.#folder, 'clock', `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }
}
