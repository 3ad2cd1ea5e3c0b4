/** Each rule of each promise is broken on purpose: the checker names that promise, and no other. */
import { expect, test } from 'vitest';
import { BROKEN_DECISIONS, HELD_DECISIONS } from './broken-decisions.ts';
import { BROKEN_DELIVERY, HELD_DELIVERY } from './broken-delivery.ts';
import { whole, type Change } from './history-fixture.ts';
import { breachesOf, PROMISES } from './promises.ts';

const BROKEN: Record<keyof typeof PROMISES, Record<string, Change>> = { ...BROKEN_DELIVERY, ...BROKEN_DECISIONS };
const HELD: Record<string, Change> = { 'nothing is changed': () => undefined, ...HELD_DELIVERY, ...HELD_DECISIONS };

/** The broken promises of a history. A recorder writes operations down in any order, so the opposite order is checked too. */
function namesOf(change: Change): string[][] {
  return [false, true].map((isReversed) => {
    const history = whole();
    change(history);
    if (isReversed) history.operations.reverse();
    return [...new Set(breachesOf(history).map((breach) => breach.split(':')[0] ?? ''))];
  });
}

test.each(Object.entries(HELD))('no promise is broken: %s', (_, change) => {
  expect(namesOf(change)).toEqual([[], []]);
});

const broken = Object.entries(BROKEN).flatMap(([name, changes]) =>
  Object.entries(changes).map(([what, change]) => [name, what, change] as const),
);

test.each(broken)('%s is broken: %s', (name, _, change) => {
  expect(namesOf(change)).toEqual([[name], [name]]);
});

test('every promise is broken at least once', () => {
  expect(new Set(broken.map(([name]) => name))).toEqual(new Set(Object.keys(PROMISES)));
});
