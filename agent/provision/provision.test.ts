import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeAuthority, writePair } from '../../test/support/pki.ts';
import { readVariables } from '../../shared/service/variables.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { LedgerUnreachableError } from '../ledger/storage/errors.ts';
import { openLedger } from '../ledger/storage/ledger.ts';
import { sqlite } from '../ledger/storage/query.ts';
import { newEntry, receive } from '../../test/support/agent/ledger.ts';
import { ListenError, PROVISION_VARIABLES, startProvision, type Provision } from './provision.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-provision-'));
  file = path.join(folder, 'ledger.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(env: Record<string, string> = {}): Promise<Provision> {
  const values = readVariables(PROVISION_VARIABLES, {
    CAUSEWAY_LEDGER: file,
    CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0',
    ...env,
  });
  return startProvision(values, { clock: systemClock, ids: systemIds, log: pino({ enabled: false }) });
}

test('with the demo’s seed a channel gets a text that another process has received, and its requests are counted', async () => {
  const provision = await start({ CAUSEWAY_DEMO: '1' });
  const ask = () => fetch(`${provision.url}/v1/explanations/069500`, { headers: { authorization: 'Bearer demo-mts' } });
  expect((await ask()).status).toBe(404);
  const intake = openLedger(file);
  intake.write((tx) => receive(tx, newEntry('a'), 'AUTO_PUBLISHED'));
  const answer = await ask();
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    result: { etf_ticker: '069500', disclaimer: expect.stringContaining('생성형 AI') as string },
  });
  await provision.close();
  const counts = intake.all(
    sqlite.selectFrom('traffic_minute').select(['channel', 'outcome', 'requests']).orderBy('outcome'),
  );
  intake.close();
  const sums = Object.fromEntries(counts.map((row) => [`${row.channel}:${row.outcome}`, row.requests]));
  expect(sums).toEqual({ 'MTS:NOT_FOUND': 1, 'MTS:SERVED': 1 });
});

test('without it no key is valid', async () => {
  const provision = await start();
  const answer = await fetch(`${provision.url}/v1/explanations/069500`, {
    headers: { authorization: 'Bearer demo-mts' },
  });
  expect(answer.status).toBe(401);
  await provision.close();
});

test('a port in use is reported in one sentence, and no ledger is made', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const starting = start({ CAUSEWAY_PROVISION_LISTEN: `127.0.0.1:${port}` });
  await expect(starting).rejects.toBeInstanceOf(ListenError);
  await expect(starting).rejects.toThrow(`127.0.0.1:${port} in CAUSEWAY_PROVISION_LISTEN is in use by another program`);
  other.close();
  expect(readdirSync(folder)).toEqual([]);
});

test('its metrics have an address of their own, and one in use is reported in one sentence', async () => {
  const provision = await start({ CAUSEWAY_PROVISION_METRICS_LISTEN: '127.0.0.1:0' });
  const metrics = await (await fetch(`${provision.metricsUrl}/metrics`)).text();
  expect(metrics).toContain('causeway_provision_applied_to_visible_seconds_count{event="DARK"} 0\n');
  const { host } = new URL(provision.metricsUrl ?? '');
  await expect(start({ CAUSEWAY_PROVISION_METRICS_LISTEN: host })).rejects.toThrow(
    `CAUSEWAY_PROVISION_METRICS_LISTEN: ${host} cannot be listened on`,
  );
  await provision.close();
  await expect(fetch(`http://${host}/metrics`)).rejects.toThrow();
});

test('a ledger that cannot be made is reported in one sentence', async () => {
  await expect(start({ CAUSEWAY_LEDGER: path.join(folder, 'none', 'ledger.sqlite') })).rejects.toBeInstanceOf(
    LedgerUnreachableError,
  );
});

test('channels on other hosts are served over TLS alone', async () => {
  await expect(start({ CAUSEWAY_PROVISION_LISTEN: '0.0.0.0:0' })).rejects.toThrow(/CAUSEWAY_PROVISION_BEHIND_PROXY=1/);
  expect(readdirSync(folder)).toEqual([]);
  const authority = await makeAuthority();
  const { cert, key } = writePair(folder, 'provision', await authority.server());
  const provision = await start({
    CAUSEWAY_PROVISION_LISTEN: '0.0.0.0:0',
    CAUSEWAY_PROVISION_CERT: cert,
    CAUSEWAY_PROVISION_KEY: key,
  });
  const { port, protocol } = new URL(provision.url);
  expect(protocol).toBe('https:');
  const [answer] = (await once(get({ port, host: '127.0.0.1', path: '/health', ca: authority.ca }), 'response')) as [
    IncomingMessage,
  ];
  expect(answer.resume().statusCode).toBe(200);
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed');
  await provision.close();
  const proxied = await start({ CAUSEWAY_PROVISION_LISTEN: '0.0.0.0:0', CAUSEWAY_PROVISION_BEHIND_PROXY: '1' });
  expect(proxied.url).toMatch(/^http:/);
  await proxied.close();
});
