/**
 * A cloud whose database says nothing, or takes its time, can be stopped (D40), while it starts and while it serves. One that
 * starts ends by itself (D136), so that whoever supervises it starts it again over a new connection.
 */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkStore } from '../../../cloud/doctor/check-store.ts';
import { live } from '../../support/cloud/loads.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import { FaultProxy } from '../../chaos/proxy.ts';
import { waitFor } from '../../support/process.ts';
import { some } from '../../support/runs.ts';
import { CloudFixture } from './cloud-fixture.ts';

let clouds: CloudFixture;
beforeAll(async () => {
  clouds = await CloudFixture.start();
});
afterAll(() => clouds.clear());

const never = new Promise<never>(() => undefined);

/** Statements of the start that are answered: none; those of the first connection; some of the schema's. */
test.each(some(1, [0, 3, 1]))('while it starts, after %d statements', async (answered) => {
  let asked = 0;
  const proxy = await startPostgresProxy(await clouds.initialised(), ({ number }) => {
    asked = number;
    return number > answered ? never : 'pass';
  });
  const part = clouds.begin(proxy.url);
  await waitFor('a statement without an answer', () => asked > answered);
  expect(await part.stop()).toEqual({ code: 0, signal: null });
  await proxy.close();
});

/** The connection itself, a statement behind it; and more. */
const UNANSWERED = some(1, [0, 3, 1, 7]);

test.concurrent.each(UNANSWERED)('a start that has no answer after %d statements ends', async (answered) => {
  const url = await clouds.initialised();
  const proxy = await startPostgresProxy(url, ({ number }) => (number > answered ? never : 'pass'));
  const part = clouds.begin(proxy.url);
  expect(await part.ended(60_000)).toEqual({ code: 1, signal: null });
  expect(part.stderr).toMatch(
    /^The database of CAUSEWAY_DATABASE_URL cannot be used: .*(?:no answer within 10000 ms|was lost before it answered)/,
  );
  await proxy.close();
});

test.concurrent('the doctor that has no answer after its first statement says so', async () => {
  const url = await clouds.initialised();
  const proxy = await startPostgresProxy(url, ({ number }) => (number > 1 ? never : 'pass'));
  const config = { CAUSEWAY_DATABASE_URL: proxy.url, CAUSEWAY_HOME: '', CAUSEWAY_DATABASE_CONNECTIONS: 1 };
  const found = await checkStore(config, () => new Date());
  expect(found).toMatchObject([{ verdict: 'WRONG', said: expect.stringMatching(/lost before it answered/) as string }]);
  await proxy.close();
});

test('while it serves, with open connections', async () => {
  const url = await clouds.initialised();
  const tenant = await clouds.tenant(url, 'one');
  const port = Number(new URL(url).port);
  const proxy = await FaultProxy.start(() => port);
  const cloud = await clouds.cloud(url.replace(`:${port}/`, `:${proxy.port}/`));
  await tenant.pull(cloud, 0);
  proxy.change({ kind: 'HALF_OPEN', delayMs: 0 });
  expect(await cloud.part.stop()).toEqual({ code: 0, signal: null });
  tenant.close();
  await proxy.close();
});

test('while a load is under way of which each statement takes three seconds', async () => {
  const url = await clouds.initialised();
  const port = Number(new URL(url).port);
  const proxy = await FaultProxy.start(() => port);
  const cloud = await clouds.cloud(url.replace(`:${port}/`, `:${proxy.port}/`));
  const database = new Client({ connectionString: url });
  await database.connect();
  proxy.change({ kind: 'CLEAR', delayMs: 1_500 });
  const loading = cloud.load(live({ key: 'slow' })).catch(() => 'cut off');
  await waitFor('a transaction of the load', async () => {
    const { rows } = await database.query(
      "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
    );
    return rows.length > 0;
  });
  expect(await cloud.part.stop()).toEqual({ code: 0, signal: null });
  expect(await loading).toBe('cut off');
  const { rows } = await database.query('select count(*)::int as results from explanation_result');
  expect(rows).toEqual([{ results: 0 }]);
  await database.end();
  await proxy.close();
});
