import { unzipSync } from 'fflate';
import { readXlsx } from 'hucre/xlsx';
import { expect, test } from 'vitest';
import { workbook } from './workbook.ts';

const TEXTS = [
  ...['069500', '-Zk3', '=1+1', '+82', '@SUM(A1)', "'=x", '1e5', 'TRUE', '2026-11-29', '  두 칸  ', 'a\r\nb\tc'],
  ...['_x0041_', '<b>&amp;"', '\u{0}\u{b}', '𠮷', 'https://example.com', '\u{feff}'],
];

const write = (rows: readonly (readonly unknown[])[]): Promise<Uint8Array> =>
  new Response(
    workbook({ name: '목록', columns: [{ heading: '코드' }, { heading: '건수', isNumber: true }], rows }),
  ).bytes();
const read = async (rows: readonly (readonly unknown[])[]) => readXlsx(await write(rows));

test('every text comes back as it was, and a number is a number', async () => {
  const { sheets } = await read(TEXTS.map((text, n) => [text, n]));
  expect(sheets[0]?.rows).toEqual([['코드', '건수'], ...TEXTS.map((text, n) => [text, n])]);
});

test('a text is a text cell in the format of one, never a formula', async () => {
  const files = unzipSync(await write(TEXTS.map((text, n) => [text, n])));
  const [sheet, styles] = ['xl/worksheets/sheet1.xml', 'xl/styles.xml'].map((name) =>
    Buffer.from(files[name] ?? []).toString(),
  );
  expect(sheet?.match(/<c r="A\d+" t="inlineStr" s="1">/g)).toHaveLength(TEXTS.length + 1);
  expect(sheet).not.toMatch(/<f[ >]/);
  const [, format] = /<numFmt numFmtId="(\d+)" formatCode="@"\/>/.exec(styles ?? '') ?? [];
  expect(styles).toMatch(new RegExp(`<cellXfs[^>]*><xf [^>]*/><xf numFmtId="${format}" `));
});

test('a value that is no text is JSON as in the CSV, nothing is an empty cell, and no cell is too long for Excel', async () => {
  const { sheets } = await read([
    [{ a: 1 }, 1],
    [null, 2],
    ['가'.repeat(40_000), 3],
  ]);
  const [, first, second, third] = sheets[0]?.rows ?? [];
  expect([first, second]).toEqual([
    ['{"a":1}', 1],
    [null, 2],
  ]);
  expect(third?.[0]).toBe(`${'가'.repeat(32_766)}…`);
});
