/** The descriptions of our APIs for the author of a client: a linter, a generator, a short tour. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { generateApi } from 'swagger-typescript-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../agent/ledger/testing.ts';
import { runCommandLine } from '../../../cloud/commands/command-line.ts';
import { OperatorFixture } from '../../../cloud/testing/operator-fixture.ts';
import { startPart, type Part } from '../../support/process.ts';

/** A channel's key of the demo. */
const CHANNEL = { authorization: 'Bearer demo-mts' };

const root = path.resolve(import.meta.dirname, '../../..');
let folder: string;
let consoleApi: Part;
let url: string;

beforeAll(async () => {
  // Below the project, so that generated code finds its compiler and its runner.
  mkdirSync(path.join(root, 'artifacts'), { recursive: true });
  folder = mkdtempSync(path.join(root, 'artifacts', 'openapi-'));
  consoleApi = startPart('electron/console-api/main.ts', {
    env: {
      CAUSEWAY_LEDGER: path.join(folder, 'ledger.sqlite'),
      CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_DEMO: '1',
    },
  });
  ({ url } = await consoleApi.listening());
  const ledger = openLedger(path.join(folder, 'ledger.sqlite'));
  ledger.write((tx) => {
    for (const n of [1, 2]) receive(tx, newEntry(`x-${n}`, { etf_ticker: `T${n}` }, { cursor: n }));
  });
  ledger.close();
}, 60_000);
afterAll(async () => {
  await consoleApi.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program from `node_modules`; returns its code and output. */
async function run(program: string, ...args: string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [path.join(root, 'node_modules', program), ...args], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { code, said: out + err };
}

function keep(name: string, content: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** The generated client's groups, as these tests call them. */
type Group = Record<string, (...args: unknown[]) => Promise<{ status: number; data: Record<string, unknown> }>>;
type ClientClass = new (options: { baseUrl: string; baseApiParams: object }) => Record<string, Group>;

async function lint(file: string): Promise<void> {
  const { code, said } = await run('@redocly/cli/bin/cli.js', 'lint', '--format', 'codeframe', file);
  expect([code, /warning|error/i.exec(said)?.[0]], said).toEqual([0, undefined]);
}

/** Generates a client, compiles it and gives its methods. */
async function clientOf(description: string, baseUrl: string, headers: Readonly<Record<string, string>>) {
  const fileName = `${path.basename(description, '.json')}.ts`;
  const file = path.join(folder, fileName);
  await generateApi({ input: description, output: folder, fileName, silent: true });
  const compiled = await run(
    'typescript/bin/tsc',
    ...['--ignoreConfig', '--strict', '--noEmit', '--target', 'es2024', '--module', 'nodenext'],
    ...['--lib', 'es2024,dom', file],
  );
  expect(compiled, compiled.said).toMatchObject({ code: 0 });
  const { Api } = (await import(/* @vite-ignore */ file)) as { Api: ClientClass };
  const client = new Api({ baseUrl, baseApiParams: { headers } });
  // Methods lie in groups, by the first step of their paths.
  const methods = Object.assign({}, ...Object.values(client)) as Group;
  return (name: string, ...args: unknown[]) => {
    const method = methods[name];
    if (method === undefined) throw new TypeError(`the client has no ${name}`);
    return method(...args);
  };
}

describe('the tenant console API', () => {
  let file: string;
  let cookie: string;
  beforeAll(async () => {
    const login = await fetch(`${url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'reviewer', password: 'causeway-demo' }),
    });
    cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const document = await fetch(`${url}/api/v1/openapi.json`, { headers: { cookie } });
    file = keep('console.json', await document.text());
  });

  test('is described without an error or a warning of the linter', () => lint(file));

  test('has a generated client that compiles, signs in and decides', async () => {
    const call = await clientOf(file, url, { cookie });
    const { data } = await call('getReviewItems', { size: 2, sort: 'newest', status: ['PENDING_REVIEW'] });
    const { items } = data['result'] as { items: { id: string; version: number }[] };
    expect(items).toHaveLength(2);
    const [first, second] = items;
    const rejected = await call(
      'postReviewItemsByIdReject',
      first?.id,
      { reason: '근거가 부족합니다' },
      { headers: { cookie, 'if-match': `"${first?.version}"` } },
    );
    expect(rejected.data).toMatchObject({ isSuccess: true, result: { status: 'REJECTED' } });
    await expect(call('postReviewItemsByIdReject', second?.id, { reason: ' ' })).rejects.toMatchObject({
      status: 400,
      error: { code: 'REVIEW4001' },
    });
  });
});

describe('the provision API', () => {
  let provision: Part;
  let file: string;
  let baseUrl: string;
  beforeAll(async () => {
    const ledger = path.join(folder, 'ledger.sqlite');
    provision = startPart('agent/provision/main.ts', {
      env: { CAUSEWAY_LEDGER: ledger, CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' },
    });
    ({ url: baseUrl } = await provision.listening());
    const document = await fetch(`${baseUrl}/v1/openapi.json`, { headers: CHANNEL });
    file = keep('provision.json', await document.text());
  }, 60_000);
  afterAll(() => provision.stop());

  test('is described without an error or a warning of the linter', () => lint(file));

  test('has a generated client that compiles and asks for texts', async () => {
    const call = await clientOf(file, baseUrl, CHANNEL);
    expect((await call('getHealth')).data).toMatchObject({ result: { status: 'UP' } });
    await expect(call('getExplanations', { tickers: '000000,999999' })).rejects.toMatchObject({ status: 404 });
  });
});

describe('the bundle endpoint', () => {
  let file: string;
  beforeAll(async () => {
    const said: string[] = [];
    const print = (line: string): void => void said.push(line);
    expect(await runCommandLine(['openapi'], { env: {}, print, printError: print })).toBe(0);
    file = keep('sync.json', said.join('\n'));
  });

  test('is described without an error or a warning of the linter', () => lint(file));

  test('has a generated client that compiles', () => clientOf(file, 'https://127.0.0.1:1', {}));
});

describe('the operator API', () => {
  let fixture: OperatorFixture;
  let file: string;
  let cookie: string;
  beforeAll(async () => {
    fixture = await OperatorFixture.open();
    cookie = await fixture.logIn();
    file = keep('operator.json', (await fixture.ask('GET', '/api/v1/openapi.json', { cookie })).text);
  });
  afterAll(() => fixture.close());

  test('is described without an error or a warning of the linter', () => lint(file));

  test('has a generated client that compiles, adds a tenant and reads the facts', async () => {
    const call = await clientOf(file, fixture.url, { cookie });
    const tenant = { name: '가나 증권', environment: 'POC', adminName: '관리자', adminEmail: 'admin@example.com' };
    expect((await call('postTenants', tenant)).data).toMatchObject({ result: { name: '가나 증권' } });
    expect((await call('getTenants', { q: '가나' })).data).toMatchObject({ result: { total: 1 } });
    expect((await call('getConsoleFacts', {})).data).toMatchObject({ isSuccess: true, result: { runs: [] } });
    await expect(call('getAnalysesById', 'nothing')).rejects.toMatchObject({ status: 404 });
  });
});
