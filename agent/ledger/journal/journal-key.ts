/**
 * The journal key (D208): `journal.key` beside the ledger, never in the journal's folder and in no backup. Each record and
 * each first line of a segment bears its MAC. The first line of the file seals; a key that another has succeeded stays
 * below it, and proves what was sealed before.
 */
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { codeOf } from '../../../shared/service/error-code.ts';
import { commandActor, recordAction } from '../audit/audit.ts';
import { LedgerError } from '../storage/errors.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { isKeyText, keyIn, type RecordKey } from '../made/record-key.ts';

export type JournalKeys = readonly RecordKey[];

/** A file of keys cannot be used; the message is complete. */
export class JournalKeyError extends LedgerError {
  override name = 'JournalKeyError';
}

export const journalKeyFile = (ledger: string): string => path.join(path.dirname(ledger), 'journal.key');

/**
 * Empty where there is no such file.
 *
 * @throws JournalKeyError for a file that is there and holds no keys
 */
export function readJournalKeys(file: string): JournalKeys {
  return linesOf(file).map(keyIn);
}

function linesOf(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw new JournalKeyError(
      `The journal key ${file} cannot be read (${codeOf(error)}): check the path and its permissions.`,
    );
  }
  const lines = text.trim().split(/\r?\n/);
  if (!lines.every(isKeyText))
    throw new JournalKeyError(
      `The file ${file} holds no journal key: put the copy there that was kept apart from this host.`,
    );
  return lines;
}

/** Puts a new key before those that are there. @throws JournalKeyError */
export function addJournalKey(file: string): JournalKeys {
  const lines = [randomBytes(32).toString('base64url'), ...linesOf(file)];
  putLines(file, lines);
  return lines.map(keyIn);
}

/**
 * The keys beside a ledger with those of a copy, the newest first. `putDown` makes them the keys beside the ledger.
 *
 * @throws JournalKeyError
 */
export function withKeyCopy(file: string, copy: string): { keys: JournalKeys; putDown(this: void): void } {
  const [there, named] = [linesOf(file), linesOf(copy)];
  if (named.length === 0) throw new JournalKeyError(`There is no journal key ${copy}.`);
  const isLater = there[0] === undefined || named.includes(there[0]);
  const lines = [...new Set(isLater ? [...named, ...there] : [...there, ...named])];
  return { keys: lines.map(keyIn), putDown: () => putLines(file, lines) };
}

function putLines(file: string, lines: readonly string[]): void {
  try {
    const whole = `${file}.new`;
    writeFileSync(whole, `${lines.join('\n')}\n`, { mode: 0o600, flush: true });
    renameSync(whole, file);
  } catch (error) {
    throw new JournalKeyError(`The journal key ${file} cannot be made (${codeOf(error)}): make its folder writable.`);
  }
}

const COPIED = 'journal.key-copied';

/** Puts on record that a copy of this key lies elsewhere. */
export function confirmKeyCopy(tx: LedgerTransaction, key: string, at: string): void {
  const [actor, detail] = [commandActor(), { key }];
  recordAction(tx, { at, actor, action: COPIED, targetType: 'journal', targetId: null, detail });
}

/** Whether a person has confirmed a copy of this key, by the log's index of people's actions. */
export const isKeyCopied = (reader: LedgerReader, { id }: RecordKey): boolean =>
  reader
    .all(
      sqlite
        .selectFrom('console_action_log')
        .select('detail')
        .where('action', '=', COPIED)
        .where(sql<boolean>`(actor_role IS NOT 'SYSTEM' OR target_type = 'member')`),
    )
    .some(({ detail }) => (JSON.parse(detail) as { key?: unknown }).key === id);

/** Adds the MAC of the newest key to a record or a first line. Without a key it stays as it is. */
export function sealed<T extends object>(told: T, [key]: JournalKeys): T & { mac?: string } {
  return key === undefined ? told : { ...told, mac: `${key.id} ${key.mac(JSON.stringify(told))}` };
}

/** Why a record or a first line is not proved, asked in their order; null where it is. */
export type Seals = (told: object) => string | null;

/** A key that another has succeeded proves what was sealed before that: after a newer seal it counts no more. */
export function sealsInOrder(keys: JournalKeys): Seals {
  let left = keys;
  return (told) => {
    const fault = sealFault(told, left);
    if (fault === null) left = left.slice(0, left.findIndex(({ id }) => id === keyNamedIn(told)) + 1);
    return fault === null || sealFault(told, keys) !== null
      ? fault
      : `it bears the MAC of a journal key that another had succeeded by then (${keyNamedIn(told)})`;
  };
}

const keyNamedIn = (told: { mac?: unknown }): string => String(told.mac).slice(0, 8);

function sealFault(told: object, keys: JournalKeys): string | null {
  const { mac, ...rest } = told as { mac?: unknown };
  if (typeof mac !== 'string') return 'it bears no MAC of the journal key';
  const [id, value] = mac.split(' ');
  const key = keys.find((one) => one.id === id);
  if (key === undefined) return `it bears the MAC of another journal key (${String(id).slice(0, 8)})`;
  return key.mac(JSON.stringify(rest)) === value
    ? null
    : 'it does not fit its MAC: it was not written by this console API';
}
