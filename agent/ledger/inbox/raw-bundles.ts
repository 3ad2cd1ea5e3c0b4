/**
 * Step 1 of the Intake (D36): stores the received body, unchanged, and the committed cursor, in one transaction. A
 * stored bundle is never changed or deleted; the database refuses it. A bundle that must no longer count moves whole
 * into the quarantine.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { insertion, prepared, sqlite } from '../storage/query.ts';
import { archivedBody, archiveOf, unarchive } from './raw-archive.ts';
import type { RawBundleTable } from '../storage/tables.ts';

export interface ReceivedBundle {
  cursorFrom: number;
  cursorTo: number;
  bundleId: string;
  entryCount: number;
  tenantId: number;
  /** The bytes as received. */
  body: Uint8Array;
  /** The signature header as received, if any (D32). */
  signature: string | null;
  /** The vendor's statement as received and verified (D59); null without a verification key. */
  statement: string | null;
  receivedAt: string;
}

/** The bundle does not continue at the committed cursor: nothing may be committed (D33). */
export class CursorGapError extends Error {
  override name = 'CursorGapError';
  constructor(committed: number, cursorFrom: number) {
    super(`The committed cursor is ${committed}, and the bundle begins after ${cursorFrom}.`);
  }
}

/** The bundle is another tenant's (D33). */
export class WrongTenantError extends Error {
  override name = 'WrongTenantError';
  constructor(pinned: number, found: number) {
    super(`This ledger belongs to tenant ${pinned}, and the bundle to tenant ${found}.`);
  }
}

const insertRaw = insertion<RawBundleTable>(
  'raw_bundle',
  ['cursor_from', 'cursor_to', 'bundle_id', 'entry_count', 'body', 'sha256', 'signature', 'statement', 'received_at'],
  'ON CONFLICT (cursor_from) DO NOTHING',
);

const advance = prepared((committed_cursor: number, tenant_id: number) =>
  sqlite.updateTable('sync_state').set({ committed_cursor, tenant_id }).where('id', '=', 1),
);

/**
 * Commits one bundle. The first one fixes the tenant. The same range again changes nothing; where a stored bundle
 * already begins there, the cursor moves to its end, never beyond.
 *
 * @throws CursorGapError, WrongTenantError
 */
export function commitBundle(tx: LedgerTransaction, bundle: ReceivedBundle): 'COMMITTED' | 'KNOWN' {
  const state = readCursors(tx);
  if (state.tenantId !== null && state.tenantId !== bundle.tenantId) {
    throw new WrongTenantError(state.tenantId, bundle.tenantId);
  }
  const kept = tx.first(endOf(bundle.cursorFrom))?.cursorTo;
  if (bundle.cursorFrom < state.committed && kept === bundle.cursorTo) return 'KNOWN';
  if (bundle.cursorFrom !== state.committed) throw new CursorGapError(state.committed, bundle.cursorFrom);
  tx.run(insertRaw(rawRow(bundle)));
  tx.run(advance(kept ?? bundle.cursorTo, bundle.tenantId));
  return kept === undefined ? 'COMMITTED' : 'KNOWN';
}

function rawRow(bundle: ReceivedBundle): RawBundleTable {
  return {
    cursor_from: bundle.cursorFrom,
    cursor_to: bundle.cursorTo,
    bundle_id: bundle.bundleId,
    entry_count: bundle.entryCount,
    body: bundle.body,
    sha256: hash('sha256', bundle.body, 'buffer'),
    signature: bundle.signature,
    statement: bundle.statement,
    received_at: bundle.receivedAt,
  };
}

const endOf = prepared((cursorFrom: number) =>
  sqlite.selectFrom('raw_bundle').select('cursor_to as cursorTo').where('cursor_from', '=', cursorFrom),
);

export interface Cursors {
  tenantId: number | null;
  /** Up to here the raw bytes are kept. */
  committed: number;
  /** Up to here the entries are applied. */
  applied: number;
}

const cursorsNow = prepared(() =>
  sqlite
    .selectFrom('sync_state')
    .select(['tenant_id as tenantId', 'committed_cursor as committed', 'applied_cursor as applied'])
    .where('id', '=', 1),
);

export function readCursors(reader: LedgerReader): Cursors {
  const cursors = reader.first(cursorsNow());
  if (cursors === undefined) throw new Error('the ledger has no sync_state row');
  return cursors;
}

const lastReceived = prepared(() =>
  sqlite.selectFrom('raw_bundle').select('cursor_to as cursor').orderBy('cursor_from', 'desc').limit(sql.lit(1)),
);

