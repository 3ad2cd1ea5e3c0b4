import { expect, test } from 'vitest';
import { matching, stepped, type PaletteEntry } from './palette-entries.ts';

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
  entry('explanation', '069500 KODEX 200'),
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

test('walking goes round the ends, and stays where there is nothing', () => {
  expect(stepped(2, 1, 3)).toBe(0);
  expect(stepped(0, -1, 3)).toBe(2);
  expect(stepped(0, 1, 0)).toBe(0);
});
