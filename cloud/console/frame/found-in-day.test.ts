import { expect, test } from 'vitest';
import type { RunOverview } from '../../../shared/wire/operator/operator.ts';
import { GOOD } from '../../../test/support/cloud/console-rules.ts';
import type { ReadFacts } from '../rules/rule.ts';
import { foundInDay, lastRuns } from './found-in-day.ts';

const run = (id: string, lane: string) => ({ id, lane }) as NonNullable<ReadFacts['runs']>[number];
const FACTS = {
  ...GOOD,
  runs: [
    run('news/2026-11-20/0900', 'news'),
    run('news/2026-11-20/1000', 'news'),
    run('market/2026-11-20/close', 'market'),
  ],
  tasks: [{ dataset: 'krx_price' }, { dataset: 'news_raw' }, { dataset: null }] as NonNullable<ReadFacts['tasks']>,
  datasets: [{ id: 'krx_price' }] as NonNullable<ReadFacts['datasets']>,
  failures: { runs: [{ runKey: 'news/2026-11-20/0900', tasks: [{ taskKey: 'raw-news' }] }] } as NonNullable<
    ReadFacts['failures']
  >,
} satisfies ReadFacts;
const LANES = [
  { lane: 'news', name: '뉴스' },
  { lane: 'disclosure', name: '공시' },
];
/** Of the last runs. */
const TASKS = [
  { runKey: 'news/2026-11-20/0900', taskKey: 'raw-news' },
  { runKey: 'news/2026-11-20/1000', taskKey: 'raw-wire' },
  { runKey: 'market/2026-11-20/close', taskKey: 'raw-price' },
];
const found = (typed: string): string[] =>
  foundInDay(FACTS, LANES, TASKS, typed).map(({ kind, name, place }) => `${kind} ${name} ${place}`);

test('a text finds lanes, runs, tasks and datasets, each with its address', () => {
  expect(found('NEWS')).toEqual([
    'lane news /overview/news',
    'run news/2026-11-20/0900 /runs/news%2F2026-11-20%2F0900',
    'run news/2026-11-20/1000 /runs/news%2F2026-11-20%2F1000',
    'task raw-news /failures/news%2F2026-11-20%2F0900?date=2026-11-20&task=raw-news',
    'dataset news_raw /facts?date=2026-11-20&axis=tasks&q=news_raw',
  ]);
  expect(found('krx_price')).toHaveLength(1);
  expect(found('disclosure')).toEqual(['lane disclosure /overview/disclosure']);
  expect(found('공시')).toEqual(['lane disclosure /overview/disclosure']);
  expect(found(' ')).toEqual([]);
});

test('a whole run key leads to the run of another day', () => {
  expect(found('market/2026-11-13/close')).toEqual(['run market/2026-11-13/close /runs/market%2F2026-11-13%2Fclose']);
  expect(foundInDay(undefined, [], [], 'market/2026-11-13/close')).toHaveLength(1);
});

test('the last run of every lane that counted is read: of a flooded day too, and behind a slot without a run or a skipped run', () => {
  const lane = (name: string, counted: string | null, latest = counted) =>
    ({
      lane: name,
      latestRun: latest === null ? null : { runKey: latest },
      lastCounted: counted === null ? null : { runKey: counted },
    }) as RunOverview['lanes'][number];
  const flooded = Array.from({ length: 40 }, (_, n) => lane(`lane_${n}`, `lane_${n}/2026-11-20/9`));
  expect(lastRuns(flooded)).toHaveLength(40);
  expect(
    lastRuns([
      lane('news', 'news/2026-11-20/1000', 'news/2026-11-20/1100'),
      lane('planned', null),
      lane('skipped', null, 's'),
    ]),
  ).toEqual(['news/2026-11-20/1000']);
  expect(lastRuns([])).toEqual([]);
});

test('the tasks of the last runs are found, a failed one once and before them', () => {
  expect(found('raw-').filter((line) => line.startsWith('task '))).toEqual([
    'task raw-news /failures/news%2F2026-11-20%2F0900?date=2026-11-20&task=raw-news',
    'task raw-wire /runs/news%2F2026-11-20%2F1000',
    'task raw-price /runs/market%2F2026-11-20%2Fclose',
  ]);
});
