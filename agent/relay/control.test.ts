/** Another certificate by a call: the relay, a cloud over mutual TLS, files on disk. */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  CertificateInstalled,
  CertificateRequestMade,
  Reconnected,
  RelayStatus,
} from '../../shared/wire/relay.ts';
import { DAY_MS, makeAuthority, writePair, writeWhole, type Authority, type Issued } from '../../test/support/pki.ts';
import { TestFixture, waitFor } from '../../test/support/process.ts';
import {
  ask,
  open,
  post,
  startCloud,
  wholly,
  type Posted,
  type ScriptedCloud,
} from '../../test/support/agent/relay.ts';
import { TestRelay } from '../../test/support/agent/relay-process.ts';

const PULL = '/api/v1/sync/bundle?after=7';
const PROBE = '/api/v1/sync/bundle?after=0&limit=1';
const RECORD = '{"isSuccess":true,"code":"COMMON200","message":"OK","result":{"tenant_id":4}}';
const TOKEN = randomBytes(24).toString('hex');

const fixture = new TestFixture();
let authority: Authority;
let cloud: ScriptedCloud;
let folder: string;
let first: Issued;
let second: Issued;
let files: { cert: string; key: string };
let env: Record<string, string>;
let url: string;
let relay: TestRelay;

const file = (name: string): string => path.join(folder, name);
const control = (action: string, body?: object, token: string | null = TOKEN): Promise<Posted> =>
  post(url, `/control/${action}`, body, token === null ? {} : { authorization: `Bearer ${token}` });
const inUse = async (): Promise<string> => {
  await ask(url, PULL);
  return cloud.seen.at(-1)?.fingerprint ?? '';
};

beforeAll(async () => {
  authority = await makeAuthority();
  const server = await authority.server();
  cloud = await startCloud({ cert: server.cert, key: server.key, ca: authority.ca });
  [first, second] = await Promise.all([authority.client({ name: 'first' }), authority.client({ name: 'second' })]);
});
afterAll(() => cloud.close());

beforeEach(async () => {
  await fixture.clear();
  folder = fixture.folder('relay-control');
  files = writePair(folder, 'relay', first);
  env = {
    CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
    CAUSEWAY_RELAY_UPSTREAM: cloud.url,
    CAUSEWAY_RELAY_CERT: files.cert,
    CAUSEWAY_RELAY_KEY: files.key,
    CAUSEWAY_RELAY_CA: writeWhole(folder, 'ca.crt', authority.ca),
    CAUSEWAY_RELAY_CONTROL_TOKEN_FILE: writeWhole(folder, 'token', `${TOKEN}\n`),
  };
  cloud.script = wholly(RECORD);
  cloud.seen.length = 0;
  await start();
});
afterEach(() => relay.stop());
afterAll(() => fixture.clear());

async function start(): Promise<void> {
  relay = new TestRelay(env);
  url = await relay.listening();
}

/** Neither the certificate in use nor the files have changed. */
async function expectUntouched(): Promise<void> {
  cloud.script = wholly(RECORD);
  expect(await inUse()).toBe(first.fingerprint);
  expect(readFileSync(files.cert, 'utf8')).toBe(first.cert);
  expect(readFileSync(files.key, 'utf8')).toBe(first.key);
  expect(readdirSync(folder).sort()).toEqual(['ca.crt', 'relay.crt', 'relay.key', 'token']);
}

