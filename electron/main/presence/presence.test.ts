import { expect, test } from 'vitest';
import type { ConsoleReport } from '../../../shared/wire/console/program.ts';
import { arrivalOf } from './presence.ts';

const report = (waiting: number | null, id: string | null): ConsoleReport => ({
  language: 'ko',
  sync: 'OK',
  waiting,
  newest: id === null ? null : { id, name: `ETF ${id}` },
});

test('one more item and a new newest one: an arrival', () => {
  expect(arrivalOf(report(3, 'a'), report(4, 'b'))).toEqual({ kind: 'waiting', id: 'b', name: 'ETF b', count: 4 });
  expect(arrivalOf(report(0, null), report(1, 'a'))).toEqual({ kind: 'waiting', id: 'a', name: 'ETF a', count: 1 });
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

test('a colleague has requested an opinion, one more than before', () => {
  const asked = (count: number, id: string | null): ConsoleReport => ({
    ...report(3, 'a'),
    asked: { count, newest: id === null ? null : { id, name: `ETF ${id}` } },
  });
  const told = { kind: 'asked', id: 'b', name: 'ETF b', count: 1 };
  expect(arrivalOf(asked(0, null), asked(1, 'b'))).toEqual(told);
  // An item that arrives at the same moment is in the tray's count.
  expect(
    arrivalOf(asked(0, null), { ...asked(1, 'b'), ...report(4, 'c'), asked: asked(1, 'b').asked ?? null }),
  ).toEqual(told);
  expect(arrivalOf(asked(2, 'b'), asked(1, 'a'))).toBeNull();
  expect(arrivalOf(report(3, 'a'), asked(1, 'b'))).toBeNull();
  expect(arrivalOf({ ...report(3, 'a'), asked: null }, asked(1, 'b'))).toBeNull();
});
