import { expect, test } from 'vitest';
import { dayText, monthText, readDay, stepDays, stepMonths, weekdays, weeksOf } from './day-text.ts';

test('a day is written as its language does', () => {
  expect([dayText('2026-11-05', 'ko'), dayText('2026-11-05', 'en')]).toEqual(['2026. 11. 05.', '05 Nov 2026']);
  expect([monthText('2026-11-05', 'ko'), monthText('2026-11-05', 'en')]).toEqual(['2026년 11월', 'November 2026']);
  expect(weekdays('ko').map(({ short }) => short)).toEqual(['일', '월', '화', '수', '목', '금', '토']);
});

test.each([
  ['2026-11-05', '2026-11-05'],
  ['2026. 11. 05.', '2026-11-05'],
  ['2026.11.5', '2026-11-05'],
  ['2026/11/5', '2026-11-05'],
  ['20261105', '2026-11-05'],
  ['2026년 11월 5일', '2026-11-05'],
  ['5 Nov 2026', '2026-11-05'],
  ['05 November 2026', '2026-11-05'],
  ['Nov 5, 2026', '2026-11-05'],
  // Day and month could be taken for each other.
  ['11/05/2026', null],
  ['5.11.26', null],
  ['2026-02-30', null],
  ['2026-13-01', null],
  ['5 Foo 2026', null],
  ['2026-11', null],
  ['어제', null],
  ['', null],
])('%s is read as %s', (typed, day) => {
  expect(readDay(typed)).toBe(day);
});

test('a typed day is read back, in both languages', () => {
  for (let day = '2027-12-25'; day < '2028-03-05'; day = stepDays(day, 1)) {
    expect(readDay(dayText(day, 'ko'))).toBe(day);
    expect(readDay(dayText(day, 'en'))).toBe(day);
  }
});

test('steps stay on days that exist', () => {
  expect(stepDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(stepMonths('2026-01-31', 1)).toBe('2026-02-28');
  expect(stepMonths('2026-03-31', -1)).toBe('2026-02-28');
  expect(stepMonths('2026-12-15', 1)).toBe('2027-01-15');
});

test('a month is a list of its weeks from Sunday on', () => {
  const weeks = weeksOf('2026-11-20');
  expect(weeks).toHaveLength(5);
  expect(weeks[0]?.[0]).toBe('2026-11-01');
  expect(weeks.flat().filter((day) => day !== null)).toHaveLength(30);
  expect(weeksOf('2026-08-01')[0]).toEqual([null, null, null, null, null, null, '2026-08-01']);
});
