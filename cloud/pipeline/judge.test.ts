/** Outcomes, states and defects of a run, word by word. */
import { expect, test, describe } from 'vitest';
import type { OperationalState } from '../../shared/wire/operator/operator.ts';
import { judgeRun } from './judge.ts';
import type { RunRow, TaskRow } from './runs.ts';

const NOW = new Date('2026-11-20T07:00:00Z');
const PAST = new Date('2026-11-20T06:59:59Z');
const AHEAD = new Date('2026-11-20T07:00:01Z');

function run(changes: Partial<RunRow> = {}): RunRow {
  return {
    id: 1,
    run_key: 'market/2026-11-20/close',
    lane: 'market',
    trading_date: '2026-11-20',
    run_date: '2026-11-20',
    status: 'SUCCEEDED',
    skip_reason: null,
    deadline: null,
    execution_id: null,
    created_at: PAST,
    updated_at: PAST,
    ...changes,
  };
}

let ids = 0;
function task(changes: Partial<TaskRow> = {}): TaskRow {
  ids += 1;
  return {
    id: ids,
    run_id: 1,
    task_key: `task-${ids}`,
    stage: 'raw',
    dataset: 'd',
    plan_status: 'DUE',
    required: true,
    contract_key: null,
    freshness_status: null,
    freshness_reason: null,
    unsupported_records: null,
    failed_records: null,
    completeness_expected: null,
    completeness_actual: null,
    last_status: 'SUCCEEDED',
    last_error_code: null,
    last_error_message: null,
    last_at: null,
    ...changes,
  };
}
const untried = { last_status: null };

describe('the operational state', () => {
  const good = task();
  const cases: [string, Partial<RunRow>, TaskRow[], OperationalState, string[]][] = [
    ['pending', { status: 'PENDING' }, [task(untried)], 'IN_PROGRESS', []],
    ['running before its deadline', { status: 'RUNNING', deadline: AHEAD }, [task(untried)], 'IN_PROGRESS', []],
    ['running at its deadline', { status: 'RUNNING', deadline: NOW }, [good], 'IN_PROGRESS', []],
    ['running after its deadline', { status: 'RUNNING', deadline: PAST }, [good], 'BLOCKED', ['RUN_OVERDUE']],
    [
      'running, a task failed',
      { status: 'RUNNING' },
      [task({ last_status: 'FAILED' })],
      'IN_PROGRESS',
      ['TASK_FAILED'],
    ],
    ['over in time, whatever the clock says now', { deadline: PAST }, [good], 'READY', []],
    ['failed', { status: 'FAILED' }, [good], 'BLOCKED', ['RUN_FAILED']],
    ['cancelled', { status: 'CANCELLED' }, [good], 'BLOCKED', ['RUN_FAILED']],
    ['timed out', { status: 'TIMED_OUT' }, [good], 'BLOCKED', ['RUN_FAILED']],
    ['skipped for a reason', { status: 'SKIPPED', skip_reason: 'NON_TRADING_DAY' }, [], 'READY', []],
    ['skipped for none', { status: 'SKIPPED' }, [], 'UNKNOWN', ['RUN_STATUS_UNKNOWN']],
    ['a word nobody knows', { status: 'PAUSED' }, [good], 'UNKNOWN', ['RUN_STATUS_UNKNOWN']],
    ['a word that every object knows', { status: 'constructor' }, [good], 'UNKNOWN', ['RUN_STATUS_UNKNOWN']],
    ['without tasks', {}, [], 'UNKNOWN', ['NO_TASKS']],
    ['nothing was due', {}, [task({ plan_status: 'NOT_DUE', ...untried })], 'READY', []],
    ['all there', {}, [good, task({ freshness_status: 'FRESH', contract_key: 'c', failed_records: 0 })], 'READY', []],
    ['required task failed', {}, [task({ last_status: 'FAILED' })], 'BLOCKED', ['TASK_FAILED']],
    ['required task cancelled', {}, [task({ last_status: 'CANCELLED' })], 'BLOCKED', ['TASK_FAILED']],
    ['required task never tried', {}, [task(untried)], 'BLOCKED', ['TASK_MISSING']],
    ['required task still runs', {}, [task({ last_status: 'RUNNING' })], 'UNKNOWN', ['TASK_UNFINISHED']],
    ['required task with a strange word', {}, [task({ last_status: 'LOST' })], 'UNKNOWN', ['TASK_STATUS_UNKNOWN']],
    ['optional task failed', {}, [good, task({ required: false, last_status: 'FAILED' })], 'DEGRADED', ['TASK_FAILED']],
    ['records failed', {}, [task({ failed_records: 3 })], 'DEGRADED', ['FAILED_RECORDS']],
    ['too little came', {}, [task({ completeness_expected: 10, completeness_actual: 9 })], 'DEGRADED', ['INCOMPLETE']],
    [
      'unsupported records are no loss',
      {},
      [task({ completeness_expected: 10, completeness_actual: 7, unsupported_records: 3 })],
      'READY',
      [],
    ],
    [
      'no signal is no zero',
      {},
      [task({ completeness_expected: 10, failed_records: null }), task({ completeness_actual: 0 })],
      'READY',
      [],
    ],
    ['stale', {}, [task({ freshness_status: 'STALE' })], 'DEGRADED', ['STALE']],
    ['freshness unknown', {}, [task({ freshness_status: 'UNKNOWN' })], 'DEGRADED', ['FRESHNESS_UNKNOWN']],
    ['freshness with a strange word', {}, [task({ freshness_status: 'RIPE' })], 'DEGRADED', ['FRESHNESS_UNKNOWN']],
    [
      'under a contract, and freshness not judged',
      {},
      [task({ contract_key: 'c' })],
      'DEGRADED',
      ['FRESHNESS_UNKNOWN'],
    ],
    [
      'a task that was not due does not count',
      {},
      [good, task({ plan_status: 'NOT_DUE', freshness_status: 'STALE' })],
      'READY',
      [],
    ],
  ];
  test.each(cases)('%s', (_what, changes, tasks, state, kinds) => {
    const judged = judgeRun(run(changes), tasks, NOW);
    expect([judged.state, judged.defects.map(({ kind }) => kind)]).toEqual([state, kinds]);
  });
});

