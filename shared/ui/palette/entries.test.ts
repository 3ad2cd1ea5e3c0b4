import { expect, test } from 'vitest';
import { containing, matching, ranked, stepped, type PaletteEntry } from './entries.ts';

const entry = (kind: PaletteEntry['kind'], label: string, note = ''): PaletteEntry => ({
  id: label,
  kind,
  label,
  note,
  run: () => undefined,
});
const ENTRIES = [
  entry('screen', '심사 대기열'),
  entry('command', 'Dark', '화면 모드'),
  entry('found', '069500 KODEX 200'),
];

test.each([
  ['', ['심사 대기열', 'Dark', '069500 KODEX 200']],
  ['심사대', ['심사 대기열', '069500 KODEX 200']],
  ['심사'.normalize('NFD'), ['심사 대기열', '069500 KODEX 200']],
  ['DARK', ['Dark', '069500 KODEX 200']],
  ['화면', ['Dark', '069500 KODEX 200']],
  ['nothing like it', ['069500 KODEX 200']],
])('"%s" finds %j', (typed, labels) => {
  expect(matching(ENTRIES, typed).map(({ label }) => label)).toEqual(labels);
});

test('a name is found by any part of it, in any form of Unicode', () => {
  expect(containing(['검수 대기', '오래된 것'], '수대'.normalize('NFD'), (name) => name)).toEqual(['검수 대기']);
});

test('finds are sorted by fit, then by ticker, then in their given order', () => {
  const found = (etf_ticker: string, etf_name: string, id = '') => ({ etf_ticker, etf_name, id });
  const tickers = (typed: string, ...all: ReturnType<typeof found>[]): string[] =>
    ranked(all, typed, ({ etf_ticker: ticker, etf_name: name }) => ({ ticker, name })).map(
      ({ etf_ticker: ticker, id }) => ticker + id,
    );
  expect(
    tickers('1000', found('100003', 'C'), found('291000', 'D'), found('100001', 'A'), found('100002', 'B')),
  ).toEqual(['100001', '100002', '100003', '291000']);
  expect(tickers('반도체', found('300', '금'), found('200', 'K 반도체'), found('400', '반도체 2'))).toEqual([
    '400',
    '200',
    '300',
  ]);
  expect(tickers('069', found('069500', 'K', ' late'), found('069500', 'K', ' early'))).toEqual([
    '069500 late',
    '069500 early',
  ]);
});

test('walking wraps around at the ends, and stays put in an empty list', () => {
  expect(stepped(2, 1, 3)).toBe(0);
  expect(stepped(0, -1, 3)).toBe(2);
  expect(stepped(0, 1, 0)).toBe(0);
});
