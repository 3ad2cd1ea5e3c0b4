/** Document 2, sections 2 and 4: `boundary`, `chain`, `etfLedger` and the trends; each sentence by its rows and the whole answer. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postgresKind } from '../../../cloud/testing/store.ts';
import type { BoundaryFact, EntityResolutionPoint, Facts, IntradayPoint } from '../../../shared/wire/facts.ts';
import { FactsBed, TODAY } from './bed.ts';
import { expectWhole } from './whole.ts';
import type { Ledger, ResultRow } from './ledger.ts';
import {
  attempt,
  chain,
  delivered,
  ETFS,
  explanationRun,
  minuteTrigger,
  outputs,
  recalled,
  result,
  run,
  task,
  trigger,
} from './rows.ts';

let bed: FactsBed;
beforeAll(async () => {
  bed = await FactsBed.open(postgresKind);
});
beforeEach(() => bed.clear());
afterAll(() => bed.close());

const YESTERDAY = '2026-11-19';
const observation = (id: string): Ledger['observations'][number] => ({ price_observation_id: id });
const feeding = (id: string, batch: string | null, minute: string | null): Ledger['feedings'][number] => ({
  price_observation_id: id,
  price_movement_trigger_id: batch,
  minute_price_trigger_id: minute,
});
const route = (
  id: number,
  batch: string | null,
  minute: string | null,
  of: string | null,
): Ledger['routes'][number] => ({
  explanation_route_id: id,
  price_movement_trigger_id: batch,
  minute_price_trigger_id: minute,
  price_observation_id: of,
});

/** A firing for each result, so that every one has a route of its own. */
function resultsOf(...states: ResultRow['publication_status'][]): Partial<Ledger> {
  return {
    ...ETFS,
    batchTriggers: states.map((_, index) => trigger(`t-${index}`, { trade_date: YESTERDAY })),
    routes: states.map((_, index) => route(index + 1, `t-${index}`, null, null)),
    explanationRuns: states.map((_, index) => explanationRun(`r-${index}`, index + 1)),
    results: states.map((publication_status, index) =>
      result(`x-${index}`, `r-${index}`, index + 1, { publication_status, trade_date: YESTERDAY }),
    ),
  };
}
const tenants = (...removed: boolean[]): Ledger['tenants'] =>
  removed.map((gone, index) => ({ tenant_id: index + 1, removed_at: gone ? '2026-11-19T00:00:00Z' : null }));

const BOUNDARY: [
  sentence: string,
  rows: Partial<Ledger>,
  answer: [without: number, nonpublished: number, rows: number],
][] = [
  [
    'published results without a delivery record',
    { ...resultsOf('PUBLISHED', 'PUBLISHED', 'DRAFT'), tenants: tenants(false), deliveries: [delivered(1, 1, 'x-0')] },
    [1, 0, 1],
  ],
  ['not counted when no tenants exist', { ...resultsOf('PUBLISHED'), tenants: tenants(true) }, [0, 0, 0]],
  ['nobody was there', resultsOf('PUBLISHED'), [0, 0, 0]],
  [
    'a normal invalidation is no violation, and all rows are counted, invalidations included',
    {
      ...resultsOf('WITHDRAWN'),
      tenants: tenants(false, false),
      deliveries: [delivered(1, 1, 'x-0'), delivered(2, 1, 'x-0'), recalled(1, 2, 'x-0'), recalled(2, 2, 'x-0')],
    },
    [0, 0, 4],
  ],
  [
    "per tenant: another tenant's invalidation does not count",
    {
      ...resultsOf('WITHDRAWN'),
      tenants: tenants(false, false),
      deliveries: [delivered(1, 1, 'x-0'), recalled(2, 1, 'x-0')],
    },
    [0, 1, 2],
  ],
  [
    'each NEW of a result that is not published now, a draft included, without an invalidation of the same tenant',
    {
      ...resultsOf('WITHDRAWN', 'DRAFT'),
      tenants: tenants(false, false),
      deliveries: [delivered(1, 1, 'x-0'), delivered(2, 1, 'x-0'), recalled(2, 2, 'x-0'), delivered(1, 2, 'x-1')],
    },
    [0, 2, 4],
  ],
  [
    'a NEW after the invalidation of everybody counts again',
    {
      ...resultsOf('WITHDRAWN'),
      tenants: tenants(false, false),
      deliveries: [delivered(1, 1, 'x-0'), recalled(1, 2, 'x-0'), delivered(2, 3, 'x-0')],
    },
    [0, 1, 3],
  ],
  [
    'a removed tenant is told nothing any more: its rows are counted and are no violation',
    {
      ...resultsOf('WITHDRAWN'),
      tenants: tenants(true, false),
      deliveries: [delivered(1, 1, 'x-0'), delivered(2, 1, 'x-0'), recalled(2, 2, 'x-0')],
    },
    [0, 0, 3],
  ],
];

