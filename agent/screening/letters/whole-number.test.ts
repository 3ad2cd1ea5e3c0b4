import { expect, test } from 'vitest';
import { isWholeNumber } from './whole-number.ts';

test.each([
  ['0%', '10%', false],
  ['0%', '1.0%', false],
  ['0%', '1,0%', false],
  ['0%', '.0%', true],
  ['0%', '약 0%', true],
  ['0%', '0%', true],
  ['100', '1000', false],
  ['100', '100.5', false],
  ['100', '100,000', false],
  ['100', '100.', true],
  ['100', '100배', true],
  ['100', '100', true],
  ['%', '10%5', true],
  ['수익', '5수익5', true],
])('%s in %s: %s', (part, text, isWhole) => {
  const start = text.indexOf(part);
  expect(isWholeNumber(text, { start, end: start + part.length })).toBe(isWhole);
});
