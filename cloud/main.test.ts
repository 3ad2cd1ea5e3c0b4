/** The cloud as a process: commands, clear ends, a graceful stop. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestFixture, type Part } from '../test/support/process.ts';
import { storeFolder } from './config/config.ts';
import { commandWith, type Said } from '../test/support/cloud/command.ts';
import { pkiFolder, pkiPaths, readPair, writePair } from './pki/files.ts';
import { BODY_LIMIT } from './ingest/server.ts';
import { issueServer } from './pki/certificates.ts';
import { copyTemplate } from '../test/support/cloud/embedded-template.ts';
import { live } from '../test/support/cloud/loads.ts';
import { postgresKind } from '../test/support/cloud/store.ts';
import { tlsClient } from '../test/support/cloud/tls.ts';

const holding = (text: string): unknown => expect.stringContaining(text);
const fitting = (pattern: RegExp): unknown => expect.stringMatching(pattern);

interface Summary {
  pki: { ca: string; serverCert: string; serverKey: string; clientCa: string };
  tenants: { tenantId: number; name: string; cert: string; key: string; keyPassphrase?: string }[];
  operator: { username: string; password?: string };
}

/** The timeout of tests that start many processes on a busy machine, in ms. */
const SLOW_MS = 120_000;

const TOKEN = 'test-token-of-at-least-32-characters';

const fixture = new TestFixture();
let home: string;
let summary: Summary;
let serving: Record<string, string>;

/** Runs a command in a process of its own. */
const run = (args: string[], env: Record<string, string> = {}): Part =>
  fixture.start('cloud/main.ts', { args, env: { CAUSEWAY_HOME: home, ...env } });

/** Runs a command in this process; returns its output and exit code. */
const command = (args: string[], env: Record<string, string> = {}): Promise<Said> =>
  commandWith({ CAUSEWAY_HOME: home, ...env }, ...args);

beforeAll(async () => {
  home = fixture.folder('home');
  await copyTemplate(storeFolder(home));
  const part = run(['init', '--tenant', '한국증권'], { CAUSEWAY_DEMO: '1' });
  const { code } = await part.ended(SLOW_MS);
  if (code !== 0) throw new Error(part.stderr);
  summary = JSON.parse(part.stdout) as Summary;
  const pages = fixture.folder('pages');
  writeFileSync(join(pages, 'index.html'), '<html><head></head></html>');
  serving = {
    CAUSEWAY_OPERATOR_PAGES: pages,
    CAUSEWAY_ENGINE_TOKEN: TOKEN,
    CAUSEWAY_SYNC_CERT: summary.pki.serverCert,
    CAUSEWAY_SYNC_KEY: summary.pki.serverKey,
    CAUSEWAY_SYNC_CLIENT_CA: summary.pki.clientCa,
    CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0',
    CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
    CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
    CAUSEWAY_CLOUD_METRICS_LISTEN: '127.0.0.1:0',
  };
}, SLOW_MS);
afterAll(() => fixture.clear());

const start = async (
  env: Record<string, string> = {},
): Promise<{ part: Part; sync: string; operator: string; engine: string; metrics: string }> => {
  const part = run([], { ...serving, ...env });
  const [sync = '', operator = '', engine = '', metrics = ''] = await Promise.all(
    ['sync', 'operator', 'engine', 'metrics'].map(async (name) => (await part.listening(name)).url),
  );
  return { part, sync, operator, engine, metrics };
};

