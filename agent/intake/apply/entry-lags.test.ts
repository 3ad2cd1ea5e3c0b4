/** How long entries took, and how long the oldest waits (D235): with bundles that are committed and applied. */
import { beforeEach, expect, test } from 'vitest';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { rebuildLedger } from '../maintenance/rebuild.ts';
import { commitEntries, invalidationAt, newAt, partsOn, type WholeParts } from '../../../test/support/agent/intake.ts';
import { applyNext } from './apply.ts';
import { EntryLags, OldestUnapplied } from './entry-lags.ts';
import type { RawEntry } from './entry.ts';
import { withdraw } from './withdrawals.ts';

const START = Date.parse('2026-11-20T08:00:00.000Z');

let ledger: Ledger;
let parts: WholeParts;
let now: number;
let measured: [kind: string, issuedToCommitted: number | null, committedToApplied: number][];
beforeEach(() => {
  ({ ledger } = testLedger());
  now = START;
  measured = [];
  const lags = new EntryLags(new Date(START), (kind, { issuedToCommitted, committedToApplied }) =>
    measured.push([kind, issuedToCommitted, committedToApplied]),
  );
  parts = { ...partsOn(ledger, at(0)), clock: { now: () => new Date(now) }, lags };
});

const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();
const later = (seconds: number): void => void (now += seconds * 1_000);
const issued = (seconds: number, entry: RawEntry): RawEntry => ({ ...entry, issued_at: at(seconds) });
/** Commits at the present moment. */
const commit = (...entries: RawEntry[]): void => commitEntries(ledger, entries, at((now - START) / 1_000));

test('an entry that was issued since the start is measured with its kind, from issue to commit and from there to its application', () => {
  later(10);
  commit(issued(9.6, newAt(1, 'a')), issued(12, newAt(2, 'ahead')), newAt(3, 'silent'), {
    ...newAt(4, 'odd'),
    issued_at: 'yesterday',
  });
  later(2);
  while (applyNext(parts));
  expect(measured).toEqual([
    ['NEW', 0.4, 2],
    // The vendor's clock is ahead.
    ['NEW', 0, 2],
    // A cloud from before.
    ['NEW', null, 2],
    ['NEW', null, 2],
  ]);
  measured.length = 0;
  takeInNow(issued(11, invalidationAt(5, 'a')));
  expect(measured).toEqual([['INVALIDATION', 1, 0]]);
});

test('no news is what was issued before the start, what changes nothing, and what a rebuild applies again', () => {
  later(10);
  commit(issued(-1, newAt(1, 'old')), issued(9, newAt(2, 'a')), issued(9, invalidationAt(3, 'unknown')));
  while (applyNext(parts));
  expect(measured).toEqual([['NEW', 1, 0]]);
  takeInNow(issued(9, newAt(4, 'a')));
  rebuildLedger(parts);
  expect(measured).toHaveLength(1);
});

test('the oldest entry and the oldest withdrawal that wait, until they are applied or the text is off', () => {
  const oldest = new OldestUnapplied();
  const waits = () => oldest.at(ledger, new Date(now));
  expect(waits()).toEqual({ entry: 0, withdrawal: 0 });
  takeInNow(newAt(1, 'a'), newAt(2, 'b'));
  commit(newAt(3, 'c'));
  later(30);
  // Its text has not come, and so is not exposed.
  commit(invalidationAt(4, 'later'), invalidationAt(5, 'a'));
  later(30);
  commit(invalidationAt(6, 'b'));
  later(5);
  expect(waits()).toEqual({ entry: 65, withdrawal: 35 });
  // Another process withdraws ahead of the backlog.
  ledger.write((tx) => withdraw(tx, explanationId('a'), { cursor: 5, reason: 'r' }, at(65)));
  expect(waits()).toEqual({ entry: 65, withdrawal: 5 });
  while (applyNext(parts));
  expect(waits()).toEqual({ entry: 0, withdrawal: 0 });
});

function takeInNow(...entries: RawEntry[]): void {
  commit(...entries);
  while (applyNext(parts));
}
