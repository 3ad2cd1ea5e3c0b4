import { expect, test } from 'vitest';
import type { ConsoleReport } from '../../../shared/wire/console/program.ts';
import { LastAnswer } from './last-response.ts';

const MINUTE = 60_000;
const report = (queue: ConsoleReport['queue'], waiting: number | null = 5): ConsoleReport => ({
  language: 'ko',
  sync: 'OK',
  waiting,
  newest: null,
  ...(queue === undefined ? {} : { queue }),
});

test('both ages grow from the page’s last report', () => {
  const last = new LastAnswer();
  expect(last.seen(0)).toBeNull();
  last.take(report({ answeredMs: 0, oldestMs: 30 * MINUTE }), 10 * MINUTE);
  expect(last.seen(13 * MINUTE)).toEqual({
    answeredMs: 3 * MINUTE,
    queue: { waiting: 5, oldestMs: 33 * MINUTE },
  });
});

test('a report of an earlier answer does not make a later one older', () => {
  const last = new LastAnswer();
  last.heard(10 * MINUTE);
  last.take(report({ answeredMs: 8 * MINUTE, oldestMs: null }, 0), 11 * MINUTE);
  expect(last.seen(12 * MINUTE)).toEqual({ answeredMs: 2 * MINUTE, queue: { waiting: 0, oldestMs: null } });
});

test.each([
  ['somebody who has logged out', report(null, null)],
  ['an older console', report(undefined)],
])('%s leaves no queue behind, and the answer stays', (_who, told) => {
  const last = new LastAnswer();
  last.take(report({ answeredMs: 0, oldestMs: 1 }), 0);
  last.take(told, MINUTE);
  expect(last.seen(MINUTE)).toEqual({ answeredMs: MINUTE, queue: null });
});
