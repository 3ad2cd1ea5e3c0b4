/** What counts as growth in a long run. */
import { expect, test } from 'vitest';
import { AllSeries, growthTable } from './series.ts';

function growthOf(values: readonly number[], grain = 1) {
  const all = new AllSeries();
  for (const value of values) all.take('memory of a part', 'MB', grain, value);
  return all.growth();
}

const quarters = (...of: number[]): number[] => of.flatMap((value) => Array.from({ length: 10 }, () => value));

test('growth is that from the second to the last quarter', () => {
  expect(growthOf(quarters(10, 100, 200, 105))).toMatchObject([
    { quarters: [10, 100, 200, 105], share: 0.05, most: 200, isTooMuch: false },
  ]);
  expect(growthOf(quarters(10, 100, 90, 106))).toMatchObject([{ share: 0.06, isTooMuch: true }]);
});

test('what falls, stays, or differs by less than its grain has not grown', () => {
  expect(growthOf(quarters(1, 100, 100, 50))).toMatchObject([{ share: -0.5, isTooMuch: false }]);
  expect(growthOf(quarters(0, 0, 0, 0))).toMatchObject([{ share: 0, isTooMuch: false }]);
  expect(growthOf(quarters(4, 4, 5, 5))).toMatchObject([{ isTooMuch: false }]);
  expect(growthOf(quarters(4, 4, 5, 6))).toMatchObject([{ isTooMuch: true }]);
});

test('a peak within a quarter is no growth', () => {
  expect(growthOf([...quarters(100, 100, 100), 100, 100, 900, 100, 100, 100, 900, 100, 100, 100])).toMatchObject([
    { share: 0, most: 900, isTooMuch: false },
  ]);
});

test('too few values are not judged', () => {
  expect(growthOf(Array.from({ length: 23 }, (_, index) => index))).toEqual([]);
});

test('the table names what grew', () => {
  const [head, row] = growthTable(growthOf(quarters(10, 100, 90, 106))).split('\n');
  expect(head?.split(/ {2,}/)).toEqual(['what', 'first quarter', 'second', 'third', 'last', 'most', 'growth']);
  expect(row?.split(/ {2,}/)).toEqual([
    ...['memory of a part', '10.0 MB', '100.0 MB', '90.0 MB', '106.0 MB', '106.0 MB', '6.0 %', 'GREW'],
  ]);
});
