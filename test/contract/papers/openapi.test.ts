/** The descriptions of our APIs for the author of a client: a linter, a generator, a short tour. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { generateApi } from 'swagger-typescript-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { runCommandLine } from '../../../cloud/commands/command-line.ts';
import { OperatorFixture } from '../../support/cloud/operator-fixture.ts';
import { startPart, type Part } from '../../support/process.ts';
import { deepTest } from '../../support/runs.ts';

/** A channel's key of the demo. */
const CHANNEL = { authorization: 'Bearer demo-mts' };

const root = path.resolve(import.meta.dirname, '../../..');
let folder: string;
let consoleApi: Part;
let provision: Part;
let operator: OperatorFixture;
let url: string;
let provisionUrl: string;
let cookie: string;
let operatorCookie: string;
/** The description of each API; `sync` is the bundle endpoint, whose client has nothing to ask here. */
let files: Record<'console' | 'provision' | 'sync' | 'operator' | 'door', string>;
let all: string[];

beforeAll(async () => {
  // Below the project, so that generated code finds its compiler and its runner.
  mkdirSync(path.join(root, 'artifacts'), { recursive: true });
  folder = mkdtempSync(path.join(root, 'artifacts', 'openapi-'));
  const CAUSEWAY_LEDGER = path.join(folder, 'ledger.sqlite');
  consoleApi = startPart('electron/console-api/main.ts', {
    env: { CAUSEWAY_LEDGER, CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' },
  });
  ({ url } = await consoleApi.listening());
  const ledger = openLedger(CAUSEWAY_LEDGER);
  ledger.write((tx) => {
    for (const n of [1, 2]) receive(tx, newEntry(`x-${n}`, { etf_ticker: `T${n}` }, { cursor: n }));
  });
  ledger.close();
  provision = startPart('agent/provision/main.ts', {
    env: { CAUSEWAY_LEDGER, CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' },
  });
  ({ url: provisionUrl } = await provision.listening());
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'reviewer', password: 'causeway-demo' }),
  });
  cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  operator = await OperatorFixture.open();
  operatorCookie = await operator.logIn();
  const said: string[] = [];
  const print = (line: string): void => void said.push(line);
  expect(await runCommandLine(['openapi'], { env: {}, print, printError: print })).toBe(0);
  const ofDoor: string[] = [];
  const printDoor = (line: string): void => void ofDoor.push(line);
  expect(await runCommandLine(['openapi', 'door'], { env: {}, print: printDoor, printError: printDoor })).toBe(0);
  const textOf = async (address: string, headers: Readonly<Record<string, string>>): Promise<string> =>
    (await fetch(address, { headers })).text();
  const ofOperator = await operator.ask('GET', '/api/v1/openapi.json', { cookie: operatorCookie });
  files = {
    console: keep('console.json', await textOf(`${url}/api/v1/openapi.json`, { cookie })),
    provision: keep('provision.json', await textOf(`${provisionUrl}/v1/openapi.json`, CHANNEL)),
    sync: keep('sync.json', said.join('\n')),
    door: keep('door.json', ofDoor.join('\n')),
    operator: keep('operator.json', ofOperator.text),
  };
  all = Object.values(files);
}, 60_000);
afterAll(async () => {
  await Promise.all([consoleApi?.stop(), provision?.stop(), operator?.close()]);
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

const clientFile = (description: string): string => description.replace(/\.json$/, '.ts');

const generate = (description: string): Promise<unknown> =>
  generateApi({ input: description, output: folder, fileName: path.basename(clientFile(description)), silent: true });

/** The methods of a generated client. */
async function clientOf(description: string, baseUrl: string, headers: Readonly<Record<string, string>>) {
  await generate(description);
  const { Api } = (await import(/* @vite-ignore */ clientFile(description))) as { Api: ClientClass };
  const client = new Api({ baseUrl, baseApiParams: { headers } });
  // Methods lie in groups, by the first step of their paths.
  const methods = Object.assign({}, ...Object.values(client)) as Group;
  return (name: string, ...args: unknown[]) => {
    const method = methods[name];
    if (method === undefined) throw new TypeError(`the client has no ${name}`);
    return method(...args);
  };
}

describe('the descriptions of all four', () => {
  deepTest('have no error or warning of the linter', async () => {
    const { code, said } = await run('@redocly/cli/bin/cli.js', 'lint', '--format', 'codeframe', ...all);
    expect([code, /warning|error/i.exec(said)?.[0]], said).toEqual([0, undefined]);
    for (const file of all) expect(said).toContain(path.basename(file));
  });

  deepTest('give clients that compile', async () => {
    for (const file of all) await generate(file);
    const compiled = await run(
      'typescript/bin/tsc',
      ...['--ignoreConfig', '--strict', '--noEmit', '--target', 'es2024', '--module', 'nodenext'],
      ...['--lib', 'es2024,dom', ...all.map(clientFile)],
    );
    expect(compiled, compiled.said).toMatchObject({ code: 0 });
  });
});

test('the client of the tenant console API signs in and decides', async () => {
  const call = await clientOf(files.console, url, { cookie });
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

test('the client of the provision API asks for texts', async () => {
  const call = await clientOf(files.provision, provisionUrl, CHANNEL);
  expect((await call('getHealth')).data).toMatchObject({ result: { status: 'UP' } });
  await expect(call('getExplanations', { tickers: '000000,999999' })).rejects.toMatchObject({ status: 404 });
});

test('the client of the operator API adds a tenant and reads the facts', async () => {
  const call = await clientOf(files.operator, operator.url, { cookie: operatorCookie });
  const tenant = { name: '가나 증권', environment: 'POC', adminName: '관리자', adminEmail: 'admin@example.com' };
  expect((await call('postTenants', tenant)).data).toMatchObject({ result: { name: '가나 증권' } });
  expect((await call('getTenants', { q: '가나' })).data).toMatchObject({ result: { total: 1 } });
  expect((await call('getConsoleFacts', {})).data).toMatchObject({ isSuccess: true, result: { runs: [] } });
  await expect(call('getAnalysesById', 'nothing')).rejects.toMatchObject({ status: 404 });
});
