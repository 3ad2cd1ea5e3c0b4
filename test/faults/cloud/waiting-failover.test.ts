/**
 * The host of the primary hangs while many tenants wait for news (D136, D223): the cloud listens at the standby that takes
 * over, and whoever waits gets what is published there, without a record missing.
 */
import { afterAll, expect, test } from 'vitest';
import { publish } from '../../../cloud/publication/publish.ts';
import { openPostgres } from '../../../cloud/store/open.ts';
import { live, read } from '../../support/cloud/loads.ts';
import { initialise, tenantsWithCertificates } from '../../bench/cloud/store.ts';
import { connectAll, prepareWaiting } from '../../bench/cloud/waiting.ts';
import { startPostgresPair } from '../../support/postgres.ts';
import { TestFixture, waitFor } from '../../support/process.ts';
import { runs } from '../../support/runs.ts';

const TENANTS = runs(40, 1_000);
/** A loss is noticed within 19 s, whoever waits is looked for every 15 s, and a wait that broke off comes back in 5 s. */
const AGAIN_MS = 60_000;

const fixture = new TestFixture();
const ends: (() => unknown)[] = [() => fixture.clear()];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

test(`${TENANTS} wait while the primary fails over: each gets what is published before and after it, once`, async () => {
  const pair = await startPostgresPair();
  ends.push(() => pair.stop());
  const url = await pair.createDatabase();
  const { pki } = await initialise(url, fixture.folder('pki'));
  const contexts = await tenantsWithCertificates(url, pki, TENANTS);
  const heads = contexts.map(() => 0);
  const all = await prepareWaiting(url, { pki, contexts, heads }, (name) => fixture.folder(name));
  ends.push(() => all.cloud.stop());
  ends.push(() => all.tenants.forEach((tenant) => tenant.close()));
  await connectAll(all);
  /** An engine repeats a load that failed, by its id. */
  const publishOne = (key: string): Promise<unknown> =>
    waitFor(`the publication of ${key}`, async () => {
      const store = await openPostgres(url, 1);
      try {
        return (await publish(store, read(live({ key })), new Date())) !== null;
      } finally {
        await store.close();
      }
    });
  const allHave = (cursor: number): Promise<unknown> =>
    waitFor(`all to have ${cursor}`, () => all.tenants.every(({ after }) => after === cursor), AGAIN_MS);
  await publishOne('before');
  await allHave(1);
  pair.freezePrimary();
  await pair.promote();
  await publishOne('after');
  await allHave(2);
  // The cloud hears the standby: what follows needs no look of its own.
  await waitFor('all to wait again', async () => (await all.count()) === TENANTS, AGAIN_MS);
  await publishOne('again');
  await allHave(3);
  expect(new Set(all.tenants.map(({ cursors }) => cursors.join()))).toEqual(new Set(['1,2,3']));
});
