/** Clients that request and do not read, or leave, on real mutual TLS sockets. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemIds } from '../../shared/time/clock.ts';
import { BUNDLE_PATH, MAX_ENTRY_BYTES } from '../../shared/wire/bundle-endpoint.ts';
import { readLoad } from '../ingest/read-load.ts';
import type { KeyedCertificate } from '../pki/certificates.ts';
import { publish } from '../publication/publish.ts';
import type { Store } from '../store/open.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { live, paddedTo } from '../../test/support/cloud/loads.ts';
import { addTenants, AT, postgresKind } from '../../test/support/cloud/store.ts';
import { NOW, syncAuthority, syncParts, registeredCertificate } from '../../test/support/cloud/sync-parts.ts';
import { tlsClient, type Answer } from '../../test/support/cloud/tls.ts';
import { closed } from '../../test/support/closed.ts';
import { createSyncServer, type SyncParts } from './server.ts';

/** The cursor of the second of the two large entries, behind which there is nothing to send. */
const LAST = 2;

let store: Store;
let authority: KeyedCertificate;
let tls: SyncParts['tls'];
const tenants: KeyedCertificate[] = [];
const sockets: TLSSocket[] = [];
let server: FastifyInstance;
let parts: SyncParts;

beforeAll(async () => {
  ({ store } = await (await postgresKind()).open());
  await addTenants(store, 2);
  ({ authority, tls } = await syncAuthority());
  for (const tenantId of [1, 2]) tenants.push(await registeredCertificate(store, authority, tenantId));
  // Far more than the buffers of a connection hold.
  for (const key of ['large', 'larger'])
    await publish(store, readLoad(Buffer.from(paddedTo(live({ key }), MAX_ENTRY_BYTES))), AT);
});
afterAll(() => store.close());
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.server.closeAllConnections();
  await server.close();
  await parts.pullLog.flush();
});

async function start(changes: Partial<SyncParts>): Promise<number> {
  const own = {
    ...syncParts(store),
    calculations: true,
    clock: new SetClock(NOW),
    ids: systemIds,
    log: false as const,
    tls,
  };
  parts = { ...own, ...changes };
  server = createSyncServer(parts);
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
}

/** Asks for everything, reads the first bytes of the answer and then nothing. */
async function askAndStall(port: number, pair: KeyedCertificate): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca: authority.cert, cert: pair.cert, key: pair.key });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  socket.write(`GET ${BUNDLE_PATH}?after=0 HTTP/1.1\r\nhost: x\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

async function ask(port: number, pair: KeyedCertificate, after = 0): Promise<Answer> {
  const client = tlsClient({ ca: authority.cert, client: pair });
  try {
    return await client.get(`https://127.0.0.1:${port}${BUNDLE_PATH}?after=${after}`);
  } finally {
    client.close();
  }
}

test('an unread answer ends its connection, and one that is read arrives whole', async () => {
  const port = await start({ stalledMs: 300 });
  const ended = new Promise<void>((resolve) => {
    server.server.once('secureConnection', (socket: TLSSocket) => socket.once('close', () => resolve()));
  });
  const [first] = tenants as [KeyedCertificate];
  await askAndStall(port, first);
  await ended;
  // A busy machine may keep the loop busy for longer than that.
  server.server.setTimeout(60_000);
  const whole = await ask(port, first);
  expect([whole.status, Number(whole.headers['content-length'])]).toEqual([200, whole.body.length]);
  expect(whole.body.length).toBeGreaterThan(MAX_ENTRY_BYTES);
});

test('the fifth unread answer of a tenant is refused with a time to come again; other tenants are served, and it too when one has ended', async () => {
  const port = await start({});
  const [first, second] = tenants as [KeyedCertificate, KeyedCertificate];
  const stalled: TLSSocket[] = [];
  for (let number = 1; number <= 4; number += 1) stalled.push(await askAndStall(port, first));
  const refused = await ask(port, first);
  expect([refused.status, refused.envelope.code, refused.headers['retry-after']]).toEqual([503, 'COMMON503', '5']);
  expect((await ask(port, second)).status).toBe(200);
  await parts.pullLog.flush();
  const state = store.db.selectFrom('tenant_pull_state').select('last_error_code').where('tenant_id', '=', 1);
  expect(await state.executeTakeFirst()).toEqual({ last_error_code: 'COMMON503' });
  stalled[0]?.destroy();
  await expect.poll(async () => (await ask(port, first)).status, { timeout: 10_000 }).toBe(200);
});

test('the end of the server waits for a pull whose caller has left: none is noted after it', async () => {
  let letAnswer = (): void => undefined;
  const held = new Promise<void>((resolve) => (letAnswer = resolve));
  let asked = 0;
  const slow: Store = {
    ...store,
    prepared: async (...question) => {
      asked += 1;
      await held;
      return store.prepared(...question);
    },
  };
  const port = await start({ store: slow });
  const [first] = tenants as [KeyedCertificate];
  const socket = connect({ host: '127.0.0.1', port, ca: authority.cert, cert: first.cert, key: first.key });
  socket.on('error', () => undefined);
  const gone = once(server.server, 'request').then(([{ socket: own }]) => closed(own as TLSSocket));
  socket.write(`GET ${BUNDLE_PATH}?after=0 HTTP/1.1\r\nhost: x\r\n\r\n`);
  await expect.poll(() => asked, { timeout: 10_000 }).toBe(1);
  socket.destroy();
  await gone;
  const pulls = async (): Promise<number | undefined> =>
    (await store.db.selectFrom('tenant_pull_state').select('pulls').where('tenant_id', '=', 1).executeTakeFirst())
      ?.pulls;
  const before = (await pulls()) ?? 0;
  setTimeout(letAnswer, 100);
  await server.close();
  await parts.pullLog.flush();
  expect(await pulls()).toBe(before + 1);
});

test('callers who have left before the store answers are not counted any more', async () => {
  let letAnswer = (): void => undefined;
  const held = new Promise<void>((resolve) => (letAnswer = resolve));
  const slow: Store = {
    ...store,
    prepared: async (...question) => {
      await held;
      return store.prepared(...question);
    },
  };
  const port = await start({ store: slow });
  const [first] = tenants as [KeyedCertificate];
  let came = 0;
  let left = 0;
  server.server.on('request', ({ socket }: IncomingMessage) => {
    came += 1;
    socket.once('close', () => (left += 1));
  });
  for (let number = 1; number <= 4; number += 1) {
    const socket = connect({ host: '127.0.0.1', port, ca: authority.cert, cert: first.cert, key: first.key });
    sockets.push(socket);
    socket.write(`GET ${BUNDLE_PATH}?after=${LAST} HTTP/1.1\r\nhost: x\r\n\r\n`);
  }
  await expect.poll(() => came, { timeout: 10_000 }).toBe(4);
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(() => left, { timeout: 10_000 }).toBe(4);
  letAnswer();
  await expect.poll(async () => (await ask(port, first, LAST)).status, { timeout: 10_000 }).toBe(200);
});
