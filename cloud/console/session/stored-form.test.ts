import { expect, test } from 'vitest';
import { readStoredForm } from './stored-form.ts';

const EMPTY = { name: '', memo: '' };

test('a stored form is read with the fields that it has, and anything else is the empty form', () => {
  expect(readStoredForm('{"name":"한국증권","memo":"x","more":"y"}', EMPTY)).toEqual({ name: '한국증권', memo: 'x' });
  expect(readStoredForm('{"name":"한국증권"}', EMPTY)).toEqual({ name: '한국증권', memo: '' });
  for (const text of [null, '', '{', '[]', 'null', '3', '{"name":1}'])
    expect(readStoredForm(text, EMPTY)).toEqual(EMPTY);
});
