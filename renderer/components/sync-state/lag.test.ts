import { expect, test } from 'vitest';
import { lagOf } from './lag.ts';

test.each([
  [{ head: 10, committedCursor: 7 }, 3],
  [{ head: 10, committedCursor: 10 }, 0],
  [{ head: 5, committedCursor: 10 }, 0],
  [{ head: null, committedCursor: 10 }, null],
])('%j is %s records behind', (status, lag) => {
  expect(lagOf(status)).toBe(lag);
});
