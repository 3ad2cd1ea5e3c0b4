/** The listening connection to a real PostgreSQL (D223). */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startPostgresProxy, type Fate, type PostgresProxy } from '../../test/support/postgres-proxy.ts';
import { waitFor } from '../../test/support/process.ts';
import { postgresKind } from '../../test/support/cloud/store.ts';
import { readDatabaseAddress } from './database-address.ts';
import { listenAt, type Listening } from './listening.ts';
import type { Store } from './open.ts';
import { Hosts } from './server-pool.ts';

const CHANNEL = 'causeway_test';
let store: Store;
let proxy: PostgresProxy;
let listening: Listening;
/** Of the next questions whether the connection lives. */
let beat: Fate | Promise<never>;
let listened = 0;

beforeAll(async () => {
  const opened = await (await postgresKind()).open();
  ({ store } = opened);
  proxy = await startPostgresProxy(opened.url as string, ({ text }) => {
    if (text.startsWith('listen')) listened += 1;
    return text.includes('pg_is_in_recovery') ? beat : 'pass';
  });
});
afterAll(async () => {
  await proxy.close();
  await store.close();
});
afterEach(() => listening.stop());

async function start(): Promise<{ heard: string[]; missed: () => number }> {
  beat = 'pass';
  listened = 0;
  const heard: string[] = [];
  let missed = 0;
  const hearing = { heard: (payload: string) => void heard.push(payload), missed: () => void (missed += 1) };
  const times = { beat: 50, answer: 700, again: 10 };
  listening = listenAt(new Hosts(readDatabaseAddress(proxy.url)), CHANNEL, hearing, times);
  await waitFor('it listens', () => missed === 1);
  return { heard, missed: () => missed };
}
const notify = (payload: string) => sql`select pg_notify(${CHANNEL}, ${payload})`.execute(store.db);

test('hears what a transaction notifies, after its commit alone', async () => {
  const { heard } = await start();
  const rolledBack = store.transaction(async (trx) => {
    await sql`select pg_notify(${CHANNEL}, 'rolled back')`.execute(trx);
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  await notify('committed');
  await waitFor('it hears', () => heard.length > 0);
  expect(heard).toEqual(['committed']);
});

test.each<[string, () => Fate | Promise<never>]>([
  ['cut', () => 'cut before it'],
  ['silent', () => new Promise<never>(() => undefined)],
])('a connection that is %s is replaced, and told as lost', async (_fault, fate) => {
  const { heard, missed } = await start();
  beat = fate();
  // It may be lost more than once before it is whole again.
  await waitFor('the loss is told', () => missed() >= 2);
  beat = 'pass';
  await waitFor('it hears again', async () => {
    await notify('again');
    return heard.length > 0;
  });
  expect(new Set(heard)).toEqual(new Set(['again']));
  expect(listened).toBeGreaterThanOrEqual(2);
});

test('a stop waits for no silent database', async () => {
  await start();
  beat = new Promise<never>(() => undefined);
  await listening.stop();
});
