/** Another program in the ledger's write lock, as another connection to the same file. */
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import type { Ledger } from './ledger.ts';
import { syncStatus } from '../inbox/sync-state.ts';
import { LedgerLockedError } from './errors.ts';
import { ledgerAnswer } from './fault-answers.ts';
import { HELD_BY_ANOTHER, HELD_MS, isHeldByAnother, WriteLockWatch } from './write-lock.ts';

let ledger: Ledger;
let other: Database.Database;
let now: number;
let watch: WriteLockWatch;
beforeEach(() => {
  ({ ledger } = testLedger());
  other = new Database(ledger.file);
  now = 0;
  watch = new WriteLockWatch(ledger, () => now);
});
afterEach(() => {
  other.close();
});

test('ten seconds without the lock and without a commit are told, and the end of it', () => {
  expect([watch.look(), watch.isHeld]).toEqual([false, false]);
  other.exec('BEGIN IMMEDIATE');
  watch.look();
  now = HELD_MS - 1;
  expect([watch.look(), watch.isHeld]).toEqual([true, false]);
  now = HELD_MS;
  expect([watch.look(), watch.isHeld]).toEqual([true, true]);
  other.exec('COMMIT');
  expect([watch.look(), watch.isHeld]).toEqual([false, false]);
});

test('programs that take turns hold nothing up, however often the lock is taken', () => {
  other.exec('CREATE TABLE turn (n)');
  for (let turn = 0; turn < 20; turn += 1, now += 1_000) {
    other.exec(`BEGIN IMMEDIATE; INSERT INTO turn VALUES (${turn})`);
    expect([watch.look(), watch.isHeld]).toEqual([true, false]);
    other.exec('COMMIT');
  }
});

test('a program that takes turns with itself after seconds of silence is told, until the lock is free once', () => {
  other.exec('CREATE TABLE turn (n)');
  const told: boolean[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    other.exec(`BEGIN IMMEDIATE; INSERT INTO turn VALUES (${turn})`);
    for (let second = 0; second < 7; second += 1, now += 1_000) watch.look();
    told.push(watch.isHeld);
    other.exec('COMMIT');
  }
  expect(told).toEqual([false, false, false, true, true]);
  expect([watch.look(), watch.isHeld]).toEqual([false, false]);
});

test('readers do not count, and a command that finds the lock free does not wait', async () => {
  other.exec('BEGIN; SELECT count(*) FROM sqlite_master');
  expect(watch.look()).toBe(false);
  expect(await isHeldByAnother(ledger.file)).toBe(false);
  expect(await isHeldByAnother(`${ledger.file}.none`)).toBe(false);
});

test('a command waits until it knows, and no longer than the lock is held', async () => {
  other.exec('BEGIN IMMEDIATE');
  expect(await isHeldByAnother(ledger.file, 10)).toBe(true);
  const asked = isHeldByAnother(ledger.file, 60_000);
  other.exec('COMMIT');
  expect(await asked).toBe(false);
});

test('the status tells it as an alarm and as its last error; the answer of a refused change says who is in the way', () => {
  const status = (isHeld: boolean) => ledger.read((reader) => syncStatus(reader, new Date(0), isHeld));
  expect(status(true)).toMatchObject({
    alarms: ['LEDGER_HELD'],
    lastError: { code: 'LEDGER_HELD', message: HELD_BY_ANOTHER },
  });
  expect(status(false)).toMatchObject({ alarms: [], lastError: null });
  expect(ledgerAnswer(new LedgerLockedError(ledger.file))).toMatchObject({
    code: 'COMMON503',
    message: HELD_BY_ANOTHER,
  });
});
