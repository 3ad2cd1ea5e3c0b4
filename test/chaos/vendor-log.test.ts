/** An altered row of the vendor's log is seen, at the first host of the database and after a fail-over. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CloudFixture } from '../faults/cloud/cloud-fixture.ts';
import { startPostgresPair, type PostgresPair } from '../support/postgres.ts';
import { verifyVendorLog } from './vendor-log.ts';

let pair: PostgresPair;
let clouds: CloudFixture;
let url: string;
beforeAll(async () => {
  pair = await startPostgresPair();
  clouds = await CloudFixture.start(Promise.resolve(pair));
  url = await clouds.initialised();
});
afterAll(() => clouds.clear());

const verify = (): Promise<string> => clouds.command(url, 'audit', 'verify');
const primary = (): string => url.replace(/,[^/]*/, '');

test('the checker passes the log and refuses it with an altered row', async () => {
  expect(await verifyVendorLog(primary(), verify)).toEqual([]);
});

test('a checker that finds nothing, and one that always finds something, are breaches', async () => {
  expect(await verifyVendorLog(primary(), () => Promise.resolve(''))).toEqual([
    expect.stringContaining('does not see an altered row'),
  ]);
  const broken = (): Promise<string> => Promise.reject(new Error('audit verify ended with 1: '));
  expect(await verifyVendorLog(primary(), broken)).toEqual([expect.stringContaining('audit verify ended with 1')]);
});

test('after a fail-over', async () => {
  await pair.promote();
  const standby = pair.standbyOf(url);
  expect(await verifyVendorLog(standby, () => clouds.command(standby, 'audit', 'verify'))).toEqual([]);
});
