import { expect, test } from 'vitest';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { MOST_AHEAD } from '../apply/batch-size.ts';
import { commitEntries, newAt, withParts } from '../testing.ts';
import { BundleQueue, BundleReplacedError, isFarAhead, type ReadBundle } from './bundle-queue.ts';

const NOW = '2026-11-20T08:00:00.000Z';

/** A bundle with these cursors, and its outline as read ahead. */
function bundleAt(cursorFrom: number, cursors: readonly number[], bundleId?: string): ReadBundle {
  const raw = { cursorFrom };
  const came = { at: NOW, stated: null };
  const text = { whole: '', source_events: '', evidences: '' };
  const entries = cursors.map((cursor) => ({ raw, came, entry: { cursor }, text, toldAt: NOW }));
  return {
    cursorFrom,
    cursorTo: cursors.at(-1) ?? cursorFrom,
    bundleId,
    entryCount: cursors.length,
    bytes: 1,
    entries,
  };
}

function taken(bundles: readonly ReadBundle[], after: number, most: number): number[] | null {
  return withParts(({ ledger }) => {
    const queue = new BundleQueue();
    for (const bundle of bundles) queue.keep(bundle);
    return queue.take(ledger, after, most)?.map(({ entry }) => entry.cursor) ?? null;
  });
}

test('as many whole bundles as fit, or a part of one', () => {
  const bundles = [bundleAt(0, [1, 2]), bundleAt(2, [3, 4]), bundleAt(4, [5])];
  expect(taken(bundles, 0, 5)).toEqual([1, 2, 3, 4, 5]);
  expect(taken(bundles, 0, 4)).toEqual([1, 2, 3, 4]);
  expect(taken(bundles, 0, 3)).toEqual([1, 2]);
  expect(taken(bundles, 0, 1)).toEqual([1]);
  expect(taken(bundles, 1, 9)).toEqual([2, 3, 4, 5]);
  expect(taken(bundles, 5, 9)).toBeNull();
});
test('nothing beyond a gap', () => {
  expect(taken([bundleAt(2, [3])], 0, 9)).toBeNull();
  expect(taken([bundleAt(0, [1]), bundleAt(3, [4])], 0, 9)).toEqual([1]);
});
test('nothing of a bundle that has been replaced since', () => {
  withParts(({ ledger }) => {
    commitEntries(ledger, [newAt(1, 'a')], NOW);
    const queue = new BundleQueue();
    queue.keep(bundleAt(0, [1], 'another'));
    expect(() => queue.take(ledger, 0, 9)).toThrow(BundleReplacedError);
    expect(readCursors(ledger).applied).toBe(0);
  });
});
test('reading stops at a bound of entries and at one of bytes', () => {
  const size = { cursorTo: 1, entryCount: 1, bytes: 1 };
  expect(isFarAhead([])).toBe(false);
  expect(isFarAhead([size, { ...size, entryCount: MOST_AHEAD - 2 }])).toBe(false);
  expect(isFarAhead([size, { ...size, entryCount: MOST_AHEAD - 1 }])).toBe(true);
  expect(isFarAhead([size, { ...size, bytes: 16 * 1024 ** 2 }])).toBe(true);
});
