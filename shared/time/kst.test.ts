import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCalendarDate, kstDate, kstDateTime, kstDayEnd, kstMidnight, kstOffsetTimestamp } from './kst.ts';

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
