/**
 * Faults 25 to 27: a certificate of one tenant with another's parameters or headers, transports that are
 * none, and signatures by a key that is not the configured one.
 */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { connect as connectPlain } from 'node:net';
import path from 'node:path';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../../support/agent/relay.ts';
import { tlsClient } from '../../support/cloud/tls.ts';
import type { Bundle } from '../../../shared/wire/bundle.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { makeAuthority, writePair, writeWhole, type Authority, type Issued } from '../../support/pki.ts';
import { onWire, startScriptedCloud, type Misbehaviour } from '../../support/scripted-cloud.ts';
import { makeVendorKey, type VendorKey } from '../../support/vendor-key.ts';
import { TestFixture } from '../../support/process.ts';
import { IdentityCloud, relayEnvironment, Tenant } from './identity-fixture.ts';
import { begun as begunIntake, pullsInVain } from '../intake-fixture.ts';
import { some } from '../../support/runs.ts';

const PULL = `${BUNDLE_PATH}?after=0&limit=500`;
/** Identity headers of proxies and gateways, and headers that look like the contract's own. */
const SPOOFED = {
  'x-tenant-id': '2',
  'tenant-id': '2',
  tenant: '2',
  'x-causeway-tenant': '2',
  'x-forwarded-for': '10.0.0.2',
  forwarded: 'for=10.0.0.2;by=2',
  authorization: 'Bearer 2',
  cookie: 'tenant=2',
};

const fixture = new TestFixture();
let cloud: IdentityCloud;
let first: Issued;
let second: Issued;
let relayUrl: string;
let inner: Authority;
let inward: string;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  cloud = await IdentityCloud.open();
  [first, second] = [await cloud.issue(1), await cloud.issue(2)];
  await cloud.publishMore(4);
  inner = await makeAuthority('tenant');
  const folder = fixture.folder('identity');
  const env = relayEnvironment(cloud, folder, first);
  const pair = writePair(folder, 'inward', await inner.server());
  const tls = {
    CAUSEWAY_RELAY_INWARD_CERT: pair.cert,
    CAUSEWAY_RELAY_INWARD_KEY: pair.key,
    CAUSEWAY_RELAY_INWARD_CLIENT_CA: writeWhole(folder, 'inward-ca.crt', inner.ca),
  };
  const parts = [
    fixture.start('agent/relay/main.ts', { env }),
    fixture.start('agent/relay/main.ts', { env: { ...env, ...tls } }),
  ];
  [relayUrl = '', inward = ''] = await Promise.all(parts.map(async (part) => (await part.listening('relay')).url));
});
beforeEach(() => cloud.listen());
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});
afterAll(async () => {
  await fixture.clear();
  await cloud.close();
});

function newTenant(vendorKey?: VendorKey): Tenant {
  const file = path.join(fixture.folder('ledger'), 'ledger.sqlite');
  const tenant = new Tenant(file, relayUrl, vendorKey === undefined ? {} : { vendorKey });
  open.push(tenant);
  return tenant;
}

const tenantIn = (body: { result?: unknown }): number => (body.result as Bundle).tenant_id;

describe('25: the certificate of one tenant, and another’s', () => {
  test('headers, straight to the cloud: the certificate alone counts (D30)', async () => {
    const thumbprint = {
      'x-client-cert': second.cert.replaceAll('\n', ' '),
      'x-ssl-client-fingerprint': second.fingerprint,
    };
    const client = tlsClient({ ca: cloud.authority.ca, client: first });
    const nobody = tlsClient({ ca: cloud.authority.ca });
    try {
      const headers = { ...SPOOFED, ...thumbprint };
      const { status, envelope } = await client.get(`${cloud.url}${PULL}`, { headers });
      expect(status).toBe(200);
      expect(tenantIn(envelope)).toBe(1);
      expect(await nobody.get(`${cloud.url}${PULL}`, { headers })).toMatchObject({
        status: 401,
        envelope: { code: 'SYNC4011' },
      });
    } finally {
      client.close();
      nobody.close();
    }
  });

  test('headers, to the relay: none is forwarded', async () => {
    const seen = await ask(relayUrl, PULL, { headers: SPOOFED });
    expect(seen.status).toBe(200);
    expect(tenantIn(JSON.parse(seen.body.toString()) as { result: Bundle })).toBe(1);
  });

  test.each(['tenant_id=2', 'tenantId=2', 'tenant=2', 'cert=2', 'limit=1&tenant_id=2', 'AFTER=0'])(
    'parameters: %s is refused by the relay and changes nothing at the cloud',
    async (parameter) => {
      expect(await ask(relayUrl, `${PULL}&${parameter}`)).toMatchObject({ status: 400, whole: true });
      const client = tlsClient({ ca: cloud.authority.ca, client: first });
      try {
        const { status, envelope } = await client.get(`${cloud.url}${PULL}&${parameter}`);
        if (status === 200) expect(tenantIn(envelope)).toBe(1);
        else expect(status).toBe(400);
      } finally {
        client.close();
      }
    },
  );

  test('and afterwards everything arrives', () => newTenant().catchUp(cloud, first));
});

