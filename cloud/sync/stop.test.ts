/** The effect of a stop on connected callers, on real mutual TLS. */
import { once } from 'node:events';
import { connect as connectPlain, type AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { BUNDLE_PATH, MAX_ENTRY_BYTES } from '../../shared/wire/bundle-endpoint.ts';
import { systemIds } from '../../shared/time/clock.ts';
import { readLoad } from '../ingest/read-load.ts';
import type { KeyedCertificate } from '../pki/certificates.ts';
import { publish } from '../publication/publish.ts';
import { GRACE_MS } from '../operations/server.ts';
import { closeServers } from '../../shared/service/http/drain.ts';
import type { Store } from '../store/open.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { live, paddedTo } from '../../test/support/cloud/loads.ts';
import { addTenants, AT, postgresKind } from '../../test/support/cloud/store.ts';
import { NOW, syncAuthority, syncParts, registeredCertificate } from '../../test/support/cloud/sync-parts.ts';
import { closed } from '../../test/support/closed.ts';
import { createSyncServer, type SyncParts } from './server.ts';

let store: Store;
let authority: KeyedCertificate;
let tenant: KeyedCertificate;
let tls: SyncParts['tls'];
/** Set by a test: a pull waits for it before it reaches the store. */
let gate: Promise<void>;
let pulls = 0;

beforeAll(async () => {
  ({ store } = await (await postgresKind()).open());
  await addTenants(store, 1);
  ({ authority, tls } = await syncAuthority());
  tenant = await registeredCertificate(store, authority, 1);
  // More than the buffers of a connection hold.
  await publish(store, readLoad(Buffer.from(paddedTo(live({ key: 'large' }), MAX_ENTRY_BYTES))), AT);
});
afterAll(() => store.close());
beforeEach(() => {
  gate = Promise.resolve();
  pulls = 0;
});

async function start(): Promise<{ port: number; end(): Promise<void> }> {
  const gated: Store = {
    ...store,
    prepared: async (...statement) => {
      pulls += 1;
      await gate;
      return store.prepared(...statement);
    },
  };
  const own = { ...syncParts(store), store: gated, calculations: true };
  const parts = { ...own, clock: new SetClock(NOW), ids: systemIds, log: false as const, tls };
  const server = createSyncServer(parts);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const end = async (): Promise<void> => {
    await closeServers([server], GRACE_MS);
    await parts.pullLog.flush();
  };
  return { port: (server.server.address() as AddressInfo).port, end };
}

async function open(port: number): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca: authority.cert, cert: tenant.cert, key: tenant.key });
  await once(socket, 'secureConnect');
  return socket;
}
/** The stop has come so far that no new caller is let in. */
async function refused(port: number): Promise<void> {
  const [refusal] = (await once(connectPlain(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
  expect(refusal.code).toBe('ECONNREFUSED');
}
const request = (after: number): string => `GET ${BUNDLE_PATH}?after=${after} HTTP/1.1\r\nhost: x\r\n\r\n`;

test('a slow reader gets its bundle to the last byte', async () => {
  const { port, end } = await start();
  const slow = await open(port);
  slow.write(request(0));
  await once(slow, 'readable');
  const first = String(slow.read());
  const [head = ''] = first.split('\r\n\r\n', 1);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  expect(length).toBeGreaterThan(8_000_000);
  let ended = false;
  const ending = end().then(() => (ended = true));
  await refused(port);
  expect(ended).toBe(false);
  let read = Buffer.byteLength(first);
  slow.on('data', (piece: Buffer) => (read += piece.length));
  await once(slow, 'close');
  expect(read).toBe(head.length + 4 + length);
  await ending;
});

test('a pull that runs is answered, idle connections and those without a handshake end at once, and a new one is not taken', async () => {
  const { port, end } = await start();
  let release: () => void = () => undefined;
  gate = new Promise((resolve) => (release = resolve));
  const running = await open(port);
  running.write(request(99));
  let told = '';
  running.on('data', (piece: Buffer) => (told += piece.toString('latin1')));
  const idle = await open(port);
  const silent = connectPlain(port, '127.0.0.1');
  silent.resume();
  await once(silent, 'connect');
  while (pulls === 0) await new Promise((resolve) => setImmediate(resolve));
  idle.resume();
  const dropped = Promise.all([closed(idle), closed(silent)]);
  const ending = end();
  await dropped;
  await refused(port);
  expect(told).toBe('');
  release();
  await once(running, 'close');
  expect(told).toMatch(/^HTTP\/1\.1 200 /);
  expect(told).toContain('"code":"COMMON200"');
  await ending;
});
