/** The model of a day against what can be reckoned by hand. */
import { expect, test } from 'vitest';
import { publicationTimes, simulateDay, type Costs, type Fleet } from './model.ts';

const COSTS: Costs = {
  handshake: 2_000,
  emptyPull: { cloud: 200, database: 100 },
  entryPull: { cloud: 400, database: 300 },
  furtherEntry: { cloud: 10, database: 20 },
  publication: 5_000,
  record: 10,
  emptyBytes: 1_000,
  entryBytes: 3_000,
  connectionKb: 100,
};
const FLEET: Fleet = {
  tenants: 6_000,
  processes: 2,
  databaseCores: 4,
  pollSeconds: 60,
  publications: 1_000,
  slowShare: 0.1,
  slowSeconds: 2,
  awayShare: 0.1,
  missed: 7_000,
};
const day = (fleet: Partial<Fleet> = {}, costs: Partial<Costs> = {}) =>
  simulateDay({ ...COSTS, ...costs }, { ...FLEET, ...fleet }, 1);
const NOBODY = { awayShare: 0, publications: 0, slowShare: 0 };

test('a day without news costs an empty pull of each tenant in each period', () => {
  const { cloudCores, databaseCoresUsed, gigabytesOut } = day(NOBODY, { handshake: 0 });
  expect(cloudCores.mean).toBeCloseTo((100 * 200) / 1_000_000);
  expect(databaseCoresUsed.mean).toBeCloseTo((100 * 100) / 1_000_000);
  expect(gigabytesOut).toBeCloseTo((100 * 86_400 * 1_000) / 1e9);
});

test('on an idle fleet the lag is the wait for the next pull, and a slow line adds its round trips', () => {
  const { lag, slowLag } = day({ awayShare: 0 });
  expect(lag.p50).toBeGreaterThan(28);
  expect(lag.p50).toBeLessThan(33);
  expect(lag.p99).toBeGreaterThan(58);
  expect(lag.p99).toBeLessThan(64);
  expect(slowLag.p50 - lag.p50).toBeGreaterThan(2);
  expect(slowLag.p50 - lag.p50).toBeLessThan(6);
});

test('publications wait for one another under the lock', () => {
  expect(publicationTimes([0, 1, 10], 3)).toEqual([
    { begun: 0, commit: 3 },
    { begun: 1, commit: 6 },
    { begun: 10, commit: 13 },
  ]);
});

test('a fleet whose publications take longer than the day leaves them late', () => {
  // 1,000 publications of 60 seconds each in 6.5 hours.
  expect(day({ awayShare: 0 }, { record: 10_000 }).lag.p99).toBeGreaterThan(3_600);
});

test('all connect again at once, by the processes side by side', () => {
  expect(day().reconnectSeconds).toBeCloseTo((6_000 * 0.002) / 2);
  expect(day({ ...NOBODY, processes: 4 }).reconnectSeconds).toBeCloseTo((6_000 * 0.002) / 4);
  // What arrives meanwhile waits for it.
  expect(day(NOBODY).longestWait.cloud).toBeGreaterThan(6);
});

test('10,000 that connect to one process take what was measured, within a fifth', () => {
  // A handshake of 1,890 µs, and 16.7 s by the bench "storm" (cloud/operations/guide/capacity.md).
  const { reconnectSeconds } = day({ ...NOBODY, tenants: 10_000, processes: 1 }, { handshake: 1_890 });
  expect(reconnectSeconds / 16.7).toBeGreaterThan(0.8);
  expect(reconnectSeconds / 16.7).toBeLessThan(1.2);
});

test('those that were away take what the others leave of the machines', () => {
  const { caughtUpSeconds } = day();
  // 600 tenants, 14 pulls each, at 300 + 499 * 20 µs of PostgreSQL's four cores, and of the cloud's two less.
  const least = (600 * 14 * (300 + 499 * 20)) / 1_000_000 / 4;
  expect(caughtUpSeconds).toBeGreaterThan(least * 0.95);
  expect(caughtUpSeconds).toBeLessThan(least * 2);
  expect(day(NOBODY).caughtUpSeconds).toBe(0);
});

test('the same seed gives the same day, another one another', () => {
  expect(day()).toEqual(day());
  expect(simulateDay(COSTS, FLEET, 2).lag).not.toEqual(day().lag);
});