describe('boundary', () => {
  const boundary = ([publishedWithoutDelivery, deliveryNowNonpublished, deliveryRows]: [
    number,
    number,
    number,
  ]): BoundaryFact => ({
    publishedWithoutDelivery,
    deliveryNowNonpublished,
    deliveryRows,
  });
  test.each(BOUNDARY)('%s', async (_sentence, rows, answer) => {
    await expectWhole(bed, rows, null, { boundary: boundary(answer) });
    // Not of a day: a past one shows the same.
    expect((await bed.facts('2020-01-01')).boundary).toStrictEqual(boundary(answer));
  });

  test('records that retention removed were delivered, and are rows no more', async () => {
    await bed.put({
      ...resultsOf('PUBLISHED', 'WITHDRAWN'),
      tenants: tenants(false),
      deliveries: [delivered(1, 1, 'x-0'), delivered(1, 2, 'x-1'), recalled(1, 3, 'x-1')],
    });
    for (const [floor, left] of [
      [1, 2],
      [2, 1],
      [3, 0],
    ] as const) {
      await sql`delete from tenant_delivery where cursor <= ${floor}`.execute(bed.store.db);
      expect((await bed.facts()).boundary).toStrictEqual(boundary([0, 0, left]));
    }
  });
});

/** Of three firings: one observed by both feeds and published, one drafted after a rerun, one seen and left. */
const COHORT: Partial<Ledger> = {
  ...ETFS,
  batchTriggers: [trigger('b1'), trigger('b2'), trigger('b3', { trade_date: YESTERDAY }), trigger('b4')],
  minuteTriggers: [minuteTrigger('m1'), minuteTrigger('m2'), minuteTrigger('m3', { signal: 'REVERT' })],
  observations: ['both', 'drafted', 'left', 'reverted', 'old'].map(observation),
  feedings: [
    feeding('both', 'b1', null),
    feeding('both', null, 'm1'),
    feeding('drafted', 'b1', null),
    feeding('drafted', 'b2', null),
    feeding('left', null, 'm2'),
    feeding('reverted', null, 'm3'),
    feeding('old', 'b3', null),
  ],
  routes: [
    route(1, 'b1', null, 'both'),
    route(2, 'b2', null, 'drafted'),
    route(3, null, 'm3', 'reverted'),
    route(4, 'b3', null, 'old'),
    route(5, null, 'm2', 'left'),
  ],
  explanationRuns: [
    explanationRun('r1', 1),
    explanationRun('r2', 2, { status: 'FAILED' }),
    explanationRun('r2b', 2),
    explanationRun('r3', 3),
    explanationRun('r4', 4),
  ],
  results: [
    result('x1', 'r1', 1, { trade_date: YESTERDAY }),
    result('x2', 'r2', 2, { publication_status: 'DRAFT' }),
    result('x2b', 'r2b', 2, { publication_status: 'WITHDRAWN' }),
    result('x3', 'r3', 3),
    result('x4', 'r4', 4),
  ],
};