/** The seconds until a new session ends without use. */
async function sessionSeconds(operator: string): Promise<number> {
  const began = Date.now();
  const login = await fetch(`${operator}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: 'causeway-demo' }),
  });
  const { result } = (await login.json()) as { result: { expiresAt: string } };
  return (Date.parse(result.expiresAt) - began) / 1_000;
}

describe('init', () => {
  test('prints where everything is, and changes nothing when it is repeated', async () => {
    expect(summary).toMatchObject({ tenants: [{ tenantId: 1, name: '한국증권' }], operator: { username: 'operator' } });
    expect(summary.operator.password).toBeUndefined();
    const files = [...Object.values(summary.pki), summary.tenants[0]?.cert ?? '', summary.tenants[0]?.key ?? ''];
    const before = files.map((file) => readFileSync(file, 'utf8'));
    const again = await command(['init', '--tenant', '한국증권'], { CAUSEWAY_DEMO: '1' });
    expect(JSON.parse(again.out)).toEqual(summary);
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });

  test(
    'without demo mode the operator gets a one-time password, once; a new host name renews the server certificate alone',
    async () => {
      const { store, url } = await (await postgresKind()).open();
      await store.close();
      const env = { CAUSEWAY_HOME: fixture.folder('plain'), CAUSEWAY_DATABASE_URL: url ?? '' };
      const first = JSON.parse((await command(['init', '--make-key'], env)).out) as Summary;
      expect(first.operator.password).toMatch(/^[\w-]{20}$/);
      const [server, client] = [
        readFileSync(first.pki.serverCert, 'utf8'),
        readFileSync(first.tenants[0]?.cert ?? '', 'utf8'),
      ];
      const again = await command(['init', '--host', 'sync.vendor.example'], env);
      expect(again).toMatchObject({ code: 0, err: '' });
      const second = JSON.parse(again.out) as Summary;
      const { keyPassphrase, ...held } = first.tenants[0] ?? {};
      expect(keyPassphrase).toMatch(/^[\w-]{24}$/);
      expect(second).toEqual({ ...first, tenants: [held], operator: { username: 'operator' } });
      expect(readFileSync(first.pki.serverCert, 'utf8')).not.toBe(server);
      expect(readFileSync(first.tenants[0]?.cert ?? '', 'utf8')).toBe(client);
    },
    SLOW_MS,
  );
});

describe('a running cloud', () => {
  test(
    'a load enters at the door and leaves over mutual TLS; a second cloud is refused; a killed one leaves no lock and loses nothing; SIGTERM ends it with 0',
    async () => {
      const first = await start({ CAUSEWAY_OPERATOR_IDLE_SECONDS: '300', CAUSEWAY_CLOUD_LOG_LEVEL: 'debug' });
      // The store has the demo's account; only a cloud that was started as a demo offers it (D231).
      expect(await (await fetch(first.operator)).text()).toBe('<html><head></head></html>');
      const file = join(fixture.folder('loads'), 'loads.jsonl');
      writeFileSync(
        file,
        `# remark\n${JSON.stringify(live({ key: 'a' }))}\n{oops\n${JSON.stringify(live({ key: 'b', route: 'a' }))}\n`,
      );
      const door = { CAUSEWAY_ENGINE_TOKEN: TOKEN, CAUSEWAY_ENGINE_LISTEN: new URL(first.engine).host };
      const loaded = await command(['load', file], door);
      expect(loaded.code).toBe(1);
      expect(loaded.out.trim().split('\n')).toEqual([
        'line 2  PUBLISHED  res-a  1 deliveries',
        fitting(/^line 3 {2}FAILED {5}- {2}LOAD_INVALID {2}/),
        'line 4  DRAFT      res-b  route_already_published',
        '1 published, 1 draft, 0 skipped, 1 failed (0 taken before), 1 delivery records',
      ]);

      const refused = await command(['tenant', 'list']);
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toContain(`process ${first.part.pid}:`);
      expect(refused.err.trim().split('\n')).toHaveLength(1);

      const [tenant] = summary.tenants;
      const client = tlsClient({
        ca: readFileSync(summary.pki.ca, 'utf8'),
        client: { cert: readFileSync(tenant?.cert ?? '', 'utf8'), key: readFileSync(tenant?.key ?? '', 'utf8') },
      });
      const pull = (url: string): ReturnType<typeof client.get> => client.get(`${url}/api/v1/sync/bundle?after=0`);
      const before = await pull(first.sync);
      expect(before.envelope.result).toMatchObject({ tenant_id: 1, cursor_to: 1 });
      for (const path of ['/health', '/ready']) expect((await fetch(first.metrics + path)).status).toBe(200);
      const measured = await (await fetch(`${first.metrics}/metrics`)).text();
      expect(measured).toContain('causeway_cloud_pulls_total{outcome="COMMON200"} 1\n');
      expect(measured).toContain('causeway_cloud_fan_out_seconds_count{kind="NEW"} 1\n');
      // The caller's request id is in the request's log line, which a served pull has at `debug` alone (D152).
      const requestId = before.headers['x-request-id'];
      await first.part.logLine('the pull', (line) => line.msg === 'answered' && line['reqId'] === requestId);
      // A login waits for its turn, on a busy machine for seconds.
      expect(Math.floor((await sessionSeconds(first.operator)) / 100)).toBe(3);
      // In the middle of its life: the lock must not outlive it.
      await first.part.kill();

      const second = await start({ CAUSEWAY_OPERATOR_SESSION_SECONDS: '600' });
      expect(Math.floor((await sessionSeconds(second.operator)) / 100)).toBe(6);
      const after = await pull(second.sync);
      expect(after.envelope.result).toMatchObject({ entries: [{ cursor: 1, delivery_type: 'NEW' }] });
      // Replaced while it runs: an unusable pair is reported and ignored, a matching one is used.
      const pki = { cert: summary.pki.serverCert, key: summary.pki.serverKey };
      writeFileSync(pki.cert, 'garbage');
      await second.part.logLine('the refusal', (line) => String(line.msg).includes('not taken into use'));
      expect((await pull(second.sync)).status).toBe(200);
      const authority = readPair(pkiPaths(pkiFolder(home)).ca);
      writePair(pki, await issueServer(authority, ['127.0.0.1'], { from: new Date(), days: 30 }));
      await second.part.logLine('the new certificate', (line) => line.msg === 'new certificate files are in use');
      expect((await pull(second.sync)).status).toBe(200);
      client.close();
      expect(await second.part.stop()).toEqual({ code: 0, signal: null });
      expect(second.part.stdout).toContain('"pulls":3,"entries":3');
      expect(second.part.stdout).not.toContain('/api/v1/sync/bundle');
    },
    SLOW_MS,
  );
});

