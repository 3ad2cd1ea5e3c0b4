import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FaultProxy, FINE } from './proxy.ts';

test('a connection that is reset has lost its end, and nothing in its middle', async () => {
  const taken = Promise.withResolvers<Socket>();
  const server = createServer((socket) => taken.resolve(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = await FaultProxy.start(() => (server.address() as AddressInfo).port);
  const client = connect(proxy.port, '127.0.0.1');
  const received: string[] = [];
  client.setEncoding('utf8').on('data', (text) => received.push(String(text)));
  const isOver = new Promise<void>((resolve) => client.on('error', () => undefined).on('close', () => resolve()));
  const far = await taken.promise;
  const send = async (text: string): Promise<void> => {
    await new Promise((resolve) => far.write(text, resolve));
    for (let turns = 0; turns < 5; turns += 1) await turn();
  };
  try {
    // The weather is fine again before the reset has come about.
    proxy.change({ kind: 'RESET', delayMs: 100 });
    await send('abcdef');
    proxy.change(FINE);
    await send('ghi');
    await isOver;
    expect(received.join('')).toBe('abc');
  } finally {
    await proxy.close();
    server.close();
  }
});
