/**
 * Every key and certificate is replaced while records keep coming, by the commands that administrators
 * type: client certificate, signing key, server certificate, authority. Cloud, relay and Intake are the processes
 * that they are in the field, and no pull fails.
 */
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { makeKey, makeRequest } from '../../../agent/relay/certificate-request.ts';
import { runAgent } from '../../../agent/operations/agent.ts';
import { checkRelay } from '../../../agent/operations/checks/relay-checks.ts';
import { commandWith, type Said } from '../../support/cloud/command.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { live, read } from '../../support/cloud/loads.ts';
import type { PostgresServer } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { TestFixture, waitFor, type Part } from '../../support/process.ts';

const fixture = new TestFixture();
let postgres: PostgresServer;
let store: Store;
let ledger: Ledger;
let vendor: string;
let tenant: string;
let variables: Record<string, string>;
let parts: { cloud: Part; relay: Part; intake: Part };
let published = 0;
let publishing = true;
let publisher: Promise<void>;

const tryCommand = (...args: string[]): Promise<Said> => commandWith(variables, ...args);
/** The output of a command of the vendor. */
async function command<T>(...args: string[]): Promise<T> {
  const { code, out, err } = await tryCommand(...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
}
async function agent(...args: string[]): Promise<void> {
  const context = { env: {}, platform: process.platform, own: '/nowhere/agent.js', now: () => new Date() };
  const line = [...args, '--env', path.join(tenant, 'relay.env')];
  let err = '';
  const complain = (text: string): void => void (err += `${text}\n`);
  const code = await runAgent(line, { relay: checkRelay }, { ...context, print: () => undefined, complain });
  expect({ code, err }).toEqual({ code: 0, err: '' });
}
const at = (name: string): string => path.join(tenant, name);
const pki = (name: string): string => path.join(vendor, 'cloud/pki', name);
/** Carries a file from the vendor to the tenant, in one step: a reader sees the old file or the new one, never a half of it. */
const handOut = (from: string, to: string): void => {
  copyFileSync(pki(from), at(`${to}.new`));
  renameSync(at(`${to}.new`), at(to));
};

/** A request at the tenant, a certificate for it at the vendor, put in place at the tenant. @returns its fingerprint */
async function renewClient(): Promise<string> {
  await agent('certificate', 'request', 'relay');
  const name = `relay-${published}`;
  const { cert, fingerprint } = await command<{ cert: string; fingerprint: string }>(
    ...['certificate', 'issue', '--tenant', '1', '--csr', at('relay.key.csr'), '--name', name],
  );
  await agent('certificate', 'install', 'relay', '--file', cert);
  return fingerprint;
}

/** Waits for records that are published from now on: they pass with the keys and certificates in force. */
async function arrives(): Promise<void> {
  const mark = published + 2;
  await waitFor(`cursor ${mark} at the tenant`, () => readCursors(ledger).committed >= mark);
}
const CERTIFICATES = 'new certificate files are in use';
const SIGNING = 'a new signing key is in use';
const VERIFICATION = 'the files of the verification key have changed; the new ones are in use';
/** Makes a change, and waits until a part logs that it uses it. */
async function taken(part: Part, message: string, change: () => unknown): Promise<void> {
  const said = (): number => part.logs.filter(({ msg }) => msg === message).length;
  const before = said();
  await change();
  await waitFor(`${part.name} to say "${message}"`, () => said() > before);
}

beforeAll(async () => {
  vendor = fixture.folder('vendor');
  tenant = fixture.folder('tenant');
  postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  // Each of the vendor's keys is stored locked.
  for (const name of ['authority', 'signing'])
    writeFileSync(path.join(vendor, name), `${name}, a passphrase of its own\n`, { mode: 0o600 });
  variables = {
    CAUSEWAY_HOME: vendor,
    CAUSEWAY_DATABASE_URL: url,
    CAUSEWAY_AUTHORITY_PASSPHRASE_FILE: path.join(vendor, 'authority'),
    CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE: path.join(vendor, 'signing'),
  };
  const key = makeKey();
  writeFileSync(at('relay.key'), key, { mode: 0o600 });
  writeFileSync(at('first.csr'), makeRequest(key, 'relay'));
  await command('init', '--tenant', '한강증권', '--host', '127.0.0.1', '--csr', at('first.csr'));
  handOut('ca.crt', 'cloud-ca.crt');
  handOut('signing.pub', 'signing.pub');
  handOut('tenants/1/client.crt', 'relay.crt');
  store = await openPostgres(url, 2);
  const cloud = fixture.start('cloud/main.ts', {
    env: {
      ...variables,
      CAUSEWAY_ENGINE_TOKEN: 'test-token-of-at-least-32-characters',
      CAUSEWAY_SYNC_CERT: pki('server.crt'),
      CAUSEWAY_SYNC_KEY: pki('server.key'),
      CAUSEWAY_SYNC_CLIENT_CA: pki('ca.crt'),
      CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0',
      CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
    },
  });
  const relayEnv = {
    CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
    CAUSEWAY_RELAY_UPSTREAM: (await cloud.listening('sync')).url,
    CAUSEWAY_RELAY_CERT: at('relay.crt'),
    CAUSEWAY_RELAY_KEY: at('relay.key'),
    CAUSEWAY_RELAY_CA: at('cloud-ca.crt'),
  };
  const relay = fixture.start('agent/relay/main.ts', { env: relayEnv });
  const listen = new URL((await relay.listening('relay')).url).host;
  const settings = Object.entries({ ...relayEnv, CAUSEWAY_RELAY_LISTEN: listen });
  writeFileSync(at('relay.env'), settings.map(([name, value]) => `${name}=${value}\n`).join(''));
  const intake = fixture.start('agent/intake/main.ts', {
    env: {
      CAUSEWAY_LEDGER: at('ledger.sqlite'),
      CAUSEWAY_INTAKE_UPSTREAM: (await relay.listening('relay')).url,
      CAUSEWAY_INTAKE_POLL_SECONDS: '1',
      // Each record is a bundle that is full: the Intake asks on at once, as it does while it drains.
      CAUSEWAY_INTAKE_LIMIT: '1',
      CAUSEWAY_INTAKE_VERIFY_KEY: at('signing.pub'),
      CAUSEWAY_INTAKE_TENANT: '1',
    },
  });
  parts = { cloud, relay, intake };
  await intake.logLine('ready', ({ msg }) => msg === 'ready');
  ledger = openLedger(at('ledger.sqlite'));
  publisher = publishOn();
}, 60_000);
afterAll(async () => {
  publishing = false;
  await publisher;
  ledger.close();
  await store.close();
  await fixture.clear();
  await postgres.stop();
}, 60_000);

/** Never more than a few ahead of the tenant, so that it always has something to ask for. */
async function publishOn(): Promise<void> {
  while (publishing) {
    await publish(store, read(live({ key: `r${published}` })), new Date());
    published += 1;
    await waitFor('the tenant to come near', () => !publishing || readCursors(ledger).committed > published - 20);
  }
}

test('nothing that is replaced costs a pull', async () => {
  await arrives();

  // The client certificate: key and request at the tenant, as its reminder asks for.
  const before = readFileSync(at('relay.crt'), 'utf8');
  await renewClient();
  expect(readFileSync(at('relay.crt'), 'utf8')).not.toBe(before);
  await arrives();

  // The signing key: both are known to the tenant before the cloud signs with the next one.
  await command('signing-key', 'next');
  await taken(parts.intake, VERIFICATION, () => handOut('signing.pub', 'signing.pub'));
  // And, in the same look of the cloud at its files, the server's certificate.
  await Promise.all([
    taken(parts.cloud, SIGNING, () => command('signing-key', 'switch')),
    taken(parts.cloud, CERTIFICATES, () => command('certificate', 'server')),
  ]);
  await arrives();
  expect(await command('signing-key', 'retire')).toMatchObject({ trusted: 1 });
  await taken(parts.intake, VERIFICATION, () => handOut('signing.pub', 'signing.pub'));

  // The authority: trusted on both sides, then in use on both sides, then alone.
  await taken(parts.cloud, CERTIFICATES, async () => {
    await command('authority', 'next');
    handOut('ca.crt', 'cloud-ca.crt');
  });
  await arrives();
  expect((await command<{ trusted: unknown[] }>('authority', 'switch')).trusted).toHaveLength(2);
  const early = await tryCommand('authority', 'retire');
  expect(early.err).toMatch(/The earlier authority is still needed by the server \(.*\), tenant 1 \([0-9a-f]{64}\)/);
  await taken(parts.cloud, CERTIFICATES, () => command('certificate', 'server'));
  const fingerprint = await renewClient();
  const { certificates } = await command<{ certificates: { fingerprint: string }[] }>('certificate', 'list');
  for (const { fingerprint: earlier } of certificates)
    if (earlier !== fingerprint) await command('certificate', 'revoke', '--fingerprint', earlier);
  await arrives();
  await taken(parts.cloud, CERTIFICATES, async () =>
    expect((await command<{ trusted: unknown[] }>('authority', 'retire')).trusted).toHaveLength(1),
  );
  handOut('ca.crt', 'cloud-ca.crt');
  await arrives();

  publishing = false;
  await publisher;
  await waitFor('the last record', () => readCursors(ledger).applied === published);
  // The operator's lines are left out: whether its console is built does not matter here.
  const complaints = Object.values(parts).flatMap(({ logs }) =>
    logs.filter(({ level, name }) => Number(level) >= 40 && name !== 'operator'),
  );
  expect(complaints).toEqual([]);
  const verified = fixture.start('agent/intake/main.ts', {
    args: ['verify'],
    env: { CAUSEWAY_LEDGER: at('ledger.sqlite') },
  });
  expect(await verified.ended()).toEqual({ code: 0, signal: null });
}, 60_000);
