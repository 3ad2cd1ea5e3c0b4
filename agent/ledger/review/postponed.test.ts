import { expect, test } from 'vitest';
import { endOf } from './postponed.ts';

// 20 November 2026 is a Friday.
test.each([
  ['HALF_HOUR', '2026-11-20T14:00:00+09:00', '2026-11-20T14:30:00+09:00'],
  ['MARKET_CLOSE', '2026-11-20T14:00:00+09:00', '2026-11-20T15:30:00+09:00'],
  ['MARKET_CLOSE', '2026-11-20T15:30:00+09:00', '2026-11-23T15:30:00+09:00'],
  ['MARKET_CLOSE', '2026-11-21T10:00:00+09:00', '2026-11-23T15:30:00+09:00'],
  ['TOMORROW', '2026-11-19T23:59:00+09:00', '2026-11-20T09:00:00+09:00'],
  ['TOMORROW', '2026-11-20T00:00:00+09:00', '2026-11-23T09:00:00+09:00'],
] as const)('%s from %s ends at %s', (postponement, now, until) => {
  expect(endOf(postponement, new Date(now))).toEqual(new Date(until));
});
