/** Reads the raw bundles back: what was committed, entry by entry, as values and as texts. */
import { hash } from 'node:crypto';
import { parseJson } from '../../shared/wire/json.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import { rawBundleAfter, type RawBundle } from '../ledger/raw-bundles.ts';
import type { RawEntry } from './entry.ts';
import { entryTexts, type EntryText } from './entry-texts.ts';

/** A raw bundle is not what was committed: its bytes have changed on the disk, or it is missing. */
export class RawBundleDamagedError extends Error {
  override name = 'RawBundleDamagedError';
  constructor(cursor: number, what: string) {
    super(
      `The raw bundle after cursor ${cursor} ${what}. Nothing after it is applied: run "intake repair", which asks the cloud for it again, or restore the ledger from a backup.`,
    );
  }
}

/** An entry of a raw bundle. */
export interface CommittedEntry {
  raw: RawBundle;
  entry: RawEntry;
  text: EntryText;
}

/**
 * The entries of a body that passed the envelope once, each as a value and as it stands there.
 *
 * @throws RawBundleDamagedError
 */
export function entriesOf(raw: RawBundle): CommittedEntry[] {
  if (!hash('sha256', raw.body, 'buffer').equals(raw.sha256)) {
    throw new RawBundleDamagedError(raw.cursorFrom, 'does not fit its SHA-256');
  }
  const body = Buffer.from(raw.body.buffer, raw.body.byteOffset, raw.body.byteLength).toString('utf8');
  const { entries } = (parseJson(body) as { result: { entries: RawEntry[] } }).result;
  const texts = entryTexts(body);
  return entries.map((entry, index) => {
    const text = texts[index];
    if (text === undefined) throw new RawBundleDamagedError(raw.cursorFrom, 'cannot be read again');
    return { raw, entry, text };
  });
}

/** Every committed entry from the first one to that of a cursor, in cursor order. @throws RawBundleDamagedError */
export function* committedEntries(reader: LedgerReader, upTo: number): Generator<CommittedEntry> {
  for (let cursor = 0; cursor < upTo;) {
    const raw = rawBundleAfter(reader, cursor);
    if (raw?.cursorFrom !== cursor) throw new RawBundleDamagedError(cursor, 'is missing');
    for (const each of entriesOf(raw)) if (each.entry.cursor <= upTo) yield each;
    cursor = raw.cursorTo;
  }
}

/** One committed entry. @throws RawBundleDamagedError */
export function committedEntry(reader: LedgerReader, cursor: number): CommittedEntry {
  const raw = rawBundleAfter(reader, cursor - 1);
  const found = raw === undefined ? undefined : entriesOf(raw).find(({ entry }) => entry.cursor === cursor);
  if (found === undefined) throw new RawBundleDamagedError(cursor - 1, `does not hold the entry with cursor ${cursor}`);
  return found;
}
