/**
 * A process that crashes while it applies leaves no exception behind. These tests hold the reaction of the next
 * process.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLedger, sqlite, type Ledger } from '../../ledger/storage/ledger.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { syncStatus } from '../../ledger/inbox/sync-state.ts';
import { applyNext } from './apply.ts';
import { announce, planAttempt } from './attempts.ts';
import { replayRejected } from '../maintenance/replay.ts';
import { commitEntries, explanationRow, invalidationAt, newAt, partsOn, type WholeParts } from '../testing.ts';
import { verifyLedger } from '../maintenance/verify.ts';

const AT = '2026-11-20T00:00:00.000Z';
const COUNT = 5;
let ledger: Ledger;
let parts: WholeParts;
beforeEach(() => {
  ledger = openLedger(':memory:');
  parts = partsOn(ledger);
  commitEntries(
    ledger,
    Array.from({ length: COUNT }, (_, index) => newAt(index + 1, `e${index + 1}`)),
    AT,
  );
});
afterEach(() => ledger.close());

/** Process `name` applies until nothing is left, or crashes at a cursor. */
function run(by: string, endsAt: number | null): void {
  for (;;) {
    const { applied, committed } = readCursors(ledger);
    if (applied === committed) return;
    const plan = planAttempt(ledger, applied, by, 1_000);
    const isReached = endsAt !== null && (plan.singly === 0 || applied + 1 === endsAt);
    if (isReached && plan.ended < 2) {
      ledger.write((tx) => announce(tx, plan, AT));
      return;
    }
    applyNext({ ...parts, by });
  }
}
const status = () => syncStatus(ledger, new Date(AT));
const rejected = () => ledger.all(sqlite.selectFrom('rejected_entry').select(['cursor', 'reason']));

test('the entry at which two processes ended is rejected, and the others are applied', () => {
  run('first', 3);
  expect(readCursors(ledger).applied).toBe(0);
  run('second', 3);
  expect(readCursors(ledger).applied).toBe(2);
  run('third', 3);
  expect(readCursors(ledger).applied).toBe(2);
  expect(status().lastError).toMatchObject({ code: 'PROCESS_ENDED' });
  run('fourth', 3);
  expect(readCursors(ledger).applied).toBe(COUNT);
  expect(rejected()).toEqual([{ cursor: 3, reason: expect.stringContaining('ended 2 times') as string }]);
  expect(status()).toMatchObject({ rejectedEntries: 1, lastError: null, alarms: ['REJECTED_ENTRIES'] });
  expect(explanationRow(ledger, 'e3')).toBeUndefined();
  for (const id of ['e1', 'e2', 'e4', 'e5']) expect(explanationRow(ledger, id)).toBeDefined();
  expect(verifyLedger(ledger).findings).toEqual([]);
  // An update that copes with it applies it by the way that there is for rejected entries.
  expect(replayRejected(parts).applied).toEqual([3]);
  expect(explanationRow(ledger, 'e3')).toBeDefined();
});

test('an entry that is applied alone is read alone: a neighbour that is too large to be read crashes no process before its turn', () => {
  commitEntries(ledger, [newAt(COUNT + 1, 'neighbour')], AT);
  run('first', 1);
  const read: number[] = [];
  const watched = Object.assign(Object.create(ledger) as Ledger, {
    first: ((query: Parameters<Ledger['first']>[0]) => {
      const row = ledger.first(query);
      if (typeof row === 'object' && row !== null && 'body' in row && 'cursorTo' in row)
        read.push(Number(row.cursorTo));
      return row;
    }) as Ledger['first'],
  });
  for (const method of ['all', 'write'] as const)
    Object.assign(watched, { [method]: (ledger[method] as () => unknown).bind(ledger) });
  applyNext({ ...parts, ledger: watched, by: 'second' });
  expect([readCursors(ledger).applied, read]).toEqual([1, [COUNT]]);
});

test('a withdrawal is never rejected for a crash: the withdrawn text would stay exposed', () => {
  commitEntries(ledger, [invalidationAt(COUNT + 1, 'e1')], AT);
  for (const name of ['first', 'second', 'third', 'fourth']) run(name, COUNT + 1);
  expect(rejected()).toEqual([]);
  expect(explanationRow(ledger, 'e1')?.status).toBe('INVALIDATED');
});

test('one crash costs nothing but applying entry by entry', () => {
  run('first', 3);
  run('second', null);
  expect(readCursors(ledger).applied).toBe(COUNT);
  expect(rejected()).toEqual([]);
});

test('the next process reports the crash while it goes on', () => {
  run('first', 1);
  ledger.write((tx) => announce(tx, planAttempt(ledger, 0, 'second', 1_000), AT));
  expect(status()).toMatchObject({ lastError: { code: 'PROCESS_ENDED' }, alarms: ['NOT_APPLIED'] });
});

test('an error that the process survives does not count as a crash', () => {
  const failing = { ...parts, ledger: { ...ledger, all: ledger.all, first: ledger.first, write: ledger.write } };
  const whole = failing.ledger.write.bind(ledger);
  let writes = 0;
  failing.ledger.write = ((work: Parameters<Ledger['write']>[0]) => {
    writes += 1;
    if (writes === 2) throw Object.assign(new Error('disk'), { code: 'SQLITE_FULL' });
    return whole(work);
  }) as Ledger['write'];
  failing.ledger.all = ledger.all.bind(ledger);
  failing.ledger.first = ledger.first.bind(ledger);
  expect(() => applyNext({ ...failing, by: 'first' })).toThrow('disk');
  expect(planAttempt(ledger, 0, 'second', 1_000)).toMatchObject({ hasEnded: false, singly: 0, ended: 0 });
});
