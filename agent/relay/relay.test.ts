/** The relay as a child process, between a real caller and a cloud over mutual TLS. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RelayStatus } from '../../shared/wire/relay.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { makeAuthority, type Authority } from '../../test/support/pki.ts';
import { TestFixture, waitFor, type Part } from '../../test/support/process.ts';
import { relayEnv } from '../../test/support/agent/relay-process.ts';
import { ask, open, rawly, standstill, startCloud, wholly } from '../../test/support/agent/relay.ts';
import type { ScriptedCloud, Seen } from '../../test/support/agent/relay.ts';
import { runs } from '../../test/support/runs.ts';

const PULL = '/api/v1/sync/bundle?after=0&limit=100';
const BODY_BYTES = 32 * 1024 * 1024;
const fixture = new TestFixture();
let authority: Authority;
let cloud: ScriptedCloud;
let relay: Part;
let url: string;
/** The fingerprint of the relay's client certificate. */
let fingerprint: string;
let env: Record<string, string>;

const envelope = ({ body }: Seen): { isSuccess: boolean; code: string; message: string; errors?: { path: string }[] } =>
  JSON.parse(body.toString()) as ReturnType<typeof envelope>;
const status = async (): Promise<RelayStatus> =>
  (JSON.parse((await ask(url, '/status')).body.toString()) as { result: RelayStatus }).result;
const chunk = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

beforeAll(async () => {
  authority = await makeAuthority();
  const [server, client] = await Promise.all([authority.server(), authority.client({ name: 'tenant 1' })]);
  fingerprint = client.fingerprint;
  cloud = await startCloud({ cert: server.cert, key: server.key, ca: authority.ca });
  const folder = fixture.folder('relay');
  env = { ...relayEnv(folder, cloud.url, client, authority), CAUSEWAY_RELAY_BODY_BYTES: String(BODY_BYTES) };
  relay = fixture.start('agent/relay/main.ts', { env });
  ({ url } = await relay.listening('relay'));
});

beforeEach(() => {
  cloud.seen.length = 0;
});

afterAll(async () => {
  await fixture.clear();
  await cloud.close();
});

