/** The end of a server over real sockets. A connection that is not ended would hold `close` up for ever. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { makeAuthority } from '../../../test/support/pki.ts';
import { closeServers, drainOnClose } from './drain.ts';

const LIMIT_MS = 20_000;
const sockets: Socket[] = [];
const servers: Server[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.closeAllConnections();
});

async function listening(server: Server): Promise<Server> {
  // Nothing but the drain ends a connection.
  Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  drainOnClose(server);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function join(server: Server): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  await once(server, 'connection');
  return socket;
}

const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const closed = (server: Server): Promise<unknown> => new Promise((resolve) => server.close(resolve));

test('a running request is answered, and its connection ends then', { timeout: LIMIT_MS }, async () => {
  const asked = Promise.withResolvers<() => void>();
  const server = await listening(createServer((_, answer) => asked.resolve(() => answer.end('served'))));
  const socket = await join(server);
  socket.write(HEAD);
  const answer = await asked.promise;
  const end = closed(server);
  answer();
  expect(await text(socket)).toContain('served');
  await end;
});

test(
  'a silent connection ends at once, and one on which a request has begun is answered first',
  { timeout: LIMIT_MS },
  async () => {
    const server = await listening(createServer((_, answer) => void answer.end('served')));
    const silent = await join(server);
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const begun = await join(server);
    begun.write(HEAD.slice(0, 10));
    const taken = await accepted;
    while (taken.bytesRead === 0) await setImmediate();
    const end = closed(server);
    expect(await text(silent)).toBe('');
    begun.write(HEAD.slice(10));
    expect(await text(begun)).toContain('served');
    await end;
  },
);

test('the second of two requests that were sent together is answered too', { timeout: LIMIT_MS }, async () => {
  const second = Promise.withResolvers<() => void>();
  const first = Promise.withResolvers<undefined>();
  const server = await listening(
    createServer((request, answer) => {
      if (request.url === '/second') second.resolve(() => answer.end('second'));
      else answer.once('close', () => first.resolve(undefined)).end('first');
    }),
  );
  const socket = await join(server);
  socket.write(`${HEAD}${HEAD.replace('/', '/second')}`);
  const [answer] = await Promise.all([second.promise, first.promise]);
  const end = closed(server);
  answer();
  expect(await text(socket)).toMatch(/first[^]*second/);
  await end;
});

test('an unfinished handshake ends at once', { timeout: LIMIT_MS }, async () => {
  const { cert, key } = await (await makeAuthority()).server();
  const server = await listening(createTlsServer({ cert, key }));
  const silent = await join(server);
  const end = closed(server);
  expect(await text(silent)).toBe('');
  await end;
});

test('a request that does not end is cut off after the time of grace', { timeout: LIMIT_MS }, async () => {
  const server = await listening(createServer());
  const socket = await join(server);
  const asked = once(server, 'request');
  socket.write(HEAD);
  await asked;
  const gone = text(socket);
  await closeServers([{ server, close: () => closed(server) }], 1);
  expect(await gone).toBe('');
});