describe('a new certificate', () => {
  test('is tested against the cloud, written, and used from the next pull on', async () => {
    const { status, body } = await control('certificate', { certificate: second.cert, key: second.key, tenantId: 4 });
    expect(status).toBe(200);
    expect(body.result as CertificateInstalled).toMatchObject({
      certificate: { subject: 'CN=second', fingerprint: second.fingerprint },
      previous: { subject: 'CN=first', fingerprint: first.fingerprint },
      probe: { outcome: 'ACCEPTED', status: 200, code: 'COMMON200', tenantId: 4 },
    });
    expect(cloud.seen.map(({ target, fingerprint }) => [target, fingerprint])).toEqual([[PROBE, second.fingerprint]]);
    expect(await inUse()).toBe(second.fingerprint);
    expect(readFileSync(files.cert, 'utf8').trim()).toBe(second.cert.trim());
    expect(readFileSync(files.key, 'utf8').trim()).toBe(second.key.trim());
    expect(statSync(files.key).mode & 0o777).toBe(0o600);
    expect(statSync(file('relay.crt.previous')).mode & 0o777).toBe(0o600);
    expect(existsSync(file('relay.crt.installing'))).toBe(false);
    expect(relay.stdout + relay.stderr).not.toContain('PRIVATE KEY');

    await relay.stop();
    await start();
    expect(await inUse()).toBe(second.fingerprint);
  });

  test('again changes nothing and answers the same', async () => {
    await control('certificate', { certificate: second.cert, key: second.key });
    const { status, body } = await control('certificate', { certificate: second.cert, key: second.key });
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      certificate: { fingerprint: second.fingerprint },
      previous: { fingerprint: first.fingerprint },
    });
  });

  test('can be reverted', async () => {
    expect((await control('certificate/previous')).body).toMatchObject({ isSuccess: false, code: 'COMMON409' });
    await control('certificate', { certificate: second.cert, key: second.key });
    const { body } = await control('certificate/previous');
    expect(body.result).toMatchObject({
      certificate: { fingerprint: first.fingerprint },
      previous: { fingerprint: second.fingerprint },
    });
    expect(await inUse()).toBe(first.fingerprint);
  });

  test('does not disturb an answer under way', async () => {
    let finish: () => void = () => undefined;
    cloud.script = (_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('begun');
      finish = () => response.end(' done');
    };
    const slow = await open(url, PULL);
    cloud.script = wholly(RECORD);
    expect((await control('certificate', { certificate: second.cert, key: second.key })).status).toBe(200);
    expect(await inUse()).toBe(second.fingerprint);
    finish();
    let text = '';
    for await (const piece of slow) text += String(piece);
    expect(text).toBe('begun done');
  });

  test('may bring its issuers, and both may stand in one file', async () => {
    const one = writeWhole(folder, 'both.pem', `${first.key}\n${first.cert}\n`);
    env = { ...env, CAUSEWAY_RELAY_CERT: one, CAUSEWAY_RELAY_KEY: one };
    await relay.stop();
    await start();
    const certificate = `${second.cert.trimEnd()}\n${authority.ca}`;
    expect((await control('certificate', { certificate, key: second.key })).status).toBe(200);
    expect(await inUse()).toBe(second.fingerprint);
    expect(statSync(one).mode & 0o777).toBe(0o600);
    await relay.stop();
    await start();
    expect(await inUse()).toBe(second.fingerprint);
  });

  test.each<[string, () => Promise<object>, number, RegExp]>([
    ['that is none', async () => ({ certificate: 'garbage', key: second.key }), 400, /no certificate in PEM form/],
    [
      'whose key is none',
      async () => ({ certificate: second.cert, key: 'garbage' }),
      400,
      /no private key in PEM form/,
    ],
    [
      'with the key in it',
      async () => ({ certificate: second.cert + second.key, key: second.key }),
      400,
      /holds a block/,
    ],
    [
      'with another’s key',
      async () => ({ certificate: second.cert, key: first.key }),
      400,
      /does not fit the certificate/,
    ],
    ['without a key', async () => ({ certificate: second.cert }), 400, /no key waits for its certificate/],
    ['of an authority', async () => ({ certificate: authority.ca, key: second.key }), 400, /that of an authority/],
    ['that has expired', () => pair({ from: -2 * DAY_MS, to: -DAY_MS }), 400, /expired at/],
    ['that is not yet valid', () => pair({ from: DAY_MS, to: 2 * DAY_MS }), 400, /is not valid before/],
    ['for servers', () => pair({ usage: 'server' }), 400, /not meant for clients/],
    ['with a field that nobody knows', async () => ({ certificate: second.cert, keey: second.key }), 400, /body\.keey/],
    [
      'of another tenant',
      async () => ({ ...(await pair({})), tenantId: 5 }),
      409,
      /belongs to tenant 4, not to tenant 5/,
    ],
  ])('%s is refused, and nothing has changed', async (_, body, status, sentence) => {
    const answer = await control('certificate', await body());
    expect(answer).toMatchObject({ status, body: { isSuccess: false, code: `COMMON${status}` } });
    expect(answer.body.message).toMatch(sentence);
    await expectUntouched();
  });

  test.each<[string, number, number, RegExp]>([
    ['does not know', 401, 409, /does not accept the certificate.*SYNC4011/],
    ['has revoked', 403, 409, /does not accept the certificate.*SYNC4011/],
    ['cannot look at now', 503, 503, /not ready/],
    ['answers oddly', 404, 409, /does not behave like the cloud/],
  ])('that the cloud %s is refused, and nothing has changed', async (_, said, status, sentence) => {
    cloud.script = (__, response) =>
      response
        .writeHead(said, { 'content-type': 'application/json' })
        .end('{"isSuccess":false,"code":"SYNC4011","message":"no"}');
    const answer = await control('certificate', { certificate: second.cert, key: second.key });
    expect(answer.status).toBe(status);
    expect(answer.body.message).toMatch(sentence);
    expect(answer.body.message).toContain('The earlier certificate stays in use.');
    await expectUntouched();
  });

  test('that cannot be tried, because the cloud breaks off, is refused', async () => {
    cloud.script = (_, response) =>
      response.writeHead(200, { 'content-length': 100 }).end('{', () => response.destroy());
    const answer = await control('certificate', { certificate: second.cert, key: second.key });
    expect(answer).toMatchObject({ status: 503 });
    await expectUntouched();
  });

  test('that cannot be written is not used, and can be installed once the cause is gone', async () => {
    mkdirSync(file('relay.crt.installing.new'));
    const answer = await control('certificate', { certificate: second.cert, key: second.key });
    expect(answer).toMatchObject({ status: 503 });
    expect(answer.body.message).toMatch(/cannot be written \(.*The earlier certificate stays in use\./);
    expect(await inUse()).toBe(first.fingerprint);
    expect(readFileSync(files.key, 'utf8')).toBe(first.key);
    rmdirSync(file('relay.crt.installing.new'));
    expect((await control('certificate', { certificate: second.cert, key: second.key })).status).toBe(200);
  });

  test('that is decided on, but cannot be written to its files, is used and reported', async () => {
    await relay.stop();
    const mortal = fixture.start('agent/relay/main.ts', { env });
    ({ url } = await mortal.listening('relay'));
    mkdirSync(file('relay.key.new'));
    expect((await control('certificate', { certificate: second.cert, key: second.key })).status).toBe(200);
    expect(await inUse()).toBe(second.fingerprint);
    const told = async (): Promise<RelayStatus> =>
      (JSON.parse((await ask(url, '/status')).body.toString()) as { result: RelayStatus }).result;
    expect((await told()).certificateProblem?.message).toMatch(/cannot be written to its files/);
    await mortal.kill();
    await start();
    expect(await inUse()).toBe(second.fingerprint);
    rmdirSync(file('relay.key.new'));
    expect((await told()).certificateProblem).toBeNull();
    expect(readFileSync(files.key, 'utf8').trim()).toBe(second.key.trim());
  });

  test('does not queue: a second call at the same time is refused', async () => {
    let answer: () => void = () => undefined;
    cloud.script = (_, response) => {
      answer = () => response.end(RECORD);
      response.writeHead(200, { 'content-length': RECORD.length }).flushHeaders();
    };
    const one = control('certificate', { certificate: second.cert, key: second.key });
    await waitFor('the probe', () => cloud.seen.length === 1);
    expect(await control('reconnect')).toMatchObject({ status: 409, body: { code: 'COMMON409' } });
    answer();
    expect((await one).status).toBe(200);
  });
});