describe('an answer passes byte for byte', () => {
  test.each<[string, Uint8Array]>([
    ['JSON', Buffer.from('{"isSuccess":true,"code":"COMMON200","message":"OK"}')],
    ['JSON in an unusual form', Buffer.from('{ "b" : 1.0e2,\t"a":"\\u0041\ud55c",  "a": 12345678901234567890 }\r\n')],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf5, 0x0a])],
    ['bytes that look compressed', Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0x01])],
    ['nothing', Buffer.alloc(0)],
    ['one byte', randomBytes(1)],
    ['random bytes', randomBytes(100_003)],
    ['8 MB of random bytes', randomBytes(8 * 1024 * 1024)],
  ])('%s', async (_, body) => {
    cloud.script = wholly(body);
    const known = await ask(url, PULL);
    expect(known).toMatchObject({
      status: 200,
      whole: true,
      headers: { 'content-length': String(body.length), 'content-type': 'application/json' },
    });
    expect(known.body.equals(body)).toBe(true);

    cloud.script = (__, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (let at = 0; at < body.length; at += 70_000) response.write(body.subarray(at, at + 70_000));
      response.end();
    };
    const chunked = await ask(url, PULL);
    expect(chunked).toMatchObject({ status: 200, whole: true });
    expect(chunked.body.equals(body)).toBe(true);
  });

  test.each([200, 204, 301, 400, 401, 403, 404, 410, 429, 500, 503])('with status %i', async (code) => {
    const body = code === 204 ? '' : `{"isSuccess":false,"code":"X${code}"}`;
    cloud.script = (_, response) =>
      response
        .writeHead(code, {
          'content-type': 'application/json;odd=1',
          'retry-after': '17',
          location: 'https://elsewhere',
        })
        .end(body);
    const seen = await ask(url, PULL);
    expect(seen).toMatchObject({
      status: code,
      whole: true,
      headers: { 'content-type': 'application/json;odd=1', 'retry-after': '17' },
    });
    expect(seen.body.toString()).toBe(body);
    expect(seen.headers['location']).toBeUndefined();
  });

  test('with head, signature and statement (D31, D32, D59), an unrequested encoding, and no other header', async () => {
    cloud.script = wholly('{}', {
      'x-causeway-head': '9007199254740991',
      'x-causeway-signature': 'a+/b==',
      'x-causeway-statement': 'eyJ2IjoxfQ.c2ln',
      'content-encoding': 'gzip',
      'set-cookie': 'a=b',
      'x-other': 'x',
      server: 'cloud',
    });
    const { headers } = await ask(url, PULL);
    expect(headers).toMatchObject({
      'x-causeway-head': '9007199254740991',
      'x-causeway-signature': 'a+/b==',
      'x-causeway-statement': 'eyJ2IjoxfQ.c2ln',
      'content-encoding': 'gzip',
    });
    expect(Object.keys(headers).sort()).toEqual(
      [
        'connection',
        'content-encoding',
        'content-length',
        'content-type',
        'date',
        'x-causeway-head',
        'x-causeway-signature',
        'x-causeway-statement',
        'x-request-id',
      ].sort(),
    );
  });

  test('a slow reader holds the cloud back, and gets everything in the end', async () => {
    const piece = randomBytes(256 * 1024);
    const pieces = 120;
    let written = 0;
    // A connection that has carried much has buffers for all of it: a new one is used.
    cloud.script = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      response.end('{}');
    };
    await ask(url, PULL);
    cloud.script = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const write = (): void => {
        while (written < pieces) {
          written += 1;
          if (!response.write(piece)) {
            response.once('drain', write);
            return;
          }
        }
        response.end();
      };
      write();
    };
    const response = await open(url, PULL);
    const held = await standstill('the cloud to be held back', () => written);
    expect(held).toBeLessThan(pieces);
    const hash = createHash('sha256');
    for await (const part of response) hash.update(part as Buffer);
    const expected = createHash('sha256');
    for (let i = 0; i < pieces; i += 1) expected.update(piece);
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
    expect(response.complete).toBe(true);
  });

  test.runIf(process.platform === 'linux')('takes no more memory for more bytes', async () => {
    const peak = (): number =>
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${relay.pid}/status`, 'utf8'))?.[1]) / 1024;
    cloud.script = wholly(Buffer.alloc(BODY_BYTES, 'x'));
    await ask(url, PULL);
    const before = peak();
    for (let i = 0; i < runs(2, 6); i += 1) expect((await ask(url, PULL)).body.length).toBe(BODY_BYTES);
    expect(peak() - before).toBeLessThan(BODY_BYTES / 1024 / 1024);
  });
});

describe('the request that reaches the cloud', () => {
  test.each([
    '?after=0&limit=100',
    '?after=%31&limit=1+0',
    '?limit=abc&after=-1&after=2',
    '?after',
    '?after=99999999999999999999',
    '',
  ])('has the query as it came: %s', async (query) => {
    cloud.script = wholly('{}');
    expect((await ask(url, `/api/v1/sync/bundle${query}`)).status).toBe(200);
    expect(cloud.seen.map(({ method, target }) => `${method} ${target}`)).toEqual([`GET /api/v1/sync/bundle${query}`]);
  });

  test('has the relay’s certificate, and none of the caller’s headers (D30)', async () => {
    cloud.script = wholly('{}');
    await ask(url, PULL, {
      headers: {
        'x-tenant-id': '2',
        'x-client-cert': 'spoofed',
        'x-forwarded-for': '10.0.0.1',
        forwarded: 'for=10.0.0.1',
        authorization: 'Bearer x',
        cookie: 'a=b',
        'accept-encoding': 'gzip',
        'x-request-id': 'mine',
      },
    });
    expect(cloud.seen).toHaveLength(1);
    expect(cloud.seen[0]?.fingerprint).toBe(fingerprint);
    expect(Object.keys(cloud.seen[0]?.headers ?? {}).sort()).toEqual(['accept', 'connection', 'host']);
  });

  test.each<[string, string, string, number]>([
    ['another path', 'GET', '/api/v1/analyses', 403],
    ['the path with more behind it', 'GET', '/api/v1/sync/bundle/', 403],
    ['the path by a detour', 'GET', '/api/v1/x/../sync/bundle?after=0', 403],
    ['the path written otherwise', 'GET', '/api/v1/sync/%62undle?after=0', 403],
    ['the root', 'GET', '/', 403],
    ['an address in place of a path', 'GET', 'http://127.0.0.1/api/v1/sync/bundle?after=0', 403],
    ['another method', 'POST', PULL, 403],
    ['deletion', 'DELETE', PULL, 403],
    ['a head', 'HEAD', PULL, 403],
    ['another parameter', 'GET', `${PULL}&tenant_id=2`, 400],
    ['a parameter in disguise', 'GET', `${PULL}&%61fter=2`, 400],
    ['an empty parameter', 'GET', `${PULL}&`, 400],
  ])('is not %s', async (_, method, target, code) => {
    const before = (await status()).counts.refused;
    const seen = await ask(url, target, { method });
    expect(seen).toMatchObject({ status: code, whole: true });
    if (method !== 'HEAD') expect(envelope(seen)).toMatchObject({ isSuccess: false, code: `COMMON${code}` });
    expect(cloud.seen).toEqual([]);
    expect((await status()).counts.refused).toBe(before + 1);
  });

  test.each<[string, string, number]>([
    ['nothing that is no HTTP', '\u0000\u0001nonsense', 400],
    ['two hosts', `GET ${PULL} HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close`, 400],
    ['none', `GET ${PULL} HTTP/1.1\r\nConnection: close`, 400],
    ['an expectation', `GET ${PULL} HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nConnection: close`, 417],
    ['a head without end', `GET ${PULL} HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(9_000)}`, 431],
    ['an unknown method', `BREW ${PULL} HTTP/1.1\r\nHost: a`, 400],
    ['another host', `GET ${PULL} HTTP/1.1\r\nHost: evil.example:4200\r\nConnection: close`, 403],
    ['one that ends like ours', `GET /status HTTP/1.1\r\nHost: localhost.evil.example\r\nConnection: close`, 403],
    ['a tunnel', 'CONNECT cloud:443 HTTP/1.1\r\nHost: cloud:443', 403],
  ])('is not %s', async (_, text, code) => {
    const { hostname, port } = new URL(url);
    const { connect } = await import('node:net');
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(`${text}\r\n\r\n`));
      let said = '';
      socket.on('data', (piece) => (said += piece.toString()));
      socket.once('error', reject);
      socket.once('close', () => resolve(said));
    });
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
    expect(answer).toMatch(/^x-request-id: \S+\r$/m);
    expect(answer).toContain(`"code":"COMMON${code}"`);
    expect(cloud.seen).toEqual([]);
  });
});

describe('an answer that breaks off', () => {
  const body = Buffer.from(`{"isSuccess":true,"result":"${'가나다'.repeat(50)}"}`);
  const offsets = [0, 1, 2, 17, 100, body.length - 1];

  test.each(offsets.flatMap((offset) => (['end', 'reset'] as const).map((how) => [offset, how] as const)))(
    'of known length after %i bytes (%s) is never whole',
    async (offset, how) => {
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
      cloud.script = rawly(Buffer.concat([Buffer.from(head), body.subarray(0, offset)]), how);
      await expectCut(body.subarray(0, offset));
    },
  );

  test.each(offsets)('in chunks after %i bytes is never whole', async (offset) => {
    const begun = offset === 0 ? Buffer.alloc(0) : chunk(body.subarray(0, offset));
    cloud.script = rawly(
      Buffer.concat([
        Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'),
        begun,
      ]),
    );
    await expectCut(body.subarray(0, offset));
  });

  test('in a chunk that is no chunk is never whole', async () => {
    cloud.script = rawly('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\nzz\r\n');
    await expectCut(Buffer.from('abcde'));
  });

  test.each(['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n', 'HTTP/1.1', 'nonsense\r\n\r\n', ''])(
    'in its head is a failure: %j',
    async (text) => {
      cloud.script = rawly(text);
      await expectUnavailable('The cloud cannot be reached');
    },
  );

  test('with more bytes than announced ends at the announced length and spoils nothing after it', async () => {
    cloud.script = rawly('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabcdefghij', 'open');
    const seen = await ask(url, PULL);
    expect(seen.body.toString()).toBe('abcde');
    cloud.script = wholly('next');
    expect((await ask(url, PULL)).body.toString()).toBe('next');
  });

  test('because the relay dies is never whole', async () => {
    const mortal = fixture.start('agent/relay/main.ts', { env });
    const { url: own } = await mortal.listening('relay');
    cloud.script = rawly(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n{`, 'open');
    const response = await open(own, PULL);
    response.on('error', () => undefined).resume();
    await mortal.kill();
    await waitFor('the caller to notice', () => response.closed);
    expect(response.complete).toBe(false);
  });

  /** The caller sees a broken body, with only the cloud's bytes in it, and the break is counted. */
  async function expectCut(begun: Buffer): Promise<void> {
    const before = (await status()).counts;
    let seen: Seen | null = null;
    try {
      seen = await ask(url, PULL);
    } catch {
      // The connection may break before the head has gone out: that counts as a break as well.
    }
    expect(seen?.whole ?? false).toBe(false);
    if (seen !== null) expect(begun.subarray(0, seen.body.length).equals(seen.body)).toBe(true);
    const { counts, lastFailure } = await status();
    expect(counts.cut).toBe(before.cut + 1);
    expect(counts.relayed).toBe(before.relayed);
    expect(lastFailure?.message).toContain('cut off');
  }
});

