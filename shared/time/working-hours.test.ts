import { expect, test } from 'vitest';
import { beforeWorkingMs, workingMsBetween } from './working-hours.ts';

const HOUR = 3_600_000;
const at = (kst: string): Date => new Date(`${kst}:00+09:00`);

test.for([
  ['within a day', '2026-11-20T10:00', '2026-11-20T11:30', 1.5],
  ['before the day begins', '2026-11-20T06:00', '2026-11-20T09:00', 0],
  ['across its end', '2026-11-20T17:00', '2026-11-20T23:00', 1],
  ['over a weekend', '2026-11-20T17:00', '2026-11-23T10:00', 2],
  ['a whole day', '2026-11-19T00:00', '2026-11-20T00:00', 9],
  ['over a holiday', '2026-12-24T17:00', '2026-12-28T09:30', 1.5],
  ['backwards', '2026-11-20T11:00', '2026-11-20T10:00', 0],
] as const)('working time %s', ([, from, to, hours]) => {
  expect(workingMsBetween(at(from), at(to))).toBe(hours * HOUR);
});

test.for(['2026-11-23T10:00', '2026-11-22T12:00', '2026-12-28T23:00'])(
  'a wait that began before the bound has lasted longer than the target, and no other, at %s',
  (kst) => {
    const now = at(kst);
    const earlier = Array.from({ length: 150 }, (_, half) => new Date(now.getTime() - half * (HOUR / 2)));
    for (const hours of [0, 0.5, 2, 9, 10]) {
      const bound = beforeWorkingMs(now, hours * HOUR);
      const since = [...earlier, new Date(bound.getTime() - 1), bound];
      expect(since.filter((one) => one < bound)).toEqual(
        since.filter((one) => workingMsBetween(one, now) > hours * HOUR),
      );
    }
  },
);
