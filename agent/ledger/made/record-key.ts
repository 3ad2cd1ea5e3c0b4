/**
 * The record key of a host (D199): `record.key` beside the ledger, made with the first account or policy, readable by
 * its owner only and never overwritten. It seals the rows of the audit log that tell of a thing, and no backup holds it.
 */
import { createHmac, hash, randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../../shared/service/error-code.ts';

export interface RecordKey {
  /** Eight hex digits that name it. */
  id: string;
  mac(text: string): string;
}

/** The file beside a ledger; null for one in memory. */
export const recordKeyFile = (ledger: string): string | null =>
  ledger === ':memory:' ? null : path.join(path.dirname(ledger), 'record.key');

const FORM = /^[A-Za-z0-9_-]{43}$/;

/** Null where there is none, or none that can be read: `recordKeyFault` says why. A ledger in memory has one of its own. */
export function readRecordKey(file: string | null): RecordKey | null {
  return file === null ? IN_MEMORY : (readings(file).key ?? null);
}

/** Why a file holds no key that can be used, in words that finish "the record key …"; null where it does. */
export const recordKeyFault = (file: string): string | null => readings(file).fault ?? null;

function readings(file: string): { key?: RecordKey; fault?: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = codeOf(error);
    return { fault: code === 'ENOENT' ? `${file} is not there` : `${file} cannot be read (${code})` };
  }
  return isKeyText(text) ? { key: keyIn(text) } : { fault: `${file} holds no record key` };
}

export const isKeyText = (text: string): boolean => FORM.test(text);
/** The key that a line of a file holds. */
export const keyIn = (text: string): RecordKey => keyOf(Buffer.from(text, 'base64url'));

const keyOf = (bytes: Buffer): RecordKey => ({
  id: hash('sha256', bytes).slice(0, 8),
  mac: (told) => createHmac('sha256', bytes).update(told).digest('hex'),
});

const IN_MEMORY = keyOf(Buffer.alloc(32));

/** Makes the key where the file is free; null where it cannot be made. */
export function makeRecordKey(file: string): RecordKey | null {
  const temporary = `${file}.${randomUUID()}.new`;
  try {
    writeFileSync(temporary, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(temporary, file);
  } catch {
    // Another process has made it, or the folder takes none: the row goes on without a seal, and the doctor says so.
  } finally {
    rmSync(temporary, { force: true });
  }
  return readRecordKey(file);
}

/** Reads the file again only where it has changed. */
export class RecordKeyFile {
  readonly file: string | null;
  #key: RecordKey | null = null;
  #seen = '';

  constructor(file: string | null) {
    this.file = file;
  }

  read(): RecordKey | null {
    if (this.file === null) return IN_MEMORY;
    const seen = stateOf(this.file);
    if (seen !== this.#seen) this.#key = seen === '' ? null : readRecordKey(this.file);
    this.#seen = seen;
    return this.#key;
  }

  readOrMake(): RecordKey | null {
    return this.read() ?? (this.file === null ? null : makeRecordKey(this.file));
  }
}

function stateOf(file: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(file);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return '';
  }
}
