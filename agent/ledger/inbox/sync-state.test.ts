/** The fields of the sync status, beside its state, that describe a stopped reception (D55, fault 18). */
import { beforeEach, describe, expect, test } from 'vitest';
import { commitBundle, readCursors } from './raw-bundles.ts';
import { recordApplyFault, recordPull, recordPullFailure, syncStatus } from './sync-state.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import type { Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';

let ledger: Ledger;
beforeEach(() => ({ ledger } = testLedger()));

/** A Monday, in Korea too. */
const MONDAY = '2026-11-16T06:30:00.000Z';
const at = (instant: string): Date => new Date(instant);

const BUNDLE = {
  cursorFrom: 0,
  cursorTo: 3,
  bundleId: 'b',
  entryCount: 3,
  tenantId: 7,
  body: Buffer.from('x'),
  signature: null,
  statement: null,
  receivedAt: MONDAY,
};

function received(head: number | null = 9): void {
  const cursorFrom = readCursors(ledger).committed;
  ledger.write((tx) => {
    commitBundle(tx, { ...BUNDLE, cursorFrom, cursorTo: cursorFrom + 3 });
    recordPull(tx, { at: MONDAY, nextBy: null, head });
  });
}
const nothing = (withheld: boolean, head: number | null = 9, nextBy: string | null = null): void =>
  ledger.write((tx) => recordPull(tx, { at: MONDAY, nextBy, head, withheld }));
const alarms = (now = MONDAY): string[] =>
  syncStatus(ledger, at(now)).alarms.filter((alarm) => alarm !== 'NOT_APPLIED');

describe('STALLED: the cloud announces records and gives none', () => {
  test('once or twice may be chance, three times is not; the next bundle ends it', () => {
    received();
    for (const expected of [[], [], ['STALLED'], ['STALLED']]) {
      nothing(true);
      expect(alarms()).toEqual(expected);
    }
    expect(syncStatus(ledger, at(MONDAY))).toMatchObject({ state: 'OK', head: 9, lag: 6 });
    received();
    expect(alarms()).toEqual([]);
  });
  test('an answer at the head restarts the count, and a failure has a state of its own', () => {
    received();
    for (const withheld of [true, true, false, true, true]) nothing(withheld);
    expect(alarms()).toEqual([]);
    nothing(true);
    ledger.write((tx) => recordPullFailure(tx, { at: MONDAY, state: 'RETRYING', code: 'x', message: 'x' }));
    expect(alarms()).toEqual(['NOT_OK']);
  });
});

test('the newest statement stays, with the moment when it came, where an older one comes after it', () => {
  const pulled = (seenAt: string, statedAt: string | null) => {
    ledger.write((tx) => recordPull(tx, { at: seenAt, nextBy: null, head: 9, statedAt }));
    return ledger.first(sqlite.selectFrom('sync_state').select(['statement_at', 'statement_seen_at']));
  };
  const newest = { statement_at: '2026-11-16T06:31:00.000Z', statement_seen_at: '2026-11-16T06:30:00.000Z' };
  expect(pulled(newest.statement_seen_at, newest.statement_at)).toEqual(newest);
  for (const other of ['2026-11-16T06:29:00.000Z', null])
    expect(pulled('2026-11-16T06:30:30.000Z', other)).toEqual(newest);
  const next = { statement_at: '2026-11-16T06:32:00.000Z', statement_seen_at: '2026-11-16T06:31:30.000Z' };
  expect(pulled(next.statement_seen_at, next.statement_at)).toEqual(next);
});

describe('NOT_ASKING: the Intake does not run', () => {
  test('is raised some minutes after the next pull should have begun, and ends with it', () => {
    received(null);
    nothing(false, null, '2026-11-16T06:31:06.000Z');
    expect(alarms('2026-11-16T06:34:00.000Z')).toEqual([]);
    expect(alarms('2026-11-16T06:34:07.000Z')).toEqual(['NOT_ASKING']);
    nothing(false, null, '2026-11-16T06:40:00.000Z');
    expect(alarms('2026-11-16T06:34:07.000Z')).toEqual([]);
  });
  test('is raised where the last attempt lies ahead: the clock was set back, and no pull has begun since', () => {
    received(null);
    nothing(false, null, '2026-11-16T06:31:06.000Z');
    expect(alarms('2026-11-16T06:28:00.000Z')).toEqual([]);
    expect(alarms('2026-11-15T06:30:00.000Z')).toEqual(['NOT_ASKING']);
  });
  test('is not raised for a ledger that no Intake has worked on', () =>
    expect(alarms('2030-01-01T00:00:00.000Z')).toEqual([]));
});

