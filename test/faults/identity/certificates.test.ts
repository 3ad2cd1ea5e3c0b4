/**
 * Faults 23 and 24: bad certificates between relay and cloud and between Intake and relay, and certificates replaced
 * while a backlog drains. A refusal leaves the ledger unchanged and the status gives the reason; with a good
 * certificate everything arrives.
 */
import { createServer as createPlain } from 'node:http';
import { createServer as createTls, type ServerOptions } from 'node:https';
import type { Server } from 'node:net';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { revokeCertificate } from '../../../cloud/pki/registry.ts';
import { ask, post } from '../../support/agent/relay.ts';
import type { RelayStatus } from '../../../shared/wire/relay.ts';
import { DAY_MS, makeAuthority, writePair, writeWhole, type Authority, type Issued } from '../../support/pki.ts';
import { TestFixture } from '../../support/process.ts';
import { runs, some } from '../../support/runs.ts';
import type { Identity } from '../../../agent/intake/receive/pull.ts';
import { IdentityCloud, relayEnvironment, Tenant, type TenantOptions } from './identity-fixture.ts';

const TOKEN = 'f'.repeat(40);
const SECOND_TENANT = 2;

const fixture = new TestFixture();
let cloud: IdentityCloud;
let good: Issued;
let folder: string;
let relayUrl: string;
let relayEnv: Record<string, string>;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  cloud = await IdentityCloud.open();
  good = await cloud.issue(1);
  await cloud.publishMore(5);
  folder = fixture.folder('identity');
  relayEnv = relayEnvironment(cloud, folder, good);
  const token = { CAUSEWAY_RELAY_CONTROL_TOKEN_FILE: writeWhole(folder, 'token', TOKEN) };
  const relay = fixture.start('agent/relay/main.ts', { env: { ...relayEnv, ...token } });
  ({ url: relayUrl } = await relay.listening('relay'));
});
beforeEach(() => {
  writePair(folder, 'relay', good);
});
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});
afterAll(async () => {
  await fixture.clear();
  await cloud.close();
});

/** A tenant that has received its first bundle, with more to come. */
async function begun(upstream = relayUrl, options: TenantOptions = {}): Promise<Tenant> {
  const tenant = new Tenant(path.join(fixture.folder('ledger'), 'ledger.sqlite'), upstream, options);
  open.push(tenant);
  expect((await tenant.pull()).state).toBe('OK');
  await cloud.publishMore(1);
  return tenant;
}

async function registered(issued: Promise<Issued>, tenantId = 1): Promise<Issued> {
  const pair = await issued;
  await cloud.register(tenantId, pair);
  return pair;
}

describe('23: the certificate that the relay shows to the cloud', () => {
  test.each<[string, () => Promise<Issued>, 'UNAUTHORIZED' | 'FORBIDDEN', string]>(
    some(4, [
      [
        'has expired',
        () => registered(cloud.authority.client({ from: -2 * DAY_MS, to: -DAY_MS })),
        'UNAUTHORIZED',
        'SYNC4011',
      ],
      [
        'is of another authority of the same name',
        async () => registered((await makeAuthority('vendor')).client()),
        'UNAUTHORIZED',
        'SYNC4011',
      ],
      ['was never registered', () => cloud.authority.client(), 'UNAUTHORIZED', 'SYNC4011'],
      [
        'is revoked',
        async () => {
          const issued = await cloud.issue(1);
          await revokeCertificate(cloud.store.db, issued.fingerprint, new Date());
          return issued;
        },
        'FORBIDDEN',
        'SYNC4031',
      ],
      [
        'is not yet valid',
        () => registered(cloud.authority.client({ from: DAY_MS, to: 2 * DAY_MS })),
        'UNAUTHORIZED',
        'SYNC4011',
      ],
      [
        'is of another authority',
        async () => registered((await makeAuthority('stranger')).client()),
        'UNAUTHORIZED',
        'SYNC4011',
      ],
      [
        'is meant for servers',
        () => registered(cloud.authority.client({ usage: 'server' })),
        'UNAUTHORIZED',
        'SYNC4011',
      ],
    ]),
  )('%s', async (_, issue, state, code) => {
    const tenant = await begun();
    const issued = await issue();
    writePair(folder, 'relay', issued);
    await tenant.pullsInVain({ state, code });
    await tenant.pullsInVain({ state, code });
    expect((await relayStatus()).certificate.fingerprint).toBe(issued.fingerprint);
    writePair(folder, 'relay', good);
    await tenant.catchUp(cloud, good);
  });

  test('is revoked while its connection is open', async () => {
    const tenant = await begun();
    const issued = await cloud.issue(1);
    writePair(folder, 'relay', issued);
    expect((await tenant.pull()).state).toBe('OK');
    await cloud.publishMore(1);
    await revokeCertificate(cloud.store.db, issued.fingerprint, new Date());
    await tenant.pullsInVain({ state: 'FORBIDDEN', code: 'SYNC4031' });
    writePair(folder, 'relay', good);
    await tenant.catchUp(cloud, good);
  });

  test('is of a removed tenant', async () => {
    const tenant = await begun();
    await sql`update tenant set removed_at = now() where tenant_id = 1`.execute(cloud.store.db);
    await tenant.pullsInVain({ state: 'FORBIDDEN', code: 'SYNC4031' });
    await sql`update tenant set removed_at = null where tenant_id = 1`.execute(cloud.store.db);
    await tenant.catchUp(cloud, good);
  });

  test('20: is another tenant’s: nothing of it is taken', async () => {
    const tenant = await begun();
    writePair(folder, 'relay', await cloud.issue(SECOND_TENANT));
    await tenant.pullsInVain({ state: 'VIOLATION', code: 'ENVELOPE', message: /2.*1/ });
    writePair(folder, 'relay', good);
    await tenant.catchUp(cloud, good);
  });

  test('does not even begin, where key and certificate are of two pairs', async () => {
    const tenant = await begun();
    writeWhole(folder, 'relay.key', (await cloud.issue(1)).key);
    expect((await tenant.pull()).state).toBe('OK');
    expect((await relayStatus()).certificateProblem?.message).toMatch(/do not fit each other/);
    await tenant.catchUp(cloud, good);
  });
});

