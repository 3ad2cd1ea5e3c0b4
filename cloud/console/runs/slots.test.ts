import { expect, test } from 'vitest';
import type { PipelineRun, PlanningGap } from '../../../shared/wire/operator/operator.ts';
import { byTime, hourOf, isFailed, kindOf, newDays, placesOf, type Slot } from './slots.ts';

const slot = (key: string, clock: string): Slot => ({ key, at: `2026-11-20T${clock}:00.000+09:00`, run: null });

test('runs and planned slots stand in the order of their times', () => {
  const run = { runKey: 'news/2026-11-20/0900', createdAt: '2026-11-20T00:00:00.000Z' } as PipelineRun;
  const gap = { slotKey: 'news/2026-11-20/0800', plannedFor: '2026-11-19T23:00:00.000Z' } as PlanningGap;
  const slots = byTime([run], [gap]);
  expect(slots.map(({ key }) => key)).toEqual(['news/2026-11-20/0800', 'news/2026-11-20/0900']);
  expect(slots.map(({ at }) => hourOf(at))).toEqual(['08', '09']);
});

test('a repaired run counts by what it still lacks', () => {
  const recovery = { runKey: 'news/2026-11-20/0900', at: '2026-11-20T00:10:00.000Z' };
  const run = (openState: PipelineRun['openState']) =>
    ({ state: 'BLOCKED', openState, recovery, skipReason: null }) as PipelineRun;
  expect([kindOf({ run: run('READY') }), isFailed({ run: run('READY') })]).toEqual(['RECOVERED', false]);
  expect([kindOf({ run: run('DEGRADED') }), isFailed({ run: run('DEGRADED') })]).toEqual(['DEGRADED', true]);
});

test('the same slot has the same place on every day, and a day without it leaves it empty', () => {
  const days = [
    [slot('news/2026-11-19/0700', '07:05'), slot('news/2026-11-19/1500', '15:05')],
    [slot('news/2026-11-20/0900', '09:05'), slot('news/2026-11-20/1500', '15:04'), slot('by hand', '08:00')],
  ];
  const { hours, of } = placesOf(days);
  expect(hours).toEqual(['07', '08', '09', '15']);
  expect(days.map((day) => of(day).map((place) => place.map(({ key }) => key)))).toEqual([
    [['news/2026-11-19/0700'], [], [], ['news/2026-11-19/1500']],
    [[], ['by hand'], ['news/2026-11-20/0900'], ['news/2026-11-20/1500']],
  ]);
});

test('too many slots stand one behind the other', () => {
  const day = Array.from({ length: 25 }, (_, index) => slot(`x/2026-11-20/${index}`, `10:${10 + index}`));
  expect(placesOf([day]).hours).toEqual([]);
  expect(placesOf([day]).of(day)).toHaveLength(25);
});

test('the first slot of each day has its day, by Korean time', () => {
  const at = (instant: string): Slot => ({ key: instant, at: instant, run: null });
  // 23:30 and 00:30 in Korea.
  expect(
    newDays([at('2026-11-19T14:30:00.000Z'), at('2026-11-19T15:30:00.000Z'), at('2026-11-20T01:00:00.000Z')]),
  ).toEqual(['11-19', '11-20', null]);
  expect(newDays([])).toEqual([]);
});
