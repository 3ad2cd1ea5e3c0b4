/** The setup of the Intake's tests: bundles as a cloud would send them, and a readable log. */
import { hash } from 'node:crypto';
import { Writable } from 'node:stream';
import Database from 'better-sqlite3';
import { pino, type Logger } from 'pino';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { activePolicyVersion, publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import { commitBundle, readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { newEntry } from './ledger.ts';
import { SHORT_POLICY } from './screening.ts';
import { applyNext, type ApplyParts } from '../../../agent/intake/apply/apply.ts';
import type { RawEntry } from '../../../agent/intake/apply/entry.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import type { RestoreParts } from '../../../agent/intake/backup/restore.ts';

export const TENANT = 7;

/** A restore that accepts an older backup unchanged, and asks no cloud. */
export const RESTORE_ALONE = {
  older: 'EXPOSED',
  verification: null,
  pull: () => Promise.reject(new Error('nobody asks')),
  catchUp: () => Promise.resolve(null),
} satisfies Partial<RestoreParts>;

/** A NEW entry at a cursor. */
export function newAt(cursor: number, id: string, result: Partial<NewEntry['explanation_result']> = {}): RawEntry {
  return newEntry(id, result, { cursor });
}

export function invalidationAt(cursor: number, target: string, reason = '출처 기사가 정정되었습니다.'): RawEntry {
  return { cursor, delivery_type: 'INVALIDATION', target_explanation_result_id: target, reason };
}

/** The fields of a bundle that fits; give what matters to the test. */
export function bundleOf(
  cursorFrom: number,
  entries: readonly RawEntry[],
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    bundle_id: crypto.randomUUID(),
    tenant_id: TENANT,
    generated_at: '2026-11-20T08:00:00.000Z',
    cursor_from: cursorFrom,
    cursor_to: entries.at(-1)?.cursor ?? cursorFrom,
    entries,
    ...fields,
  };
}

/** The bytes of an answer with this bundle, or of one without news. */
export function bodyOf(result?: unknown): Buffer {
  return Buffer.from(
    JSON.stringify({ isSuccess: true, code: 'COMMON200', message: 'OK', ...(result === undefined ? {} : { result }) }),
  );
}

export interface LogLine extends Record<string, unknown> {
  level: number;
  msg: string;
}

/** A log that keeps its lines for the test. */
export function readableLog(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as LogLine);
      done();
    },
  });
  return { log: pino({ level: 'debug' }, stream), lines };
}

export const reviewer = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;

export type WholeParts = ApplyParts & { ledger: Ledger };

/**
 * Applies entries to a ledger, which gets the short policy. Its clock advances by a minute at each reading; a given time
 * stands still.
 */
export function partsOn(ledger: Ledger, stands?: string): WholeParts {
  const { log } = readableLog();
  let minute = 0;
  const now = (): Date =>
    stands === undefined ? new Date(Date.UTC(2026, 10, 20, 8, (minute += 1))) : new Date(stands);
  if (activePolicyVersion(ledger) === null)
    ledger.write((tx) =>
      publishPolicy(tx, { snapshot: SHORT_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: now().toISOString() }),
    );
  return { ledger, log, clock: { now }, screenEntry: createEntryScreening(log) };
}

/**
 * The same on a ledger in memory, for invariants that are not about the disk: the same tables, triggers and
 * transactions.
 */
export function withParts<T>(work: (parts: WholeParts) => T, stands?: string): T {
  const ledger = openLedger(':memory:');
  try {
    return work(partsOn(ledger, stands));
  } finally {
    ledger.close();
  }
}

/**
 * Commits one bundle with these entries after the committed cursor.
 *
 * @param statement the vendor's, or makes it of the bundle
 */
export function commitEntries(
  ledger: Ledger,
  entries: readonly RawEntry[],
  receivedAt: string,
  statement: string | null | ((of: { tenantId: number; after: number; head: number; body: Buffer }) => string) = null,
): void {
  const cursorFrom = readCursors(ledger).committed;
  const head = entries.at(-1)?.cursor ?? 0;
  const body = bodyOf(bundleOf(cursorFrom, entries));
  ledger.write((tx) =>
    commitBundle(tx, {
      cursorFrom,
      cursorTo: head,
      bundleId: crypto.randomUUID(),
      entryCount: entries.length,
      tenantId: TENANT,
      body,
      signature: null,
      statement:
        typeof statement === 'function' ? statement({ tenantId: TENANT, after: cursorFrom, head, body }) : statement,
      receivedAt,
    }),
  );
}

/** Receives one bundle with these entries and applies it. */
export function takeIn(parts: WholeParts, ...entries: RawEntry[]): void {
  commitEntries(parts.ledger, entries, parts.clock.now().toISOString());
  while (applyNext(parts));
}

/** The row of an explanation, by the vendor's id. */
export function explanationRow(ledger: Ledger, id: string) {
  return ledger.first(sqlite.selectFrom('explanation').selectAll().where('explanation_result_id', '=', id));
}

/** Changes a ledger file past the program and the guard of its explanations, as damage or another program does it. */
export function changeOnDisk(file: string, statements: string): void {
  const db = new Database(file);
  db.pragma('foreign_keys = OFF');
  const guards = triggersOf(db);
  db.exec(`DROP TRIGGER explanation_is_never_deleted; ${statements}`);
  const left = new Set(triggersOf(db).map(({ name }) => name));
  for (const { name, sql } of guards) if (!left.has(name)) db.exec(sql);
  db.close();
}

/** What an UPDATE of `raw_bundle` sets for another body under its right hash. */
export const bodySet = (body: Buffer | string): string =>
  `body = CAST('${body.toString().replaceAll("'", "''")}' AS BLOB), sha256 = x'${hash('sha256', body)}'`;

const triggersOf = (db: Database.Database) =>
  db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as { name: string; sql: string }[];