test('certificates and tenants by command, on a database server', async () => {
  const { store, url } = await (await postgresKind()).open();
  await store.close();
  const env = { CAUSEWAY_HOME: fixture.folder('server'), CAUSEWAY_DATABASE_URL: url ?? '' };
  const onServer = (args: string[]): Promise<Said> => command(args, env);
  expect(await onServer(['init', '--tenant', '한국증권', '--make-key'])).toMatchObject({ code: 0, err: '' });
  const list = JSON.parse((await onServer(['certificate', 'list', '--tenant', '1'])).out) as {
    certificates: { fingerprint: string; revokedAt: string | null }[];
  };
  const fingerprint = list.certificates[0]?.fingerprint ?? '';
  expect((await onServer(['certificate', 'revoke', '--fingerprint', fingerprint])).code).toBe(0);
  expect(await onServer(['certificate', 'revoke', '--fingerprint', fingerprint])).toMatchObject({
    code: 1,
    err: holding(fingerprint),
  });
  const issued = JSON.parse(
    (await onServer(['certificate', 'issue', '--tenant', '1', '--name', 'second', '--days', '30', '--make-key'])).out,
  ) as { cert: string; fingerprint: string };
  expect(readFileSync(issued.cert, 'utf8')).toContain('BEGIN CERTIFICATE');
  expect(issued.fingerprint).not.toBe(fingerprint);
  expect(
    JSON.parse((await onServer(['tenant', 'add', '--name', '둘째증권', '--environment', 'PRODUCTION'])).out),
  ).toMatchObject({ tenantId: 2, environment: 'PRODUCTION' });
  expect(await onServer(['tenant', 'add', '--name', '둘째증권', '--environment', 'PRODUCTION'])).toMatchObject({
    code: 1,
    err: holding('둘째증권'),
  });
});

