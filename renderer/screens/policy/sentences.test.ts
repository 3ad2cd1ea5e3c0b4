import { expect, test } from 'vitest';
import { sentencesWith } from './sentences.ts';

test('a hit is shown in its sentence, and a decimal point ends no sentence', () => {
  const text = '지수가 1.23% 올랐다. 매수 의견이 이어졌다! 거래는 줄었다.';
  const start = text.indexOf('매수');
  const [only, ...others] = sentencesWith(text, [{ start, end: start + 2 }]);
  expect(others).toEqual([]);
  expect(only?.text).toBe('매수 의견이 이어졌다!');
  expect(only?.text.slice(only.marks[0]?.start, only.marks[0]?.end)).toBe('매수');
  expect(sentencesWith(text, [{ start: 0, end: text.length }])).toHaveLength(3);
  expect(sentencesWith(text, [])).toEqual([]);
});
