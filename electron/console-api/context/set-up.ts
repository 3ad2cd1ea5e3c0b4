/**
 * The first administrator of an install without accounts (D58: without the demo there is none). The
 * service prints a code when it starts, and only it; whoever can read that may name themselves. Login is
 * the only surface without a session (console API 5), so the code is used there, once.
 */
import { randomInt, timingSafeEqual } from 'node:crypto';
import { hasMembers } from '../../../agent/ledger/accounts/members.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';

/** Without letters and digits that can be taken for one another. */
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const GROUPS = 5;
const GROUP = 5;

export class SetUp {
  #code: string | null;

  /** Makes a code where nobody can log in yet. */
  constructor(reader: LedgerReader) {
    this.#code = hasMembers(reader) ? null : newCode();
  }

  /** The code to be printed; null where there are accounts. */
  get code(): string | null {
    return this.#code;
  }

  /** Whether a first administrator can be registered still. */
  isOpen(reader: LedgerReader): boolean {
    return this.#code !== null && !hasMembers(reader);
  }

  /** Whether this is the code, and nobody has an account still. */
  fits(reader: LedgerReader, given: string): boolean {
    if (this.#code === null || !this.isOpen(reader)) return false;
    const [expected, actual] = [plain(this.#code), plain(given)];
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  /** There is an administrator now. */
  done(): void {
    this.#code = null;
  }
}

function newCode(): string {
  const group = (): string => Array.from({ length: GROUP }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

function plain(code: string): Buffer {
  return Buffer.from(code.replaceAll(/[\s-]/g, '').toUpperCase());
}
