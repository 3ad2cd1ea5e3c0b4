/**
 * A cloud, a relay or an Intake from before pulls could wait (D223), beside the other parts of this program: everything
 * works as before, by polling. The old parts are the bundles that the commit before the first of that change makes.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { LOADS_PATH } from '../../../cloud/ingest/server.ts';
import { live } from '../../support/cloud/loads.ts';
import { APPLIED_HEADER } from '../../../shared/wire/applied.ts';
import { PREFER_HEADER, PREFERENCE_APPLIED_HEADER } from '../../../shared/wire/bundle-endpoint.ts';
import { PROJECT, TestFixture, waitFor, type Part } from '../../support/process.ts';

/** The last commit of which no part knows `Prefer: wait=N`. */
const BEFORE = '2c80dcae1d20b11c0ce78d7caa92f63600a81d8d';
const hasBefore = spawnSync('git', ['cat-file', '-e', `${BEFORE}^{commit}`], { cwd: PROJECT }).status === 0;
const TOKEN = 'contract-engine-token-of-32-characters';
const SLOW_MS = 120_000;

type Kind = 'cloud' | 'relay' | 'intake';

const old = new TestFixture();
let fixture: TestFixture;
/** The folder of the old bundles. */
let bundles = '';
const closes: (() => unknown)[] = [];

beforeAll(() => {
  if (!hasBefore) return;
  const folder = old.folder('before-waiting');
  const files = execFileSync('git', ['archive', BEFORE], { cwd: PROJECT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: files });
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'));
  const making = "console.log(await (await import('./test/support/bundles.ts')).bundleParts())";
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', making], { cwd: folder, encoding: 'utf8' });
  bundles = said.trim().split('\n').at(-1) ?? '';
}, SLOW_MS);
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
  await fixture.clear();
});
afterAll(() => old.clear());

interface Pull {
  at: number;
  asked: IncomingHttpHeaders;
  answered: IncomingHttpHeaders;
}

interface Way {
  /** All pulls of the Intake that were answered. */
  pulls: Pull[];
  intake: Part;
  publish(key: string): Promise<void>;
  withdraw(key: string): Promise<void>;
  statusOf(key: string): string | undefined;
}

/** Everything up to an Intake that polls each second, one part of it old. */
async function start(oldPart: Kind): Promise<Way> {
  fixture = new TestFixture();
  const run = (kind: Kind, env: Record<string, string>, args: string[] = []): Part => {
    const script = kind === 'cloud' ? 'cloud/main' : `agent/${kind}/main`;
    return fixture.start(kind === oldPart ? path.join(bundles, `${script}.js`) : `${script}.ts`, { args, env });
  };
  const home = fixture.folder('before');
  const base = { CAUSEWAY_HOME: home, CAUSEWAY_DEMO: '1' };
  const init = run('cloud', base, ['init']);
  expect(await init.ended(SLOW_MS)).toEqual({ code: 0, signal: null });
  const { pki, tenants } = JSON.parse(init.stdout) as {
    pki: Record<'ca' | 'serverCert' | 'serverKey' | 'clientCa' | 'verifyKey', string>;
    tenants: [{ cert: string; key: string }];
  };
  const cloud = run('cloud', {
    ...base,
    CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0',
    CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
    CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
    CAUSEWAY_ENGINE_TOKEN: TOKEN,
    CAUSEWAY_SYNC_CERT: pki.serverCert,
    CAUSEWAY_SYNC_KEY: pki.serverKey,
    CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
  });
  const relay = run('relay', {
    CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
    CAUSEWAY_RELAY_UPSTREAM: (await cloud.listening('sync', SLOW_MS)).url,
    CAUSEWAY_RELAY_CERT: tenants[0].cert,
    CAUSEWAY_RELAY_KEY: tenants[0].key,
    CAUSEWAY_RELAY_CA: pki.ca,
  });
  const [engine, operator] = [(await cloud.listening('engine')).url, (await cloud.listening('operator')).url];
  const pulls: Pull[] = [];
  const tap = await startTap(new URL((await relay.listening('relay', SLOW_MS)).url), pulls);
  const file = path.join(home, 'ledger.sqlite');
  const intake = run('intake', {
    CAUSEWAY_LEDGER: file,
    CAUSEWAY_DEMO: '1',
    CAUSEWAY_INTAKE_UPSTREAM: tap,
    CAUSEWAY_INTAKE_POLL_SECONDS: '1',
    CAUSEWAY_INTAKE_VERIFY_KEY: pki.verifyKey,
  });
  await intake.logLine('ready', (line) => line.msg === 'ready', SLOW_MS);
  const ledger = new Database(file, { readonly: true });
  closes.push(() => ledger.close());
  const post = async (url: string, headers: Record<string, string>, body: unknown): Promise<Response> => {
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const json = { 'content-type': 'application/json' };
  const account = { username: 'operator', password: 'causeway-demo' };
  const login = await post(`${operator}/api/v1/auth/login`, json, account);
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const find = ledger.prepare<[string], { status: string }>(
    'SELECT status FROM explanation WHERE explanation_result_id = ?',
  );
  return {
    pulls,
    intake,
    publish: async (key) =>
      void (await post(`${engine}${LOADS_PATH}`, { authorization: `Bearer ${TOKEN}` }, live({ key }))),
    withdraw: async (key) =>
      void (await post(`${operator}/api/v1/analyses/res-${key}/invalidate`, { ...json, cookie }, { reason: 'r' })),
    statusOf: (key) => find.get(`res-${key}`)?.status,
  };
}

/** Passes everything on to the relay, and keeps the heads. @returns its address */
async function startTap(relay: URL, pulls: Pull[]): Promise<string> {
  const server = createServer((asked, answer) => {
    const onward = request(new URL(asked.url ?? '', relay), { headers: asked.headers }, (answered) => {
      pulls.push({ at: performance.now(), asked: asked.headers, answered: answered.headers });
      answer.writeHead(answered.statusCode ?? 0, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    onward.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closes.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(!hasBefore)(
  'beside the program of today (skipped where the history of the project is not there)',
  () => {
    test.each<[Kind]>([['cloud'], ['relay'], ['intake']])(
      'an old %s: texts come and go by polling, once a period',
      async (oldPart) => {
        const { pulls, intake, publish, withdraw, statusOf } = await start(oldPart);
        await publish('one');
        await waitFor('the text', () => statusOf('one') === 'AUTO_PUBLISHED');
        await withdraw('one');
        await waitFor('the withdrawal', () => statusOf('one') === 'INVALIDATED');
        await publish('two');
        await waitFor('the next text', () => statusOf('two') === 'AUTO_PUBLISHED');
        // Nothing waits, and nothing makes a loop: the pulls come by the period, a tenth less at least.
        const first = pulls.length;
        await waitFor('further pulls', () => pulls.length >= first + 4);
        const gaps = [1, 2, 3].map((n) => (pulls[first + n]?.at ?? 0) - (pulls[first + n - 1]?.at ?? 0));
        for (const gap of gaps) expect(gap).toBeGreaterThan(700);
        expect(new Set(pulls.map(({ answered }) => answered[PREFERENCE_APPLIED_HEADER]))).toEqual(new Set([undefined]));
        const isAsked = (header: string): boolean => pulls.some(({ asked }) => asked[header] !== undefined);
        expect([isAsked(PREFER_HEADER), isAsked(APPLIED_HEADER)]).toEqual(
          oldPart === 'intake' ? [false, false] : [true, true],
        );
        expect(intake.logs.filter(({ level }) => Number(level) >= 50)).toEqual([]);
      },
      SLOW_MS,
    );
  },
);
