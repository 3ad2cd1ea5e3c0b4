import { expect, test } from 'vitest';
import type { TrafficMark } from '../../../shared/wire/console/console.ts';
import { hourAfter, hourAt, isWithinHour, markAt } from './traffic-model.ts';

const EDGES = { left: 50, right: 290 };
const counts = { requests: 0, errors: 0 };
const from = '2026-11-19T10:00:00.000Z';
const hours = Array.from({ length: 24 }, (_, index) => ({
  at: new Date(Date.parse(from) + index * 3_600_000).toISOString(),
  ...counts,
  dayBefore: counts,
  weekBefore: counts,
}));
const mark = (seq: number, at: string): TrafficMark => ({ kind: 'CHANNEL', key: 'MTS', enabled: false, seq, at });

test('the pointer chooses the hour below it, and beyond the edges the nearest', () => {
  expect([0, 50, 59.9, 60, 289, 400].map((x) => hourAt(x, 24, EDGES))).toEqual([0, 0, 0, 1, 23, 23]);
});

test('the keys of a slider move by an hour and to both ends; other keys keep their use', () => {
  const after = (key: string, index: number) => hourAfter(key, index, 24);
  expect([after('ArrowLeft', 0), after('ArrowLeft', 5), after('ArrowRight', 5), after('ArrowUp', 23)]).toEqual([
    0, 4, 6, 23,
  ]);
  expect([after('Home', 9), after('End', 9), after('Tab', 9), after('k', 9)]).toEqual([0, 23, null, null]);
});

test('a mark belongs to one hour, and the pointer finds the nearest within reach', () => {
  const marks = [
    mark(1, '2026-11-19T10:59:59.999Z'),
    mark(2, '2026-11-19T11:00:00.000Z'),
    mark(3, '2026-11-19T12:30:00.000Z'),
  ];
  expect(hours.slice(0, 3).map((hour) => marks.filter((one) => isWithinHour(one, hour)).map(({ seq }) => seq))).toEqual(
    [[1], [2], [3]],
  );
  const found = (x: number) => markAt(x, { from, hours, marks }, { ...EDGES, reach: 4 })?.seq;
  expect([found(60.1), found(72), found(75), found(80)]).toEqual([2, 3, 3, undefined]);
});
