/** Operator API 2: `tasks`, `datasets`, `outputs`; each sentence by its rows and the whole answer. */
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { postgresKind } from '../../support/cloud/store.ts';
import type { DatasetFact, Facts, TaskFact } from '../../../shared/wire/facts.ts';
import { FactsFixture, TODAY } from './fixture.ts';
import type { Ledger, TaskRow } from './ledger.ts';
import { expectWhole } from './whole.ts';
import { AT_TEXT, attempt, gaps, issue, outputs, run, task, trigger, ZEROS, ETFS } from './rows.ts';

let fixture: FactsFixture;
beforeAll(async () => {
  fixture = await FactsFixture.open(postgresKind);
});
beforeEach(() => fixture.clear());
afterAll(() => fixture.close());

const A = `market/${TODAY}/a`;
const B = `market/${TODAY}/b`;
const runs = [run(2, A), run(1, B)];
const taskFact = (runId: string, changes: Partial<TaskFact> = {}): TaskFact => ({
  runId,
  dataset: 'price',
  attempts: 0,
  recordsOut: 1,
  unsupportedRecords: 0,
  failedRecords: 0,
  completenessExpected: 1,
  completenessActual: 1,
  ...changes,
});

const NO_SIGNAL = {
  records_out: null,
  unsupported_records: null,
  failed_records: null,
  completeness_expected: null,
  completeness_actual: null,
};

const TASKS: [sentence: string, rows: Partial<Ledger>, answer: TaskFact[]][] = [
  [
    'null means that the ledger gave no signal; 0 is a count; neither becomes the other',
    { tasks: [task(1, 1, NO_SIGNAL), task(2, 1, { dataset: 'q', records_out: 0 })] },
    [
      taskFact(B, {
        recordsOut: null,
        unsupportedRecords: null,
        failedRecords: null,
        completenessExpected: null,
        completenessActual: null,
      }),
      taskFact(B, { dataset: 'q', recordsOut: 0 }),
    ],
  ],
  [
    'containers of a retry that did no work are not counted; 0 attempts is a measurement',
    {
      tasks: [task(1, 1), task(2, 1, { dataset: 'q' })],
      attempts: [
        attempt(1, 1),
        attempt(2, 1, { status: 'FAILED', started_at: null }),
        attempt(3, 1, { duplicate_retry: true }),
        attempt(4, 2, { duplicate_retry: true }),
      ],
    },
    [taskFact(B, { attempts: 2 }), taskFact(B, { dataset: 'q' })],
  ],
  [
    'raw, normalize, the rest; then run key, dataset in code point order (one without comes last), internal id',
    {
      tasks: [
        task(1, 2, { stage: 'analyse', dataset: 'x' }),
        task(2, 2, { stage: 'normalize', dataset: 'x' }),
        task(3, 1, { stage: 'raw', dataset: 'b' }),
        task(4, 2, { stage: 'raw', dataset: null }),
        task(5, 2, { stage: 'raw', dataset: 'b', records_out: 5 }),
        task(6, 2, { stage: 'raw', dataset: 'B' }),
        task(7, 2, { stage: 'raw', dataset: 'b', records_out: 7 }),
        task(8, 2, { stage: 'raw', dataset: '' }),
        task(9, 1, { stage: 'Raw', dataset: 'c' }),
      ],
    },
    [
      taskFact(A, { dataset: '' }),
      taskFact(A, { dataset: 'B' }),
      taskFact(A, { dataset: 'b', recordsOut: 5 }),
      taskFact(A, { dataset: 'b', recordsOut: 7 }),
      taskFact(A, { dataset: null }),
      taskFact(B, { dataset: 'b' }),
      taskFact(A, { dataset: 'x' }),
      taskFact(A, { dataset: 'x' }),
      taskFact(B, { dataset: 'c' }),
    ],
  ],
  [
    'all expected tasks of the day: one that was not due as well, none of another day',
    {
      runs: [...runs, run(3, 'market/2026-11-19/a')],
      tasks: [task(1, 1, { plan_status: 'NOT_DUE' }), task(2, 3)],
    },
    [taskFact(B)],
  ],
];

describe('tasks', () => {
  test.each(TASKS)('%s', async (_sentence, rows, answer) => {
    await expectWhole(fixture, { runs, ...rows }, null, { tasks: answer });
  });
});