describe('23, 26: a server that poses as the cloud to the relay', () => {
  test.each<[string, () => Promise<ServerOptions>, RegExp]>(
    some(4, [
      ['has expired', () => cloud.authority.server({ to: -60_000 }), /expired/],
      [
        'is of another authority',
        async () => (await makeAuthority('stranger')).server(),
        /another authority than CAUSEWAY_RELAY_CA holds/,
      ],
      ['bears another name', () => cloud.authority.server({ hosts: ['another.host'] }), /ALTNAME/],
      [
        'speaks TLS 1.1',
        async () => ({
          ...(await cloud.authority.server()),
          minVersion: 'TLSv1.1',
          maxVersion: 'TLSv1.1',
          ciphers: 'ALL@SECLEVEL=0',
        }),
        /protocol version/,
      ],
      ['is not yet valid', () => cloud.authority.server({ from: DAY_MS, to: 2 * DAY_MS }), /not yet valid/],
      ['is meant for clients', () => cloud.authority.server({ usage: 'client' }), /purpose/i],
    ]),
  )('%s', async (_, tls, message) => {
    const options = await tls();
    await expectUnasked(() => createTls(options), message);
  });

  test('speaks plain text', () => expectUnasked(() => createPlain(), /TLS was refused|wrong version number/));

  /** No request reaches it, the status gives the reason, and the Intake finds the cloud itself again on its own. */
  async function expectUnasked(make: () => Server, message: RegExp): Promise<void> {
    const tenant = await begun();
    await cloud.hangUp();
    const impostor = make();
    let asked = 0;
    impostor.on('request', () => (asked += 1)).on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => impostor.listen(cloud.port, '127.0.0.1', resolve));
    await tenant.pullsInVain({ state: 'RETRYING', code: 'COMMON503', message });
    expect(asked).toBe(0);
    await new Promise((resolve) => impostor.close(resolve));
    await cloud.listen();
    await tenant.catchUp(cloud, good);
  }
});