test('outcomes of required tasks that were due are counted, each under one word', () => {
  const words = ['SUCCEEDED', 'SUCCEEDED', 'RUNNING', 'PENDING', 'FAILED', 'TIMED_OUT', 'LOST'];
  const tasks = [
    ...words.map((last_status) => task({ last_status })),
    task(untried),
    task({ required: false, last_status: 'FAILED' }),
    task({ plan_status: 'NOT_DUE' }),
  ];
  const rest = { unit: 'TASK', required: 8, succeeded: 2, running: 1, failed: 2, unknown: 1 };
  expect(judgeRun(run({ status: 'RUNNING' }), tasks, NOW).counts).toEqual({ ...rest, pending: 2, missing: 0 });
  expect(judgeRun(run(), tasks, NOW).counts).toEqual({ ...rest, pending: 1, missing: 1 });
  expect(judgeRun(run({ status: 'RUNNING', deadline: PAST }), tasks, NOW).counts.missing).toBe(1);
});

test('defects: the run first, then raw, normalize and the rest by name; inside a stage by task key', () => {
  const broken = (stage: string, task_key: string): TaskRow => task({ stage, task_key, last_status: 'FAILED' });
  const tasks = [
    broken('publish', 'a'),
    broken('normalize', 'z'),
    broken('load', 'c'),
    broken('raw', 'b'),
    broken('raw', 'B'),
    broken('normalize', '가'),
  ];
  const { defects } = judgeRun(run({ status: 'FAILED' }), tasks, NOW);
  expect(defects.map(({ stage, taskKey }) => `${stage}:${taskKey}`)).toEqual([
    'null:null',
    'raw:B',
    'raw:b',
    'normalize:z',
    'normalize:가',
    'load:c',
    'publish:a',
  ]);
});

test('a defect carries the reason of the ledger, and how many records it is about', () => {
  const { defects } = judgeRun(
    run(),
    [
      task({ task_key: '1', last_status: 'FAILED', last_error_code: 'HTTP_503', last_error_message: '점검 중' }),
      task({ task_key: '2', last_status: 'FAILED', last_error_code: 'HTTP_503' }),
      task({ task_key: '3', last_status: 'FAILED' }),
      task({ task_key: '4', failed_records: 4 }),
      task({ task_key: '5', completeness_expected: 10, completeness_actual: 6, unsupported_records: 1 }),
      task({ task_key: '6', freshness_status: 'UNKNOWN', freshness_reason: 'NO_EVIDENCE' }),
    ],
    NOW,
  );
  expect(defects.map(({ kind, reason, count, unit }) => [kind, reason, count, unit])).toEqual([
    ['TASK_FAILED', '점검 중', null, null],
    ['TASK_FAILED', 'HTTP_503', null, null],
    ['TASK_FAILED', null, null, null],
    ['FAILED_RECORDS', null, 4, 'RECORD'],
    ['INCOMPLETE', null, 3, 'RECORD'],
    ['FRESHNESS_UNKNOWN', 'NO_EVIDENCE', null, null],
  ]);
});