describe('each reason to stop has one clear sentence', () => {
  test.each([
    [['--help'], 'CAUSEWAY_SYNC_CLIENT_CA'],
    [['init', '--help'], '--tenant NAME'],
    [['load', '--help'], 'CAUSEWAY_ENGINE_TOKEN'],
    [['tenant', '--help'], 'tenant add'],
    [['certificate', '--help'], 'certificate revoke'],
  ])('%j prints help and exits 0', async (args, expected) => {
    const { code, out, err } = await command(args, { CAUSEWAY_ENGINE_LISTEN: 'nonsense' });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(expected);
  });

  test('wrong and missing variables: one sentence each, exit 2', async () => {
    const { code, err } = await command([], {
      ...serving,
      CAUSEWAY_ENGINE_TOKEN: '',
      CAUSEWAY_SYNC_LISTEN: '4143',
      CAUSEWAY_SYNC_CALCULATIONS: 'yes',
      CAUSEWAY_DATABASE_URL: 'mysql://x',
    });
    expect(code).toBe(2);
    expect(
      err
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['CAUSEWAY_DATABASE_URL', 'CAUSEWAY_SYNC_LISTEN', 'CAUSEWAY_ENGINE_TOKEN', 'CAUSEWAY_SYNC_CALCULATIONS']);
  });

  test.each([
    [['nonsense']],
    [['load']],
    [['load', 'a', 'b']],
    [['init', '--unknown']],
    [['tenant']],
    [['certificate', 'issue']],
    [['certificate', 'revoke', '--fingerprint', 'xy']],
    [['tenant', 'add']],
  ])('a command line that does not fit: %j exits 2', async (args) => {
    const { code, err } = await command(args, { CAUSEWAY_ENGINE_TOKEN: 'x'.repeat(32) });
    expect(code).toBe(2);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test('a certificate and a key that do not fit', async () => {
    const { code, err } = await command([], { ...serving, CAUSEWAY_SYNC_KEY: summary.tenants[0]?.key ?? '' });
    expect(code).toBe(1);
    expect(err.trim()).toBe(
      `The private key ${summary.tenants[0]?.key} does not belong to the certificate ${summary.pki.serverCert}: give the two files that were made together.`,
    );
  });

  test('a home that is no folder: named, with what to set', async () => {
    const file = join(home, 'no-folder');
    writeFileSync(file, '');
    const { code, err } = await command(['init'], { CAUSEWAY_HOME: join(file, 'home') });
    expect(code).toBe(1);
    expect(err.trim()).toMatch(/^\S+no-folder\S* cannot be used \(ENOTDIR\)\. Set CAUSEWAY_HOME to a folder .+$/);
  });

  test('a busy port: named with its variable, and the store is closed again', async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const { port } = busy.address() as AddressInfo;
    const failed = await command([], { ...serving, CAUSEWAY_ENGINE_LISTEN: `127.0.0.1:${port}` });
    expect(failed.code).toBe(1);
    expect(failed.err.trim()).toMatch(
      new RegExp(`^CAUSEWAY_ENGINE_LISTEN: 127.0.0.1:${port} is in use by another process`),
    );
    await new Promise((resolve) => busy.close(resolve));
  });

  test('a missing door, and a wrong token', async () => {
    const file = join(fixture.folder('loads'), 'one.jsonl');
    writeFileSync(file, JSON.stringify(live({ key: 'z' })));
    const nobody = await command(['load', file], {
      CAUSEWAY_ENGINE_TOKEN: 'x'.repeat(32),
      CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:1',
    });
    expect(nobody).toMatchObject({ code: 1, out: '', err: holding('127.0.0.1:1') });
    const missing = await command(['load', `${file}.not`], { CAUSEWAY_ENGINE_TOKEN: 'x'.repeat(32) });
    expect(missing).toMatchObject({ code: 1, err: holding('one.jsonl.not') });
  });

  test('a file of large lines is sent in requests that the door accepts, and each line keeps its number', async () => {
    const sizes: number[] = [];
    const door = createHttpServer((request, response) => {
      let bytes = 0;
      request.on('data', (piece: Buffer) => (bytes += piece.length));
      request.once('end', () => {
        sizes.push(bytes);
        const lines = [
          { line: 1, outcome: 'DRAFT', id: 'x', reason: null, message: null, repeated: false, deliveries: 0 },
        ];
        response.end(JSON.stringify({ isSuccess: true, code: 'COMMON200', message: 'OK', result: { lines } }));
      });
    });
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    const file = join(fixture.folder('loads'), 'large.jsonl');
    const large = `{"pad":"${'x'.repeat(7_000_000)}"}`;
    writeFileSync(file, [...Array.from({ length: 120 }, () => '{}'), large, large, large].join('\n'));
    const env = {
      CAUSEWAY_ENGINE_TOKEN: 'x'.repeat(32),
      CAUSEWAY_ENGINE_LISTEN: `127.0.0.1:${(door.address() as AddressInfo).port}`,
    };
    const { code, out } = await command(['load', file], env);
    await new Promise((resolve) => door.close(resolve));
    expect(code).toBe(0);
    expect(sizes.every((bytes) => bytes <= BODY_LIMIT / 4)).toBe(true);
    expect(out.match(/^line \d+/gm)).toEqual(['line 1', 'line 101', 'line 123']);
  });
});
