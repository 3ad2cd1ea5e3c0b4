import { describe, expect, test } from 'vitest';
import type { Defect } from '../../../shared/wire/operator/operator.ts';
import { groupDefects, subjectOf } from './defects.ts';

const defect = (words: Partial<Defect>): Defect => ({
  kind: 'TASK_FAILED',
  runKey: 'run',
  stage: 'raw',
  taskKey: 'task',
  dataset: null,
  required: true,
  reason: null,
  count: null,
  unit: null,
  ...words,
});

describe('defects', () => {
  test('equal defects are grouped at the place of the first, with their counts added up', () => {
    const groups = groupDefects([
      defect({ kind: 'PLANNING_GAP', stage: null, taskKey: null }),
      defect({ taskKey: 'a', reason: 'timeout' }),
      defect({ kind: 'FAILED_RECORDS', taskKey: 'b', count: 3, unit: 'RECORD' }),
      defect({ taskKey: 'c', reason: 'timeout' }),
      defect({ taskKey: 'd' }),
      defect({ kind: 'FAILED_RECORDS', taskKey: 'e', count: 0, unit: 'RECORD' }),
      defect({ taskKey: 'f', reason: 'timeout', stage: 'normalize' }),
    ]);
    expect(
      groups.map(({ kind, stage, reason, defects, count }) => [kind, stage, reason, defects.length, count]),
    ).toEqual([
      ['PLANNING_GAP', null, null, 1, null],
      ['TASK_FAILED', 'raw', 'timeout', 2, null],
      ['FAILED_RECORDS', 'raw', null, 2, 3],
      ['TASK_FAILED', 'raw', null, 1, null],
      ['TASK_FAILED', 'normalize', 'timeout', 1, null],
    ]);
    expect(groups.flatMap(({ defects }) => defects)).toHaveLength(7);
    expect(groupDefects([])).toEqual([]);
  });
  test('one is about its dataset, else its task, else its run', () => {
    expect(subjectOf(defect({ dataset: 'etf_nav' }))).toBe('etf_nav');
    expect(subjectOf(defect({ dataset: '' }))).toBe('task');
    expect(subjectOf(defect({ taskKey: null }))).toBe('run');
  });
});
