import { expect, test } from 'vitest';
import { circles } from './circles.ts';

const arrows = (...pairs: [string, string][]) => pairs.map(([from, to]) => ({ from, to }));

test('a tree has none, however its branches meet again', () => {
  expect(
    circles(arrows(['a/1.ts', 'b/1.ts'], ['a/1.ts', 'c/1.ts'], ['b/1.ts', 'c/1.ts'], ['c/1.ts', 'd/1.ts'])),
  ).toEqual([]);
});

test('files that lead back to themselves, directly or over others', () => {
  const inOne = arrows(['a/1.ts', 'a/2.ts'], ['a/2.ts', 'a/3.ts'], ['a/3.ts', 'a/1.ts'], ['a/4.ts', 'a/1.ts']);
  expect(circles(inOne)).toEqual(['a circle of files: a/1.ts, a/2.ts, a/3.ts']);
  expect(circles(arrows(['a/1.ts', 'a/1.ts']))).toEqual(['a circle of files: a/1.ts']);
});

test('two circles are reported one by one', () => {
  const two = arrows(
    ['a/1.ts', 'a/2.ts'],
    ['a/2.ts', 'a/1.ts'],
    ['a/2.ts', 'a/3.ts'],
    ['a/3.ts', 'a/4.ts'],
    ['a/4.ts', 'a/3.ts'],
  );
  expect(circles(two)).toEqual(['a circle of files: a/3.ts, a/4.ts', 'a circle of files: a/1.ts, a/2.ts']);
});

test('folders may make a circle where no files do; it names the arrows', () => {
  expect(circles(arrows(['a/1.ts', 'b/1.ts'], ['b/2.ts', 'a/2.ts']))).toEqual([
    'a circle of folders: a, b (a/1.ts -> b/1.ts; b/2.ts -> a/2.ts)',
  ]);
  expect(circles(arrows(['a/1.ts', 'a/deep/1.ts'], ['a/deep/2.ts', 'a/2.ts']))).toEqual([
    'a circle of folders: a, a/deep (a/1.ts -> a/deep/1.ts; a/deep/2.ts -> a/2.ts)',
  ]);
});
