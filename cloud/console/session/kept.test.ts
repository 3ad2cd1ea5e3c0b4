import { expect, test } from 'vitest';
import { readKept } from './kept.ts';

const EMPTY = { name: '', memo: '' };

test('a stored form is read with the fields that it has, and anything else is the empty form', () => {
  expect(readKept('{"name":"한국증권","memo":"x","more":"y"}', EMPTY)).toEqual({ name: '한국증권', memo: 'x' });
  expect(readKept('{"name":"한국증권"}', EMPTY)).toEqual({ name: '한국증권', memo: '' });
  for (const text of [null, '', '{', '[]', 'null', '3', '{"name":1}']) expect(readKept(text, EMPTY)).toEqual(EMPTY);
});
