/** One address with very many connections beside honest clients of the same address, over real sockets. */
import { once } from 'node:events';
import { Agent, get, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { waitFor } from '../../../test/support/process.ts';
import { systemIds } from '../../time/clock.ts';
import { createListener } from './listener.ts';
import { networkOf, recognise } from './unfinished.ts';

const MOST = 64;
const sockets: Socket[] = [];
let server: Server;
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

const serve: RequestListener = (request, response) => {
  if (request.headers.authorization !== undefined) recognise(request.socket);
  response.end('served');
};

async function listen(handler: RequestListener = serve): Promise<number> {
  const limits = { connections: MOST, headersMs: 60_000, keepAliveMs: 60_000 };
  server = createListener({ ids: systemIds, limits, refused: () => undefined }, handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function flood(port: number, text: string, count = MOST * 2, reads = true): Promise<Socket[]> {
  const made = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    if (reads) socket.resume();
    socket.on('error', () => undefined);
    return socket;
  });
  sockets.push(...made);
  for (const socket of made) {
    if (socket.connecting) await once(socket, 'connect');
    socket.write(text);
  }
  return made;
}

async function ask(port: number, headers: Record<string, string> = {}, agent?: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', headers, ...(agent === undefined ? {} : { agent }) }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', reject);
  });
}

test.each([
  ['half a head', 'GET / HTTP/1.1\r\nHost: a\r\n'],
  ['nothing', ''],
  ['an answer to nobody known, and then nothing', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a body that drips', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na'],
])('%s on twice as many connections as there are: ten others are served at once', async (_, text) => {
  // A body is waited for, as by a login.
  const port = await listen((request, response) => {
    if (request.method === 'GET') serve(request, response);
    else request.resume().once('end', () => response.end());
  });
  await flood(port, text);
  for (let i = 0; i < 10; i += 1) expect(await ask(port, { connection: 'close' })).toBe(200);
});

test.each([
  ['nobody known', ''],
  ['a recognised key', 'Authorization: x\r\n'],
])('answers that %s asks for and does not read: ten others are served at once', async (_, key) => {
  const large = Buffer.alloc(8_000_000, 'a');
  const port = await listen((request, response) => {
    if (request.url !== '/large') return serve(request, response);
    if (request.headers.authorization !== undefined) recognise(request.socket);
    response.end(large);
  });
  await flood(port, `GET /large HTTP/1.1\r\nHost: a\r\n${key}\r\n`, MOST * 2, false);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < 10; i += 1) expect(await ask(port, { connection: 'close' })).toBe(200);
  expect(await ask(port, { authorization: 'x' }, agent)).toBe(200);
  agent.destroy();
});

test('readers that begin not to read once they have all places give them back', async () => {
  const large = Buffer.alloc(8_000_000, 'a');
  const begin = Promise.withResolvers<undefined>();
  let asked = 0;
  const port = await listen((request, response) => {
    if (request.url !== '/large') return serve(request, response);
    asked += 1;
    void begin.promise.then(() => response.end(large));
  });
  await flood(port, 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n', MOST, false);
  await expect.poll(() => asked).toBe(MOST);
  await expect(ask(port)).rejects.toThrow();
  begin.resolve(undefined);
  await expect.poll(async () => ask(port, { connection: 'close' }).catch(() => 0)).toBe(200);
});

test('a recognised connection stays, and the oldest unfinished one goes first', async () => {
  const port = await listen();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await ask(port, { authorization: 'x' }, agent)).toBe(200);
  const [kept] = Object.values(agent.freeSockets).flat();
  let isLost = false;
  kept?.once('close', () => (isLost = true));
  const made = await flood(port, 'GET / HTTP/1.1\r\n');
  await waitFor('the oldest to go', () => made[0]?.destroyed);
  expect(made.at(-1)?.destroyed).toBe(false);
  expect(await ask(port, {}, agent)).toBe(200);
  expect(isLost).toBe(false);
  agent.destroy();
});

test('a request under way is not given up, however many come after it', async () => {
  const answer = Promise.withResolvers<undefined>();
  const port = await listen((request, response) => {
    if (request.url !== '/slow') return serve(request, response);
    return void answer.promise.then(() => response.end('late'));
  });
  const slow = connect(port, '127.0.0.1');
  sockets.push(slow);
  slow.write('GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  let said = '';
  slow.on('data', (piece) => (said += String(piece)));
  await flood(port, '');
  expect(await ask(port, { connection: 'close' })).toBe(200);
  answer.resolve(undefined);
  await once(slow, 'close');
  expect(said).toContain('late');
});

test('connections that are few stay as they are', async () => {
  const port = await listen();
  const made = await flood(port, '', MOST / 2);
  expect(await ask(port, { connection: 'close' })).toBe(200);
  expect(made.filter((socket) => socket.destroyed)).toEqual([]);
});

test('of IPv6 a network of 64 bits is one address', () => {
  expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8:0:0:ffff::2'));
  expect(networkOf('2001:db8:1::1')).not.toBe(networkOf('2001:db8::1'));
  expect(networkOf('fe80::1:2:3:4')).toBe('fe80:0:0:0');
  expect([networkOf('10.1.2.3'), networkOf('::ffff:10.1.2.3')]).toEqual(['10.1.2.3', '::ffff:10.1.2.3']);
});
