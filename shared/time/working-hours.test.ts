import { expect, test } from 'vitest';
import { workingMsBetween } from './working-hours.ts';

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
