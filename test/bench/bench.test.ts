/** The tools of the benchmarks: rows, quantiles, alternation, the table. */
import { describe, expect, test } from 'vitest';
import { alternate, median, quantile, ratioRow, valueRow } from './bench.ts';
import { BENCHES } from './registry.ts';
import { tableOf } from './table.ts';

describe('a row', () => {
  test('meets its target or misses it', () => {
    expect(ratioRow('a', 'ms', 13, 10, { atMost: 1.3 })).toEqual({
      what: 'a',
      unit: 'ms',
      measured: 13,
      limit: 10,
      ratio: 1.3,
      target: 'ratio ≤ 1.3',
      holds: true,
    });
    expect(ratioRow('a', 'ms', 13.1, 10, { atMost: 1.3 }).holds).toBe(false);
    expect(ratioRow('a', '/s', 59, 100, { atLeast: 0.6 }).holds).toBe(false);
    expect(valueRow('a', 'ms', 250, { atMost: 250 })).toMatchObject({ holds: true, limit: null, ratio: null });
  });

  test('misses it without a measurement', () => {
    expect(ratioRow('a', 'ms', median([]), 10, { atMost: 1.3 }).holds).toBe(false);
    expect(valueRow('a', 'ms', Number.NaN, { atLeast: 0 }).holds).toBe(false);
  });

  test('appears in the table with its fields', () => {
    const table = tableOf([ratioRow('a row', 'ms', 12.345, 100.4, { atMost: 0.1 })]).split('\n');
    expect(table[0]?.split(/ {2,}/)).toEqual(['what', 'measured', 'raw limit', 'ratio', 'target', 'holds']);
    expect(table[2]?.split(/ {2,}/)).toEqual(['a row', '12.3 ms', '100 ms', '0.12', 'ratio ≤ 0.1', 'NO']);
  });
});

test('quantiles lie between the values', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(quantile([1, 2, 3, 4, 5], 0)).toBe(1);
  expect(quantile([1, 2, 3, 4, 5], 0.99)).toBeCloseTo(4.96);
});

test('sides alternate who begins, preparation is not timed, and the first rounds do not count', async () => {
  const calls: string[] = [];
  const side = (name: string, before?: () => Promise<unknown>) => ({
    ...(before === undefined ? {} : { before }),
    run: async () => calls.push(name),
  });
  const times = await alternate(
    { a: side('a', async () => calls.push('ready')), b: side('b') },
    { rounds: 2, warmUp: 1 },
  );
  expect([times.a.length, times.b.length]).toEqual([2, 2]);
  expect(calls.join(' ')).toBe('b ready a ready a b b ready a');
});

test('each benchmark has a unique name', () => {
  expect(new Set(BENCHES.map(({ name }) => name)).size).toBe(BENCHES.length);
});