describe('an installation that was cut short', () => {
  test.each<[string, () => void, () => Issued]>([
    [
      'before it was decided leaves the earlier pair',
      () => writeFileSync(file('relay.crt.installing.new'), 'half'),
      () => first,
    ],
    [
      'once it was decided is finished at the start',
      () => writeWhole(folder, 'relay.crt.installing', second.key + second.cert),
      () => second,
    ],
    [
      'between the two files is finished at the start',
      () => {
        writeWhole(folder, 'relay.crt.installing', second.key + second.cert);
        writeWhole(folder, 'relay.key', second.key);
      },
      () => second,
    ],
    [
      'before the end of its file is finished at the start',
      () => {
        writeWhole(folder, 'relay.crt.installing', second.key + second.cert);
        writePair(folder, 'relay', second);
      },
      () => second,
    ],
  ])('%s', async (_, leave, expected) => {
    await relay.stop();
    leave();
    await start();
    expect(await inUse()).toBe(expected().fingerprint);
    expect(existsSync(file('relay.crt.installing'))).toBe(false);
    expect(readFileSync(files.cert, 'utf8').trim()).toBe(expected().cert.trim());
    expect(readFileSync(files.key, 'utf8').trim()).toBe(expected().key.trim());
  });
});

test('a key that is made here gets its certificate and never leaves', async () => {
  const { request } = (await control('certificate/request', { name: 'tenant 4' })).body
    .result as CertificateRequestMade;
  const again = (await control('certificate/request', { name: 'tenant 4' })).body.result as CertificateRequestMade;
  const parsed = new Pkcs10CertificateRequest(request);
  expect(await parsed.verify()).toBe(true);
  expect(parsed.subject).toBe('CN=tenant 4');
  expect(new Pkcs10CertificateRequest(again.request).publicKey.toString()).toBe(parsed.publicKey.toString());
  expect(statSync(file('relay.key.requested')).mode & 0o777).toBe(0o600);
  expect(await inUse()).toBe(first.fingerprint);

  const issued = await authority.clientFor(request);
  const installed = await control('certificate', { certificate: issued.cert });
  expect(installed.body.result).toMatchObject({ certificate: { fingerprint: issued.fingerprint } });
  expect(await inUse()).toBe(issued.fingerprint);
  expect(existsSync(file('relay.key.requested'))).toBe(false);
  expect((await control('certificate', { certificate: issued.cert })).status).toBe(200);
});