describe('QUIET: every answer is good and nothing comes', () => {
  test.each([
    ['2026-11-18T14:59:59.000Z', []],
    ['2026-11-18T15:00:00.000Z', ['QUIET']],
  ])('whole weekdays without a record, at %s', (now, expected) => {
    received(null);
    nothing(false, null);
    expect(alarms(now)).toEqual(expected);
  });
  test('is raised also where no record has ever come', () => {
    nothing(false, null);
    expect([alarms('2026-11-18T14:59:59.000Z'), alarms('2026-11-18T15:00:00.000Z')]).toEqual([[], ['QUIET']]);
  });
  test('not over holidays, however long', () => {
    // Chuseok 2026 ends on Saturday 26 September.
    nothing(false, null);
    ledger.write((tx) =>
      commitBundle(tx, { ...BUNDLE, cursorTo: 1, entryCount: 1, receivedAt: '2026-09-22T06:30:00.000Z' }),
    );
    expect(alarms('2026-09-28T14:59:59.000Z')).toEqual([]);
    expect(alarms('2026-09-28T15:00:00.000Z')).toEqual(['QUIET']);
  });
  test('is not raised where the state or another alarm says more', () => {
    received(null);
    nothing(false, null, MONDAY);
    expect(alarms('2026-11-30T00:00:00.000Z')).toEqual(['NOT_ASKING']);
    for (let poll = 0; poll < 3; poll++) nothing(true);
    expect(alarms('2026-11-30T00:00:00.000Z')).toEqual(['STALLED']);
    ledger.write((tx) => recordPullFailure(tx, { at: MONDAY, state: 'FORBIDDEN', code: 'x', message: 'x' }));
    expect(alarms('2026-11-30T00:00:00.000Z')).toEqual(['NOT_OK']);
  });
});

test('a fault of applying is reported until it ends, behind an error of the reception', () => {
  received();
  const fault = { at: MONDAY, code: 'RAW_DAMAGED', message: 'The raw bundle after cursor 0 …' };
  ledger.write((tx) => recordApplyFault(tx, fault));
  // The same fault again keeps the first time.
  ledger.write((tx) => recordApplyFault(tx, { ...fault, at: '2026-11-16T07:00:00.000Z' }));
  expect(syncStatus(ledger, at(MONDAY))).toMatchObject({ state: 'OK', lastError: fault });
  expect(alarms()).toEqual(['RAW_DAMAGED']);
  ledger.write((tx) => recordPullFailure(tx, { at: MONDAY, state: 'RETRYING', code: 'COMMON503', message: 'x' }));
  expect(syncStatus(ledger, at(MONDAY)).lastError?.code).toBe('COMMON503');
  expect(alarms()).toEqual(['NOT_OK', 'RAW_DAMAGED']);
  nothing(false);
  ledger.write((tx) => recordApplyFault(tx, null));
  expect(syncStatus(ledger, at(MONDAY)).lastError).toBeNull();
});

describe('connected and waiting for news (D223)', () => {
  const wait = (seconds: number | null): void =>
    ledger.write((tx) =>
      recordPull(tx, {
        at: MONDAY,
        nextBy: MONDAY,
        head: 9,
        waitSeconds: seconds,
        cutSeconds: seconds === null ? 20 : null,
      }),
    );
  const waits = (now: string): unknown[] => {
    const { waitSeconds, waitCutSeconds } = syncStatus(ledger, at(now));
    return [waitSeconds, waitCutSeconds];
  };

  test('is a state of its own until the answer is overdue, and raises no alarm', () => {
    wait(45);
    expect(waits(MONDAY)).toEqual([45, null]);
    expect(waits('2026-11-16T06:31:00.000Z')).toEqual([45, null]);
    expect(waits('2026-11-16T06:31:30.000Z')).toEqual([null, null]);
    expect(alarms('2026-11-16T06:31:00.000Z')).toEqual([]);
    expect(alarms('2026-11-16T06:34:00.000Z')).toEqual(['NOT_ASKING']);
  });
  test('ends with a pull by the period, and with a failure; what cuts waits stays told', () => {
    wait(45);
    wait(null);
    expect(waits(MONDAY)).toEqual([null, 20]);
    wait(45);
    ledger.write((tx) =>
      recordPullFailure(tx, { at: MONDAY, state: 'RETRYING', code: 'x', message: 'x', cutSeconds: 20 }),
    );
    expect(waits(MONDAY)).toEqual([null, 20]);
  });
});
