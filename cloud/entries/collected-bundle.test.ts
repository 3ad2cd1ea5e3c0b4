import { expect, test } from 'vitest';
import { CollectedBundle, type BundleRow } from './collected-bundle.ts';

const FIRST: BundleRow = { place: '1', retention_floor: '3', head: '9', cursor: null, entry: null };
const record = (cursor: number, entry: string | null): BundleRow => ({
  place: '1',
  retention_floor: null,
  head: null,
  cursor: String(cursor),
  entry,
});

test('a bundle holds the entries of its rows, and those of a statement that is asked again once', () => {
  const bundle = new CollectedBundle();
  for (let times = 0; times < 2; times += 1) {
    bundle.reset();
    for (const row of [FIRST, record(4, '"가"'), record(6, '"b"')]) bundle.take(row);
  }
  expect(bundle).toMatchObject({ retentionFloor: 3, head: 9, entries: 2, to: 6, bytes: 8, isIncomplete: false });
  expect(bundle.body('{"entries":[').toString()).toBe('{"entries":["가","b"]}}');
});

test('an entry that is not there makes the bundle incomplete', () => {
  const bundle = new CollectedBundle();
  for (const row of [FIRST, record(4, '{}'), record(5, null)]) bundle.take(row);
  expect(bundle).toMatchObject({ isIncomplete: true, entries: 1, to: 4 });
});
