import { expect, test } from 'vitest';
import { readExceptions } from './exceptions.ts';

test('one exception a line, a question mark for those that a person must see', () => {
  expect(readExceptions(' 매수세 \n\n? 원금 보장되지 않\n?\n')).toEqual([
    { text: '매수세', becomes: 'CLEAR' },
    { text: '원금 보장되지 않', becomes: 'REVIEW' },
  ]);
  expect(readExceptions('')).toEqual([]);
});
