/** Rules over answers beside the facts: failing tasks with their reasons (D132), and pending withdrawals (D133). */
import { expect, test } from 'vitest';
import { compiledI18n } from '../../../shared/ui/i18n/compiled-messages.ts';
import type { FailedTask } from '../../../shared/wire/operator/operator.ts';
import { catalogues } from '../i18n/catalogues.ts';
import type { ReadFacts } from './rule.ts';
import { GOOD, look, RUN, said } from '../../../test/support/cloud/console-rules.ts';

const FAILED: FailedTask = {
  taskKey: 'raw-financials',
  stage: 'raw',
  dataset: 'financials',
  required: true,
  outcome: 'FAILED',
  errorCode: 'HTTP_503',
  errorMessage: 'down',
  at: '2026-11-20T06:00:00.000Z',
  recovery: null,
};
const ID = 'source_observation/2026-11-20/0600';

/** A day with one run, in a status, with tasks that failed. */
function day(status: string, tasks: FailedTask[], runKey = ID): Partial<ReadFacts> {
  const run = { runKey, lane: 'source_observation', date: '2026-11-20', status };
  return {
    runs: [{ ...RUN, id: runKey, ledgerStatus: status, cloudStatus: status }],
    failures: { ...GOOD.failures, runs: tasks.length === 0 ? [] : [{ ...run, tasks }] },
  };
}

/** The sentences of one rule in a language. */
function words(language: 'ko' | 'en', rule: string, changes: Partial<ReadFacts>): string[] {
  const i18n = compiledI18n(catalogues, language);
  return look({ ...GOOD, ...changes })
    .filter((verdict) => verdict.rule === rule)
    .map(({ sentence }) => i18n._(sentence.id, sentence.values));
}

test('the sentence of a failed run holds the task and its reason', () => {
  const failed = day('FAILED', [FAILED]);
  expect(words('en', 'run-failed', failed)).toEqual(['0600 of source_observation failed: raw-financials, HTTP_503']);
  expect(words('ko', 'run-failed', failed)).toEqual(['source_observation 0600 실패: raw-financials, HTTP_503']);
  const more = day('TIMED_OUT', [{ ...FAILED, errorCode: null }, FAILED, { ...FAILED, outcome: 'MISSING' }]);
  expect(words('en', 'run-failed', more)).toEqual([
    '0600 of source_observation timed out: raw-financials, down and 1 more task',
  ]);
  expect(words('ko', 'run-failed', more)).toEqual([
    'source_observation 0600 시간 초과: raw-financials, down 외 1개 작업',
  ]);
});

test.each([
  ['without a reason', { errorCode: null, errorMessage: null }, 'runFailed.task', ', no reason on record'],
  ['a task that hangs', { outcome: 'RUNNING' as const }, 'runFailed.unfinished', ': raw-financials did not finish.'],
  ['a task that never began', { outcome: 'MISSING' as const }, 'runFailed.untried', ': raw-financials never began.'],
])('%s', (_what, changes, id, end) => {
  const failed = day('CANCELLED', [{ ...FAILED, ...changes }]);
  expect(said('run-failed', failed)).toEqual([`BAD ${id}`]);
  expect(words('en', 'run-failed', failed)[0]).toContain(`0600 of source_observation was cancelled`);
  expect(words('en', 'run-failed', failed)[0]?.endsWith(end)).toBe(true);
});

test('a run with unknown tasks is named by its status, and a key of another form by itself', () => {
  expect(said('run-failed', day('FAILED', []))).toEqual(['BAD runFailed.failed']);
  expect(words('en', 'run-failed', day('FAILED', [FAILED], 'odd'))).toEqual([
    'odd of source_observation failed: raw-financials, HTTP_503',
  ]);
});

test('a failed task in a successful run has its own verdict: bad where the run requires it', () => {
  const optional = { ...FAILED, required: false, taskKey: 'raw-status' };
  const hidden = day('SUCCEEDED', [FAILED, optional, { ...FAILED, outcome: 'MISSING' }]);
  expect(said('task-failed', hidden)).toEqual(['BAD taskFailed.failed', 'WARNING taskFailed.optional']);
  expect(said('task-failed', day('FAILED', [FAILED]))).toEqual(['GOOD taskFailed.good']);
  expect(said('task-failed', day('SUCCEEDED', [{ ...FAILED, outcome: 'UNKNOWN' }]))).toEqual(['UNKNOWN unseen']);
  expect(said('task-failed', { runs: [] })).toEqual(['NOT_MEASURED nothing']);
});

test('what a later run has repaired is a warning that names it; one open task keeps the run bad', () => {
  const recovery = { runKey: 'source_observation/2026-11-20/2000', at: '2026-11-20T01:28:00.000Z' };
  const repaired = { ...FAILED, recovery };
  expect(said('run-failed', day('FAILED', [repaired]))).toEqual(['WARNING runFailed.recovered']);
  expect(words('en', 'run-failed', day('FAILED', [repaired]))).toEqual([
    '0600 of source_observation failed at raw-financials and recovered 2026-11-20 10:28 KST by source_observation/2026-11-20/2000.',
  ]);
  expect(said('run-failed', day('FAILED', [FAILED, repaired]))).toEqual(['BAD runFailed.task']);
  expect(said('task-failed', day('SUCCEEDED', [FAILED, repaired]))).toEqual([
    'BAD taskFailed.failed',
    'WARNING taskFailed.recovered',
  ]);
});

test('a withdrawal that waits is a warning, and bad after twice the polling period', () => {
  const item = {
    id: 'res-a',
    ticker: '069500',
    instrumentName: 'KODEX 200',
    issuedAt: '2026-11-20T06:00:00.000Z',
    waiting: 3,
    overdue: 0,
    neverConnected: 1,
  };
  const waits = (...items: (typeof item)[]): Partial<ReadFacts> => ({
    withdrawals: { ...GOOD.withdrawals, analyses: { items, total: items.length } },
  });
  expect(said('withdrawal-unreceived', waits(item))).toEqual(['WARNING withdrawalUnreceived.waiting']);
  expect(said('withdrawal-unreceived', waits({ ...item, overdue: 2 }, item))).toEqual([
    'BAD withdrawalUnreceived.late',
    'WARNING withdrawalUnreceived.waiting',
  ]);
  expect(words('en', 'withdrawal-unreceived', waits({ ...item, overdue: 2 }))).toEqual([
    'KODEX 200 (069500): withdrawn and not received by 2 tenants after twice the polling period.',
  ]);
  expect(said('withdrawal-unreceived', waits())).toEqual(['GOOD withdrawalUnreceived.good']);
  expect(said('withdrawal-unreceived', { withdrawals: { ...GOOD.withdrawals, everIssued: false } })).toEqual([
    'NOT_MEASURED withdrawalUnreceived.none',
  ]);
});