describe('26: transports that are none', () => {
  test.each<[string, () => string, () => ConnectionOptions]>([
    ['the cloud', () => cloud.url, () => ({ ...first, ca: cloud.authority.ca })],
    ['the relay', () => inward, () => ({ ca: inner.ca })],
  ])('TLS 1.0 and 1.1 to %s end in the handshake', async (_, url, identity) => {
    for (const version of ['TLSv1', 'TLSv1.1'] as const) {
      const options = { ...identity(), minVersion: version, maxVersion: version, ciphers: 'ALL@SECLEVEL=0' } as const;
      await expect(handshake(url(), options)).rejects.toThrow(/protocol version|EPROTO|ECONNRESET/);
    }
  });

  test.each<[string, () => string]>([
    ['the cloud', () => cloud.url],
    ['the relay', () => inward],
  ])('plain text to %s gets no answer that is one', async (_, url) => {
    expect(await say(url(), `GET ${PULL} HTTP/1.1\r\nhost: x\r\n\r\n`)).not.toMatch(
      /HTTP\/1\.1 2|isSuccess":true|tenant_id/,
    );
  });

  test('and afterwards everything arrives', () => newTenant().catchUp(cloud, first));
});

describe('27: the vendor’s signing key (D59)', () => {
  const old = makeVendorKey();
  const next = makeVendorKey();

  test('is replaced: the Intake commits no unverified answer, and with the new key everything arrives', async () => {
    await cloud.listen({ signingKey: old.privateKey });
    const tenant = newTenant(old);
    expect((await tenant.pull()).state).toBe('OK');
    await cloud.publishMore(1);
    await cloud.listen({ signingKey: next.privateKey });
    await tenant.pullsInVain({
      state: 'VIOLATION',
      code: 'STATEMENT',
      message: /is signed by the key [0-9a-f]{16}, and/,
    });
    await cloud.listen();
    await tenant.pullsInVain({ state: 'VIOLATION', code: 'STATEMENT', message: /has no statement of the vendor/ });
    await cloud.listen({ signingKey: old.privateKey });
    await tenant.catchUp(cloud, first);

    await cloud.listen({ signingKey: next.privateKey });
    await newTenant(next).catchUp(cloud, first);
  });

  const SIGNATURES: [string, (body: Buffer) => Buffer][] = [
    ['RSA', ofKind(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'sha256')],
    ['ECDSA', ofKind(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'sha256')],
    ['Ed448', ofKind(generateKeyPairSync('ed448').privateKey, null)],
    ['an unknown Ed25519 key', ofKind(next.privateKey, null)],
    ['nothing, 64 bytes of zero', () => Buffer.alloc(64)],
  ];
  test.each(some(2, SIGNATURES))('signed by %s: a violation, also by way of a relay', async (_, signature) => {
    const authority = await makeAuthority();
    const scripted = await startScriptedCloud({ tls: { ...(await authority.server()), ca: authority.ca } });
    open.push(scripted);
    const folder = fixture.folder('signed');
    const pair = writePair(folder, 'relay', await authority.client());
    const relay = fixture.start('agent/relay/main.ts', {
      env: {
        CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
        CAUSEWAY_RELAY_UPSTREAM: scripted.url,
        CAUSEWAY_RELAY_CERT: pair.cert,
        CAUSEWAY_RELAY_KEY: pair.key,
        CAUSEWAY_RELAY_CA: writeWhole(folder, 'ca.crt', authority.ca),
      },
    });
    scripted.url = (await relay.listening('relay')).url;
    const intake = await begunIntake({ cloud: scripted, vendorKey: old });
    // All fields are the vendor's own, the id of its key included; only the signature differs.
    const forged: Misbehaviour = ({ honest }) => {
      const { body, headers } = honest();
      const [said = ''] = headers['x-causeway-statement']?.split('.') ?? [];
      const statement = `${said}.${signature(Buffer.from(said)).toString('base64url')}`;
      return onWire(body, { headers: { ...headers, 'x-causeway-statement': statement } });
    };
    await pullsInVain(intake, forged, { state: 'VIOLATION', code: 'STATEMENT', quarantined: 1 });
    await intake.catchUp();
  });

  const KEYS: [string, KeyObject][] = [
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey],
    ['ECDSA', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey],
    ['Ed448', generateKeyPairSync('ed448').publicKey],
  ];
  test.each(some(1, KEYS))('an Intake that is to verify by %s does not start', async (kind, key) => {
    const folder = fixture.folder('verify');
    const intake = fixture.start('agent/intake/main.ts', {
      env: {
        CAUSEWAY_LEDGER: path.join(folder, 'ledger.sqlite'),
        CAUSEWAY_INTAKE_UPSTREAM: relayUrl,
        CAUSEWAY_INTAKE_VERIFY_KEY: writeWhole(
          folder,
          'key.pem',
          key.export({ type: 'spki', format: 'pem' }).toString(),
        ),
      },
    });
    expect((await intake.ended()).code).not.toBe(0);
    expect(intake.stderr).toMatch(/CAUSEWAY_INTAKE_VERIFY_KEY.*Ed25519 is needed/);
    expect(intake.stderr.toLowerCase()).toContain(kind.toLowerCase().slice(0, 2));
  });
});

function ofKind(key: KeyObject, digest: string | null): (body: Buffer) => Buffer {
  return (body) => sign(digest, body, key);
}

function handshake(url: string, options: ConnectionOptions): Promise<void> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host, port: Number(port), ...options }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

/** Sends plain text and returns the answer until the connection ended. */
function say(url: string, words: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve) => {
    let heard = '';
    const socket = connectPlain({ host, port: Number(port) }, () => socket.write(words));
    socket.on('data', (piece) => (heard += piece.toString('latin1')));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(heard));
  });
}
