import { describe, expect, test } from 'vitest';
import { countMinutes, hoursOf, instrumentsOf, stretchesOf, type Minute } from './minutes.ts';

const minute = (clock: string, state: Minute['state'], words: Partial<Minute> = {}): Minute => ({
  at: new Date(`2026-11-20T${clock}:00+09:00`).toISOString(),
  state,
  expected: null,
  collected: null,
  failed: null,
  collectedAt: null,
  errorCode: null,
  ...words,
});

describe('the minutes of a session', () => {
  const minutes = [
    minute('09:58', 'COMPLETE'),
    minute('09:59', 'PARTIAL', { expected: 10, collected: 8, failed: 2 }),
    minute('10:00', 'PARTIAL', { expected: 10, collected: 9, failed: 1 }),
    minute('10:01', 'PARTIAL', { expected: 10, collected: 9, errorCode: 'TIMEOUT' }),
    minute('10:02', 'ABSENT'),
    minute('10:03', 'COMPLETE'),
    minute('10:04', 'ABSENT'),
    minute('10:05', 'AHEAD'),
  ];
  test('are grouped by the hour in Korea', () => {
    expect(hoursOf(minutes).map(({ hour, minutes: own }) => [hour, own.length])).toEqual([
      ['09', 2],
      ['10', 6],
    ]);
    expect(countMinutes(minutes)).toEqual([
      ['COMPLETE', 2],
      ['PARTIAL', 3],
      ['ABSENT', 2],
      ['AHEAD', 1],
    ]);
  });
  test('incomplete minutes are listed as stretches of one kind; a sum is null where a part of it is', () => {
    expect(
      stretchesOf(minutes).map(({ state, minutes: count, expected, failed, errorCode }) => [
        state,
        count,
        expected,
        failed,
        errorCode,
      ]),
    ).toEqual([
      ['PARTIAL', 2, 20, 3, null],
      ['PARTIAL', 1, 10, null, 'TIMEOUT'],
      ['ABSENT', 1, null, null, null],
      ['ABSENT', 1, null, null, null],
    ]);
    expect(stretchesOf([])).toEqual([]);
  });
  test('what was not counted is told beside the sums, and a failure count that is absent is no zero', () => {
    const full = { expected: 10, collected: 10, failed: 0 };
    const hour = [
      minute('10:00', 'COMPLETE', full),
      minute('10:01', 'COMPLETE', full),
      minute('10:02', 'ABSENT'),
      minute('10:03', 'UNKNOWN', { collected: 4 }),
      minute('10:04', 'AHEAD'),
    ];
    expect(instrumentsOf(hour)).toEqual({ counted: 2, uncounted: 2, collected: 20, expected: 20, failed: 0 });
    expect(instrumentsOf([minute('10:00', 'PARTIAL', { collected: 5, expected: 10 })])).toMatchObject({
      counted: 1,
      failed: null,
    });
    expect(
      instrumentsOf([minute('10:00', 'COMPLETE', full), minute('10:01', 'PARTIAL', { collected: 5, expected: 10 })])
        .failed,
    ).toBeNull();
    expect(instrumentsOf([minute('10:00', 'AHEAD')])).toMatchObject({ counted: 0, uncounted: 0 });
  });
});
