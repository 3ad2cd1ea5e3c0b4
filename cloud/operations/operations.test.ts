/** Health, readiness and metrics over both stores, and a database that goes away. */
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { systemIds } from '../../shared/time/clock.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { createOperatorServer } from '../operator/server.ts';
import { OPERATOR_COOKIE } from '../accounts/session-cookie.ts';
import { publish } from '../publication/publish.ts';
import { withdraw } from '../publication/withdraw.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { openPostgres, type Store } from '../store/open.ts';
import { live, read } from '../../test/support/cloud/loads.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, AT, embeddedKind, postgresKind, STORE_KINDS } from '../../test/support/cloud/store.ts';
import { CloudMetrics } from './metrics.ts';
import { createOperationsServer } from './operations.ts';

describe.each(STORE_KINDS)('operations over %s', (name, makeKind) => {
  let store: Store;
  provideStore(makeKind, (opened) => (store = opened.store));
  const serverOver = (over: Store) => {
    const metrics = new CloudMetrics(() => over.connections());
    const parts = {
      store: over,
      metrics,
      clock: new SetClock(AT),
      ids: systemIds,
      log: false as const,
      patienceMs: 200,
    };
    return { metrics, server: createOperationsServer(parts) };
  };

  test('alive and ready, in the envelope and not cacheable', async () => {
    const { server } = serverOver(store);
    for (const [path, result] of [
      ['/health', { status: 'alive', version: PRODUCT_VERSION }],
      ['/ready', { status: 'ready' }],
    ] as const) {
      const answer = await server.inject(path);
      expect([answer.statusCode, answer.json()]).toEqual([
        200,
        { isSuccess: true, code: 'COMMON200', message: 'OK', result },
      ]);
      expect(answer.headers['cache-control']).toBe('no-store');
      for (const [method, body] of [
        ['HEAD', ''],
        ['OPTIONS', answer.body],
      ] as const) {
        const other = await server.inject({ method, url: path });
        expect([method, other.statusCode, other.body]).toEqual([method, 200, body]);
      }
    }
  });

  test('nothing else is served here', async () => {
    const { server } = serverOver(store);
    for (const [method, url] of [
      ['GET', '/'],
      ['POST', '/health'],
      ['GET', '/api/v1/analyses'],
      ['GET', '/ready/'],
    ] as const)
      expect((await server.inject({ method, url })).json()).toMatchObject({ code: 'COMMON403' });
  });

  test('alive but not ready while a migration is missing', async () => {
    const { server } = serverOver(store);
    await sql`alter table schema_migration rename to away`.execute(store.db);
    await sql`create table schema_migration (version integer)`.execute(store.db);
    try {
      const answer = await server.inject('/ready');
      expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
        503,
        expect.stringContaining('schema version 0') as unknown,
      ]);
      expect((await server.inject('/health')).statusCode).toBe(200);
    } finally {
      await sql`drop table schema_migration`.execute(store.db);
      await sql`alter table away rename to schema_migration`.execute(store.db);
    }
    expect((await server.inject('/ready')).statusCode).toBe(200);
  });

  test('metrics are Prometheus text, and each process counts by itself', async () => {
    const { server, metrics } = serverOver(store);
    const other = serverOver(store);
    metrics.pulled('COMMON200', 3, 1_200);
    metrics.pulled('SYNC4011', 0, 0);
    metrics.passed([{ received: 400, applied: null }]);
    const options = { observer: metrics };
    await addTenants(store, 1);
    await publish(store, read(live({ key: 'a' })), AT, options);
    await store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, 'x', AT, metrics));
    const answer = await server.inject('/metrics');
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of [
      'causeway_cloud_pulls_total{outcome="COMMON200"} 1',
      'causeway_cloud_pulls_total{outcome="SYNC4011"} 1',
      'causeway_cloud_pulled_entries_total 3',
      'causeway_cloud_pulled_bytes_total 1200',
      'causeway_cloud_fan_out_seconds_count{kind="NEW"} 1',
      'causeway_cloud_fan_out_seconds_count{kind="INVALIDATION"} 1',
      'causeway_cloud_fan_out_lock_wait_seconds_count 2',
      'causeway_cloud_issued_to_received_seconds_sum 0.4',
      'causeway_cloud_issued_to_applied_seconds_count 0',
      'causeway_cloud_withdrawal_waiting_seconds{step="applied"} 0',
    ])
      expect(answer.body.split('\n')).toContain(line);
    expect(answer.body.includes('causeway_cloud_database_connections{state="idle"}')).toBe(name === 'PostgreSQL');
    expect(answer.body).toContain('process_resident_memory_bytes');
    expect((await other.server.inject('/metrics')).body).toContain('outcome="COMMON200"} 0\n');
  });
});