test('reconnecting drops idle connections, tries at once and reports the outcome', async () => {
  await ask(url, PULL);
  const connections = (): number => new Set(cloud.seen.map(({ connection }) => connection)).size;
  expect((await control('reconnect')).body.result as Reconnected).toMatchObject({
    certificate: { fingerprint: first.fingerprint },
    probe: { outcome: 'ACCEPTED', status: 200 },
  });
  expect(cloud.seen.map(({ target }) => target)).toEqual([PULL, PROBE]);
  expect(connections()).toBe(2);
  await ask(url, PULL);
  expect(connections()).toBe(2);

  cloud.script = (_, response) =>
    response.writeHead(403).end('{"isSuccess":false,"code":"SYNC4031","message":"revoked"}');
  expect((await control('reconnect')).body.result).toMatchObject({
    probe: { outcome: 'REFUSED', status: 403, code: 'SYNC4031', tenantId: null },
  });
});

describe('a caller without the right to control', () => {
  test.each<[string, string | null]>([
    ['show nothing', null],
    ['show another token', TOKEN.replace(/./, (digit) => (digit === '0' ? '1' : '0'))],
    ['show half of it', TOKEN.slice(0, 20)],
  ])('is one who can %s', async (_, token) => {
    const answer = await control('certificate', { certificate: second.cert, key: second.key }, token);
    expect(answer).toMatchObject({ status: 401, body: { code: 'COMMON401' } });
    await expectUntouched();
  });

  test('is every caller without a configured right, or once others can read the token’s file', async () => {
    chmodSync(file('token'), 0o644);
    expect(await control('reconnect')).toMatchObject({ status: 403 });
    env = { ...env };
    delete env['CAUSEWAY_RELAY_CONTROL_TOKEN_FILE'];
    await relay.stop();
    await start();
    expect(await control('reconnect')).toMatchObject({ status: 403, body: { code: 'COMMON403' } });
    expect(await post(url, '/control/else')).toMatchObject({ status: 403 });
  });

  test.each<[string, () => void, RegExp]>([
    ['that others can read', () => chmodSync(file('token'), 0o640), /is open to other users/],
    ['that is short', () => writeWhole(folder, 'token', 'short'), /at least 32/],
    ['that is not there', () => (env['CAUSEWAY_RELAY_CONTROL_TOKEN_FILE'] = file('none')), /cannot be read \(ENOENT\)/],
  ])('is decided at the start: a token file %s is refused', async (_, spoil, sentence) => {
    spoil();
    const refused = new TestRelay(env);
    expect(await refused.ended).toBe(1);
    expect(refused.stderr).toMatch(sentence);
  });

  test('with inward TLS, is every client but the named ones', async () => {
    const [server, named, other] = await Promise.all([authority.server(), authority.client(), authority.client()]);
    const pair = writePair(folder, 'inward', server);
    delete env['CAUSEWAY_RELAY_CONTROL_TOKEN_FILE'];
    env = {
      ...env,
      CAUSEWAY_RELAY_INWARD_CERT: pair.cert,
      CAUSEWAY_RELAY_INWARD_KEY: pair.key,
      CAUSEWAY_RELAY_INWARD_CLIENT_CA: writeWhole(folder, 'inward-ca.crt', authority.ca),
      CAUSEWAY_RELAY_CONTROL_CLIENTS: `${named.fingerprint.toUpperCase()}, ${first.fingerprint}`,
    };
    await relay.stop();
    await start();
    const as = ({ cert, key }: Issued): object => ({ cert, key, ca: authority.ca });
    const body = { certificate: second.cert, key: second.key };
    const refused = await post(url, '/control/certificate', body, { 'x-client-cert': named.fingerprint }, as(other));
    expect(refused).toMatchObject({ status: 403, body: { code: 'COMMON403' } });
    expect((await ask(url, '/health', as(other))).status).toBe(200);
    expect((await post(url, '/control/certificate', body, {}, as(named))).status).toBe(200);
    const told = JSON.parse((await ask(url, '/status', as(other))).body.toString()) as { result: RelayStatus };
    expect(told.result.certificate.fingerprint).toBe(second.fingerprint);
  });
});

async function pair(options: Parameters<Authority['client']>[0]): Promise<{ certificate: string; key: string }> {
  const { cert, key } = await authority.client(options);
  return { certificate: cert, key };
}
