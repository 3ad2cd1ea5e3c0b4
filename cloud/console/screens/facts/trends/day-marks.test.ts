import { expect, test } from 'vitest';
import type { PipelineRun, PlanningGap, RunGrid } from '../../../../../shared/wire/operator/operator.ts';
import { dayMarksOf } from './day-marks.ts';

const run = (changes: Partial<PipelineRun>): PipelineRun =>
  ({ state: 'READY', skipReason: null, ...changes }) as PipelineRun;
const lane = (date: string, runs: PipelineRun[], gaps = 0): RunGrid['lanes'][number] => ({
  lane: 'market',
  days: [{ date, runs, planningGaps: Array.from({ length: gaps }, () => ({}) as PlanningGap) }],
});

test('a weekend and a day skipped as one without trading are marked, regardless of other runs', () => {
  const skipped = run({ skipReason: 'NON_TRADING_DAY' });
  const marks = dayMarksOf(
    ['2026-11-19', '2026-11-20', '2026-11-21'],
    [lane('2026-11-19', [run({}), skipped]), lane('2026-11-20', [run({ skipReason: 'NOTHING_NEW' })])],
  );
  expect([...marks].map(([, { isTrading }]) => isTrading)).toEqual([false, true, false]);
});

test('runs of all lanes are counted, and an unread day has no count', () => {
  const marks = dayMarksOf(
    ['2026-11-18', '2026-11-19'],
    [lane('2026-11-19', [run({}), run({ state: 'BLOCKED' })]), lane('2026-11-19', [run({ state: 'DEGRADED' })], 2)],
  );
  expect(marks.get('2026-11-19')?.runs).toEqual({ total: 3, blocked: 1, missed: 2 });
  expect(marks.get('2026-11-18')?.runs).toBeNull();
  expect(dayMarksOf(['2026-11-18'], undefined).get('2026-11-18')).toEqual({ isTrading: true, runs: null });
});
