import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isCalendarDate,
  kstDate,
  kstDateTime,
  kstDayEnd,
  kstMidnight,
  kstOffsetTimestamp,
  weekdaysBetween,
} from './kst.ts';

describe('Korean time', () => {
  test('the day begins at 15:00 UTC of the day before', () => {
    expect(kstDate(new Date('2026-11-20T14:59:59.999Z'))).toBe('2026-11-20');
    expect(kstDate(new Date('2026-11-20T15:00:00.000Z'))).toBe('2026-11-21');
    expect(kstDateTime(new Date('2026-12-31T15:00:01.000Z'))).toBe('2027-01-01 00:00:01');
  });
  test.each(['2026-11-20', '2026-12-31', '2024-02-28', '2024-02-29', '2023-02-28'])(
    '%s ends when the next day begins',
    (day) => {
      const [begins, ends] = [kstMidnight(day), kstDayEnd(day)];
      expect([kstDate(begins), kstDate(new Date(ends.getTime() - 1))]).toEqual([day, day]);
      expect(kstDateTime(ends)).toBe(`${kstDate(ends)} 00:00:00`);
      expect(ends.getTime() - begins.getTime()).toBe(86_400_000);
    },
  );
  test('agrees with the zone database, and its timestamp is the same instant', () => {
    const seoul = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Seoul', dateStyle: 'short', timeStyle: 'medium' });
    // Before 1989 Korea had daylight saving time.
    const instants = fc.date({
      min: new Date('1989-01-01T00:00:00Z'),
      max: new Date('2100-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, (at) => {
        expect(kstDateTime(at)).toBe(seoul.format(at));
        expect(Math.floor(Date.parse(kstOffsetTimestamp(at)) / 1000)).toBe(Math.floor(at.getTime() / 1000));
      }),
    );
  });
});

test.each([
  ['the same day', '2026-11-16T06:30:00Z', '2026-11-16T14:59:59Z', 0],
  ['Monday to Tuesday', '2026-11-16T06:30:00Z', '2026-11-17T14:59:59Z', 0],
  ['Monday to Wednesday', '2026-11-16T06:30:00Z', '2026-11-17T15:00:00Z', 1],
  ['over a weekend', '2026-11-20T06:30:00Z', '2026-11-23T14:59:59Z', 0],
  ['over a weekend and a holiday', '2026-11-20T06:30:00Z', '2026-11-24T00:00:00Z', 1],
  ['two weeks', '2026-11-15T16:00:00Z', '2026-11-29T16:00:00Z', 9],
  ['before 1970', '1969-12-31T00:00:00Z', '1970-01-05T00:00:00Z', 2],
  ['backwards', '2026-11-20T00:00:00Z', '2026-11-10T00:00:00Z', 0],
])('whole weekdays between: %s', (_, from, to, days) => {
  expect(weekdaysBetween(new Date(from), new Date(to))).toBe(days);
});

test.each([
  ['2026-02-28', true],
  ['2024-02-29', true],
  ['2026-02-29', false],
  ['2026-02-30', false],
  ['2026-13-01', false],
  ['2026-1-01', false],
  ['+02026-01-01', false],
  ['20260101', false],
  ['2026-01-01T00:00:00Z', false],
  ['0000-01-01', false],
  ['0001-01-01', true],
  ['', false],
])('%j is a date that exists: %s', (text, exists) => {
  expect(isCalendarDate(text)).toBe(exists);
});
