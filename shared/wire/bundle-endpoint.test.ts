import { expect, test } from 'vitest';
import { waitPreference, waitSecondsOf } from './bundle-endpoint.ts';

test.each([
  ['wait=25', 25],
  ['WAIT=1', 1],
  ['respond-async, wait=45', 45],
  [undefined, null],
  ['', null],
  ['wait=0', null],
  ['wait=46', null],
  ['wait=-5', null],
  ['wait=2.5', null],
  ['wait=25; x', null],
  ['wait=1, wait=2', null],
  ['wait=٣', null],
  [`wait=5${' '.repeat(60)}`, null],
  [['wait=5', 'wait=6'], null],
])('a preference of %j is %j', (value, seconds) => {
  expect(waitSecondsOf(value)).toBe(seconds);
});

test('what is written is read', () => {
  expect(waitSecondsOf(waitPreference(25))).toBe(25);
});