const dataset = (changes: Partial<DatasetFact> = {}): DatasetFact => ({
  id: 'price',
  contract: true,
  expectedAsOf: TODAY,
  actualAsOf: TODAY,
  collectedAt: AT_TEXT,
  unverifiable: null,
  ...changes,
});
const nothing = { expectedAsOf: null, actualAsOf: null, collectedAt: null };
const unknown = (reason: string | null): Partial<TaskRow> => ({
  freshness_status: 'UNKNOWN',
  freshness_reason: reason,
});
const asOf = (expected: string | null, actual: string | null): Partial<TaskRow> => ({
  expected_as_of: expected,
  actual_as_of: actual,
});
const [D17, D18, D19] = ['2026-11-17', '2026-11-18', '2026-11-19'];

const DATASETS: [sentence: string, rows: Partial<Ledger>, answer: DatasetFact[]][] = [
  [
    'CONTRACT_NOT_APPLIED before everything: no task carries a contract',
    { tasks: [task(1, 1, { contract_key: null, ...unknown('LATE') })] },
    [dataset({ ...nothing, contract: false, unverifiable: 'CONTRACT_NOT_APPLIED' })],
  ],
  [
    'NOT_APPLICABLE: a contract, and no task under it is DUE; a task without a contract that is DUE folds nothing',
    { tasks: [task(1, 1, { plan_status: 'NOT_DUE', ...unknown('LATE') }), task(2, 1, { contract_key: null })] },
    [dataset({ ...nothing, unverifiable: 'NOT_APPLICABLE' })],
  ],
  ["the ledger's reason verbatim", { tasks: [task(1, 1, unknown(' 늦음? '))] }, [dataset({ unverifiable: ' 늦음? ' })]],
  ...[null, '', ' \t', '\u3000\u00a0', '\u0085\u2029', '\ufeff'].map((reason): (typeof DATASETS)[number] => [
    `FRESHNESS_REASON_MISSING: UNKNOWN with the reason ${JSON.stringify(reason)}`,
    { tasks: [task(1, 1, { ...unknown(reason), actual_as_of: null })] },
    [dataset({ actualAsOf: null, unverifiable: 'FRESHNESS_REASON_MISSING' })],
  ]),
  [
    'ACTUAL_AS_OF_MISSING: not UNKNOWN and no actual; of the expected ones the latest',
    {
      tasks: [task(1, 1, asOf(D18, null)), task(2, 1, asOf(TODAY, null)), task(3, 1, asOf(null, null))],
    },
    [dataset({ actualAsOf: null, unverifiable: 'ACTUAL_AS_OF_MISSING' })],
  ],
  [
    'the pair is taken whole from the task with the oldest actual, though another one expects more',
    { tasks: [task(1, 1, asOf(TODAY, D19)), task(2, 1, asOf(D18, D17)), task(3, 1, asOf(TODAY, null))] },
    [dataset({ expectedAsOf: D18, actualAsOf: D17 })],
  ],
  [
    'of the same actual the later expected; one that expects nothing comes last',
    { tasks: [task(1, 1, asOf(null, D18)), task(2, 1, asOf(D18, D18)), task(3, 1, asOf(D19, D18))] },
    [dataset({ expectedAsOf: D19, actualAsOf: D18 })],
  ],
  [
    'the reason is that of the reference task when it is UNKNOWN, though another one comes first',
    {
      tasks: [
        task(1, 2, { ...asOf(TODAY, D19), ...unknown('FIRST') }),
        task(2, 1, { ...asOf(D19, D18), ...unknown('REFERENCE') }),
      ],
    },
    [dataset({ expectedAsOf: D19, actualAsOf: D18, unverifiable: 'REFERENCE' })],
  ],
  [
    'else that of the first UNKNOWN among the remaining by run key, then internal id, though its reason is blank',
    {
      tasks: [
        task(1, 1, { ...asOf(TODAY, TODAY), ...unknown('SECOND RUN') }),
        task(2, 1, asOf(D19, D18)),
        task(4, 2, { ...asOf(TODAY, TODAY), ...unknown('LATER ID') }),
        task(3, 2, { ...asOf(TODAY, TODAY), ...unknown('') }),
      ],
    },
    [dataset({ expectedAsOf: D19, actualAsOf: D18, unverifiable: 'FRESHNESS_REASON_MISSING' })],
  ],
  [
    'collectedAt is the latest of the folded tasks',
    {
      tasks: [
        task(1, 1, { collected_at: '2026-11-20T03:00:00Z' }),
        task(2, 1, { collected_at: null }),
        task(3, 1, { collected_at: '2026-11-20T05:00:00Z', plan_status: 'NOT_DUE' }),
      ],
    },
    [dataset({ collectedAt: '2026-11-20T03:00:00.000Z' })],
  ],
  [
    'by id in code point order; tasks without a dataset or with an empty one are in none',
    { tasks: ['b', 'B', '가', null, ''].map((id, index) => task(index + 1, 1, { dataset: id })) },
    [dataset({ id: 'B' }), dataset({ id: 'b' }), dataset({ id: '가' })],
  ],
  [
    'etf_nav: the latest trading date of the raw responses, whatever the tasks say',
    {
      tasks: [
        task(1, 1, { dataset: 'etf_nav', ...asOf(D19, TODAY) }),
        task(2, 1, { dataset: 'etf_nav', ...asOf(D18, D17) }),
        task(3, 1, { dataset: 'price' }),
      ],
      navs: [D17, D18, null].map((response_trading_date) => ({
        expected_task_id: 1,
        collected_at: '2026-11-20T03:00:00Z',
        response_trading_date,
      })),
    },
    [dataset({ id: 'etf_nav', expectedAsOf: D19, actualAsOf: D18 }), dataset()],
  ],
  [
    'etf_nav without valid evidence: null, not the date that the task has',
    {
      runs: [...runs, run(3, 'market/2026-11-19/a')],
      tasks: [task(1, 1, { dataset: 'etf_nav' }), task(2, 3, { dataset: 'etf_nav' }), task(3, 1)],
      navs: [
        // The row of a task that collects another dataset.
        { expected_task_id: 3, collected_at: AT_TEXT, response_trading_date: D18 },
        { expected_task_id: 1, collected_at: AT_TEXT, response_trading_date: null },
        { expected_task_id: 2, collected_at: AT_TEXT, response_trading_date: D18 },
      ],
    },
    [dataset({ id: 'etf_nav', actualAsOf: null, unverifiable: 'ACTUAL_AS_OF_MISSING' }), dataset()],
  ],
];

