/** Operator API 2: `boundary`, `chain`, `etfLedger`; each sentence by its rows and the whole answer. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postgresKind } from '../../support/cloud/store.ts';
import type { BoundaryFact, Facts } from '../../../shared/wire/facts.ts';
import { FactsFixture } from './fixture.ts';
import { expectWhole } from './whole.ts';
import type { Ledger, ResultRow } from './ledger.ts';
import {
  ETFS,
  chain,
  delivered,
  explanationRun,
  feeding,
  minuteTrigger,
  observation,
  outputs,
  withdrawn,
  result,
  route,
  trigger,
} from './rows.ts';

let fixture: FactsFixture;
beforeAll(async () => {
  fixture = await FactsFixture.open(postgresKind);
});
beforeEach(() => fixture.clear());
afterAll(() => fixture.close());

const YESTERDAY = '2026-11-19';
/** A firing for each result, so that each has its own route. */
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

const ofAnalysis = (row: Ledger['deliveries'][number]): Ledger['deliveries'][number] => ({
  ...row,
  explanation_result_id: null,
  target_explanation_result_id: null,
  movement_analysis_id: row.explanation_result_id,
  target_movement_analysis_id: row.target_explanation_result_id,
});

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
      deliveries: [delivered(1, 1, 'x-0'), delivered(2, 1, 'x-0'), withdrawn(1, 2, 'x-0'), withdrawn(2, 2, 'x-0')],
    },
    [0, 0, 4],
  ],
  [
    "per tenant: another tenant's invalidation does not count",
    {
      ...resultsOf('WITHDRAWN'),
      tenants: tenants(false, false),
      deliveries: [delivered(1, 1, 'x-0'), withdrawn(2, 1, 'x-0')],
    },
    [0, 1, 2],
  ],
  [
    'each NEW of a result that is not published now, a draft included, without an invalidation of the same tenant',
    {
      ...resultsOf('WITHDRAWN', 'DRAFT'),
      tenants: tenants(false, false),
      deliveries: [delivered(1, 1, 'x-0'), delivered(2, 1, 'x-0'), withdrawn(2, 2, 'x-0'), delivered(1, 2, 'x-1')],
    },
    [0, 2, 4],
  ],
  [
    'deliveries are counted, not results: two tenants hold one that is withdrawn',
    {
      ...resultsOf('WITHDRAWN'),
      tenants: tenants(false, false),
      deliveries: [delivered(1, 1, 'x-0'), delivered(2, 1, 'x-0')],
    },
    [0, 2, 2],
  ],
  [
    'of both generations',
    {
      ...resultsOf('PUBLISHED', 'WITHDRAWN'),
      analyses: [result('a-0', 'r-0', 1), result('a-1', 'r-1', 2, { publication_status: 'WITHDRAWN' })],
      tenants: tenants(false, false),
      deliveries: [
        delivered(1, 1, 'x-1'),
        ...[delivered(1, 2, 'a-1'), delivered(2, 2, 'a-1'), withdrawn(2, 3, 'a-1')].map(ofAnalysis),
      ],
    },
    [2, 2, 4],
  ],
  [
    'a NEW after the invalidation of everybody counts again',
    {
      ...resultsOf('WITHDRAWN'),
      tenants: tenants(false, false),
      deliveries: [delivered(1, 1, 'x-0'), withdrawn(1, 2, 'x-0'), delivered(2, 3, 'x-0')],
    },
    [0, 1, 3],
  ],
  [
    'a removed tenant is told nothing any more: its rows count, and are no violation (D66)',
    {
      ...resultsOf('WITHDRAWN'),
      tenants: tenants(true, false),
      deliveries: [delivered(1, 1, 'x-0'), delivered(2, 1, 'x-0'), withdrawn(2, 2, 'x-0')],
    },
    [0, 0, 3],
  ],
  [
    'what was delivered to a tenant that has been removed since was delivered (D66)',
    {
      ...resultsOf('PUBLISHED', 'PUBLISHED'),
      tenants: tenants(true, false),
      deliveries: [delivered(1, 1, 'x-0'), delivered(1, 2, 'x-1'), delivered(2, 1, 'x-1')],
    },
    [0, 0, 3],
  ],
  [
    'nothing is undelivered where every tenant has been removed',
    { ...resultsOf('PUBLISHED', 'PUBLISHED'), tenants: tenants(true), deliveries: [delivered(1, 1, 'x-0')] },
    [0, 0, 1],
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
    await expectWhole(fixture, rows, null, { boundary: boundary(answer) });
    // Not of a day: a past one shows the same.
    expect((await fixture.facts('2020-01-01')).boundary).toStrictEqual(boundary(answer));
  });

  test('records that retention removed were delivered, and are rows no more', async () => {
    await fixture.put({
      ...resultsOf('PUBLISHED', 'WITHDRAWN'),
      tenants: tenants(false),
      deliveries: [delivered(1, 1, 'x-0'), delivered(1, 2, 'x-1'), withdrawn(1, 3, 'x-1')],
    });
    for (const [floor, left] of [
      [1, 2],
      [2, 1],
      [3, 0],
    ] as const) {
      await sql`delete from tenant_delivery where cursor <= ${floor}`.execute(fixture.store.db);
      expect((await fixture.facts()).boundary).toStrictEqual(boundary([0, 0, left]));
    }
  });
});

