import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ledger } from '../ledger/storage/ledger.ts';
import { sqlite } from '../ledger/storage/query.ts';
import { testLedger } from '../../test/support/agent/ledger.ts';
import { readableLog, type LogLine } from '../../test/support/agent/intake.ts';
import { servedOf, servedPeriods } from '../ledger/serving/served.ts';
import { addTraffic, rollUpTraffic, trafficTotals } from '../ledger/serving/traffic.ts';
import { TrafficCounter } from './traffic.ts';

let ledger: Ledger;
let file: string;
let lines: LogLine[];
let now: Date;
let counter: TrafficCounter;
beforeEach(() => {
  ({ ledger, file } = testLedger());
  now = new Date('2026-11-20T08:00:59.999Z');
  const readable = readableLog();
  ({ lines } = readable);
  counter = new TrafficCounter({ ledger, clock: { now: () => now }, log: readable.log, flushMs: 20 });
});
afterEach(async () => {
  await counter.close(0);
});

const MINUTE = Date.parse('2026-11-20T08:00:00Z') / 60_000;
const written = () =>
  ledger.all(sqlite.selectFrom('traffic_minute').selectAll().orderBy('minute').orderBy('channel').orderBy('outcome'));
const total = () => written().reduce((sum, row) => sum + row.requests, 0);

/** Another process that holds the ledger's write lock. */
function holdLedger(): { release(): void } {
  const holder = new Database(file);
  holder.exec('BEGIN IMMEDIATE');
  return {
    release: () => {
      holder.exec('ROLLBACK');
      holder.close();
    },
  };
}

const states = (...ids: string[]) => ids.map((id) => ({ id, afterMove: 1, afterFact: 1 }));

test('served texts are counted by explanation and channel, with the first and the last time', async () => {
  counter.count('MTS', 'SERVED', states('x', 'y'));
  now = new Date('2026-11-20T08:01:00.000Z');
  counter.count('MTS', 'SERVED', states('x'));
  counter.count('WEB', 'SERVED', states('x'));
  await expect.poll(() => servedOf(ledger, 'x').length).toBe(2);
  now = new Date('2026-11-20T08:02:00.000Z');
  counter.count('MTS', 'SERVED', states('x'));
  await expect.poll(() => servedOf(ledger, 'x')[0]?.times).toBe(3);
  expect(servedOf(ledger, 'x')).toEqual([
    { channel: 'MTS', times: 3, firstAt: '2026-11-20T08:00:59.999Z', lastAt: '2026-11-20T08:02:00.000Z' },
    { channel: 'WEB', times: 1, firstAt: '2026-11-20T08:01:00.000Z', lastAt: '2026-11-20T08:01:00.000Z' },
  ]);
  expect(servedOf(ledger, 'y').map(({ times }) => times)).toEqual([1]);
});

test('requests of another Korean day, or answered after another change, are counted apart', async () => {
  counter.count('MTS', 'SERVED', states('x'));
  counter.count('MTS', 'SERVED', [{ id: 'x', afterMove: 1, afterFact: 2 }]);
  now = new Date('2026-11-20T14:59:59.999Z');
  counter.count('MTS', 'SERVED', states('x'));
  now = new Date('2026-11-20T15:00:00.000Z');
  counter.count('MTS', 'SERVED', states('x'));
  await expect.poll(() => servedPeriods(ledger, 'x').length).toBe(3);
  expect(servedPeriods(ledger, 'x').map(({ times, afterFact }) => [times, afterFact])).toEqual([
    [2, 1],
    [1, 2],
    [1, 1],
  ]);
  expect(servedOf(ledger, 'x')).toMatchObject([{ times: 4, lastAt: '2026-11-20T15:00:00.000Z' }]);
});

