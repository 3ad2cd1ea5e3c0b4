import { expect, test } from 'vitest';
import { isTradingDay, tradingDaysBetween } from './trading-days.ts';

test.each([
  ['the same day', '2026-11-16T06:30:00Z', '2026-11-16T14:59:59Z', 0],
  ['Monday to Tuesday', '2026-11-16T06:30:00Z', '2026-11-17T14:59:59Z', 0],
  ['Monday to Wednesday', '2026-11-16T06:30:00Z', '2026-11-17T15:00:00Z', 1],
  ['over a weekend', '2026-11-20T06:30:00Z', '2026-11-23T14:59:59Z', 0],
  ['over a weekend and a weekday', '2026-11-20T06:30:00Z', '2026-11-24T00:00:00Z', 1],
  ['over Chuseok and its weekend', '2026-09-23T06:30:00Z', '2026-09-27T15:00:00Z', 0],
  ['over New Year by the moon', '2026-02-13T06:30:00Z', '2026-02-18T15:00:00Z', 0],
  ['two weeks', '2026-11-15T16:00:00Z', '2026-11-29T16:00:00Z', 9],
  ['backwards', '2026-11-20T00:00:00Z', '2026-11-10T00:00:00Z', 0],
])('whole trading days between: %s', (_, from, to, days) => {
  expect(tradingDaysBetween(new Date(from), new Date(to))).toBe(days);
});

// Weekdays on which the exchange announced to be closed, except days of one year only (elections, bridge days).
test.each([
  [2024, '01-01 02-09 02-12 03-01 05-01 05-06 05-15 06-06 08-15 09-16 09-17 09-18 10-03 10-09 12-25 12-31'],
  [2025, '01-01 01-28 01-29 01-30 03-03 05-01 05-05 05-06 06-06 08-15 10-03 10-06 10-07 10-08 10-09 12-25 12-31'],
])('closed in %i', (year, days) => {
  const closed = [];
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += 86_400_000) {
    const date = new Date(at).toISOString().slice(0, 10);
    // Constitution Day is a holiday again since 2026.
    if (new Date(at).getUTCDay() % 6 !== 0 && !isTradingDay(date) && !date.endsWith('07-17'))
      closed.push(date.slice(5));
  }
  expect(closed.join(' ')).toBe(days);
});
