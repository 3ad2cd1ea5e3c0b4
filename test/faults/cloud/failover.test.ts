/**
 * The host of the primary hangs under load, and its standby takes over (D136): two clouds over both hosts continue by
 * themselves. The primary waits for the standby with every commit, so every answered write is there.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Load } from '../../../cloud/publication/load.ts';
import { live } from '../../support/cloud/loads.ts';
import type { Bundle } from '../../../shared/wire/bundle.ts';
import { runs } from '../../support/runs.ts';
import { startPostgresPair, type PostgresPair } from '../../support/postgres.ts';
import { about, CloudFixture, type Cloud, type Tenant } from './cloud-fixture.ts';

/** Times within which an operator of the vendor expects to see it go on, in ms. */
const PULLS_AGAIN_MS = 15_000;
const PUBLICATIONS_AGAIN_MS = 20_000;
/** Publications before and after the fail-over, at the least. */
const SHARE = runs(10, 30);

let pair: PostgresPair;
let clouds: CloudFixture;
beforeAll(async () => {
  pair = await startPostgresPair();
  clouds = await CloudFixture.start(Promise.resolve(pair));
});
afterAll(() => clouds.clear());

type Entry = Bundle['entries'][number];

/** Publishes one after the other, each until it is acknowledged, as an engine does. */
async function publish(cloud: Cloud, keys: () => string | null, told: (id: string) => void): Promise<void> {
  for (let key = keys(); key !== null; key = keys()) {
    const load: Load = live({ key });
    for (let outcome = ''; outcome !== 'PUBLISHED';) {
      outcome = await cloud.load(load).then(
        ([line]) => line?.outcome ?? '',
        () => '',
      );
    }
    told(key);
  }
}

/** Pulls until all is there. A pull that fails is tried again. */
async function consume(cloud: Cloud, tenant: Tenant, answered: () => void, wanted: () => number): Promise<Entry[]> {
  const entries: Entry[] = [];
  while (entries.length < wanted()) {
    const pulled = await tenant.pull(cloud, entries.at(-1)?.cursor ?? 0, 3).catch(() => null);
    if (pulled === null) continue;
    answered();
    entries.push(...(pulled.bundle?.entries ?? []));
  }
  return entries;
}

test('pulls and publications go on at the standby; nothing is lost, doubled or out of order', async () => {
  const url = await clouds.initialised();
  const tenants = [await clouds.tenant(url, 'one'), await clouds.tenant(url, 'two')];
  const processes = [await clouds.cloud(url), await clouds.cloud(url)];

  let began = 0;
  let frozenAt = 0;
  const again = { pulls: 0, publications: 0 };
  const acknowledged: string[] = [];
  const failOver: Promise<void>[] = [];
  let afterwards = 0;
  const next = (): string | null => {
    if (afterwards >= SHARE) return null;
    began += 1;
    return String(began);
  };
  const told = (key: string): void => {
    acknowledged.push(`NEW res-${key}`);
    if (frozenAt > 0) {
      afterwards += 1;
      again.publications ||= performance.now() - frozenAt;
    }
    if (acknowledged.length >= SHARE && failOver.length === 0) {
      frozenAt = performance.now();
      pair.freezePrimary();
      failOver.push(pair.promote());
    }
  };
  const publishing = Promise.all(processes.map((cloud) => publish(cloud, next, told)));
  let wanted = Number.POSITIVE_INFINITY;
  const consuming = tenants.map((tenant, index) =>
    consume(
      processes[index] as Cloud,
      tenant,
      () => {
        if (frozenAt > 0) again.pulls ||= performance.now() - frozenAt;
      },
      () => wanted,
    ),
  );
  await publishing;
  wanted = began;
  const received = await Promise.all(consuming);
  await Promise.all(failOver);

  for (const entries of received) {
    expect(entries.map(({ cursor }) => cursor)).toEqual(entries.map((_, index) => index + 1));
    expect(entries.map(about).toSorted()).toEqual(acknowledged.toSorted());
  }
  expect(received[1]?.map(about)).toEqual(received[0]?.map(about));
  expect(again.pulls).toBeLessThan(PULLS_AGAIN_MS);
  expect(again.publications).toBeLessThan(PUBLICATIONS_AGAIN_MS);
  for (const tenant of tenants) tenant.close();
  for (const { part } of processes) expect(await part.stop()).toEqual({ code: 0, signal: null });
});
