/** Operator API 4, rules 5 to 7: the trends; each sentence by its rows and the whole answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postgresKind } from '../../support/cloud/store.ts';
import type { EntityResolutionPoint, IntradayPoint } from '../../../shared/wire/facts.ts';
import { FactsFixture, TODAY } from './fixture.ts';
import type { Ledger } from './ledger.ts';
import {
  attempt,
  ETFS,
  explanationRun,
  feeding,
  minuteTrigger,
  observation,
  result,
  route,
  run,
  task,
} from './rows.ts';

let fixture: FactsFixture;
beforeAll(async () => {
  fixture = await FactsFixture.open(postgresKind);
});
beforeEach(() => fixture.clear());
afterAll(() => fixture.close());

const YESTERDAY = '2026-11-19';
const load = (id: number, day: string, changes: Partial<Ledger['tasks'][number]> = {}): Partial<Ledger> => ({
  runs: [run(id, `news/${day}/${id}`, { created_at: `2026-11-20T00:00:0${id % 10}Z` })],
  tasks: [task(id, id, { task_key: 'assertions-load', ...changes })],
});
const measured = (
  id: number,
  taskId: number,
  numerator: number,
  denominator: number,
  started_at = '2026-11-20T01:00:00Z',
): Ledger['attempts'][number] => attempt(id, taskId, { numerator, denominator, started_at });
const together = (...parts: Partial<Ledger>[]): Partial<Ledger> => ({
  runs: parts.flatMap((part) => part.runs ?? []),
  tasks: parts.flatMap((part) => part.tasks ?? []),
});
const point = (
  date: string,
  resolvedArguments: number,
  totalArguments: number,
  rate: number | null,
): EntityResolutionPoint => ({ date, totalArguments, resolvedArguments, rate });

const TWELVE = ['2026-10-28', '2026-10-31'].concat(
  [2, 4, 6, 8, 10, 12, 14, 16, 18, 20].map((day) => `2026-11-${String(day).padStart(2, '0')}`),
);

describe('trends/entity-resolution', () => {
  test.each<[string, Partial<Ledger>, EntityResolutionPoint[]]>([
    ['no observation: no points', {}, []],
    [
      'a rate is a ratio and not rounded; a total of 0 is kept with null',
      { ...together(load(1, YESTERDAY), load(2, TODAY)), attempts: [measured(1, 1, 0, 0), measured(2, 2, 1, 3)] },
      [point(YESTERDAY, 0, 0, null), point(TODAY, 1, 3, 1 / 3)],
    ],
    [
      'the last made run of the day, though an earlier one has the later start; of it the successful attempt that started last',
      {
        ...together(load(11, TODAY), load(2, TODAY)),
        attempts: [
          measured(1, 11, 9, 9, '2026-11-20T05:00:00Z'),
          measured(2, 2, 1, 4, '2026-11-20T02:00:00Z'),
          measured(3, 2, 2, 4, '2026-11-20T03:00:00Z'),
          attempt(4, 2, { status: 'FAILED', numerator: 3, denominator: 4, started_at: '2026-11-20T04:00:00Z' }),
        ],
      },
      [point(TODAY, 2, 4, 0.5)],
    ],
    [
      'a task that is not DUE, is not the load of the assertions, failed, is a container without work, or lacks numbers or times is no observation',
      {
        ...together(
          load(1, '2026-11-10', { plan_status: 'NOT_DUE' }),
          load(2, '2026-11-11', { task_key: 'other' }),
          ...[3, 4, 5, 6, 7, 8].map((id) => load(id, `2026-11-1${id - 1}`)),
        ),
        attempts: [
          measured(1, 1, 1, 2),
          measured(2, 2, 1, 2),
          { ...measured(3, 3, 1, 2), status: 'FAILED' },
          { ...measured(4, 4, 1, 2), numerator: null },
          { ...measured(5, 5, 1, 2), denominator: null },
          { ...measured(6, 6, 1, 2), started_at: null },
          { ...measured(7, 7, 1, 2), ended_at: null },
          { ...measured(8, 8, 1, 2), duplicate_retry: true },
        ],
      },
      [],
    ],
    [
      'the latest ten days up to the asked one, oldest first, with holes between them',
      {
        ...together(...TWELVE.map((day, index) => load(index + 1, day))),
        attempts: TWELVE.map((_, index) => measured(index + 1, index + 1, index, 100)),
      },
      TWELVE.slice(2).map((day, index) => point(day, index + 2, 100, (index + 2) / 100)),
    ],
  ])('%s', async (_sentence, rows, points) => {
    await fixture.put(rows);
    expect((await fixture.ask(`trends/entity-resolution?date=${TODAY}`)).result).toStrictEqual({ points });
    expect((await fixture.ask('trends/entity-resolution')).result).toStrictEqual({ points });
  });

  test('up to the asked day, which of a run without a trading date is the KST date of its creation', async () => {
    await fixture.put({
      runs: [
        run(1, 'news/2026-11-18/1'),
        run(2, 'news/x/2', { trading_date: null, created_at: '2026-11-18T15:00:00Z' }),
        run(3, `news/${TODAY}/3`),
      ],
      tasks: [1, 2, 3].map((id) => task(id, id, { task_key: 'assertions-load' })),
      attempts: [1, 2, 3].map((id) => measured(id, id, id, 4)),
    });
    expect((await fixture.ask(`trends/entity-resolution?date=${YESTERDAY}`)).result).toStrictEqual({
      points: [point('2026-11-18', 1, 4, 0.25), point(YESTERDAY, 2, 4, 0.5)],
    });
  });
});

describe('trends/intraday-analysis', () => {
  const zero = (date: string): IntradayPoint => ({
    date,
    triggers: 0,
    observations: 0,
    runs: 0,
    activeRuns: 0,
    failedRuns: 0,
    results: 0,
    published: 0,
  });

  test('exactly so many points, oldest first, zeros where the ledger has no rows; thirty without a number', async () => {
    expect((await fixture.ask(`trends/intraday-analysis?maxDate=2026-03-01&days=2`)).result).toStrictEqual({
      asOf: '2026-11-20T07:00:00.000Z',
      points: [zero('2026-02-28'), zero('2026-03-01')],
    });
    const { result: thirty } = await fixture.ask('trends/intraday-analysis');
    expect(thirty).toMatchObject({ points: { length: 30, 0: { date: '2026-10-22' }, 29: { date: TODAY } } });
    expect((await fixture.ask('trends/intraday-analysis?days=366')).result).toMatchObject({ points: { length: 366 } });
  });

  test('FIRE alone; each day its own cohort; the latest run per route decides active or failed; results of both generations ever reached, published now', async () => {
    const early = { explanation_as_of: '2026-11-20T00:00:00Z' };
    await fixture.put({
      ...ETFS,
      minuteTriggers: [1, 2, 3, 4, 6]
        .map((id) => minuteTrigger(`m${id}`))
        .concat(minuteTrigger('m5', { signal: 'REVERT' }), minuteTrigger('m0', { trade_date: YESTERDAY })),
      observations: ['o1', 'o2', 'o3', 'o5', 'o6'].map(observation),
      feedings: [
        feeding('o1', null, 'm1'),
        feeding('o1', null, 'm2'),
        feeding('o2', null, 'm2'),
        feeding('o3', null, 'm3'),
        feeding('o5', null, 'm5'),
        feeding('o6', null, 'm6'),
        feeding('o2', null, 'm0'),
      ],
      routes: [
        route(1, null, 'm1', 'o1'),
        route(2, null, 'm2', 'o1'),
        route(3, null, 'm3', 'o2'),
        route(4, null, 'm4', 'o3'),
        route(5, null, 'm5', 'o5'),
        route(6, null, 'm6', 'o6'),
      ],
      explanationRuns: [
        explanationRun('a', 1, { ...early, status: 'FAILED' }),
        explanationRun('b', 1, { status: 'RUNNING', started_at: '2026-11-20T00:30:00Z' }),
        explanationRun('c', 2, { status: 'PENDING' }),
        explanationRun('d', 2, { status: 'FAILED' }),
        explanationRun('e', 3, { status: 'CANCELLED' }),
        explanationRun('f', 3, { ...early, status: 'FAILED' }),
        explanationRun('g', 5, { status: 'FAILED' }),
        explanationRun('i', 6, { status: 'PENDING' }),
        explanationRun('h', 3, { status: 'FAILED', started_at: '2026-11-20T00:30:00Z' }),
      ],
      results: [result('x', 'a', 1)],
      analyses: [result('y', 'e', 3, { publication_status: 'WITHDRAWN' })],
    });
    expect((await fixture.ask('trends/intraday-analysis?days=2')).result).toStrictEqual({
      asOf: '2026-11-20T07:00:00.000Z',
      points: [
        { ...zero(YESTERDAY), triggers: 1, observations: 1, runs: 1, results: 1 },
        { date: TODAY, triggers: 5, observations: 4, runs: 3, activeRuns: 2, failedRuns: 1, results: 2, published: 1 },
      ],
    });
  });
});
