/** A listener under slow clients, many clients and clients that do not speak HTTP, over real sockets. */
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { INERT_HEADERS } from './safe-headers.ts';
import { makeAuthority } from '../../../test/support/pki.ts';
import { systemIds } from '../../time/clock.ts';
import { createListener, type ListenerOptions, type RawRefusal } from './listener.ts';

const SMALL = { headersMs: 60, requestMs: 120, keepAliveMs: 60, connections: 2, unreadMs: 60 };
const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(
  handler: RequestListener = (_request, response) => void response.end('served'),
  more: Partial<ListenerOptions> = {},
): Promise<{ port: number; refusals: RawRefusal[] }> {
  const refusals: RawRefusal[] = [];
  const refused = (refusal: RawRefusal): number => refusals.push(refusal);
  const server = createListener({ ids: systemIds, limits: SMALL, refused, ...more }, handler) as Server;
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, refusals };
}

/** Sends bytes without ending, and returns the answer once the server ends the connection. */
async function send(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  if (text !== '') socket.write(text);
  let said = '';
  socket.on('data', (piece) => (said += String(piece)));
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  return new Promise((resolve) => socket.once('close', () => resolve(said)));
}

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n';

test('a client that does not read its answer loses the connection; one that waits for its answer does not', async () => {
  const large = Buffer.alloc(50_000_000, 'a');
  const unreadEnds = Promise.withResolvers<undefined>();
  const { port } = await listen(
    (request, response) => {
      // The late answer ends only after the unread one has timed out.
      if (request.url === '/late') return void unreadEnds.promise.then(() => response.end('late'));
      response.once('close', () => unreadEnds.resolve(undefined)).end(large);
    },
    { limits: { ...SMALL, stalledMs: 100 } },
  );
  const late = send(port, 'GET /late HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const unread = connect(port, '127.0.0.1').pause();
  sockets.push(unread);
  unread.on('error', () => undefined).write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await late).toMatch(/late$/);
});

describe('a slow client loses the connection', () => {
  test.each([
    ['before a first byte', '', { requestMs: 600_000 }],
    ['in the head', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ', { requestMs: 600_000 }],
    ['in the body', `${HEAD}\r\nabc`, {}],
  ])('%s: 408 in the envelope', async (_, text, limits) => {
    const { port, refusals } = await listen(
      (request, response) => void request.on('end', () => response.end()).resume(),
      { limits: { ...SMALL, ...limits } },
    );
    const said = await send(port, text);
    expect(said).toMatch(/^HTTP\/1\.1 408 /);
    expect(said).toContain('"code":"COMMON408"');
    expect(refusals).toMatchObject([{ status: 408, reqId: /^x-request-id: (\S+)\r$/m.exec(said)?.[1] }]);
  });

  test('with a body that was refused unread: the answer arrives whole before the connection ends', async () => {
    const { port } = await listen((_request, response) => void response.writeHead(403).end('no'), {
      limits: { ...SMALL, requestMs: 600_000 },
    });
    expect(await send(port, `${HEAD}\r\nabc`)).toMatch(/^HTTP\/1\.1 403 [\s\S]*no/);
  });

  test('in an answer that has begun: the connection is cut, without a second answer', async () => {
    const { port } = await listen((_request, response) => void response.writeHead(200).write('begun'));
    expect((await send(port, `${HEAD}\r\nabc`)).match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test('in the handshake of TLS', async () => {
    const { cert, key } = await (await makeAuthority()).server();
    const { port } = await listen(undefined, { tls: { cert, key } });
    expect(await send(port, '')).toBe('');
  });

  test('between two requests', async () => {
    const { port } = await listen();
    expect(await send(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('what came while the process stood still is read before anybody is too slow', async () => {
  const { port, refusals } = await listen(
    (request, response) => void request.on('end', () => response.end('served')).resume(),
    { limits: { ...SMALL, headersMs: 500, requestMs: 500, keepAliveMs: 60_000 } },
  );
  const [server] = servers;
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  await Promise.all([once(server as Server, 'connection'), once(socket, 'connect')]);
  for (const [first, rest] of [
    ['', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n', 'body'],
  ] as const) {
    const asked = first === '' ? null : once(server as Server, 'request');
    socket.write(first);
    await asked;
    socket.write(rest);
    standStill(1_200);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [\s\S]*served/);
  }
  expect(refusals).toEqual([]);
});

test('a body that never comes has its limit, although the end of its head came while the process stood still', async () => {
  const { port, refusals } = await listen(
    (request, response) => void request.on('end', () => response.end('served')).resume(),
    { limits: { ...SMALL, headersMs: 500, requestMs: 500, keepAliveMs: 60_000 } },
  );
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  const [accepted] = (await once(servers[0] as Server, 'connection')) as [Socket];
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n');
  await expect.poll(() => accepted.bytesRead).toBeGreaterThan(0);
  socket.write('\r\n');
  standStill(1_200);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 /);
  expect(refusals).toHaveLength(1);
});

/** As a process that is frozen, or whose machine is. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('connections above the limit are closed, and closed ones make room again', async () => {
  const { port } = await listen(undefined, { limits: { ...SMALL, headersMs: 60_000, keepAliveMs: 60_000 } });
  const first = connect(port, '127.0.0.1').resume();
  const held = [first, connect(port, '127.0.0.1')];
  sockets.push(...held);
  const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  await Promise.all(held.map(async (socket) => once(socket, 'connect')));
  expect(await send(port, request)).toBe('');
  first.end(request);
  await once(first, 'close');
  expect(await send(port, request)).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['a method that is none', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
  ['an expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n', 417],
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 403],
  ['a head of 100 kB', `GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${'a'.repeat(100_000)}\r\n\r\n`, 431],
])('%s is answered in the envelope, with an id that the log has too', async (_, text, status) => {
  const { port, refusals } = await listen();
  const said = await send(port, text);
  const [head = '', body = ''] = said.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(JSON.parse(body)).toMatchObject({ isSuccess: false, code: `COMMON${status}` });
  expect(refusals).toMatchObject([{ status, reqId: /^x-request-id: (\S+)$/m.exec(head)?.[1] }]);
  for (const [name, value] of Object.entries(INERT_HEADERS)) expect(head.split('\r\n')).toContain(`${name}: ${value}`);
});

test('HTTP/1.0 needs no Host, and TLS 1.1 is refused', async () => {
  const plain = await listen();
  expect(await send(plain.port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/200 OK[\s\S]*served$/);
  const { cert, key } = await (await makeAuthority()).server();
  const { port } = await listen(undefined, { tls: { cert, key } });
  const old = connectTls({
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL@SECLEVEL=0',
  });
  await expect(once(old, 'secureConnect')).rejects.toThrow(/protocol version|ECONNRESET/);
});