async function expectUnavailable(sentence: string | RegExp, at = url): Promise<void> {
  const seen = await ask(at, PULL);
  expect(seen).toMatchObject({ status: 503, whole: true });
  expect(envelope(seen)).toMatchObject({ isSuccess: false, code: 'COMMON503' });
  expect(envelope(seen).message).toMatch(sentence);
}

describe('bounds', () => {
  let bounded: string;

  beforeAll(async () => {
    const part = fixture.start('agent/relay/main.ts', {
      env: {
        ...env,
        CAUSEWAY_RELAY_HEADERS_MS: '400',
        CAUSEWAY_RELAY_BODY_MS: '600',
        CAUSEWAY_RELAY_BODY_BYTES: '1000',
      },
    });
    ({ url: bounded } = await part.listening('relay'));
  });

  test('no head in time is a failure', async () => {
    cloud.script = () => undefined;
    await expectUnavailable('did not begin to answer within 400 ms', bounded);
  });

  test('a slow drip hits the time of the body, though it never pauses for long', async () => {
    let dripping: NodeJS.Timeout | undefined;
    cloud.script = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      dripping = setInterval(() => response.write('x'), 20);
    };
    const seen = await ask(bounded, PULL);
    clearInterval(dripping);
    expect(seen.whole).toBe(false);
    expect(seen.body.length).toBeGreaterThan(0);
  });

  test('an endless body hits the size', async () => {
    cloud.script = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const write = (): void => {
        if (!response.destroyed && response.write('x'.repeat(100))) setImmediate(write);
      };
      write();
    };
    const seen = await ask(bounded, PULL);
    expect(seen.whole).toBe(false);
    expect(seen.body.length).toBeLessThanOrEqual(1_000);
  });

  test('a body announced as too large is not begun; one of exactly the limit passes', async () => {
    cloud.script = wholly('x'.repeat(1_001));
    await expectUnavailable('larger than 1000 bytes', bounded);
    cloud.script = wholly('x'.repeat(1_000));
    expect((await ask(bounded, PULL)).body.length).toBe(1_000);
  });
});

