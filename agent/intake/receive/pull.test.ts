import { createServer as createHttp, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createUpstream,
  NoAnswerError,
  OversizedAnswerError,
  type Identity,
  type PullBounds,
  type Upstream,
} from './pull.ts';
import { makeAuthority } from '../../../test/support/pki.ts';

const BOUNDS: PullBounds = { connectMs: 2_000, headersMs: 2_000, idleMs: 2_000, totalMs: 5_000, bytes: 100_000 };
const running = new AbortController().signal;
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

function upstreamAt(address: string, bounds: Partial<PullBounds> = {}, identity: Identity = {}): Upstream {
  const upstream = createUpstream(new URL(address), identity, { ...BOUNDS, ...bounds });
  open.push(() => upstream.close());
  return upstream;
}

async function answering(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  bounds?: Partial<PullBounds>,
): Promise<Upstream> {
  return upstreamAt(`http://127.0.0.1:${await listen(createHttp(respond))}`, bounds);
}

/** A server that answers every connection with exactly these bytes. */
async function saying(text: string, end: 'KEEP_OPEN' | 'CLOSE'): Promise<Upstream> {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(text);
      if (end === 'CLOSE') socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return upstreamAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { headersMs: 300, idleMs: 300 });
}

const pull = (upstream: Upstream) => upstream.pull({ after: 12, limit: 100 }, running);

describe('a request and its answer', () => {
  test('a body stays as it came while later ones are read: a repair keeps several', async () => {
    const contentOf = (after: number): Buffer => Buffer.alloc(1_000 * (9 - after), `${after} of the bodies; `);
    const upstream = await answering((request, response) => {
      response.writeHead(200).end(contentOf(Number(/after=(\d+)/.exec(request.url ?? '')?.[1])));
    });
    const bodies: Uint8Array[] = [];
    for (let after = 0; after < 8; after += 1) bodies.push((await upstream.pull({ after, limit: 1 }, running)).body);
    expect(bodies.map((body, after) => contentOf(after).equals(body))).toEqual(bodies.map(() => true));
  });

  test('the path of the contract, without asking for any coding; the bytes come as they are', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const seen: IncomingMessage[] = [];
    const upstream = await answering((request, response) => {
      seen.push(request);
      response.writeHead(200, { 'x-causeway-head': '99', 'x-causeway-signature': 'c2ln' }).end(bytes);
    });
    const answer = await pull(upstream);
    expect(seen[0]?.url).toBe('/api/v1/sync/bundle?after=12&limit=100');
    expect(seen[0]?.method).toBe('GET');
    expect(seen[0]?.headers['accept-encoding']).toBeUndefined();
    expect(answer).toMatchObject({ status: 200, head: '99', signature: 'c2ln', retryAfter: null });
    expect(Buffer.from(answer.body).equals(bytes)).toBe(true);
  });
  test('a body that is coded all the same is left as it is', async () => {
    const upstream = await answering((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
    );
    expect(Buffer.from((await pull(upstream)).body).toString()).toBe('not gzip');
  });
  test('every status is an answer, and a redirection is not followed', async () => {
    const upstream = await answering((request, response) =>
      request.url === '/elsewhere'
        ? response.writeHead(200).end()
        : response.writeHead(302, { location: '/elsewhere', 'retry-after': '7' }).end('x'),
    );
    expect(await pull(upstream)).toMatchObject({ status: 302, retryAfter: '7' });
  });
  test('a wait is asked for and the applying told; what the cloud says of it is read, and its seconds are no silence of the server', async () => {
    const asked: unknown[] = [];
    const upstream = await answering(
      ({ headers }, response) => {
        asked.push([headers['prefer'], headers['x-causeway-applied']]);
        setTimeout(() => response.writeHead(200, { 'preference-applied': 'wait=1' }).end('{}'), 300);
      },
      { headersMs: 100, totalMs: 200 },
    );
    let begun = 0;
    const telling = { applied: 'applied=7;rejected=0;held=0', answered: () => void (begun += 1) };
    const answer = await upstream.pull({ after: 7, limit: 3, waitSeconds: 1, ...telling }, running);
    expect([asked, answer.isWaitApplied, begun]).toEqual([[['wait=1', telling.applied]], true, 1]);
    await expect(pull(upstream)).rejects.toThrow(NoAnswerError);
    expect(asked[1]).toEqual([undefined, undefined]);
  });
  test('a header that came twice is returned as both values', async () => {
    const upstream = await answering((_, response) => response.writeHead(200, { 'x-causeway-head': ['5', '6'] }).end());
    expect((await pull(upstream)).head).toBe('5, 6');
  });
});

