/**
 * The read replica stops under load, and takes over as the primary (D177): pulls go on without an error, a hole or a
 * double, whatever it had applied.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { live } from '../../support/cloud/loads.ts';
import type { Bundle } from '../../../shared/wire/bundle.ts';
import { startPostgresPair, type PostgresPair } from '../../support/postgres.ts';
import { waitFor } from '../../support/process.ts';
import { CloudFixture, type Cloud } from './cloud-fixture.ts';

let pair: PostgresPair;
let clouds: CloudFixture;
beforeAll(async () => {
  pair = await startPostgresPair({ isWaiting: false });
  clouds = await CloudFixture.start(Promise.resolve(pair));
});
afterAll(() => clouds.clear());

async function countOf(cloud: Cloud, outcome: string): Promise<number> {
  const { url } = await cloud.part.listening('metrics');
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`replica_bundles_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
}

test('pulls go on while the replica is silent, when it is back, and when it has become the primary', async () => {
  const url = await clouds.initialised();
  const tenant = await clouds.tenant(url, 'one');
  const cloud = await clouds.cloud(url, { readUrl: pair.standbyOf(url) });
  const received: Bundle['entries'] = [];
  let number = 0;
  const heads: number[] = [];
  /** Publishes and pulls until the replica has counted such a bundle. */
  const goOn = async (outcome: string): Promise<void> => {
    const before = await countOf(cloud, outcome);
    await waitFor(`a bundle that was ${outcome}`, async () => {
      // Where the load fails it is repeated by its id.
      await cloud.load(live({ key: String(number + 1) }));
      number += 1;
      const pulled = await tenant.pull(cloud, received.length, 3);
      received.push(...(pulled.bundle?.entries ?? []));
      heads.push(pulled.head);
      return (await countOf(cloud, outcome)) > before;
    });
  };
  await goOn('SERVED');
  const thaw = pair.freezeStandby();
  await goOn('AWAY');
  thaw();
  await goOn('SERVED');
  const served = await countOf(cloud, 'SERVED');
  await waitFor('the standby to have all', async () => {
    await tenant.pull(cloud, 0);
    return (await countOf(cloud, 'SERVED')) > served;
  });
  pair.freezePrimary();
  await pair.promote();
  await waitFor('pulls to be answered again', () => tenant.pull(cloud, received.length).then(Boolean));
  await goOn('BEHIND');
  expect(received.map(({ cursor }) => cursor)).toEqual(received.map((_, index) => index + 1));
  expect(received.length).toBe(number);
  expect(heads).toEqual(heads.toSorted((a, b) => a - b));
  tenant.close();
  expect(await cloud.part.stop()).toEqual({ code: 0, signal: null });
});
