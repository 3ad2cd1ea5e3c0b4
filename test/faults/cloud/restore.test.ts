/** Faults 5, 6 and 9 of the cloud: a store that has fallen behind its tenants, and cursors that it cannot serve. */
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../../cloud/store/open.ts';
import { live } from '../../support/cloud/loads.ts';
import type { Bundle } from '../../../shared/wire/bundle.ts';
import { waitFor } from '../../support/process.ts';
import { about, CloudFixture } from './cloud-fixture.ts';

let clouds: CloudFixture;
beforeAll(async () => {
  clouds = await CloudFixture.start();
});
afterAll(() => clouds.clear());

/** Runs `work` on a database without connections to it: `work` gets a connection to another one. */
async function alone(url: string, work: (admin: Client, name: string) => Promise<unknown>): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const target = new URL(url);
  target.pathname = '/postgres';
  const admin = new Client({ connectionString: target.href });
  await admin.connect();
  try {
    await waitFor(`nobody to be connected to ${name}`, async () => {
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      await work(admin, name);
      return true;
    });
  } finally {
    await admin.end();
  }
}

const ids = (bundle: Bundle | null): string[] =>
  (bundle?.entries ?? []).map((entry) => `${entry.cursor} ${about(entry)}`);

describe('faults 5 and 6: the cloud has lost records that a tenant has', () => {
  test('a failover to a replica that lags: the head shows it, and after --above-head no cursor is used twice', async () => {
    const url = await clouds.initialised();
    const tenant = await clouds.tenant(url, 'lagging');
    const cloud = await clouds.cloud(url);
    await cloud.load(live({ key: 'a' }));
    // The replica's state so far. The cloud loses its connections and opens new ones.
    await alone(url, (admin, name) => admin.query(`create database replica template ${name}`));
    await cloud.load(live({ key: 'b' }), live({ key: 'c' }));
    expect(ids((await tenant.pull(cloud, 0)).bundle)).toEqual(['1 NEW res-a', '2 NEW res-b', '3 NEW res-c']);

    await alone(url, (admin, name) => admin.query(`alter database ${name} rename to lost`));
    await alone(url, (admin, name) => admin.query(`alter database replica rename to ${name}`));
    const behind = await tenant.pull(cloud, 3);
    expect(behind).toEqual({ bundle: null, head: 1 });

    const store = await openPostgres(url, 1);
    await waitFor('the pull log to be written', async () => {
      const { rows } = await sql`select 1 from tenant_pull_history where after_cursor = 3`.execute(store.db);
      return rows.length > 0;
    });
    await store.close();
    const above = ['--floor', '3', '--above-head'];
    await clouds.command(url, 'tenant', 'retention', '--tenant', String(tenant.tenantId), ...above);
    expect(await tenant.pull(cloud, 3)).toEqual({ bundle: null, head: 3 });
    // The engine loads its publications since then again, with the same ids.
    expect(await cloud.load(live({ key: 'b' }), live({ key: 'c' }), live({ key: 'd' }))).toMatchObject([
      { outcome: 'PUBLISHED', repeated: false },
      { outcome: 'PUBLISHED', repeated: false },
      { outcome: 'PUBLISHED', repeated: false },
    ]);
    const resumed = await tenant.pull(cloud, 3);
    expect(ids(resumed.bundle)).toEqual(['4 NEW res-b', '5 NEW res-c', '6 NEW res-d']);
    expect(resumed.head).toBe(6);
    tenant.close();
    await cloud.part.stop();
  });

  test('a restore from an older backup, with a withdrawal of an earlier publication', async () => {
    const url = await clouds.initialised();
    const tenant = await clouds.tenant(url, 'restored');
    const before = await clouds.cloud(url);
    await before.load(live({ key: 'a' }));
    const first = await tenant.get(before, '?after=0&limit=1');
    await before.part.stop();
    await alone(url, (admin, name) => admin.query(`create database backup template ${name}`));

    const lost = await clouds.cloud(url);
    await lost.load(live({ key: 'b' }));
    expect(ids((await tenant.pull(lost, 1)).bundle)).toEqual(['2 NEW res-b']);
    await lost.part.stop();

    await alone(url, (admin, name) => admin.query(`drop database ${name}`));
    await alone(url, (admin, name) => admin.query(`create database ${name} template backup`));
    const restored = await clouds.cloud(url);
    expect(await tenant.pull(restored, 2)).toEqual({ bundle: null, head: 1 });
    // Entries that were there before are the same, byte by byte.
    const again = await tenant.get(restored, '?after=0&limit=1');
    const entriesOf = (body: Buffer): string => body.toString().slice(body.toString().indexOf('"entries"'));
    expect(entriesOf(again.body)).toBe(entriesOf(first.body));

    await clouds.command(
      url,
      'tenant',
      'retention',
      '--tenant',
      String(tenant.tenantId),
      '--floor',
      '2',
      '--above-head',
      '--drop-unconfirmed',
    );
    await restored.load(live({ key: 'x', route: 'a' }, { republication: { reason: '정정' } }), live({ key: 'b' }));
    expect(ids((await tenant.pull(restored, 2)).bundle)).toEqual([
      '3 INVALIDATION res-a',
      '4 NEW res-x',
      '5 NEW res-b',
    ]);
    tenant.close();
    await restored.part.stop();
  });
});

describe('fault 9: cursors that cannot be served', () => {
  test('each has its answer, and none of them a bundle', async () => {
    const url = await clouds.initialised();
    const tenant = await clouds.tenant(url, 'asking');
    const cloud = await clouds.cloud(url);
    await cloud.load(live({ key: 'a' }), live({ key: 'b' }), live({ key: 'c' }));
    const answers: Record<string, string> = {};
    const ask = async (after: string): Promise<void> => {
      const { status, envelope } = await tenant.get(cloud, `?after=${after}`);
      expect('result' in envelope).toBe(false);
      answers[after] = `${status} ${envelope.code}`;
    };
    for (const after of ['-1', '1.5', '1e3', '0x10', 'one', '', '9007199254740992', '9223372036854775808'])
      await ask(after);
    // There is no record beyond the head, and the head shows that.
    await ask('3');
    await ask('4');
    await ask('9007199254740991');
    expect((await tenant.pull(cloud, 9_007_199_254_740_991)).head).toBe(3);
    const store = await openPostgres(url, 1);
    await waitFor('the pull log to be written', async () => {
      const { rows } = await sql`select 1 from tenant_pull_history where after_cursor = 4`.execute(store.db);
      return rows.length > 0;
    });
    await store.close();
    await clouds.command(url, 'tenant', 'retention', '--tenant', String(tenant.tenantId), '--floor', '2');
    await ask('0');
    await ask('1');
    expect(answers).toEqual({
      '-1': '400 SYNC4001',
      '1.5': '400 COMMON400',
      '1e3': '400 COMMON400',
      '0x10': '400 COMMON400',
      one: '400 COMMON400',
      '': '400 COMMON400',
      '9007199254740992': '400 COMMON400',
      '9223372036854775808': '400 COMMON400',
      '3': '200 COMMON200',
      '4': '200 COMMON200',
      '9007199254740991': '200 COMMON200',
      '0': '410 SYNC4101',
      '1': '410 SYNC4101',
    });
    expect(ids((await tenant.pull(cloud, 2)).bundle)).toEqual(['3 NEW res-c']);
    tenant.close();
    await cloud.part.stop();
  });
});
