/**
 * The archive of raw bodies: files beside the ledger that only grow. Each body is a Zstandard frame of its own, so
 * `zstd -d` reads the whole file. The ledger keeps the hash of each body (`raw_bundle.sha256`).
 */
import { hash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { sql } from 'kysely';
import { MAX_BODY_BYTES } from '../../../shared/wire/bundle-endpoint.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { RawBundleTable } from '../storage/tables.ts';

/** Whether the body of a received bundle is that of its commit. */
export const isIntact = ({ body, sha256 }: Pick<RawBundleTable, 'body' | 'sha256'>): boolean =>
  hash('sha256', body, 'buffer').equals(sha256);

/** An archive of this size gets a successor. */
const FULL_BYTES = 1024 ** 3;

interface Place {
  name: string;
  position: number;
  bytes: number;
}

const NOTHING = new Uint8Array();

const placeOf = prepared(
  (cursorFrom: number) => sql<Place>`
  SELECT name, position, bytes FROM archived_body JOIN raw_archive ON raw_archive.id = archive_id
  WHERE cursor_from = ${cursorFrom}`,
);
const mainFile = prepared(() => sql<{ file: string }>`SELECT file FROM pragma_database_list WHERE name = 'main'`);
const names = prepared(() => sql<{ id: number; name: string }>`SELECT id, name FROM raw_archive ORDER BY id`);

const folderOf = (reader: LedgerReader): string => path.dirname(reader.first(mainFile())?.file ?? '');

/** A ledger may come from a foreign backup: for any path in a name, its file is in this folder. */
const inFolder = (folder: string, name: string): string => path.join(folder, path.win32.basename(name));

/** Under any other name, such as the ledger's own, a file beside it may not be written. */
const isArchive = ({ name }: { name: string }): boolean => /\.raw-\d{4,9}\.zst$/.test(name);

/** The archive files of a ledger, which lie beside it, oldest first. */
export function archiveFiles(reader: LedgerReader): string[] {
  const folder = folderOf(reader);
  return reader
    .all(names())
    .filter(isArchive)
    .map(({ name }) => inFolder(folder, name));
}

/** The archive of a body that no raw bundle holds any more; undefined when no archive has it. */
export function archiveOf(reader: LedgerReader, cursorFrom: number): string | undefined {
  const place = reader.first(placeOf(cursorFrom));
  return place === undefined ? undefined : inFolder(folderOf(reader), place.name);
}

/** A body from its archive; empty when it is unreadable, which matches no SHA-256. */
export function archivedBody(reader: LedgerReader, cursorFrom: number): Uint8Array {
  const place = reader.first(placeOf(cursorFrom));
  if (place === undefined) return NOTHING;
  try {
    const piece = readPiece(inFolder(folderOf(reader), place.name), place);
    return zstdDecompressSync(piece, { maxOutputLength: MAX_BODY_BYTES });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return NOTHING;
    throw error;
  }
}

/** Bytes that do not compress at all are a little longer as a frame. */
const LARGEST_FRAME = MAX_BODY_BYTES + 1024 ** 2;

function readPiece(file: string, { position, bytes }: Place): Uint8Array {
  if (bytes > LARGEST_FRAME) return NOTHING;
  const handle = openSync(file, 'r');
  try {
    const piece = Buffer.alloc(bytes);
    return piece.subarray(0, readSync(handle, piece, 0, bytes, position));
  } finally {
    closeSync(handle);
  }
}

export interface Moved {
  bundles: number;
  /** Entries of the bundles. */
  records: number;
  /** Bytes of the bodies, before and in the archive. */
  bytes: number;
  archived: number;
}

const oldest = prepared(
  (before: string, most: number) => sql<RawBundleTable>`
  SELECT * FROM raw_bundle
  WHERE cursor_from > (SELECT coalesce(max(cursor_from), -1) FROM archived_body)
    AND received_at < ${before} AND cursor_to <= (SELECT applied_cursor FROM sync_state) AND length(body) > 0
  ORDER BY cursor_from LIMIT ${most}`,
);
const firstUnmoved = prepared(
  () => sql<{ cursor: number }>`SELECT coalesce(max(cursor_from), -1) + 1 AS cursor FROM archived_body`,
);
const receivedFrom = prepared((cursor: number) =>
  sqlite
    .selectFrom('raw_bundle')
    .select('received_at as at')
    .where('cursor_from', '>=', cursor)
    .orderBy('cursor_from')
    .limit(sql.lit(1)),
);
const appliedTo = prepared(() => sqlite.selectFrom('sync_state').select('applied_cursor as cursor'));

/** About so many entries were received before an instant and are not in the archive yet; some dozen look-ups. */
export function unmovedBefore(reader: LedgerReader, before: string): number {
  const first = reader.first(firstUnmoved())?.cursor ?? 0;
  const isOlder = (cursor: number): boolean => (reader.first(receivedFrom(cursor))?.at ?? before) < before;
  // Bundles come in the order of time: the last older one lies between these two.
  let [older, younger] = [first, (reader.first(appliedTo())?.cursor ?? 0) + 1];
  if (older >= younger || !isOlder(older)) return 0;
  while (younger - older > 1) {
    const middle = Math.floor((older + younger) / 2);
    if (isOlder(middle)) older = middle;
    else younger = middle;
  }
  return younger - first;
}

const addArchive = prepared((name: string) => sql`INSERT INTO raw_archive (name) VALUES (${name})`);
const addPlace = prepared(
  (cursorFrom: number, archive: number, position: number, bytes: number, sha256: Uint8Array) => sql`
  INSERT INTO archived_body (cursor_from, archive_id, position, bytes, sha256)
  VALUES (${cursorFrom}, ${archive}, ${position}, ${bytes}, ${sha256})`,
);
const referToLater = prepared(() => sql`PRAGMA defer_foreign_keys = ON`);
const removeWhole = prepared((cursorFrom: number) =>
  sqlite.deleteFrom('raw_bundle').where('cursor_from', '=', cursorFrom),
);

/**
 * Moves the oldest bodies that were received before an instant, and whose entries are applied, into the archive: synced
 * there before they leave the ledger. The ledger's write lock keeps two runs apart.
 * The first damaged body ends the run.
 */
export function moveToArchive(tx: LedgerTransaction, before: string, most: number): Moved {
  const found = tx.all(oldest(before, most));
  const damaged = found.findIndex((row) => !isIntact(row));
  const rows = damaged === -1 ? found : found.slice(0, damaged);
  const moved: Moved = { bundles: 0, records: 0, bytes: 0, archived: 0 };
  if (rows.length === 0) return moved;
  const { id, file } = currentArchive(tx);
  const handle = openSync(file, 'a', 0o600);
  try {
    // Bytes that an earlier run wrote without a reference stay; no reader uses them.
    let position = fstatSync(handle).size;
    tx.run(referToLater());
    for (const row of rows) {
      const { cursor_from: cursorFrom, body, sha256 } = row;
      const frame = zstdCompressSync(body);
      for (let written = 0; written < frame.length;) written += writeSync(handle, frame, written);
      tx.run(addPlace(cursorFrom, id, position, frame.length, sha256));
      tx.run(removeWhole(cursorFrom));
      tx.run(sqlite.insertInto('raw_bundle').values({ ...row, body: NOTHING }));
      position += frame.length;
      moved.bundles += 1;
      moved.records += row.entry_count;
      moved.bytes += body.length;
      moved.archived += frame.length;
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return moved;
}

function currentArchive(tx: LedgerTransaction): { id: number; file: string } {
  const main = tx.first(mainFile())?.file ?? '';
  const held = tx.all(names());
  const ours = held.filter(isArchive);
  const last = ours.at(-1);
  if (last !== undefined) {
    const file = inFolder(path.dirname(main), last.name);
    if (existsSync(file) && statSync(file).size < FULL_BYTES) return { id: last.id, file };
  }
  // A backup keeps the names, so they follow the ledger's own name and not the backup's.
  const first = ours[0]?.name.replace(/-\d+\.zst$/, '') ?? `${path.basename(main)}.raw`;
  const name = `${first}-${String(held.length + 1).padStart(4, '0')}.zst`;
  const file = inFolder(path.dirname(main), name);
  const id = tx.insert(addArchive(path.basename(file)));
  closeSync(openSync(file, 'a', 0o600));
  syncFolder(path.dirname(file));
  return { id, file };
}

/** Makes the name of a new file durable; Windows does so by itself. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const forgetPlace = prepared((cursorFrom: number) => sql`DELETE FROM archived_body WHERE cursor_from = ${cursorFrom}`);
const putBody = prepared((body: Uint8Array, cursorFrom: number) =>
  sqlite.updateTable('raw_bundle').set({ body }).where('cursor_from', '=', cursorFrom),
);

/** Moves a body back into the ledger, as far as it is readable, and removes the reference to the archive. */
export function unarchive(tx: LedgerTransaction, cursorFrom: number): void {
  if (archiveOf(tx, cursorFrom) === undefined) return;
  const body = archivedBody(tx, cursorFrom);
  tx.run(forgetPlace(cursorFrom));
  if (body.length > 0) tx.run(putBody(body, cursorFrom));
}
