/**
 * Cloud Sync's certificate, end to end (console API 5, D17, D29): the console API as a process, over mutual TLS to the
 * relay as a process, and from there over mutual TLS to the bundle endpoint, which knows two tenants. The Intake pulls
 * the same way meanwhile, and continues after any outcome of a replacement.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { revokeCertificate } from '../../../cloud/pki/registry.ts';
import type {
  CertificateView,
  SyncCertificateInstalled,
  SyncCertificateRequest,
  SyncReconnected,
} from '../../../shared/wire/console/console.ts';
import { IdentityCloud, relayEnvironment, Tenant } from '../../faults/identity/identity-fixture.ts';
import { makeAuthority, writePair, writeWhole, type Authority, type Issued } from '../../support/pki.ts';
import { TestFixture, type Part } from '../../support/process.ts';

const PASSWORD = 'causeway-demo';

const fixture = new TestFixture();
let cloud: IdentityCloud;
let inner: Authority;
/** Certificates that the relay takes from within: the console's may change something, the Intake's may pull. */
let consoleClient: Issued;
let intakeClient: Issued;
let folder: string;
let relayEnv: Record<string, string>;
let relay: Part;
let relayUrl: string;
let ledgerFile: string;
let ledger: Ledger;
let tenant: Tenant;
let api: { url: string; cookie: string };
/** The certificate that the relay presents to the cloud now. */
let used: Issued;

beforeAll(async () => {
  cloud = await IdentityCloud.open();
  inner = await makeAuthority('tenant');
  [consoleClient, intakeClient, used] = await Promise.all([
    inner.client({ name: 'console' }),
    inner.client({ name: 'intake' }),
    cloud.issue(1),
  ]);
  await cloud.publishMore(2);
  folder = fixture.folder('relay');
  const pair = writePair(fixture.folder('inward'), 'inward', await inner.server());
  relayEnv = {
    ...relayEnvironment(cloud, folder, used),
    CAUSEWAY_RELAY_INWARD_CERT: pair.cert,
    CAUSEWAY_RELAY_INWARD_KEY: pair.key,
    CAUSEWAY_RELAY_INWARD_CLIENT_CA: writeWhole(fixture.folder('inward-ca'), 'ca.crt', inner.ca),
    CAUSEWAY_RELAY_CONTROL_CLIENTS: consoleClient.fingerprint,
  };
  relay = fixture.start('agent/relay/main.ts', { env: relayEnv });
  relayUrl = (await relay.listening('relay')).url;
  relayEnv['CAUSEWAY_RELAY_LISTEN'] = new URL(relayUrl).host;
  ledgerFile = path.join(fixture.folder('ledger'), 'ledger.sqlite');
  api = await startConsole(consoleClient);
  ledger = openLedger(ledgerFile);
  tenant = new Tenant(ledgerFile, relayUrl, {
    identity: { cert: intakeClient.cert, key: intakeClient.key, ca: inner.ca },
  });
  expect(await tenant.pull()).toMatchObject({ state: 'OK', committedCursor: 2 });
});
afterAll(async () => {
  try {
    await tenant.close();
    ledger.close();
  } finally {
    await fixture.clear();
    await cloud.close();
  }
});
beforeEach(() => cloud.listen());

/** A console API that shows a certificate to the relay, with its administrator logged in. */
async function startConsole(client: Issued): Promise<{ url: string; cookie: string }> {
  const own = fixture.folder('console');
  const pair = writePair(own, 'client', client);
  const part = fixture.start('electron/console-api/main.ts', {
    env: {
      CAUSEWAY_LEDGER: ledgerFile,
      CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_DEMO: '1',
      CAUSEWAY_CONSOLE_RELAY: relayUrl,
      CAUSEWAY_CONSOLE_RELAY_CERT: pair.cert,
      CAUSEWAY_CONSOLE_RELAY_KEY: pair.key,
      CAUSEWAY_CONSOLE_RELAY_CA: writeWhole(own, 'ca.crt', inner.ca),
    },
  });
  const { url } = await part.listening('console');
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  });
  return { url, cookie: login.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

interface Answered<T> {
  status: number;
  code: string;
  message: string;
  result: T;
}

async function ask<T>(method: string, name: string, body?: object, at = api): Promise<Answered<T>> {
  const response = await fetch(`${at.url}/api/v1/sync/${name}`, {
    method,
    headers: { cookie: at.cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as Omit<Answered<T>, 'status'>) };
}
const view = async (at = api) => (await ask<CertificateView>('GET', 'certificate', undefined, at)).result;
const replace = (body: { certificate: string; key?: string }, at = api) =>
  ask<SyncCertificateInstalled>('POST', 'certificate', body, at);
const both = ({ cert, key }: Issued) => ({ certificate: cert, key });

const actions = () =>
  ledger.all(sqlite.selectFrom('console_action_log').select(['action', 'actor', 'detail']).orderBy('seq'));
const files = () => readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]);

/** The relay presents it, the console reports it, and the Intake gets later publications. */
async function expectInUse({ fingerprint }: Pick<Issued, 'fingerprint'>): Promise<void> {
  expect(await view()).toMatchObject({ relay: 'OK', certificate: { fingerprint, daysToExpiry: 0 }, problem: null });
  await cloud.publishMore(1);
  const { committedCursor } = await tenant.pull();
  expect(await tenant.pull()).toMatchObject({ state: 'OK', committedCursor, head: committedCursor });
}

