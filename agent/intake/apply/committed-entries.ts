/** Reads committed raw bundles back, entry by entry, as values and as texts. */
import { existsSync } from 'node:fs';
import { parseJson } from '../../../shared/wire/json.ts';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import { isIntact } from '../../ledger/inbox/raw-archive.ts';
import { bundleId, rawBundleAfter, type RawBundle } from '../../ledger/inbox/raw-bundles.ts';
import type { Came } from '../../ledger/serving/ahead.ts';
import { type VendorFields, vendorFields } from '../../ledger/storage/vendor-fields.ts';
import type { IsProved } from '../receive/proved.ts';
import { statedAt } from '../receive/statement.ts';
import { isBeyondBounds, readEntry, type RawEntry, type ReadEntry } from './entry.ts';
import { entryTexts, withCursorsOf, type EntryText } from './entry-texts.ts';

/**
 * A raw bundle is missing, or its bytes have changed on the disk since its commit, or it waits to be applied and is not
 * proved to be the vendor's.
 */
export class RawBundleDamagedError extends Error {
  override name = 'RawBundleDamagedError';
  constructor(cursor: number, what: string) {
    super(
      `The raw bundle after cursor ${cursor} ${what}. Nothing after it is applied but withdrawals: run "intake repair", which asks the cloud for it again, or restore the ledger from a backup.`,
    );
  }
}

/** An entry of a raw bundle. */
export interface CommittedEntry {
  /** Its bundle. */
  raw: RawBundle;
  came: Came;
  entry: RawEntry;
  text: EntryText;
  /** When the cloud made the bundle, by its own clock. */
  toldAt: string;
  /** The tenant that the bundle names. */
  tenantId: number;
}

/** The entry as its schema reads it. */
export const readCommitted = ({ entry, text, toldAt }: Pick<CommittedEntry, 'entry' | 'text' | 'toldAt'>): ReadEntry =>
  readEntry(entry, text.whole, toldAt);

/**
 * The entries of a committed body, each as a value and as its text in the body.
 *
 * @param isSound whether the bytes are those of its commit: what the caller has found by `isIntact`
 * @throws RawBundleDamagedError
 */
export function entriesOf(raw: RawBundle, isSound = isIntact(raw)): CommittedEntry[] {
  if (!isSound) {
    const { archive } = raw;
    if (archive !== null && !existsSync(archive))
      throw new RawBundleDamagedError(raw.cursorFrom, `is in the archive ${archive}, which is not there: put it back`);
    const place = archive === null ? '' : `, read from the archive ${archive}`;
    throw new RawBundleDamagedError(raw.cursorFrom, `does not fit its SHA-256${place}`);
  }
  const body = Buffer.from(raw.body.buffer, raw.body.byteOffset, raw.body.byteLength).toString('utf8');
  const texts = entryTexts(body);
  const isAnyBeyond = texts.some(({ whole }) => isBeyondBounds(whole));
  // Its values would take gigabytes, and end the process each time that the bundle is read.
  const readable = isAnyBeyond ? withCursorsOf(body, isBeyondBounds) : body;
  const {
    entries,
    generated_at: toldAt,
    tenant_id: tenantId,
  } = (parseJson(readable) as { result: { entries: RawEntry[]; generated_at: string; tenant_id: number } }).result;
  // No statement tells of these columns: a longer range would pass over the bundles behind it.
  if (entries.length !== raw.entryCount || entries.at(-1)?.cursor !== raw.cursorTo)
    throw new RawBundleDamagedError(raw.cursorFrom, 'does not hold the entries that it was committed with');
  const came = cameWith(raw);
  return entries.map((entry, index) => {
    const text = texts[index];
    if (text === undefined) throw new RawBundleDamagedError(raw.cursorFrom, 'cannot be read again');
    return { raw, came, entry, text, toldAt, tenantId };
  });
}

/** The same of a bundle that waits to be applied. @throws RawBundleDamagedError */
export function provedEntriesOf(raw: RawBundle, isProved: IsProved | undefined): CommittedEntry[] {
  if (isProved?.(raw) === false)
    throw new RawBundleDamagedError(
      raw.cursorFrom,
      'waits to be applied, and no verification key at hand has signed it',
    );
  return entriesOf(raw);
}

/** The reception of a bundle: its own statement was the newest then. */
function cameWith(raw: RawBundle): Came {
  const { receivedAt: at, statement } = raw;
  const said = statement === null ? null : statedAt(statement);
  return { at, stated: said === null ? null : { at: said, seenAt: at }, bundleId: bundleId(raw) };
}

/** Every committed entry after a cursor, to that of another one, in cursor order. @throws RawBundleDamagedError */
export function* committedEntries(reader: LedgerReader, after: number, upTo: number): Generator<CommittedEntry> {
  for (let cursor = after; cursor < upTo;) {
    const raw = rawBundleAfter(reader, cursor);
    if (raw === undefined || (raw.cursorFrom !== cursor && cursor !== after))
      throw new RawBundleDamagedError(cursor, 'is missing');
    for (const each of entriesOf(raw)) if (each.entry.cursor > after && each.entry.cursor <= upTo) yield each;
    cursor = raw.cursorTo;
  }
}

/**
 * Looks committed entries up by their cursor. Keeps the last bundle, so that a caller in cursor order reads each bundle
 * once.
 */
export class CommittedEntries {
  readonly #reader: LedgerReader;
  #last: { from: number; to: number; entries: Map<number, CommittedEntry> } = { from: 0, to: 0, entries: new Map() };

  constructor(reader: LedgerReader) {
    this.#reader = reader;
  }

  /** @throws RawBundleDamagedError */
  at(cursor: number): CommittedEntry {
    if (cursor <= this.#last.from || cursor > this.#last.to) {
      const raw = rawBundleAfter(this.#reader, cursor - 1);
      if (raw === undefined) throw new RawBundleDamagedError(cursor - 1, 'is missing');
      const entries = new Map(entriesOf(raw).map((each) => [each.entry.cursor, each]));
      this.#last = { from: raw.cursorFrom, to: raw.cursorTo, entries };
    }
    const found = this.#last.entries.get(cursor);
    if (found === undefined)
      throw new RawBundleDamagedError(cursor - 1, `does not hold the entry with cursor ${cursor}`);
    return found;
  }

  /** The NEW entry at a cursor, and the vendor's fields of it. @throws RawBundleDamagedError */
  newAt(cursor: number): { raw: RawBundle; came: Came; entry: NewEntry; fields: VendorFields } {
    const committed = this.at(cursor);
    const { raw, came, text } = committed;
    const read = readCommitted(committed);
    if (read.kind !== 'NEW') throw new TypeError(`the entry at cursor ${cursor} is not a NEW`);
    return { raw, came, entry: read.entry, fields: vendorFields(read.entry, text) };
  }
}