describe('chain', () => {
  test.each<[string, Partial<Ledger>, NonNullable<Facts['chain']>]>([
    ['no triggers: zeros, never null', {}, chain()],
    [
      'distinct observations of the cohort, each once in each column and once for all its reruns; REVERT is none; rows of other days count by their trigger',
      COHORT,
      chain([3, 2], [2, 2], [2, 2], [2, 1], [2, 1], [1, 1]),
    ],
    [
      'a v2 analysis stands in the place of a result',
      { ...COHORT, results: [], analyses: [result('a1', 'r1', 1)] },
      chain([3, 2], [2, 2], [2, 2], [2, 1], [1, 1], [1, 1]),
    ],
  ])('%s', async (_sentence, rows, answer) => {
    await expectWhole(bed, rows, null, { chain: answer });
  });
  test('o.pub is by trade date, o.trig is all rows of the batch table alone', async () => {
    await expectWhole(bed, COHORT, null, { outputs: outputs({ 'o.pub': 2, 'o.trig': 3 }) });
  });
});

type Etf = NonNullable<Facts['etfLedger']>['rows'][number];
const etf = (ticker: string, name: string, outcome: string | null): Etf => ({
  etf: ticker,
  name,
  triggered: true,
  outcome,
  error: null,
});
const SAME = '2026-11-20T02:00:00Z';
const firedTwice = {
  ...ETFS,
  batchTriggers: [trigger('b1', { fired_at: '2026-11-20T02:00:00Z' }), trigger('b2', { instrument_id: 'i2' })],
  minuteTriggers: [
    minuteTrigger('m1', { fired_at: '2026-11-20T01:00:00Z' }),
    minuteTrigger('m2', { fired_at: '2026-11-20T03:00:00Z', signal: 'REVERT' }),
  ],
  routes: [route(1, 'b1', null, null), route(2, null, 'm1', null)],
};

