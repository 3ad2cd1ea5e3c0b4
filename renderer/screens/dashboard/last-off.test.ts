import { expect, test } from 'vitest';
import { secondsOff } from './last-off.ts';

test('tenths of a second below ten, whole ones below a minute, each rounded up; a minute is no number of seconds', () => {
  const read = [0, 40, 400, 401, 9_950, 10_000, 12_300, 59_999, 60_000].map(secondsOff);
  expect(read).toEqual(['0.1', '0.1', '0.4', '0.5', '10.0', '10', '13', '60', null]);
});
