/**
 * The first administrator of an install without accounts (D58: without the demo there are none). Only the service
 * prints a code, at its start; a person who can read it may register. Login is the only surface without a session
 * (console API 5), so the code is used there, once.
 */
import { randomInt, timingSafeEqual } from 'node:crypto';
import { hasMembers } from '../../../agent/ledger/accounts/members.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';

/** Without letters and digits that look alike. */
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const GROUPS = 5;
const GROUP = 5;

export class SetUp {
  #code: string | null;

  /** Creates a code while no account exists. */
  constructor(reader: LedgerReader) {
    this.#code = hasMembers(reader) ? null : newCode();
  }

  /** The code to print; null once accounts exist. */
  get code(): string | null {
    return this.#code;
  }

  /** Whether a first administrator can still be registered. */
  isOpen(reader: LedgerReader): boolean {
    return this.#code !== null && !hasMembers(reader);
  }

  /** Whether the code is right and still no account exists. */
  fits(reader: LedgerReader, given: string): boolean {
    if (this.#code === null || !this.isOpen(reader)) return false;
    const [expected, actual] = [plain(this.#code), plain(given)];
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  /** Called when an administrator has been registered. */
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
