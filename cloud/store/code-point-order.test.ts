import { expect, test } from 'vitest';
import { byCodePoint } from './code-point-order.ts';

test('the order is that of code points', () => {
  const words = ['', 'B', 'a', 'ab', '가', '\uffff', '\u{10000}', '\u{1f600}'];
  expect(words.toReversed().toSorted(byCodePoint)).toEqual(words);
  expect(byCodePoint('가', '가')).toBe(0);
});