describe('no whole answer', () => {
  const codeOf = async (upstream: Upstream): Promise<string> => {
    const error: unknown = await pull(upstream).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NoAnswerError);
    return error instanceof NoAnswerError ? error.code : '';
  };
  test('no server listens', async () => {
    const server = createHttp();
    const port = await listen(server);
    await open.pop()?.();
    expect(await codeOf(upstreamAt(`http://127.0.0.1:${port}`))).toBe('ECONNREFUSED');
  });
  test('the server stays silent', async () => {
    expect(await codeOf(await answering(() => undefined, { headersMs: 100 }))).toBe('UND_ERR_HEADERS_TIMEOUT');
  });
  test('the body stops coming', async () => {
    expect(
      await codeOf(await answering((_, response) => void response.writeHead(200).write('{"isS'), { idleMs: 100 })),
    ).toBe('UND_ERR_BODY_TIMEOUT');
  });
  test('the body drips for ever', async () => {
    const upstream = await answering(
      (_, response) => {
        const drip = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(drip));
      },
      { totalMs: 300 },
    );
    expect(await codeOf(upstream)).toBe('TIMEOUT');
  });
  test.each([
    ['the body is shorter than it says', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"isSuccess":true}', 'CLOSE'],
    ['it is cut within a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{"isSuccess"', 'CLOSE'],
    ['it is cut between chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n', 'CLOSE'],
    ['it is cut within the headers', 'HTTP/1.1 200 OK\r\ncontent-le', 'CLOSE'],
    ['it is no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'KEEP_OPEN'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\n{}abc', 'KEEP_OPEN'],
  ] as const)('%s', async (_, text, end) => {
    expect(await codeOf(await saying(text, end))).not.toBe('');
  });
  test('a body beyond the bound is not read to its end', async () => {
    let closed = false;
    const upstream = await answering((_, response) => {
      const more = (): void => {
        while (!closed && response.write(Buffer.alloc(16_384, 0x20)));
      };
      response.on('drain', more).on('close', () => (closed = true));
      more();
    });
    await expect(pull(upstream)).rejects.toBeInstanceOf(OversizedAnswerError);
    await expect.poll(() => closed).toBe(true);
  });
  test('the caller that ends it gets the reason, not a failure of the network', async () => {
    const upstream = await answering(() => undefined);
    const ending = new AbortController();
    const pulling = upstream.pull({ after: 0, limit: 1 }, ending.signal);
    ending.abort(new Error('stop'));
    await expect(pulling).rejects.toThrow('stop');
  });
});

describe('mutual TLS', async () => {
  const authority = await makeAuthority();
  const stranger = await makeAuthority('another CA');
  const [server, client] = await Promise.all([authority.server(), authority.client()]);
  const address = async (): Promise<string> => {
    const https = createHttps(
      { ...server, ca: authority.ca, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        response.writeHead(200).end((request.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256);
      },
    );
    return `https://127.0.0.1:${await listen(https)}`;
  };
  test('the client certificate is shown', async () => {
    const answer = await pull(upstreamAt(await address(), {}, { ...client, ca: authority.ca }));
    expect(Buffer.from(answer.body).toString()).toMatch(/^[0-9A-F:]{95}$/);
  });
  test.each([
    ['without a client certificate', { ca: authority.ca }],
    ['with one of another authority', { ...(await stranger.client()), ca: authority.ca }],
    ['where the server is of another authority', { ...client, ca: stranger.ca }],
  ])('%s there is no answer', async (_, identity) => {
    await expect(pull(upstreamAt(await address(), {}, identity))).rejects.toBeInstanceOf(NoAnswerError);
  });

  test.each([
    [{ ca: stranger.ca }, 'than CAUSEWAY_INTAKE_CA holds'],
    [{}, 'than this program trusts'],
  ])('a server of another authority is named so, without advice to trust this machine’s', async (trust, said) => {
    const refused = await pull(upstreamAt(await address(), {}, { ...client, ...trust })).catch((error: Error) => error);
    expect(refused).toMatchObject({
      message: expect.stringContaining(`it shows a certificate of another authority ${said}`) as string,
    });
    expect(refused).not.toMatchObject({ message: expect.stringContaining('system-ca') as string });
  });
});
