/** The proxy between relay and cloud: one that answers badly. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openTunnel } from './proxy.ts';

let server: Server | undefined;
const open = new Set<Socket>();
afterEach(() => {
  for (const socket of open) socket.destroy();
  server?.close();
});

/** What a proxy's answer to the request for a tunnel leads to. */
async function tunnelThrough(answer: (socket: Socket, asked: string) => void, login = ''): Promise<string> {
  server = createServer((socket) => {
    open.add(socket);
    socket.once('data', (data) => answer(socket, String(data))).on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = new URL(`http://${login}127.0.0.1:${(server.address() as AddressInfo).port}`);
  return new Promise((resolve) => {
    openTunnel({ address, except: '' }, 'cloud.example:4143', (error, inside) => {
      inside?.destroy();
      resolve(error?.message ?? 'open');
    });
  });
}

describe('a proxy that answers badly', () => {
  test('a head that never ends is given up at 16 KB, in pieces of any size', async () => {
    let sent = 0;
    const drip = (socket: Socket): void => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      const more = (): void => {
        if (socket.destroyed) return;
        sent += 100;
        socket.write('y'.repeat(100), more);
      };
      more();
    };
    expect(await tunnelThrough(drip)).toBe('the proxy answered with a head of more than 16384 bytes');
    // What the proxy's own buffer holds beyond it.
    expect(sent).toBeLessThan(8_000_000);
  });

  test('a long head in many pieces that ends is an answer', async () => {
    const inPieces = (socket: Socket): void => {
      socket.setNoDelay(true);
      const head = `HTTP/1.1 200 OK\r\n${'x-filler: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(180)}\r\n`;
      const pieces = head.match(/[\s\S]{1,100}/g) ?? [];
      const next = (): void => {
        const piece = pieces.shift();
        if (piece !== undefined) socket.write(piece, () => setImmediate(next));
      };
      next();
    };
    expect(await tunnelThrough(inPieces)).toBe('open');
  });

  test.each([
    ['HTTP/1.1 407 no\r\n\r\n', 'the proxy asks for a user and a password, which belong into HTTPS_PROXY (HTTP 407)'],
    ['HTTP/1.1 403 no\r\n\r\n', 'the proxy refused the tunnel (HTTP 403)'],
    ['HTTP/1.1 200 OK\r\n\r\nearly', 'the proxy sent more than its answer'],
    ['SSH-2.0-x\r\n', 'the proxy did not answer in HTTP'],
  ])('%j', async (answer, said) => {
    expect(await tunnelThrough((socket) => socket.end(answer))).toBe(said);
  });

  test('one that closes without an answer', async () => {
    expect(await tunnelThrough((socket) => socket.destroy())).toMatch(/^the proxy took no connection/);
  });
});

test('the proxy is asked for the cloud alone, as the user of HTTPS_PROXY', async () => {
  let asked = '';
  const answer = (socket: Socket, data: string): void => {
    asked = data;
    socket.end('HTTP/1.1 200 OK\r\n\r\n');
  };
  expect(await tunnelThrough(answer, 'us%20er:p%40ss@')).toBe('open');
  expect(asked).toContain('CONNECT cloud.example:4143 HTTP/1.1\r\nhost: cloud.example:4143\r\n');
  expect(asked).toContain(`proxy-authorization: Basic ${Buffer.from('us er:p@ss').toString('base64')}`);
});