test('requests are counted by minute, channel and outcome, and reach the ledger by themselves', async () => {
  for (let i = 0; i < 3; i++) counter.count('MTS', 'SERVED');
  counter.count('MTS', 'NOT_FOUND');
  counter.count('', 'UNAUTHORIZED');
  now = new Date('2026-11-20T08:01:00.000Z');
  counter.count('MTS', 'SERVED');
  await expect.poll(total).toBe(6);
  counter.count('MTS', 'SERVED');
  await expect.poll(total).toBe(7);
  expect(written()).toEqual([
    { minute: MINUTE, channel: '', outcome: 'UNAUTHORIZED', requests: 1 },
    { minute: MINUTE, channel: 'MTS', outcome: 'NOT_FOUND', requests: 1 },
    { minute: MINUTE, channel: 'MTS', outcome: 'SERVED', requests: 3 },
    { minute: MINUTE + 1, channel: 'MTS', outcome: 'SERVED', requests: 2 },
  ]);
});

describe('while the ledger is busy', () => {
  test('counts wait and add up, and no request waits for them', async () => {
    const held = holdLedger();
    const began = performance.now();
    counter.count('MTS', 'SERVED');
    expect(counter.flush()).toBe(false);
    counter.count('MTS', 'SERVED');
    expect(counter.flush()).toBe(false);
    // The connection itself would wait for ten seconds.
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(lines).toEqual([]);
    held.release();
    await expect.poll(total).toBe(2);
  });
  test('a ledger that stays busy for a minute is reported once', async () => {
    const held = holdLedger();
    counter.count('MTS', 'SERVED');
    counter.flush();
    now = new Date(now.getTime() + 60_000);
    counter.flush();
    counter.flush();
    expect(lines).toMatchObject([{ level: 40 }]);
    held.release();
    await expect.poll(total).toBe(1);
  });
  test('a ledger that cannot be written is reported once', async () => {
    counter.count('MTS', 'SERVED');
    const reader = new Database(file);
    reader.exec('ALTER TABLE traffic_minute RENAME TO elsewhere');
    expect(counter.flush()).toBe(false);
    expect(counter.flush()).toBe(false);
    expect(lines).toMatchObject([{ level: 40 }]);
    reader.exec('ALTER TABLE elsewhere RENAME TO traffic_minute');
    reader.close();
    await expect.poll(total).toBe(1);
  });
  test('the last counts are retried for a while at the end', async () => {
    const held = holdLedger();
    counter.count('MTS', 'SERVED');
    const closing = counter.close(10_000);
    held.release();
    await closing;
    expect(total()).toBe(1);
  });
  test('counts that cannot be written are logged, not lost in silence', async () => {
    const held = holdLedger();
    counter.count('WEB', 'SERVED');
    await counter.close(0);
    expect(lines.at(-1)).toMatchObject({
      level: 50,
      counts: [{ minute: MINUTE, channel: 'WEB', outcome: 'SERVED', requests: 1 }],
    });
    held.release();
  });
});

test('counts older than a week are kept by the hour, and none is lost', () => {
  const HOUR = 60;
  const now = new Date('2026-11-20T08:30:00.000Z');
  const minute = Math.floor(now.getTime() / 60_000);
  const week = 7 * 24 * HOUR;
  const add = (before: number, requests: number): void =>
    ledger.write((tx) => addTraffic(tx, [{ minute: minute - before, channel: 'MTS', outcome: 'SERVED', requests }]));
  add(0, 1);
  add(week - 1, 2);
  // Half of the hour that is a week ago is younger than a week: it stays whole.
  add(week + 1, 4);
  add(week + 31, 8);
  add(week + 32, 16);
  const rolled = (): number => ledger.write((tx) => rollUpTraffic(tx, now));
  expect(rolled()).toBe(2);
  expect(rolled()).toBe(0);
  add(week + 33, 32);
  expect(rolled()).toBe(1);
  expect(ledger.read(trafficTotals)).toEqual([{ channel: 'MTS', outcome: 'SERVED', requests: 63 }]);
  const hours = new Database(ledger.file, { readonly: true });
  expect(hours.prepare('SELECT hour, requests FROM traffic_hour').all()).toEqual([
    { hour: Math.floor((minute - week - 31) / HOUR), requests: 56 },
  ]);
  hours.close();
});