describe('datasets', () => {
  test.each(DATASETS)('%s', async (_sentence, rows, answer) => {
    await expectWhole(fixture, { runs, ...rows }, null, { datasets: answer });
  });
});

const VIEWED = '2026-11-19';
/** Thursday 19th back to Tuesday 3rd, and the weekends: twelve trading days before the viewed one. */
const BEFORE = [18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map(
  (day) => `2026-11-${String(day).padStart(2, '0')}`,
);
const fired = (...days: string[]): Ledger['batchTriggers'] =>
  days.map((trade_date, index) => trigger(`t-${index}`, { trade_date }));
const oneRunADay = [VIEWED, ...BEFORE].map((day, index) => run(index + 1, `market/${day}/close`));

const OUTPUTS: [sentence: string, rows: Partial<Ledger>, date: string, answer: Facts['outputs']][] = [
  [
    'the base is the median of the sample days; a day without rows counts 0, a median of 0 stays 0',
    { runs: oneRunADay, batchTriggers: fired(VIEWED, '2026-11-18', '2026-11-18', '2026-11-17') },
    VIEWED,
    outputs({ 'o.trig': 1 }, ZEROS),
  ],
  [
    'an even number of days: the mean of the two in the middle',
    { runs: oneRunADay.slice(0, 3), batchTriggers: fired('2026-11-18', '2026-11-18', '2026-11-17') },
    VIEWED,
    outputs({}, { ...ZEROS, 'o.trig': 1.5 }),
  ],
  [
    'ten days: the eleventh trading day back and weekends are not in the sample',
    {
      runs: oneRunADay,
      // Two each on the oldest of the ten, on the eleventh and on weekends; seven of the ten have one.
      batchTriggers: fired(
        ...BEFORE.filter(
          (day) => !['2026-11-15', '2026-11-14', '2026-11-08', '2026-11-07', '2026-11-04', '2026-11-03'].includes(day),
        ).slice(0, 5),
        ...['2026-11-15', '2026-11-14', '2026-11-08', '2026-11-07', '2026-11-04', '2026-11-03'].flatMap((day) => [
          day,
          day,
        ]),
      ),
    },
    VIEWED,
    outputs({}, { ...ZEROS, 'o.trig': 0.5 }),
  ],
  [
    'union first: a day with a planning gap alone is in the sample; a day with neither is not',
    {
      ...gaps('market/2026-11-18/close'),
      batchTriggers: fired('2026-11-18', '2026-11-17', '2026-11-17', '2026-11-17'),
    },
    VIEWED,
    outputs({}, { ...ZEROS, 'o.trig': 1 }),
  ],
  [
    'a holiday is a date: one skipped run takes the day out, though others ran and a gap is there',
    {
      runs: [
        run(1, 'market/2026-11-18/close', { skip_reason: 'NON_TRADING_DAY', status: 'SKIPPED' }),
        run(2, 'news/2026-11-18/1'),
        run(3, 'market/2026-11-17/close', { skip_reason: 'OTHER' }),
      ],
      ...gaps('market/2026-11-18/open'),
      batchTriggers: fired('2026-11-18', '2026-11-17', '2026-11-17'),
    },
    VIEWED,
    outputs({}, { ...ZEROS, 'o.trig': 2 }),
  ],
  [
    'gaps that are none are in no sample: a resolved issue, and a slot whose run is there on another day',
    {
      runs: [run(1, 'market/2026-11-18/close', { trading_date: '2026-11-17' })],
      slots: ['market/2026-11-18/close', 'market/2026-11-16/close'].map((slot_key, index) => ({
        planner_slot_id: index + 1,
        slot_key,
      })),
      issues: [issue(1, 1), issue(2, 2, { resolved_at: '2026-11-19T02:00:00Z' })],
      batchTriggers: fired('2026-11-18', '2026-11-16', '2026-11-17', '2026-11-17', '2026-11-17'),
    },
    VIEWED,
    outputs({}, { ...ZEROS, 'o.trig': 3 }),
  ],
  ['no sample days: no usual value', { runs: oneRunADay.slice(0, 1) }, VIEWED, outputs()],
  ['KST today: no usual value for any, before everything else', { runs: oneRunADay }, TODAY, outputs()],
  [
    'a weekend day: no usual value for what the market makes, one for the others',
    { runs: oneRunADay },
    '2026-11-15',
    outputs({}, { 'o.doc': 0, 'o.asr': 0, 'o.evt': 0 }),
  ],
  [
    'a holiday: no usual value for what the market makes, one for the others',
    { runs: [...oneRunADay.slice(1), run(99, `market/${VIEWED}/close`, { skip_reason: 'NON_TRADING_DAY' })] },
    VIEWED,
    outputs({}, { 'o.doc': 0, 'o.asr': 0, 'o.evt': 0 }),
  ],
  [
    'documents of kind NEWS, assertions and events of news and disclosures, each by the KST date on which it became available',
    {
      documents: [
        { document_id: 'a', document_type: 'NEWS', available_at: '2026-11-18T14:59:59.999Z' },
        { document_id: 'b', document_type: 'NEWS', available_at: '2026-11-18T15:00:00Z' },
        { document_id: 'c', document_type: 'NEWS', available_at: '2026-11-19T14:59:59.999Z' },
        { document_id: 'd', document_type: 'DISCLOSURE', available_at: '2026-11-19T01:00:00Z' },
        { document_id: 'e', document_type: 'NEWS', available_at: '2026-11-19T15:00:00Z' },
      ],
      assertions: ['2026-11-18T15:00:00Z', '2026-11-19T15:00:00Z', '2026-11-19T03:00:00Z'].map(
        (available_at, index) => ({ available_at, document_id: index === 2 ? 'd' : 'a' }),
      ),
      events: ['2026-11-18T15:00:00Z', '2026-11-19T14:59:59Z', '2026-11-17T15:00:00Z'].map((available_at, index) => ({
        available_at,
        source_class: index === 0 ? 'DISCLOSURE' : 'NEWS',
      })),
    },
    VIEWED,
    outputs({ 'o.doc': 2, 'o.asr': 2, 'o.evt': 2 }),
  ],
];

describe('outputs', () => {
  test.each(OUTPUTS)('%s', async (_sentence, rows, date, answer) => {
    await expectWhole(fixture, { ...ETFS, ...rows }, date, { outputs: answer });
  });
});
