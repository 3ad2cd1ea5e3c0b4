import { describe, expect, test } from 'vitest';
import { asOfText, durationBetween, kstShort, kstText, shortDay } from './format.ts';

describe('times as the screens write them', () => {
  test('an instant in Korean time, from any zone', () => {
    expect(kstText('2026-11-20T15:30:45.000Z')).toBe('2026-11-21 00:30');
    expect(kstText('2026-11-20T15:30:45+09:00', 'second')).toBe('2026-11-20 15:30:45');
    expect(kstText('yesterday')).toBeNull();
  });

  test('short: without the date on the same day, without the year in the same year, both by Korean time', () => {
    const now = new Date('2026-11-20T16:00:00.000Z');
    expect(kstShort('2026-11-20T15:30:00.000Z', now)).toBe('00:30');
    expect(kstShort('2026-11-20T14:30:00.000Z', now)).toBe('11-20 23:30');
    expect(kstShort('2025-12-31T14:59:00.000Z', now)).toBe('2025-12-31 23:59');
    expect(kstShort('', now)).toBeNull();
    expect(shortDay('2026-11-20', '2026-12-31')).toBe('11-20');
    expect(shortDay('2025-12-31', '2026-01-02')).toBe('2025-12-31');
  });

  test('the time of a calculation: a date stays, a timestamp becomes Korean, an unknown time stays unknown', () => {
    expect(asOfText('2026-11-20')).toEqual({ text: '2026-11-20', zoned: false });
    expect(asOfText('2026-11-20T06:20:00Z')).toEqual({ text: '2026-11-20 15:20:00', zoned: true });
    expect(asOfText(null)).toBeNull();
    expect(asOfText(undefined)).toBeNull();
    expect(asOfText('')).toBeNull();
    expect(asOfText('3Q26')).toEqual({ text: '3Q26', zoned: false });
  });

  test('durations in their two largest units', () => {
    const from = new Date('2026-11-20T00:00:00.000Z');
    const after = (ms: number) => durationBetween(from, new Date(from.getTime() + ms));
    expect(after(59_999)).toEqual({ unit: 'underMinute' });
    expect(after(-5_000)).toEqual({ unit: 'underMinute' });
    expect(after(60_000)).toEqual({ unit: 'minutes', minutes: 1 });
    expect(after(3_599_999)).toEqual({ unit: 'minutes', minutes: 59 });
    expect(after(3_600_000 * 2 + 60_000 * 5)).toEqual({ unit: 'hours', hours: 2, minutes: 5 });
    expect(after(3_600_000 * 51)).toEqual({ unit: 'days', days: 2, hours: 3 });
  });
});