describe('a new certificate by way of the console', () => {
  test('is tried, taken and shown, on record without its key, and the one before may be revoked', async () => {
    const before = actions().length;
    const [old, next] = [used, await cloud.issue(1)];
    const { status, result } = await replace(both(next));
    expect(status).toBe(200);
    expect(result).toMatchObject({
      certificate: { fingerprint: next.fingerprint },
      previous: { fingerprint: old.fingerprint },
      probe: { outcome: 'ACCEPTED', status: 200, tenantId: 1 },
    });
    const added = actions().slice(before);
    expect(added.map(({ action }) => action)).toEqual(['sync.certificate-replaced.asked', 'sync.certificate-replaced']);
    for (const { detail } of added) expect(detail).toContain(next.fingerprint);
    expect(JSON.stringify(actions())).not.toContain('PRIVATE KEY');
    used = next;
    await revokeCertificate(cloud.store.db, old.fingerprint, new Date());
    await expectInUse(next);
  });

  test('outlives the relay', async () => {
    expect(await relay.stop()).toEqual({ code: 0, signal: null });
    expect(await view()).toMatchObject({ relay: 'UNREACHABLE', certificate: null });
    relay = fixture.start('agent/relay/main.ts', { env: relayEnv });
    await relay.listening('relay');
    await expectInUse(used);
  });

  test('for a key that never leaves the relay: request, certificate, and back to the one before', async () => {
    const { result: made } = await ask<SyncCertificateRequest>('POST', 'certificate/request');
    const issued = await cloud.authority.clientFor(made.request);
    await cloud.register(1, issued);
    expect((await replace({ certificate: issued.cert })).result).toMatchObject({
      certificate: { fingerprint: issued.fingerprint },
      probe: { outcome: 'ACCEPTED' },
    });
    await expectInUse(issued);
    const { status, result } = await ask<SyncCertificateInstalled>('POST', 'certificate/previous');
    expect([status, result.certificate.fingerprint]).toEqual([200, used.fingerprint]);
    await expectInUse(used);
  });
});

const REFUSED = ['sync.certificate-replaced.asked', 'sync.certificate-replaced.refused'];
const refusedSince = (before: number) =>
  actions()
    .slice(before)
    .map(({ action }) => action);

describe('the old certificate is kept, in use and on disk, and only the refusal is on record, when the new one', () => {
  const WRONG: [string, () => Promise<{ certificate: string; key?: string }>, number, RegExp][] = [
    ['is one that the cloud does not know', async () => both(await cloud.authority.client()), 409, /SYNC4011/],
    ['is another tenant’s', async () => both(await cloud.issue(2)), 409, /tenant 2/],
    ['is of an authority that the cloud does not take', async () => both(await inner.client()), 409, /SYNC4011/],
    [
      'was revoked',
      async () => {
        const revoked = await cloud.issue(1);
        await revokeCertificate(cloud.store.db, revoked.fingerprint, new Date());
        return both(revoked);
      },
      409,
      /SYNC4031/,
    ],
    [
      'does not fit its key',
      async () => ({ certificate: (await cloud.issue(1)).cert, key: (await cloud.issue(1)).key }),
      400,
      /key/,
    ],
    ['is none', async () => ({ certificate: 'PEM', key: used.key }), 400, /certificate/i],
  ];
  test.for(WRONG)('%s', async ([, make, expected, sentence]) => {
    const body = await make();
    const [before, onDisk] = [actions().length, files()];
    const { status, message } = await replace(body);
    expect([status, message]).toEqual([expected, expect.stringMatching(sentence)]);
    expect(message).toMatch(/^The relay says: /);
    expect([refusedSince(before), files()]).toEqual([REFUSED, onDisk]);
    await expectInUse(used);
  });

  test('cannot be tried, because the cloud is away', async () => {
    const next = await cloud.issue(1);
    const [before, onDisk] = [actions().length, files()];
    await cloud.hangUp();
    expect((await replace(both(next))).status).toBe(503);
    expect([refusedSince(before), files()]).toEqual([REFUSED, onDisk]);
    await cloud.listen();
    await expectInUse(used);
  });
});

describe('reconnecting', () => {
  test('tries at once and reports the outcome, with the cloud up and down, each on record', async () => {
    const before = actions().length;
    const outcome = async () => (await ask<SyncReconnected>('POST', 'reconnect')).result.probe.outcome;
    expect(await outcome()).toBe('ACCEPTED');
    await cloud.hangUp();
    expect(await outcome()).toBe('UNREACHABLE');
    await cloud.listen();
    expect(await outcome()).toBe('ACCEPTED');
    expect(
      actions()
        .slice(before)
        .map(({ action }) => action),
    ).toEqual([1, 2, 3].flatMap(() => ['sync.reconnected.asked', 'sync.reconnected']));
    await expectInUse(used);
  });
});

test('a console with a pull-only certificate sees the certificate and changes nothing', async () => {
  const other = await startConsole(intakeClient);
  expect(await view(other)).toMatchObject({ relay: 'OK', certificate: { fingerprint: used.fingerprint } });
  const [before, onDisk] = [actions().length, files()];
  const { status, message } = await replace(both(await cloud.issue(1)), other);
  expect([status, message]).toEqual([503, expect.stringContaining('may pull, but not control the relay')]);
  expect([refusedSince(before), files()]).toEqual([REFUSED, onDisk]);
});
