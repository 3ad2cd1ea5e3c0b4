import { expect, test } from 'vitest';
import { BatchSize, MOST_ENTRIES } from './batch-size.ts';

/** The sizes of successive batches on a machine with these costs per entry and per commit. */
function sizes(msAnEntry: number, commitMs = 0): number[] {
  const size = new BatchSize();
  return Array.from({ length: 12 }, () => {
    const { entries } = size;
    size.held(entries, entries * msAnEntry + commitMs);
    return size.entries;
  });
}

test('a batch holds the write lock as long as it may on any machine', () => {
  expect(sizes(0.2).at(-1)).toBe(500);
  expect(sizes(0.1).at(-1)).toBe(1_000);
  expect(sizes(1).at(-1)).toBe(100);
  expect(sizes(0.2, 20).at(-1)).toBeGreaterThan(390);
});
test('it has bounds on the fastest and on the slowest', () => {
  expect(sizes(0.000_1).at(-1)).toBe(MOST_ENTRIES);
  expect(sizes(100).at(-1)).toBe(50);
});
test('it grows step by step', () => expect(sizes(0.01).slice(0, 2)).toEqual([1_000, MOST_ENTRIES]));
test('a small batch changes nothing, nor does a clock that stands still or is set back', () => {
  const size = new BatchSize();
  size.held(3, 20);
  size.held(500, 0);
  size.held(500, -5_000);
  expect(size.entries).toBe(500);
});
test('a small batch that holds the lock for too long shrinks it', () => {
  const size = new BatchSize();
  size.held(100, 1_000);
  expect(size.entries).toBe(50);
});
