import { expect, test } from 'vitest';
import type { PipelineRun, RunGrid } from '../../../../shared/wire/operator/operator.ts';
import { MOST_MARKS, reachedIn, rowsOf, slotsOf } from './grid-rows.ts';

const run = (lane: string, number: number, changes: Partial<PipelineRun> = {}): PipelineRun =>
  ({
    runKey: `${lane}/2026-11-20/${number}`,
    createdAt: new Date(Date.UTC(2026, 10, 20, 0, number)).toISOString(),
    state: 'READY',
    skipReason: null,
    recovery: null,
    openState: changes.recovery === undefined ? (changes.state ?? 'READY') : 'READY',
    ...changes,
  }) as PipelineRun;
const recovery = { runKey: 'r', at: '2026-11-20T01:00:00.000Z' };
const lanes = (days: number): RunGrid['lanes'] => [
  {
    lane: 'busy',
    days: Array.from({ length: days }, (_, day) => ({
      date: `2026-11-${20 - day}`,
      runs:
        day > 0
          ? []
          : [
              ...Array.from({ length: 45 }, (__, number) => run('busy', number)),
              run('busy', 46, { state: 'BLOCKED' }),
              run('busy', 47, { state: 'BLOCKED', recovery }),
              run('busy', 48, { state: 'BLOCKED' }),
              run('busy', 49, { skipReason: 'NON_TRADING_DAY' }),
            ],
      planningGaps:
        day > 0
          ? []
          : [{ slotKey: 'busy/2026-11-20/gap', lane: 'busy', date: null, plannedFor: recovery.at, openedAt: null }],
    })),
  },
  { lane: 'calm', days: [{ date: '2026-11-20', runs: [run('calm', 1)], planningGaps: [] }] },
];

test('a crowded day is told as counts, what needs attention first, and each opens the latest of its kind', () => {
  const [busy, calm] = rowsOf(lanes(2), false);
  expect(busy?.cells[0]?.counts?.map(({ kind, count, latest }) => [kind, count, latest.key])).toEqual([
    ['GAP', 1, 'busy/2026-11-20/gap'],
    ['BLOCKED', 2, 'busy/2026-11-20/48'],
    ['READY', 45, 'busy/2026-11-20/44'],
    ['RECOVERED', 1, 'busy/2026-11-20/47'],
    ['SKIPPED', 1, 'busy/2026-11-20/49'],
  ]);
  expect(busy === undefined ? [] : reachedIn(busy)).toHaveLength(5);
  expect(busy?.cells[0]?.slots).toHaveLength(50);
  expect(calm?.cells[0]?.counts).toBeNull();
});

test('one day alone has a mark for each slot, and so have a few', () => {
  expect(rowsOf(lanes(1), false)[0]?.cells[0]?.counts).toBeNull();
  const few = [
    { lane: 'few', days: lanes(2)[0]?.days.map((day) => ({ ...day, runs: day.runs.slice(0, MOST_MARKS - 1) })) ?? [] },
  ];
  expect(rowsOf(few, false)[0]?.cells[0]?.counts).toBeNull();
});

test('only failed: what is open or has no run, and no lane without any', () => {
  const rows = rowsOf(lanes(2), true);
  expect(rows.map(({ lane }) => lane)).toEqual(['busy']);
  expect(rows[0]?.cells[0]?.slots.map(({ key }) => key).toSorted()).toEqual([
    'busy/2026-11-20/46',
    'busy/2026-11-20/48',
    'busy/2026-11-20/gap',
  ]);
});

test('a file of the history holds every slot, those with unreadable keys too', () => {
  const plannedFor = '2026-11-20T05:00:00.000Z';
  const unreadable = { slotKey: 'what is this', lane: null, date: null, plannedFor, openedAt: null };
  const listed = slotsOf(rowsOf(lanes(1), false), [unreadable]);
  expect(listed).toHaveLength(50 + 1 + 1);
  expect(listed.at(-1)).toEqual({ lane: null, date: null, slot: { key: 'what is this', at: plannedFor, run: null } });
});