test('a database that takes no writes: alive and not ready, with the reason', async () => {
  const kind = await postgresKind();
  const { store: writable, url } = await kind.open();
  const store = await openPostgres(`${url}?options=-c%20default_transaction_read_only%3Don`, 1);
  const metrics = new CloudMetrics(() => store.connections());
  const server = createOperationsServer({
    store,
    metrics,
    clock: new SetClock(AT),
    ids: systemIds,
    log: false as const,
  });
  const answer = await server.inject('/ready');
  expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
    503,
    expect.stringContaining('The database takes no writes now') as unknown,
  ]);
  expect((await server.inject('/health')).statusCode).toBe(200);
  // What is not known is absent, and no 0.
  expect((await server.inject('/metrics')).body).not.toContain('causeway_cloud_withdrawal_waiting_seconds{');
  await store.close();
  await writable.close();
  await kind.stop();
});

test('a database without an answer for more than a minute: not alive, with the time', async () => {
  const kind = await embeddedKind();
  const { store } = await kind.open();
  const metrics = new CloudMetrics(() => store.connections());
  let silentMs = 60_000;
  const over = { ...store, silentMs: () => silentMs };
  const server = createOperationsServer({
    store: over,
    metrics,
    clock: new SetClock(AT),
    ids: systemIds,
    log: false as const,
  });
  expect((await server.inject('/health')).statusCode).toBe(200);
  silentMs = 61_500;
  const answer = await server.inject('/health');
  expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
    503,
    'No connection to the database has been answered for 61 s: see that its host runs and can be reached.',
  ]);
  await store.close();
  await kind.stop();
});

test('a missing or silent database: alive, and not ready within the time limit', async () => {
  const postgres = await startPostgres();
  const store = await openPostgres(await postgres.createDatabase());
  await migrate(store, MIGRATIONS, AT);
  const metrics = new CloudMetrics(() => store.connections());
  const parts = { store, metrics, clock: new SetClock(AT), ids: systemIds, log: false as const, patienceMs: 200 };
  const server = createOperationsServer(parts);
  await store.transaction(async (trx) => {
    await sql`lock table schema_migration in access exclusive mode`.execute(trx);
    const answer = await server.inject('/ready');
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([503, 'COMMON503']);
  });
  expect((await server.inject('/ready')).statusCode).toBe(200);
  await postgres.stop();
  expect((await server.inject('/ready')).json()).toMatchObject({
    code: 'COMMON503',
    message: 'The database does not answer: see that it runs, can be reached, and waits for no standby that is gone.',
  });
  expect((await server.inject('/health')).statusCode).toBe(200);
  const operatorParts = { store, clock: new SetClock(AT), ids: systemIds, log: false as const };
  const operator = await createOperatorServer({ ...operatorParts, listenHost: '127.0.0.1', consoleFolder: 'none' });
  await operator.listen({ host: '127.0.0.1', port: 0 });
  const { port } = operator.server.address() as AddressInfo;
  const asked = await fetch(`http://127.0.0.1:${port}/api/v1/analyses`, {
    headers: { cookie: `${OPERATOR_COOKIE}=x` },
  });
  expect([asked.status, ((await asked.json()) as { code: string }).code]).toEqual([503, 'COMMON503']);
  await operator.close();
  await store.close();
});
