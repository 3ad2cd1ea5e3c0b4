/** Handshakes begin some at a time, over real sockets (D171). */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { connect, Socket, type AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { closed } from '../../../test/support/closed.ts';
import { makeAuthority, type Issued } from '../../../test/support/pki.ts';
import { gateHandshakes } from './handshake-gate.ts';

let ca: string;
let pair: Issued;
beforeAll(async () => {
  const authority = await makeAuthority();
  ca = authority.ca;
  pair = await authority.server();
});
const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** @returns the port, and the most handshakes that were under way at one time */
async function listen(bounds: {
  atOnce: number;
  placeMs: number;
}): Promise<{ port: number; server: Server; most(): number }> {
  const server = createServer({ cert: pair.cert, key: pair.key }, (_request, response) => void response.end('served'));
  let [now, most] = [0, 0];
  // Before the gate: called for each handshake that it lets begin.
  server.on('connection', (socket: Socket) => {
    most = Math.max(most, (now += 1));
    socket.once('close', () => (now -= 1));
  });
  gateHandshakes(server, bounds);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server, most: () => most };
}

/** The answer to a request on a connection of its own, which the server ends. */
async function ask(port: number): Promise<string> {
  const socket = connectTls({ port, host: '127.0.0.1', ca });
  sockets.push(socket);
  await once(socket, 'secureConnect');
  let said = '';
  socket.on('data', (piece) => (said += String(piece)));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');
  return said;
}

test('three hundred clients at once are all served', async () => {
  const { port } = await listen({ atOnce: 4, placeMs: 60_000 });
  const said = await Promise.all(Array.from({ length: 300 }, () => ask(port)));
  for (const each of said) expect(each).toContain('served');
});

test('a waiting client begins when one before it has ended its handshake, or goes away', async () => {
  const { port, most } = await listen({ atOnce: 2, placeMs: 60_000 });
  const silent = [0, 1].map(() => connect({ port, host: '127.0.0.1' }));
  sockets.push(...silent);
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  const served = ask(port);
  silent[0]?.destroy();
  expect(await served).toContain('served');
  expect(most()).toBe(2);
});

test('clients that let their handshake hang keep others waiting for the time of a place alone', async () => {
  const { port } = await listen({ atOnce: 2, placeMs: 20 });
  const silent = Array.from({ length: 20 }, () => connect({ port, host: '127.0.0.1' }));
  sockets.push(...silent);
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  expect(await ask(port)).toContain('served');
  expect(silent.some(({ destroyed }) => destroyed)).toBe(false);
});

test('clients that were reset before they were accepted, which have no address, give their places back', async () => {
  const { port, server } = await listen({ atOnce: 2, placeMs: 600_000 });
  const reset = [new Socket(), new Socket()];
  for (const socket of reset) server.emit('connection', socket);
  for (const socket of reset) socket.destroy();
  const silent = connect({ port, host: '127.0.0.1' });
  sockets.push(silent);
  await once(silent, 'connect');
  expect(await ask(port)).toContain('served');
});

test('a client that has gone while it waited takes no place', async () => {
  const { port, most } = await listen({ atOnce: 1, placeMs: 60_000 });
  const [first, second] = [connect({ port, host: '127.0.0.1' }), connect({ port, host: '127.0.0.1' })];
  sockets.push(first, second);
  await Promise.all([first, second].map((socket) => once(socket, 'connect')));
  second.resetAndDestroy();
  const served = ask(port);
  first.destroy();
  expect(await served).toContain('served');
  expect(most()).toBe(1);
});

test('a client that has waited for more than a minute is let go, and the next one begins', async () => {
  const { port, server, most } = await listen({ atOnce: 1, placeMs: 600_000 });
  const join = async (): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    await once(server, 'connection');
    return socket;
  };
  const [first, second] = [await join(), await join()];
  const monotonic = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
  try {
    const served = ask(port);
    await once(server, 'connection');
    const left = closed(second);
    first.destroy();
    await left;
    expect(await served).toContain('served');
    expect(most()).toBe(1);
  } finally {
    monotonic.mockRestore();
  }
});
