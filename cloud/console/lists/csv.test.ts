import { expect, test } from 'vitest';
import { allOf, csvNameOf, csvOf, MOST_ROWS, timeCell, type CsvColumn } from './csv.ts';

interface Row {
  name: string;
  count: number | null;
  at: string | null;
}
const COLUMNS: readonly CsvColumn<Row>[] = [
  ['이름', ({ name }) => name],
  ['수', ({ count }) => count],
  ['시각 (KST)', ({ at }) => timeCell(at)],
];

test('a list is a CSV with its headings, whole times and no formula', () => {
  const rows = [
    { name: '한국증권', count: -3, at: '2026-11-20T06:30:00.000Z' },
    { name: '=1+1', count: 0, at: null },
    { name: '@a,"b"', count: null, at: null },
  ];
  expect(csvOf(COLUMNS, rows)).toBe(
    '\u{feff}이름,수,시각 (KST)\r\n한국증권,-3,2026-11-20 15:30:00\r\n\'=1+1,0,\r\n"\'@a,""b""",,\r\n',
  );
  for (const name of ['=x', '+x', '-x', '@x'])
    expect(csvOf(COLUMNS, [{ name, count: 1, at: null }])).toContain(`'${name}`);
});

test('a paged list is read to its end, and no further than its bound', async () => {
  const asked: number[] = [];
  const pageOf = (total: number) => async (page: number, size: number) => {
    asked.push(page);
    const from = (page - 1) * size;
    return {
      items: Array.from({ length: Math.max(0, Math.min(size, total - from)) }, (_, index) => from + index),
      total,
    };
  };
  expect((await allOf(pageOf(250))).items).toHaveLength(250);
  expect(asked).toEqual([1, 2, 3]);
  expect((await allOf(pageOf(200))).items).toHaveLength(200);
  expect((await allOf(pageOf(0))).items).toEqual([]);
  const { items, total } = await allOf(pageOf(9_000));
  expect([items.length, total]).toEqual([MOST_ROWS, 9_000]);
});

test('a list whose count stops early is read to its end, and a file that ends before it says so', async () => {
  // As the analyses are listed: counted up to a thousand.
  const countedTo = (all: number, counted: number) => async (page: number, size: number) => ({
    items: Array.from({ length: Math.max(0, Math.min(size, all - (page - 1) * size)) }, (_, index) => index),
    total: Math.min(all, counted),
    more: all > counted,
  });
  const nameOf = async (all: number): Promise<[number, string]> => {
    const read = await allOf(countedTo(all, 1_000));
    return [read.items.length, csvNameOf('analyses', read)];
  };
  expect(await nameOf(1_000)).toEqual([1_000, 'causeway-analyses.csv']);
  expect(await nameOf(1_100)).toEqual([1_100, 'causeway-analyses.csv']);
  expect(await nameOf(2_345)).toEqual([2_345, 'causeway-analyses.csv']);
  expect(await nameOf(MOST_ROWS)).toEqual([MOST_ROWS, 'causeway-analyses.csv']);
  expect(await nameOf(MOST_ROWS + 1)).toEqual([MOST_ROWS, `causeway-analyses-first-${MOST_ROWS}.csv`]);
  expect(csvNameOf('tenants', { items: [1], total: 3 })).toBe('causeway-tenants-1-of-3.csv');
});