/** The firings of one day; each observation is named after the stage that it reached. */
const COHORT: Partial<Ledger> = {
  ...ETFS,
  batchTriggers: [trigger('b1'), trigger('b2'), trigger('b3', { trade_date: YESTERDAY }), trigger('b4')],
  minuteTriggers: [
    ...['m1', 'm2', 'm4'].map((id) => minuteTrigger(id)),
    minuteTrigger('m3', { signal: 'REVERT' }),
    minuteTrigger('m5', { trade_date: YESTERDAY }),
  ],
  observations: ['published', 'withdrawn', 'failed', 'seen', 'routed', 'drafted', 'reverted', 'old'].map(observation),
  feedings: [
    feeding('published', 'b1', null),
    feeding('published', null, 'm1'),
    feeding('withdrawn', 'b1', null),
    feeding('withdrawn', 'b2', null),
    feeding('failed', 'b2', null),
    feeding('seen', 'b4', null),
    feeding('routed', null, 'm2'),
    feeding('drafted', null, 'm1'),
    feeding('drafted', null, 'm4'),
    feeding('reverted', null, 'm3'),
    feeding('old', 'b3', null),
    feeding('old', null, 'm5'),
  ],
  routes: [
    route(1, 'b1', null, 'published'),
    route(2, 'b2', null, 'withdrawn'),
    route(3, null, 'm3', 'reverted'),
    route(4, 'b3', null, 'old'),
    route(5, null, 'm2', 'routed'),
    route(6, null, 'm4', 'drafted'),
    route(7, 'b4', null, 'failed'),
  ],
  explanationRuns: [
    explanationRun('r1', 1),
    explanationRun('r1b', 1, { status: 'RUNNING', explanation_as_of: '2026-11-20T02:00:00Z' }),
    explanationRun('r2', 2, { status: 'FAILED' }),
    explanationRun('r2b', 2),
    explanationRun('r3', 3),
    explanationRun('r4', 4),
    explanationRun('r6', 6),
    explanationRun('r7', 7, { status: 'FAILED' }),
  ],
  results: [
    result('x1', 'r1', 1, { trade_date: YESTERDAY }),
    result('x2', 'r2', 2, { publication_status: 'DRAFT' }),
    result('x2b', 'r2b', 2, { publication_status: 'WITHDRAWN' }),
    result('x3', 'r3', 3),
    result('x4', 'r4', 4),
    result('x6', 'r6', 6, { publication_status: 'DRAFT' }),
  ],
};

describe('chain', () => {
  test.each<[string, Partial<Ledger>, NonNullable<Facts['chain']>]>([
    ['no triggers: zeros, never null', {}, chain()],
    [
      'distinct observations of the cohort, each once in each column and once for all its reruns; REVERT is none; rows of other days count by their trigger',
      COHORT,
      chain([3, 3], [4, 3], [3, 3], [3, 2], [2, 2], [1, 1]),
    ],
    [
      'a v2 analysis stands in the place of a result',
      { ...COHORT, results: [], analyses: [result('a1', 'r1', 1, { trade_date: YESTERDAY })] },
      chain([3, 3], [4, 3], [3, 3], [3, 2], [1, 1], [1, 1]),
    ],
  ])('%s', async (_sentence, rows, answer) => {
    await expectWhole(fixture, rows, null, { chain: answer });
  });
  test('o.pub is by trade date, o.trig is all rows of the batch table alone', async () => {
    await expectWhole(fixture, COHORT, null, { outputs: outputs({ 'o.pub': 2, 'o.trig': 3 }) });
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
      'of runs of one explanation_as_of the one that started last, of those the one with the last id',
      {
        ...firedTwice,
        explanationRuns: [
          explanationRun('c', 1, { status: 'FAILED', started_at: '2026-11-20T01:00:00Z' }),
          explanationRun('a', 1, { status: 'PENDING', started_at: '2026-11-20T01:30:00Z' }),
          explanationRun('b', 1, { status: 'CANCELLED', started_at: '2026-11-20T01:30:00Z' }),
        ],
      },
      [etf('000001', '000001', null), etf('069500', 'KODEX 200', 'CANCELLED')],
    ],
    [
      "a batch and an intraday trigger of one id: each ETF has the outcome of its own; yesterday's triggers are none",
      {
        ...ETFS,
        batchTriggers: [trigger('t')],
        minuteTriggers: [
          minuteTrigger('t', { instrument_id: 'i2' }),
          minuteTrigger('u', { trade_date: YESTERDAY, fired_at: '2026-11-20T05:00:00Z' }),
        ],
        routes: [route(1, 't', null, null), route(2, null, 't', null), route(3, null, 'u', null)],
        explanationRuns: [
          explanationRun('batch', 1, { status: 'FAILED' }),
          explanationRun('minute', 2, { status: 'RUNNING' }),
          explanationRun('of yesterday', 3, { status: 'CANCELLED' }),
        ],
      },
      [etf('000001', '000001', 'RUNNING'), etf('069500', 'KODEX 200', 'FAILED')],
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
    await expectWhole(fixture, rows, null, { etfLedger: { rows: answer } });
  });
});
