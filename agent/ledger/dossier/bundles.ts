/**
 * The received bundles that an explanation came in: those of the entries on record, and those around its moves by the
 * vendor, because no row names the entry of a withdrawal or of an earlier text.
 */
import { sql, type NotNull } from 'kysely';
import { archivedBody, isIntact } from '../inbox/raw-archive.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { RawBundleTable } from '../storage/tables.ts';
import { DossierError } from './errors.ts';

export interface Received extends Omit<RawBundleTable, 'body' | 'sha256'> {
  body: Uint8Array;
  sha256: string;
  /** It lies in the quarantine since "intake set-aside"; the cloud may have sent another in its place. */
  isSetAside: boolean;
}

const before = (cursor: number) =>
  sqlite.selectFrom('raw_bundle').where('cursor_from', '<', cursor).orderBy('cursor_from', 'desc').limit(sql.lit(1));
const beginning = prepared((cursor: number) => before(cursor).selectAll());
const receivedOf = prepared((cursor: number) => before(cursor).select('received_at as at'));
const newest = prepared(() => sqlite.selectFrom('raw_bundle').select((eb) => eb.fn.max('cursor_to').as('cursor')));
const receivedNext = prepared(
  (move: number) => sql<{ cursor: number }>`SELECT cursor FROM explanation WHERE id =
    (SELECT explanation_id FROM state_history WHERE id > ${move} AND move = 'receive' ORDER BY id LIMIT 1)`,
);

/** Newest first. Index `quarantined_after`; a body that was never committed has no end. */
const setAside = prepared(({ after, to }: { after: number; to: number }) =>
  sqlite
    .selectFrom('quarantined_bundle')
    .select('id')
    .where('after_cursor', '<', after)
    .where('cursor_to', '>=', to)
    .orderBy('id', 'desc'),
);
const setAsideRow = prepared((id: number) =>
  sqlite
    .selectFrom('quarantined_bundle')
    .select(['after_cursor as cursor_from', 'cursor_to', 'bundle_id', 'entry_count', 'body', 'sha256', 'signature'])
    .select(['statement', 'received_at'])
    .where('id', '=', id)
    .$narrowType<{ cursor_to: NotNull; bundle_id: NotNull; entry_count: NotNull }>(),
);

/**
 * The bundles that may hold the entry of an explanation at a cursor: the present one, and those that were set aside there.
 *
 * @throws DossierError where there is none, or where the present one is damaged
 */
export function bundlesAt(reader: LedgerReader, cursor: number): Received[] {
  const row = reader.first(beginning(cursor));
  const present = row === undefined || row.cursor_to < cursor ? [] : [readable(reader, row)];
  const others = [...bundlesSetAside(reader, { after: cursor, to: cursor })];
  const found = [...present, ...others.filter(({ sha256 }) => sha256 !== present[0]?.sha256)];
  if (found.length === 0)
    throw new DossierError(`The received bundle with cursor ${cursor} is missing: run "intake repair".`);
  return found;
}

/** "intake repair" leaves damaged copies in the quarantine, too. */
function* bundlesSetAside(reader: LedgerReader, range: { after: number; to: number }): Generator<Received> {
  for (const { id } of reader.all(setAside(range))) {
    const row = reader.first(setAsideRow(id));
    if (row !== undefined && isIntact(row)) yield { ...row, sha256: hex(row.sha256), isSetAside: true };
  }
}

const bodyOf = (reader: LedgerReader, row: RawBundleTable): Buffer =>
  Buffer.from(row.body.length > 0 ? row.body : archivedBody(reader, row.cursor_from));

function readable(reader: LedgerReader, row: RawBundleTable): Received {
  const body = bodyOf(reader, row);
  if (!isIntact({ body, sha256: row.sha256 }))
    throw new DossierError(
      `The received bundle after cursor ${row.cursor_from} is damaged in ${row.body.length > 0 ? 'the ledger' : 'its archive'}: run "intake repair".`,
    );
  return { ...row, body, sha256: hex(row.sha256), isSetAside: false };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Bundles that are looked through before a move: after an outage the Intake applies late, and withdrawals first (D169). */
const MOST_LOOKED_THROUGH = 1_024;

/**
 * Bundles that had been received by a move and name the vendor's id: newest first from the time of the move, then from
 * its place in the history, because bundles that a wrong clock has dated mislead the search by time, then those that were
 * set aside.
 *
 * @throws DossierError
 */
export function* bundlesBefore(
  reader: LedgerReader,
  { number, at }: { number: number; at: string },
  vendorId: string,
): Generator<Received> {
  // In its JSON spelling without escapes, as the cloud writes it; another spelling is looked up by its cursor alone.
  const name = Buffer.from(JSON.stringify(vendorId));
  for (const from of [lastBefore(reader, at), lastApplied(reader, number)]) {
    let cursor = from;
    for (let looked = 0; looked < MOST_LOOKED_THROUGH; looked += 1) {
      const row = reader.first(beginning(cursor));
      if (row === undefined) break;
      if (bodyOf(reader, row).includes(name)) yield readable(reader, row);
      cursor = row.cursor_from;
    }
  }
  for (const bundle of bundlesSetAside(reader, { after: Number.MAX_SAFE_INTEGER, to: 0 }))
    if (Buffer.from(bundle.body).includes(name)) yield bundle;
}

/** A cursor of the last bundle that was received by then, in the order of their cursors; 0: none. */
function lastBefore(reader: LedgerReader, at: string): number {
  let [low, high] = [0, end(reader)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const found = reader.first(receivedOf(middle));
    if (found === undefined || found.at <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The cursor of the explanation that was received next after a move, or of the last bundle. */
const lastApplied = (reader: LedgerReader, number: number): number =>
  reader.first(receivedNext(number))?.cursor ?? end(reader);

const end = (reader: LedgerReader): number => reader.first(newest())?.cursor ?? 0;
