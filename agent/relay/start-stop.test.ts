/** The relay's start, its refusals, its reaction to changed files, and its stop. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RelayStatus } from '../../shared/wire/relay.ts';
import { DAY_MS, makeAuthority, writePair, writeWhole, type Authority, type Issued } from '../../test/support/pki.ts';
import { TestFixture, waitFor } from '../../test/support/process.ts';
import { ask, open, startCloud, startProxy, wholly, type ScriptedCloud } from '../../test/support/agent/relay.ts';
import { relayEnv, TestRelay } from '../../test/support/agent/relay-process.ts';

const PULL = '/api/v1/sync/bundle?after=0';

const fixture = new TestFixture();
let authority: Authority;
let cloud: ScriptedCloud;
let first: Issued;
let second: Issued;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  authority = await makeAuthority();
  const server = await authority.server({ hosts: ['127.0.0.1', 'cloud.example'] });
  [first, second] = await Promise.all([authority.client({ name: 'first' }), authority.client({ name: 'second' })]);
  cloud = await startCloud({ cert: server.cert, key: server.key, ca: authority.ca });
  cloud.script = wholly('{}');
  folder = fixture.folder('relay');
  env = relayEnv(folder, cloud.url, first, authority);
});

afterEach(() => {
  writePair(folder, 'relay', first);
  cloud.script = wholly('{}');
  cloud.seen.length = 0;
});

afterAll(async () => {
  for (const relay of relays) expect(await relay.stop()).toBe(0);
  await fixture.clear();
  await cloud.close();
});

const relays: TestRelay[] = [];
function start(more: Record<string, string | undefined> = {}): TestRelay {
  const relay = new TestRelay({ ...env, ...more });
  relays.push(relay);
  return relay;
}
const startProcess = (args: string[] = [], more: Record<string, string> = {}) =>
  fixture.start('agent/relay/main.ts', { env: { ...env, ...more }, args });
const statusOf = async (url: string, options = {}): Promise<RelayStatus> =>
  (JSON.parse((await ask(url, '/status', options)).body.toString()) as { result: RelayStatus }).result;

describe('refuses to start, in one sentence', () => {
  async function refusal(more: Record<string, string | undefined>): Promise<{ code: number; said: string }> {
    const relay = new TestRelay({ ...env, ...more });
    const code = await relay.ended;
    expect(relay.stdout).toBe('');
    return { code, said: relay.stderr.trimEnd() };
  }
  async function endOf(
    args: string[],
    more: Record<string, string> = {},
  ): Promise<{ code: number | null; said: string }> {
    const part = startProcess(args, more);
    const { code } = await part.ended();
    expect(part.stdout).toBe('');
    return { code, said: part.stderr.trimEnd() };
  }

  test.each<[string, Record<string, string | undefined>, RegExp]>([
    ['without an upstream', { CAUSEWAY_RELAY_UPSTREAM: undefined }, /^CAUSEWAY_RELAY_UPSTREAM is missing: /],
    [
      'with a plain upstream',
      { CAUSEWAY_RELAY_UPSTREAM: 'http://127.0.0.1:4143' },
      /^CAUSEWAY_RELAY_UPSTREAM must begin with https:/,
    ],
    [
      'with a path in the upstream',
      { CAUSEWAY_RELAY_UPSTREAM: 'https://127.0.0.1/x' },
      /^CAUSEWAY_RELAY_UPSTREAM must be only /,
    ],
    [
      'with a wrong address to listen on',
      { CAUSEWAY_RELAY_LISTEN: '4200' },
      /^CAUSEWAY_RELAY_LISTEN must be host:port/,
    ],
    [
      'on an address that others reach, without TLS',
      { CAUSEWAY_RELAY_LISTEN: '0.0.0.0:0' },
      /^CAUSEWAY_RELAY_LISTEN is 0\.0\.0\.0:0, which other machines can reach/,
    ],
    ['on every IPv6 address, without TLS', { CAUSEWAY_RELAY_LISTEN: '[::]:0' }, /which other machines can reach/],
    [
      'on a name that only begins like this machine, without TLS',
      { CAUSEWAY_RELAY_LISTEN: 'localhost.example:0' },
      /which other machines can reach/,
    ],
    [
      'with half of inward TLS',
      { CAUSEWAY_RELAY_INWARD_CERT: 'x' },
      /^CAUSEWAY_RELAY_INWARD_CERT, .* are given together or not at all/,
    ],
    [
      'with a bound that is no number',
      { CAUSEWAY_RELAY_BODY_MS: 'long' },
      /^CAUSEWAY_RELAY_BODY_MS must be a whole number/,
    ],
  ])('%s (exit code 2)', async (_, more, sentence) => {
    const { code, said } = await refusal(more);
    expect(said).toMatch(sentence);
    expect(said.split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  test('with an argument (exit code 2)', async () => {
    expect(await endOf(['--fast'])).toEqual({
      code: 2,
      said: 'Unknown argument "--fast"; see --help.',
    });
  });

  test('with a key that does not fit, naming both files (exit code 1)', async () => {
    const other = writePair(folder, 'other', second);
    const { code, said } = await endOf([], { CAUSEWAY_RELAY_KEY: other.key });
    expect(said).toBe(
      `The certificate in CAUSEWAY_RELAY_CERT (${env['CAUSEWAY_RELAY_CERT']}) and the key in CAUSEWAY_RELAY_KEY (${other.key}) do not fit each other: give the key that the certificate was issued for.`,
    );
    expect(code).toBe(1);
  });

  test.each<[string, () => Record<string, string>, RegExp]>([
    [
      'a file that is not there',
      () => ({ CAUSEWAY_RELAY_CERT: `${folder}/none` }),
      /^The file in CAUSEWAY_RELAY_CERT \(.*none\) cannot be read \(ENOENT\)/,
    ],
    [
      'a key in place of the certificate',
      () => ({ CAUSEWAY_RELAY_CERT: env['CAUSEWAY_RELAY_KEY'] ?? '' }),
      /holds no certificate in PEM form/,
    ],
    [
      'a certificate in place of the key',
      () => ({ CAUSEWAY_RELAY_KEY: env['CAUSEWAY_RELAY_CERT'] ?? '' }),
      /holds no private key in PEM form/,
    ],
    [
      'an authority that is none',
      () => ({ CAUSEWAY_RELAY_CA: writeWhole(folder, 'garbage', 'garbage') }),
      /^The file in CAUSEWAY_RELAY_CA .* holds no certificate/,
    ],
    [
      'a port that is taken',
      () => ({ CAUSEWAY_RELAY_LISTEN: `127.0.0.1:${cloud.port}` }),
      /is in use by another process/,
    ],
  ])('with %s (exit code 1)', async (_, more, sentence) => {
    const { code, said } = await refusal(more());
    expect(said).toMatch(sentence);
    expect(said.split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  });

  test('but --help lists every variable and exits with 0', async () => {
    const part = startProcess(['--help']);
    expect(await part.ended()).toEqual({ code: 0, signal: null });
    for (const name of ['LISTEN', 'UPSTREAM', 'CERT', 'KEY', 'CA', 'INWARD_CERT', 'INWARD_KEY', 'INWARD_CLIENT_CA']) {
      expect(part.stdout).toContain(`CAUSEWAY_RELAY_${name} `);
    }
  });
});

describe('certificates that are replaced', () => {
  test('are used from the next pull on, without a pause and without a restart', async () => {
    const url = await start().listening();
    await ask(url, PULL);
    writePair(folder, 'relay', second);
    await ask(url, PULL);
    expect(cloud.seen.map((seen) => seen.fingerprint)).toEqual([first.fingerprint, second.fingerprint]);
    expect(await statusOf(url)).toMatchObject({
      certificate: { subject: 'CN=second', fingerprint: second.fingerprint },
      certificateProblem: null,
    });
  });

  test('are used from the next pull on in the middle of a backlog, too, however often they are replaced', async () => {
    const url = await start().listening();
    const expected: string[] = [];
    for (let round = 0; round < 60; round += 1) {
      const issued = round % 2 === 0 ? second : first;
      writePair(folder, 'relay', issued);
      for (let pulls = 0; pulls < 3; pulls += 1) {
        await ask(url, PULL);
        expected.push(issued.fingerprint);
      }
    }
    expect(cloud.seen.map((seen) => seen.fingerprint)).toEqual(expected);
  });

  test('do not disturb an answer that is under way', async () => {
    const url = await start().listening();
    let finish: () => void = () => undefined;
    cloud.script = (_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('begun');
      finish = () => response.end(' done');
    };
    const slow = await open(url, PULL);
    writePair(folder, 'relay', second);
    cloud.script = wholly('{}');
    expect((await ask(url, PULL)).status).toBe(200);
    expect(cloud.seen.at(-1)?.fingerprint).toBe(second.fingerprint);
    finish();
    let text = '';
    for await (const piece of slow) text += String(piece);
    expect(text).toBe('begun done');
  });

  test.each<[string, () => void, RegExp]>([
    ['of which only one is there yet', () => writeWhole(folder, 'relay.crt', second.cert), /do not fit each other/],
    [
      'that are damaged',
      () => writeWhole(folder, 'relay.crt', first.cert.slice(0, 200)),
      /holds a block CERTIFICATE without its end/,
    ],
  ])('%s are not used: the earlier go on, and it is told', async (_, replace, sentence) => {
    const part = start();
    const url = await part.listening();
    replace();
    expect((await ask(url, PULL)).status).toBe(200);
    expect(cloud.seen.at(-1)?.fingerprint).toBe(first.fingerprint);
    const { certificate, certificateProblem } = await statusOf(url);
    expect(certificate.fingerprint).toBe(first.fingerprint);
    expect(certificateProblem?.message).toMatch(sentence);
    await part.logLine('the error', (line) => line['level'] === 50 && sentence.test(String(line['msg'])));

    writePair(folder, 'relay', second);
    expect((await ask(url, PULL)).status).toBe(200);
    expect(cloud.seen.at(-1)?.fingerprint).toBe(second.fingerprint);
    expect((await statusOf(url)).certificateProblem).toBeNull();
  });

  test('an expired one still starts, with a warning: the cloud judges it', async () => {
    const old = writePair(folder, 'old', await authority.client({ from: -2 * DAY_MS, to: -DAY_MS }));
    const part = start({ CAUSEWAY_RELAY_CERT: old.cert, CAUSEWAY_RELAY_KEY: old.key });
    const url = await part.listening();
    await part.logLine('the warning', (line) => line['msg'] === 'the certificate has expired');
    expect((await ask(url, PULL)).status).toBe(503);
  });
});

describe('inward TLS', () => {
  let url: string;
  let intake: Issued;
  let stranger: Issued;
  let part: TestRelay;

  beforeAll(async () => {
    const [server, others] = await Promise.all([authority.server(), makeAuthority('somebody else')]);
    [intake, stranger] = await Promise.all([authority.client({ name: 'intake' }), others.client()]);
    const pair = writePair(folder, 'inward', server);
    part = start({
      CAUSEWAY_RELAY_INWARD_CERT: pair.cert,
      CAUSEWAY_RELAY_INWARD_KEY: pair.key,
      CAUSEWAY_RELAY_INWARD_CLIENT_CA: writeWhole(folder, 'inward-ca.crt', authority.ca),
    });
    url = await part.listening();
  });

  const as = ({ cert, key }: Issued): { cert: string; key: string; ca: string } => ({ cert, key, ca: authority.ca });

  test('admits clients with a certificate of the authority', async () => {
    expect(url).toMatch(/^https:/);
    expect((await ask(url, PULL, as(intake))).body.toString()).toBe('{}');
    expect(cloud.seen[0]?.fingerprint).toBe(first.fingerprint);
  });

  test('refuses all other clients', async () => {
    await expect(ask(url, PULL, { ca: authority.ca })).rejects.toThrow();
    await expect(ask(url, PULL, as(stranger))).rejects.toThrow();
    await expect(ask(url, '/health', { ca: authority.ca })).rejects.toThrow();
    await expect(
      ask(url, PULL, { ...as(intake), minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' }),
    ).rejects.toThrow();
    await expect(ask(url.replace('https:', 'http:'), PULL)).rejects.toThrow();
    expect(cloud.seen).toEqual([]);
    await part.logLine('the refusal', (line) => line['msg'] === 'a caller did not get through the TLS handshake');
  });

  test('reloads its files as well', async () => {
    const next = await authority.server({ name: 'next' });
    const before = await statusOf(url, as(intake));
    writePair(folder, 'inward', next);
    const after = await statusOf(url, as(intake));
    expect(after.inward?.certificate.fingerprint).toBe(next.fingerprint);
    expect(after.inward?.certificate.fingerprint).not.toBe(before.inward?.certificate.fingerprint);
    const response = await open(url, PULL, {
      ...as(intake),
      checkServerIdentity: (_: string, shown: { fingerprint256: string }) => {
        expect(shown.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(next.fingerprint);
        return undefined;
      },
    } as Parameters<typeof open>[2]);
    response.resume();
    expect(response.statusCode).toBe(200);
  });
});

describe('a proxy', () => {
  test('is used for the cloud, with the TLS inside it untouched', async () => {
    const proxy = await startProxy(cloud.port);
    const url = await start({
      CAUSEWAY_RELAY_UPSTREAM: 'https://cloud.example:4143',
      HTTPS_PROXY: proxy.url,
    }).listening();
    for (let i = 0; i < 2; i += 1) expect((await ask(url, PULL)).body.toString()).toBe('{}');
    expect(proxy.asked).toEqual(['cloud.example:4143']);
    expect(cloud.seen.map((seen) => seen.fingerprint)).toEqual([first.fingerprint, first.fingerprint]);
    await proxy.close();
  });

  test.each([
    ['takes the connection and says nothing', ''],
    ['says that the tunnel stands, and passes nothing on', 'HTTP/1.1 200 Connection established\r\n\r\n'],
  ])('that %s: the pull ends in time, and so does the connection', async (_, answer) => {
    let closed = 0;
    const proxy = createServer((socket) => {
      socket.once('data', () => socket.write(answer));
      socket.once('close', () => (closed += 1)).on('error', () => undefined);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = await start({
      CAUSEWAY_RELAY_UPSTREAM: 'https://cloud.example:4143',
      CAUSEWAY_RELAY_CONNECT_MS: '300',
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    }).listening();
    expect((await ask(url, PULL)).status).toBe(503);
    await waitFor('the end of the connection', () => closed === 1);
    expect((await statusOf(url)).lastFailure?.message).toContain('no connection through the proxy within 300 ms');
    proxy.close();
  });

  test('is not used for this machine, nor for hosts in NO_PROXY', async () => {
    const proxy = await startProxy(cloud.port);
    const url = await start({ HTTPS_PROXY: proxy.url }).listening();
    expect((await ask(url, PULL)).status).toBe(200);
    const named = await start({
      CAUSEWAY_RELAY_UPSTREAM: 'https://cloud.example:4143',
      HTTPS_PROXY: proxy.url,
      NO_PROXY: 'other,.example',
    }).listening();
    // Without the proxy that name does not resolve.
    expect((await ask(named, PULL)).status).toBe(503);
    expect(proxy.asked).toEqual([]);
    await proxy.close();
  });
});

describe('stopping', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s lets an answer under way end, takes no other, and ends well',
    async (signal) => {
      const part = startProcess();
      const { url } = await part.listening('relay');
      let finish: () => void = () => undefined;
      cloud.script = (_, response) => {
        response.writeHead(200, { 'content-length': 10 }).write('begun');
        finish = () => response.end(' done');
      };
      const response = await open(url, PULL);
      const ended = part.stop(signal);
      await waitFor('the listener to close', async () =>
        ask(url, '/health').then(
          () => false,
          () => true,
        ),
      );
      finish();
      let text = '';
      for await (const piece of response) text += String(piece);
      expect(text).toBe('begun done');
      expect(await ended).toEqual({ code: 0, signal: null });
    },
  );

  test('does not wait for a cloud that never answers', async () => {
    const part = startProcess();
    const { url } = await part.listening('relay');
    cloud.script = () => undefined;
    const asked = ask(url, PULL).then(
      () => 'answered',
      () => 'broken off',
    );
    await waitFor('the pull to reach the cloud', () => cloud.seen.length === 1);
    expect(await part.stop()).toEqual({ code: 0, signal: null });
    expect(await asked).toBe('broken off');
  });
});