describe('23, 26: between Intake and relay', () => {
  let inner: Authority;
  let inward: string;

  beforeAll(async () => {
    inner = await makeAuthority('tenant');
    const pair = writePair(folder, 'inward', await inner.server());
    const part = fixture.start('agent/relay/main.ts', {
      env: {
        ...relayEnv,
        CAUSEWAY_RELAY_INWARD_CERT: pair.cert,
        CAUSEWAY_RELAY_INWARD_KEY: pair.key,
        CAUSEWAY_RELAY_INWARD_CLIENT_CA: writeWhole(folder, 'inward-ca.crt', inner.ca),
      },
    });
    inward = (await part.listening('relay')).url;
  });

  test.each<[string, () => Promise<Identity>]>(
    some(3, [
      ['no certificate', async () => ({ ca: inner.ca })],
      ['one of another authority', async () => identity(cloud.authority.client())],
      ['another authority to trust', async () => ({ ...(await identity(inner.client())), ca: cloud.authority.ca })],
      ['an expired one', () => identity(inner.client({ from: -2 * DAY_MS, to: -DAY_MS }))],
      ['one that is not yet valid', () => identity(inner.client({ from: DAY_MS, to: 2 * DAY_MS }))],
      ['one for servers', () => identity(inner.client({ usage: 'server' }))],
    ]),
  )('the Intake has %s', async (_, wrong) => {
    const file = path.join(fixture.folder('ledger'), 'ledger.sqlite');
    const stranger = new Tenant(file, inward, { identity: await wrong() });
    expect(await stranger.pull()).toMatchObject({ state: 'RETRYING', committedCursor: 0, lastSuccessAt: null });
    await stranger.close();
    const tenant = new Tenant(file, inward, { identity: await identity(inner.client()) });
    open.push(tenant);
    await tenant.catchUp(cloud, good);
  });

  test.each<[string, () => Promise<Issued>]>([
    ['has expired', () => inner.server({ to: -60_000 })],
    ['bears another name', () => inner.server({ hosts: ['another.host'] })],
    ['is meant for clients', () => inner.server({ usage: 'client' })],
  ])('the relay’s own %s: it is replaced without a restart', async (_, issue) => {
    await showInward(await issue());
    const tenant = new Tenant(path.join(fixture.folder('ledger'), 'ledger.sqlite'), inward, {
      identity: await identity(inner.client()),
    });
    open.push(tenant);
    expect(await tenant.pull()).toMatchObject({ state: 'RETRYING', committedCursor: 0, lastSuccessAt: null });
    await showInward(await inner.server());
    await tenant.catchUp(cloud, good);
  });

  /** Asking for the status makes the relay look at its files. */
  async function showInward(pair: Issued): Promise<void> {
    writePair(folder, 'inward', pair);
    const asked = { ...(await identity(inner.client())), rejectUnauthorized: false };
    expect((await ask(inward, '/status', asked)).status).toBe(200);
  }

  async function identity(issued: Promise<Issued>): Promise<{ cert: string; key: string; ca: string }> {
    const { cert, key } = await issued;
    return { cert, key, ca: inner.ca };
  }
});

describe('24: while a backlog drains', () => {
  const ROUNDS = runs(3, 12);

  test('the tenant’s certificate is replaced again and again, by file and by call: no pull fails', async () => {
    const tenant = await begun();
    await cloud.publishMore(3 * ROUNDS);
    for (let round = 0; round < ROUNDS; round++) {
      const next = await cloud.issue(1);
      if (round % 2 === 0) writePair(folder, 'relay', next);
      else {
        const body = { certificate: next.cert, key: next.key, tenantId: 1 };
        const [answer] = await Promise.all([
          post(relayUrl, '/control/certificate', body, { authorization: `Bearer ${TOKEN}` }),
          tenant.pull(),
        ]);
        expect(answer.status, answer.body.message).toBe(200);
      }
      expect((await tenant.pull()).state).toBe('OK');
      expect((await relayStatus()).certificate.fingerprint).toBe(next.fingerprint);
    }
    await tenant.catchUp(cloud, good);
  });

  test('a call that names the tenant refuses another tenant’s certificate', async () => {
    const tenant = await begun();
    const others = await cloud.issue(SECOND_TENANT);
    const body = { certificate: others.cert, key: others.key, tenantId: 1 };
    const answer = await post(relayUrl, '/control/certificate', body, { authorization: `Bearer ${TOKEN}` });
    expect(answer).toMatchObject({ status: 409, body: { code: 'COMMON409' } });
    expect((await relayStatus()).certificate.fingerprint).toBe(good.fingerprint);
    await tenant.catchUp(cloud, good);
  });

  test('the authority gives way to another, with both trusted in between: no pull fails', async () => {
    const tenant = await begun();
    await cloud.publishMore(15);
    const pulls = async (): Promise<void> => {
      for (let once = 0; once < 2; once++) expect((await tenant.pull()).state).toBe('OK');
    };
    const next = await makeAuthority('vendor 2');
    const both = `${cloud.authority.ca}\n${next.ca}\n`;
    const show = ({ cert, key }: Issued, clientCa: string): void => cloud.show({ cert, key, clientCa });
    await pulls();
    writeWhole(folder, 'ca.crt', both);
    await pulls();
    show(await cloud.authority.server(), both);
    await pulls();
    const second = await cloud.issue(1, next);
    writePair(folder, 'relay', second);
    await pulls();
    show(await next.server(), both);
    await pulls();
    writeWhole(folder, 'ca.crt', next.ca);
    await pulls();
    show(await next.server(), next.ca);
    await pulls();

    // The relay with the old certificate is refused now; afterwards everything is restored for the other tests.
    writePair(folder, 'relay', good);
    await tenant.pullsInVain({ state: 'UNAUTHORIZED', code: 'SYNC4011' });
    writeWhole(folder, 'ca.crt', cloud.authority.ca);
    await cloud.listen();
    await tenant.catchUp(cloud, good);
  });
});

async function relayStatus(): Promise<RelayStatus> {
  const answer = (await (await fetch(`${relayUrl}/status`)).json()) as { result: RelayStatus };
  return answer.result;
}
