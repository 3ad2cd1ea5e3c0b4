/** The bundles that have been read ahead and wait to be applied, in cursor order. */
import { FULL_BUNDLE_BYTES } from '../../../shared/wire/bundle-endpoint.ts';
import { bundleIdAt } from '../../ledger/inbox/raw-bundles.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import type { ReadAheadEntries } from '../apply/apply.ts';
import { MOST_AHEAD } from '../apply/batch-size.ts';
import type { PendingEntry } from '../apply/committed-entries.ts';

/** The outline of a bundle. */
export interface BundleSize {
  cursorTo: number;
  entryCount: number;
  /** The length of its body. */
  bytes: number;
}

/** A bundle whose entries have been read. */
export interface ReadBundle extends BundleSize {
  cursorFrom: number;
  bundleId: string | undefined;
  entries: PendingEntry[];
}

/** Whether enough has been read: at most one bundle more than these bounds is held. */
export function isFarAhead(bundles: readonly BundleSize[]): boolean {
  let entries = 0;
  let bytes = 0;
  for (const bundle of bundles) {
    entries += bundle.entryCount;
    bytes += bundle.bytes;
  }
  return entries >= MOST_AHEAD || bytes >= FULL_BUNDLE_BYTES;
}

/** Another bundle has come to the place of one that was read: a repair puts an undamaged one there. */
export class BundleReplacedError extends Error {
  override name = 'BundleReplacedError';
  constructor(cursor: number) {
    super(`The bundle after cursor ${cursor} is another one than was read ahead.`);
  }
}

export class BundleQueue implements ReadAheadEntries {
  #bundles: ReadBundle[] = [];

  get isFull(): boolean {
    return isFarAhead(this.#bundles);
  }

  keep(bundle: ReadBundle): void {
    this.#bundles.push(bundle);
  }

  clear(): void {
    this.#bundles = [];
  }

  forget(applied: number): void {
    this.#bundles = this.#bundles.filter(({ cursorTo }) => cursorTo > applied);
  }

  /** The number of entries after a cursor. */
  count(after: number): number {
    return this.#bundles.reduce((sum, bundle) => sum + entriesAfter(bundle, after).length, 0);
  }

  /** @throws BundleReplacedError */
  take(reader: LedgerReader, after: number, most: number): PendingEntry[] | null {
    this.forget(after);
    const taken: PendingEntry[] = [];
    let bytes = 0;
    let end = after;
    for (const bundle of this.#bundles) {
      const { cursorFrom, cursorTo, entryCount } = bundle;
      bytes += bundle.bytes;
      const fits = taken.length + entryCount <= most && bytes <= FULL_BUNDLE_BYTES;
      if (cursorFrom > end || (taken.length > 0 && !fits)) break;
      if (bundleIdAt(reader, cursorFrom) !== bundle.bundleId) throw new BundleReplacedError(cursorFrom);
      taken.push(...entriesAfter(bundle, after));
      if (taken.length >= most) break;
      end = cursorTo;
    }
    return taken.length === 0 ? null : taken.slice(0, most);
  }
}

function entriesAfter({ cursorFrom, entries }: ReadBundle, after: number): PendingEntry[] {
  return cursorFrom >= after ? entries : entries.filter(({ entry }) => entry.cursor > after);
}
