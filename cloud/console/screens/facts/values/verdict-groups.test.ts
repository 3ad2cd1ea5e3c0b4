/** Groups of equal verdicts, and the places of named things. */
import { describe, expect, test } from 'vitest';
import type { Severity, Verdict } from '../../../rules/rule.ts';
import type { VerdictMessageId } from '../../../i18n/ko-verdicts.ts';
import { placeOfFact } from './fact-link.tsx';
import { groupVerdicts } from './verdict-groups.ts';
import { nameVerdicts } from './verdict-keys.ts';

const verdict = (
  rule: string,
  id: VerdictMessageId,
  values: Record<string, string | number>,
  severity: Severity = 'BAD',
): Verdict => ({ rule, version: 1, severity, sentence: { id, values }, facts: ['/runs'] });
const failed = (slot: string, task: string, reason: string): Verdict =>
  verdict('run-failed', 'verdict.runFailed.task', {
    run: `news/2026-11-20/${slot}`,
    lane: 'news',
    slot,
    status: 'FAILED',
    task,
    reason,
    more: 0,
  });
const sizes = (...verdicts: Verdict[]): number[] =>
  groupVerdicts(nameVerdicts(verdicts, '2026-11-20')).map(({ members }) => members.length);

describe('verdicts are equal', () => {
  test('for the same sentence of a rule about several runs, but not about another task or reason', () => {
    expect(
      sizes(
        failed('0900', 'raw-news', 'HTTP_503'),
        failed('1000', 'raw-news', 'TIMEOUT'),
        failed('1100', 'raw-news', 'HTTP_503'),
        failed('1200', 'normalize-news', 'HTTP_503'),
      ),
    ).toEqual([2, 1, 1]);
  });
  test('with any numbers, and never across datasets of a run, severities or rules', () => {
    const lost = (run: string, dataset: string, count: number, severity: Severity = 'BAD'): Verdict =>
      verdict('task-incomplete', 'verdict.taskIncomplete.failed', { run, dataset, failed: count }, severity);
    expect(
      sizes(lost('a', 'price', 3), lost('b', 'price', 9), lost('a', 'nav', 3), lost('c', 'price', 3, 'WARNING')),
    ).toEqual([2, 1, 1]);
    const stale = (dataset: string, actual: string): Verdict =>
      verdict('stale-dataset', 'verdict.staleDataset.stale', { dataset, expected: '2026-11-20', actual });
    expect(sizes(stale('a', '2026-11-19'), stale('b', '2026-11-19'), stale('c', '2026-11-18'))).toEqual([2, 1]);
    const absent = (rule: string): Verdict => verdict(rule, 'verdict.absent', { fact: '/queues' }, 'NOT_MEASURED');
    expect(sizes(absent('dead-letters'), absent('backlog-growing'))).toEqual([1, 1]);
  });
  test('in the order of the first of each, under a name that no member has', () => {
    const groups = groupVerdicts(
      nameVerdicts([failed('0900', 'x', 'r'), failed('1000', 'y', 'r'), failed('1100', 'x', 'r')], '2026-11-20'),
    );
    expect(groups.map(({ members }) => members.map(({ key }) => key))).toEqual([
      ['run-failed task news/{date}/0900 x', 'run-failed task news/{date}/1100 x'],
      ['run-failed task news/{date}/1000 y'],
    ]);
    expect(groups[0]?.key).toBe('all run-failed task news/{date}/0900 x');
  });
});

test.each([
  ['runs', 'id', 'news/2026-11-20/0900', '/runs/news%2F2026-11-20%2F0900'],
  ['runs', 'lane', 'news', '/overview/news?date=2026-11-20'],
  ['runs', 'ledgerStatus', 'FAILED', null],
  ['tasks', 'runId', 'a/b', '/runs/a%2Fb'],
  ['tasks', 'dataset', 'etf_nav', '/facts?date=2026-11-20&axis=datasets&q=etf_nav'],
  ['tasks', 'dataset', '', null],
  ['tasks', 'dataset', null, null],
  ['datasets', 'id', 'etf_nav', '/facts?date=2026-11-20&axis=tasks&q=etf_nav'],
  ['etfLedger', 'etf', '069500', '/analyses?q=069500'],
  ['queues', 'name', 'work', '/facts?date=2026-11-20&axis=queues&q=work'],
  ['outputs', 'id', 'o.pub', null],
] as const)('%s.%s %s leads to %s', (axis, field, value, place) => {
  expect(placeOfFact(axis, field, value, '2026-11-20')).toBe(place);
});
