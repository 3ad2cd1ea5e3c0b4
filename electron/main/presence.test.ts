import { expect, test } from 'vitest';
import type { ConsoleReport } from '../../shared/wire/program.ts';
import { arrivalOf } from './presence.ts';

const report = (waiting: number | null, id: string | null): ConsoleReport => ({
  language: 'ko',
  sync: 'OK',
  waiting,
  newest: id === null ? null : { id, name: `ETF ${id}` },
});

test('one more, and another one in front: it has come', () => {
  expect(arrivalOf(report(3, 'a'), report(4, 'b'))).toEqual({ id: 'b', name: 'ETF b' });
  expect(arrivalOf(report(0, null), report(1, 'a'))).toEqual({ id: 'a', name: 'ETF a' });
});

test.each([
  ['the first look after a login', null, report(4, 'b')],
  ['the first report with a number', report(null, null), report(4, 'b')],
  ['a decision', report(4, 'b'), report(3, 'a')],
  ['the newest decided, the next one before it', report(4, 'b'), report(4, 'a')],
  ['nothing new', report(4, 'b'), report(4, 'b')],
  ['somebody who may not decide', report(3, null), report(4, null)],
  ['a logout', report(3, 'a'), report(null, null)],
])('%s is no arrival', (_what, before, now) => {
  expect(arrivalOf(before, now)).toBeNull();
});