/** The committed cursor, as far as the raw bundles prove it: one that somebody has raised for a moment leads nowhere. */
export const provedCursor = (reader: LedgerReader): number =>
  Math.min(readCursors(reader).committed, reader.first(lastReceived())?.cursor ?? Infinity);

const moveApplied = prepared((applied_cursor: number) =>
  sqlite.updateTable('sync_state').set({ applied_cursor }).where('id', '=', 1),
);

/** Records that every entry up to a cursor has been applied; in the transaction that applied the last of them. */
export function setAppliedCursor(tx: LedgerTransaction, cursor: number): void {
  tx.run(moveApplied(cursor));
}

export interface RawBundle {
  cursorFrom: number;
  cursorTo: number;
  entryCount: number;
  body: Uint8Array;
  sha256: Uint8Array;
  statement: string | null;
  receivedAt: string;
  /** The file with the body; null: the ledger itself. */
  archive: string | null;
}

const ID_CHARACTERS = 22;

/** Its place and digest, as the audit log tells them: 128 bits are enough against another body for it. */
export const bundleId = ({ cursorFrom, sha256 }: Pick<RawBundle, 'cursorFrom' | 'sha256'>): string =>
  `${cursorFrom}:${Buffer.from(sha256).toString('base64url').slice(0, ID_CHARACTERS)}`;

const lastBeginning = prepared((cursor: number) =>
  sqlite
    .selectFrom('raw_bundle')
    .select(['cursor_from as cursorFrom', 'cursor_to as cursorTo', 'entry_count as entryCount'])
    .select(['body', 'sha256', 'statement', 'received_at as receivedAt'])
    .where('cursor_from', '<=', cursor)
    .orderBy('cursor_from', 'desc')
    .limit(sql.lit(1)),
);

/** The bundle with the first entry after a cursor; undefined when there is none yet. */
export function rawBundleAfter(reader: LedgerReader, cursor: number): RawBundle | undefined {
  // The ranges follow each other without overlap: the last one that begins at or before the cursor.
  const last = reader.first(lastBeginning(cursor));
  if (last === undefined || last.cursorTo <= cursor) return undefined;
  if (last.body.length > 0) return { ...last, archive: null };
  const archive = archiveOf(reader, last.cursorFrom) ?? null;
  return { ...last, body: archivedBody(reader, last.cursorFrom), archive };
}

const keepWhole = prepared(
  (reason: string, cursorFrom: number) => sql`
  INSERT INTO quarantined_bundle (after_cursor, cursor_to, bundle_id, entry_count, body, sha256, signature, statement, received_at, reason)
  SELECT cursor_from, cursor_to, bundle_id, entry_count, body, sha256, signature, statement, received_at, ${reason}
  FROM raw_bundle WHERE cursor_from = ${cursorFrom}`,
);
const referToLater = prepared(() => sql`PRAGMA defer_foreign_keys = ON`);
const removeUnsent = prepared((cursorFrom: number) =>
  sqlite.deleteFrom('raw_bundle').where('cursor_from', '=', cursorFrom),
);

/** Moves a whole raw bundle into the quarantine; the database refuses to remove one that has no copy there. */
export function moveToQuarantine(tx: LedgerTransaction, cursorFrom: number, reason: string): void {
  // Rejected entries refer to it: by the end of the transaction another bundle must replace it.
  tx.run(referToLater());
  unarchive(tx, cursorFrom);
  tx.run(keepWhole(reason, cursorFrom));
  tx.run(removeUnsent(cursorFrom));
}

const fallBack = prepared((cursor: number) =>
  sqlite
    .updateTable('sync_state')
    .set({ applied_cursor: sql`min(applied_cursor, ${cursor})`, committed_cursor: cursor, head: null })
    .where('id', '=', 1),
);

/** Sets the cursors back to the end of the raw bundles after a truncation, and forgets the head of the cloud. */
export function fallBackTo(tx: LedgerTransaction, cursor: number): void {
  tx.run(fallBack(cursor));
}

/**
 * Inserts a bundle again after its damaged copy went into the quarantine; the cursors stay unchanged.
 *
 * @returns its id, see `bundleId`
 */
export function insertAgain(tx: LedgerTransaction, bundle: ReceivedBundle): string {
  const row = rawRow(bundle);
  tx.run(insertRaw(row));
  return bundleId({ cursorFrom: row.cursor_from, sha256: row.sha256 });
}