test('a caller who leaves ends the pull at the cloud, long before any bound', async () => {
  let ended = false;
  cloud.script = (_, response) => {
    response.writeHead(200, { 'content-length': 500 }).write('begun');
    response.once('close', () => (ended = true));
  };
  const response = await open(url, PULL);
  response.destroy();
  await waitFor('the end of the pull', () => ended, 10_000);
});

test('HEAD and OPTIONS of health are answered as GET, and of nothing else', async () => {
  const [got, head, options] = await Promise.all(
    ['GET', 'HEAD', 'OPTIONS'].map((method) => ask(url, '/health', { method })),
  );
  expect([head?.status, head?.body.length, options?.status]).toEqual([200, 0, 200]);
  expect(options?.body).toEqual(got?.body);
  for (const method of ['HEAD', 'OPTIONS']) expect((await ask(url, '/status', { method })).status).toBe(403);
});

test('health and status report the state', async () => {
  const health = await ask(url, '/health');
  expect(health.status).toBe(200);
  expect(envelope(health)).toMatchObject({ isSuccess: true, code: 'COMMON200' });

  cloud.script = wholly('12345');
  await ask(url, PULL);
  const told = await status();
  expect(told).toMatchObject({
    version: PRODUCT_VERSION,
    upstream: cloud.url,
    certificate: { subject: 'CN=tenant 1', issuer: 'CN=test authority', fingerprint },
    certificateProblem: null,
    inward: null,
    lastAnswer: { status: 200, bytes: 5 },
  });
  expect(Date.parse(told.certificate.validTo)).toBeGreaterThan(Date.now());
  const { pulls, relayed, failed, cut, abandoned } = told.counts;
  expect(relayed + failed + cut + abandoned).toBe(pulls);

  const scraped = (await ask(url, '/metrics')).body.toString();
  expect(scraped).toContain(`\ncauseway_relay_pulls_total ${pulls}\n`);
  expect(scraped).toContain(
    `\ncauseway_relay_certificate_end_seconds ${Date.parse(told.certificate.validTo) / 1_000}\n`,
  );
});

test('every request has an id that its log line has too', async () => {
  cloud.script = wholly('{}');
  const { headers } = await ask(url, PULL);
  await relay.logLine(
    'the line of the pull',
    (line) => line['reqId'] === headers['x-request-id'] && line.msg === 'relayed',
  );
});
