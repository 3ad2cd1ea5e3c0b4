import { expect, test } from 'vitest';
import { scheduleOf } from './schedule.ts';

test('the same seed gives the same faults, and another seed others', () => {
  expect(scheduleOf(7, 10, 3)).toEqual(scheduleOf(7, 10, 3));
  expect(scheduleOf(8, 10, 3)).not.toEqual(scheduleOf(7, 10, 3));
});

test('ten minutes hold every kind of fault, in order of time', () => {
  const kinds = new Set(scheduleOf(7, 10, 3).map(({ kind }) => kind));
  expect(kinds.size).toBe(16);
  const times = scheduleOf(7, 10, 3).map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
});