describe('etfLedger', () => {
  test.each<[string, Partial<Ledger>, Etf[]]>([
    ['zero triggered ETFs', { ...ETFS, batchTriggers: [trigger('b', { trade_date: YESTERDAY })] }, []],
    [
      'by ticker; a name that is empty is the ticker; no run yet is null, nothing is made a failure of',
      firedTwice,
      [etf('000001', '000001', null), etf('069500', 'KODEX 200', null)],
    ],
    [
      'the latest trigger of both tables together, REVERT left out; of its runs the latest explanation_as_of',
      {
        ...firedTwice,
        explanationRuns: [
          explanationRun('late start', 1, {
            status: 'CANCELLED',
            explanation_as_of: '2026-11-20T02:30:00Z',
            started_at: '2026-11-20T06:00:00Z',
          }),
          explanationRun('late as of', 1, { status: 'RUNNING', explanation_as_of: '2026-11-20T02:40:00Z' }),
          explanationRun('of the other', 2, { status: 'FAILED', explanation_as_of: '2026-11-20T05:00:00Z' }),
        ],
      },
      [etf('000001', '000001', null), etf('069500', 'KODEX 200', 'RUNNING')],
    ],
    [
      'of a batch and an intraday trigger at the same instant the intraday one is the latest, whichever id comes first',
      {
        ...ETFS,
        batchTriggers: [trigger('z', { fired_at: SAME }), trigger('a', { fired_at: SAME, instrument_id: 'i2' })],
        minuteTriggers: [
          minuteTrigger('m', { fired_at: SAME }),
          minuteTrigger('n', { fired_at: SAME, instrument_id: 'i2' }),
        ],
        routes: [
          route(1, 'z', null, null),
          route(2, null, 'm', null),
          route(3, 'a', null, null),
          route(4, null, 'n', null),
        ],
        explanationRuns: [
          explanationRun('batch', 1, { status: 'FAILED', explanation_as_of: '2026-11-20T05:00:00Z' }),
          explanationRun('minute', 2, { status: 'RUNNING', explanation_as_of: '2026-11-20T02:30:00Z' }),
          // The intraday firing has no run yet: the batch one's failure is not its outcome.
          explanationRun('other', 3, { status: 'FAILED' }),
        ],
      },
      [etf('000001', '000001', null), etf('069500', 'KODEX 200', 'RUNNING')],
    ],
  ])('%s', async (_sentence, rows, answer) => {
    await expectWhole(bed, rows, null, { etfLedger: { rows: answer } });
  });
});

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
        ...together(load(1, TODAY), load(2, TODAY)),
        attempts: [
          measured(1, 1, 9, 9, '2026-11-20T05:00:00Z'),
          measured(2, 2, 1, 4, '2026-11-20T02:00:00Z'),
          measured(3, 2, 2, 4, '2026-11-20T03:00:00Z'),
          attempt(4, 2, { status: 'FAILED', numerator: 3, denominator: 4, started_at: '2026-11-20T04:00:00Z' }),
        ],
      },
      [point(TODAY, 2, 4, 0.5)],
    ],
    [
      'what is not DUE, not the load of the assertions, failed, a container without work, or lacks numbers or times is no observation',
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
    await bed.put(rows);
    expect((await bed.ask(`trends/entity-resolution?date=${TODAY}`)).result).toStrictEqual({ points });
    expect((await bed.ask('trends/entity-resolution')).result).toStrictEqual({ points });
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
    expect((await bed.ask(`trends/intraday-analysis?maxDate=2026-03-01&days=2`)).result).toStrictEqual({
      asOf: '2026-11-20T07:00:00.000Z',
      points: [zero('2026-02-28'), zero('2026-03-01')],
    });
    const { result: thirty } = await bed.ask('trends/intraday-analysis');
    expect(thirty).toMatchObject({ points: { length: 30, 0: { date: '2026-10-22' }, 29: { date: TODAY } } });
    expect((await bed.ask('trends/intraday-analysis?days=366')).result).toMatchObject({ points: { length: 366 } });
  });

  test('FIRE alone; the latest run per route says active or failed; results ever reached, published now', async () => {
    const early = { explanation_as_of: '2026-11-20T00:00:00Z' };
    await bed.put({
      ...ETFS,
      minuteTriggers: [1, 2, 3, 4]
        .map((id) => minuteTrigger(`m${id}`))
        .concat(minuteTrigger('m5', { signal: 'REVERT' })),
      observations: ['o1', 'o2', 'o3', 'o5'].map(observation),
      feedings: [
        feeding('o1', null, 'm1'),
        feeding('o1', null, 'm2'),
        feeding('o2', null, 'm2'),
        feeding('o3', null, 'm3'),
        feeding('o5', null, 'm5'),
      ],
      routes: [
        route(1, null, 'm1', 'o1'),
        route(2, null, 'm2', 'o1'),
        route(3, null, 'm3', 'o2'),
        route(4, null, 'm4', 'o3'),
        route(5, null, 'm5', 'o5'),
      ],
      explanationRuns: [
        explanationRun('a', 1, { ...early, status: 'FAILED' }),
        explanationRun('b', 1, { status: 'RUNNING', started_at: '2026-11-20T00:30:00Z' }),
        explanationRun('c', 2, { status: 'PENDING' }),
        explanationRun('d', 2, { status: 'FAILED' }),
        explanationRun('e', 3, { status: 'CANCELLED' }),
        explanationRun('f', 3, { ...early, status: 'FAILED' }),
        explanationRun('g', 5, { status: 'FAILED' }),
      ],
      results: [result('x', 'a', 1), result('y', 'e', 3, { publication_status: 'WITHDRAWN' })],
    });
    expect((await bed.ask('trends/intraday-analysis?days=1')).result).toStrictEqual({
      asOf: '2026-11-20T07:00:00.000Z',
      points: [
        { date: TODAY, triggers: 4, observations: 3, runs: 2, activeRuns: 1, failedRuns: 1, results: 2, published: 1 },
      ],
    });
  });
});
