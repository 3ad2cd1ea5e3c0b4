import { expect, test } from 'vitest';
import { isSuspectReturn } from '../../wire/suspect-return.ts';
import { directionOf, percentText } from './percent.ts';

test.each([
  [0.0123, 'up', '+1.23%'],
  [-0.0123, 'down', '−1.23%'],
  [0, 'flat', '0.00%'],
  [-0, 'flat', '0.00%'],
  [0.00004, 'flat', '0.00%'],
  [-0.00004, 'flat', '0.00%'],
  // Halves round away from zero on both sides, though 0.01005 is a little less in binary.
  [0.01005, 'up', '+1.01%'],
  [-0.01005, 'down', '−1.01%'],
  [0.3, 'up', '+30.00%'],
  [1.5, 'up', '+150.00%'],
])('%d is %s and reads %s', (ratio, direction, text) => {
  expect(directionOf(ratio)).toBe(direction);
  expect(percentText(ratio)).toBe(text);
});

test.each([
  [1, false],
  [-1, false],
  [1.0001, true],
  [-1391.2, true],
])('%d is suspect: %s', (ratio, suspect) => {
  expect(isSuspectReturn(ratio)).toBe(suspect);
});
