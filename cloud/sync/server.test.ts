/** The bundle endpoint over real mutual TLS: admitted callers, and the answers to all others. */
import { generateKeyPairSync, hash, verify } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BUNDLE_ENTRIES } from '../entries/bundle-entries.ts';
import { BUNDLE_PATH } from '../../shared/wire/bundle-endpoint.ts';
import { statementSchema, type Statement } from '../../shared/wire/statement.ts';
import { systemIds } from '../../shared/time/clock.ts';
import {
  certificateFacts,
  issueClient,
  issueServer,
  makeAuthority,
  type KeyedCertificate,
} from '../pki/certificates.ts';
import { registerCertificate, revokeCertificate } from '../pki/registry.ts';
import { publish } from '../publication/publish.ts';
import type { Store } from '../store/open.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { live, read } from '../../test/support/cloud/loads.ts';
import { NOW, registeredCertificate, syncAuthority, syncParts, YEAR } from '../../test/support/cloud/sync-parts.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, AT, postgresKind, reset } from '../../test/support/cloud/store.ts';
import { tlsClient, type Answer, type ClientOptions } from '../../test/support/cloud/tls.ts';
import { createSyncServer, type SyncParts } from './server.ts';

let store: Store;
let authority: KeyedCertificate;
let tls: SyncParts['tls'];
const clock = new SetClock(NOW);
const running: { server: FastifyInstance; parts: SyncParts }[] = [];
const clients: { close(): void }[] = [];

provideStore(postgresKind, (opened) => (store = opened.store));
beforeAll(async () => {
  ({ authority, tls } = await syncAuthority());
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  const ended = running.splice(0);
  await Promise.all(ended.map(({ server }) => server.close()));
  // A server's last writes must not reach the next test's store.
  await Promise.all(ended.map(({ parts }) => parts.pullLog.flush()));
});
beforeEach(async () => {
  clock.at = NOW;
  await reset(store);
  await addTenants(store, 1);
  await publish(store, read(live({ key: 'a' })), AT);
});

async function start(changes: Partial<SyncParts> = {}): Promise<string> {
  const parts = { ...syncParts(store), clock, ids: systemIds, log: false as const, tls, ...changes };
  const server = createSyncServer(parts);
  running.push({ server, parts });
  await server.listen({ host: '127.0.0.1', port: 0 });
  return `https://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

function client(options: Partial<ClientOptions> = {}): ReturnType<typeof tlsClient> {
  const made = tlsClient({ ca: authority.cert, ...options });
  clients.push(made);
  return made;
}

const tenantCertificate = (tenantId = 1, days = 365): Promise<KeyedCertificate> =>
  registeredCertificate(store, authority, tenantId, days);

const outcome = ({ status, envelope }: Answer): string => `${status} ${envelope.code}`;

describe('admission', () => {
  test('a registered certificate pulls its bundle, over TLS 1.3 and 1.2', async () => {
    const url = await start();
    const pair = await tenantCertificate();
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const answer = await client({ client: pair, maxVersion }).get(`${url}${BUNDLE_PATH}?after=0`);
      expect(outcome(answer)).toBe('200 COMMON200');
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.headers['x-causeway-head']).toBe('1');
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.headers['x-causeway-signature']).toBeUndefined();
      expect(answer.envelope.result).toMatchObject({ tenant_id: 1, cursor_from: 0, cursor_to: 1 });
    }
  });

  test('TLS 1.1 and plain text are no way in', async () => {
    const url = await start();
    const { hostname, port } = new URL(url);
    await expect(
      client({ client: await tenantCertificate(), maxVersion: 'TLSv1.1' }).get(`${url}${BUNDLE_PATH}?after=0`),
    ).rejects.toThrow(/protocol|version|SSL|EPROTO/i);
    await expect(fetch(`http://${hostname}:${port}${BUNDLE_PATH}?after=0`)).rejects.toThrow('fetch failed');
  });

  test('no certificate, an unregistered one, one of another authority, an expired one, a self-signed one: 401 SYNC4011', async () => {
    const url = await start();
    const stranger = await makeAuthority('other CA', YEAR);
    const foreign = await issueClient(stranger, 'tenant 1', YEAR);
    await registerCertificate(store.db, 1, certificateFacts(foreign.cert), NOW);
    await registerCertificate(store.db, 1, certificateFacts(stranger.cert), NOW);
    const expired = await issueClient(authority, 'tenant 1', {
      from: new Date(NOW.getTime() - 10 * 86_400_000),
      days: 5,
    });
    await registerCertificate(store.db, 1, certificateFacts(expired.cert), NOW);
    const unregistered = await issueClient(authority, 'tenant 1', YEAR);
    for (const shown of [undefined, unregistered, foreign, expired, stranger]) {
      const answer = await client(shown === undefined ? {} : { client: shown }).get(`${url}${BUNDLE_PATH}?after=0`);
      expect(outcome(answer)).toBe('401 SYNC4011');
      expect(answer.envelope).not.toHaveProperty('result');
    }
  });

  test('a server certificate is no client certificate', async () => {
    const url = await start();
    const server = await issueServer(authority, ['localhost'], YEAR);
    await registerCertificate(store.db, 1, certificateFacts(server.cert), NOW);
    expect(outcome(await client({ client: server }).get(`${url}${BUNDLE_PATH}?after=0`))).toBe('401 SYNC4011');
  });

  test('revocation and the removal of the tenant take effect on the next request of a kept-alive connection', async () => {
    const url = await start();
    const pair = await tenantCertificate();
    const kept = client({ client: pair });
    const pulls = (): Promise<Answer> => kept.get(`${url}${BUNDLE_PATH}?after=0`);
    expect(outcome(await pulls())).toBe('200 COMMON200');
    await sql`update tenant set removed_at = now()`.execute(store.db);
    expect(outcome(await pulls())).toBe('403 SYNC4031');
    await sql`update tenant set removed_at = null`.execute(store.db);
    expect(outcome(await pulls())).toBe('200 COMMON200');
    await revokeCertificate(store.db, certificateFacts(pair.cert).fingerprint, NOW);
    expect(outcome(await pulls())).toBe('403 SYNC4031');
  });

  test('a certificate that expires while its connection is open is refused from then on', async () => {
    const url = await start();
    const kept = client({ client: await tenantCertificate(1, 1) });
    expect(outcome(await kept.get(`${url}${BUNDLE_PATH}?after=0`))).toBe('200 COMMON200');
    clock.at = new Date(NOW.getTime() + 2 * 86_400_000);
    expect(outcome(await kept.get(`${url}${BUNDLE_PATH}?after=0`))).toBe('401 SYNC4011');
  });

  test('a resumed TLS session is still the same tenant', async () => {
    const url = await start();
    const pair = await tenantCertificate();
    const { port } = new URL(url);
    const ask = (session?: Buffer): Promise<{ text: string; session: Buffer | undefined; reused: boolean }> =>
      new Promise((resolve, reject) => {
        const socket = connectTls({
          host: '127.0.0.1',
          port: Number(port),
          ca: authority.cert,
          cert: pair.cert,
          key: pair.key,
          ...(session === undefined ? {} : { session }),
        });
        let text = '';
        let ticket: Buffer | undefined;
        socket.on('session', (made: Buffer) => (ticket = made));
        socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
        socket.once('error', reject);
        let reused = false;
        socket.once('secureConnect', () => {
          reused = socket.isSessionReused();
          socket.write(`GET ${BUNDLE_PATH}?after=0 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
        });
        socket.once('close', () => resolve({ text, session: ticket, reused }));
      });
    const first = await ask();
    const second = await ask(first.session);
    expect(second.reused).toBe(true);
    expect(second.text).toContain('200 OK');
  });

  test('no header and no parameter changes who the tenant is', async () => {
    const url = await start();
    const answer = await client({ client: await tenantCertificate() }).get(
      `${url}${BUNDLE_PATH}?after=0&tenant_id=2&tenantId=2`,
      {
        headers: {
          'x-tenant-id': '2',
          'x-client-cert': 'x',
          'x-ssl-client-verify': 'SUCCESS',
          'x-forwarded-client-cert': 'Hash=00',
          'x-forwarded-for': '1.2.3.4',
        },
      },
    );
    expect(answer.envelope.result).toMatchObject({ tenant_id: 1 });
  });
});

describe('refused pulls', () => {
  test('below the retention floor: 410 SYNC4101', async () => {
    const url = await start();
    await sql`update tenant set retention_floor = 1`.execute(store.db);
    expect(outcome(await client({ client: await tenantCertificate() }).get(`${url}${BUNDLE_PATH}?after=0`))).toBe(
      '410 SYNC4101',
    );
  });

  test('a revoked certificate gets the same refusal for every request', async () => {
    const url = await start();
    const pair = await tenantCertificate();
    await revokeCertificate(store.db, certificateFacts(pair.cert).fingerprint, NOW);
    expect(outcome(await client({ client: pair }).get(`${url}/`))).toBe('403 SYNC4031');
  });

  test.each([
    ['refused', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['full', Object.assign(new Error('too many clients'), { code: '53300' })],
    ['lost', new Error('Connection terminated unexpectedly')],
  ])('a database that is %s: 503 COMMON503', async (_name, error) => {
    const url = await start({ ...syncParts(store), store: { ...store, prepared: () => Promise.reject(error) } });
    const pair = await tenantCertificate();
    for (const path of [`${BUNDLE_PATH}?after=0`, `${BUNDLE_PATH}?after=x`])
      expect(outcome(await client({ client: pair }).get(`${url}${path}`))).toBe('503 COMMON503');
  });

  test('a failure inside is a bland COMMON500 with the request id', async () => {
    const broken: Store = { ...store, prepared: () => Promise.reject(new Error('select * from secret')) };
    const url = await start({ store: broken });
    const answer = await client({ client: await tenantCertificate() }).get(`${url}${BUNDLE_PATH}?after=0`);
    expect(outcome(answer)).toBe('500 COMMON500');
    expect(answer.body.toString()).not.toContain('secret');
    expect(answer.headers['x-request-id']).toBeDefined();
  });
});

test('every answer, of any status, is JSON that no cache keeps and no browser runs', async () => {
  const url = await start();
  const pair = await tenantCertificate();
  const own = client({ client: pair });
  const answers = [];
  for (const path of ['?after=0', '?after=1', '?after=-1', '?after=x'].map((query) => `${BUNDLE_PATH}${query}`))
    answers.push(await own.get(`${url}${path}`));
  answers.push(await own.get(`${url}/elsewhere`), await client().get(`${url}${BUNDLE_PATH}?after=0`));
  await revokeCertificate(store.db, certificateFacts(pair.cert).fingerprint, NOW);
  answers.push(await own.get(`${url}${BUNDLE_PATH}?after=0`));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 400, 403, 401, 403]);
  for (const { status, headers } of answers)
    expect({ status, headers }).toMatchObject({
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringContaining("default-src 'none'") as string,
        'strict-transport-security': 'max-age=31536000',
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      },
    });
});

describe('failures that the operator reads in the pull log', () => {
  const last = async () => {
    await running.at(-1)?.parts.pullLog.flush();
    return store.db
      .selectFrom('tenant_pull_state')
      .select(['tenant_id', 'last_outcome', 'last_error_code'])
      .executeTakeFirst();
  };
  const told = (code: string) => ({ tenant_id: 1, last_outcome: code, last_error_code: code });

  test('an expired certificate that is registered: SYNC4011', async () => {
    const url = await start();
    const kept = client({ client: await tenantCertificate(1, 1) });
    clock.at = new Date(NOW.getTime() + 2 * 86_400_000);
    await kept.get(`${url}${BUNDLE_PATH}?after=0`);
    expect(await last()).toEqual(told('SYNC4011'));
  });

  test.each(['?after=0', '?after=x', ''])('a revoked certificate that asks for "%s": SYNC4031', async (query) => {
    const url = await start();
    const pair = await tenantCertificate();
    await revokeCertificate(store.db, certificateFacts(pair.cert).fingerprint, NOW);
    expect(outcome(await client({ client: pair }).get(`${url}${BUNDLE_PATH}${query}`))).toBe('403 SYNC4031');
    expect(await last()).toEqual(told('SYNC4031'));
  });

  test('a bundle with a hole: COMMON500', async () => {
    const url = await start();
    const pair = await tenantCertificate();
    await store.db.connection().execute(async (db) => {
      await sql`set session_replication_role = replica`.execute(db);
      await sql`delete from instrument_name`.execute(db);
      await sql`set session_replication_role = origin`.execute(db);
    });
    expect(outcome(await client({ client: pair }).get(`${url}${BUNDLE_PATH}?after=0`))).toBe('500 COMMON500');
    expect(await last()).toEqual(told('COMMON500'));
  });

  test('a database that fails in the middle of a pull: COMMON500', async () => {
    const broken: Store = {
      ...store,
      prepared: (name, ...asked) =>
        name === BUNDLE_ENTRIES ? Promise.reject(new Error('disk')) : store.prepared(name, ...asked),
    };
    const url = await start({ ...syncParts(store), store: broken });
    await client({ client: await tenantCertificate() }).get(`${url}${BUNDLE_PATH}?after=0`);
    expect(await last()).toEqual(told('COMMON500'));
  });

  test('an unknown certificate counts as no tenant’s failure', async () => {
    const url = await start();
    await client({ client: await issueClient(authority, 'nobody', YEAR) }).get(`${url}${BUNDLE_PATH}?after=0`);
    expect(await last()).toBeUndefined();
  });
});

describe('with a signing key (D32, D59)', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signingKey = () => privateKey;

  /** The statement of an answer, after its signature has been verified. */
  function stated({ headers }: Answer): Statement {
    const [said = '', signature = ''] = String(headers['x-causeway-statement']).split('.');
    expect(verify(null, Buffer.from(said), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    return statementSchema.parse(JSON.parse(Buffer.from(said, 'base64url').toString()));
  }
  const sha256 = (body: Buffer): string => hash('sha256', body, 'hex');

  test('every body, the empty one too, carries an Ed25519 signature over its bytes', async () => {
    const url = await start({ signingKey });
    const kept = client({ client: await tenantCertificate() });
    for (const after of [0, 1]) {
      const { body, headers } = await kept.get(`${url}${BUNDLE_PATH}?after=${after}`);
      const signature = Buffer.from(String(headers['x-causeway-signature']), 'base64');
      expect(verify(null, body, publicKey, signature)).toBe(true);
      expect(verify(null, Buffer.concat([body, Buffer.from(' ')]), publicKey, signature)).toBe(false);
    }
  });

  test('every answer to a tenant states tenant, request, head, time and hash of its bytes', async () => {
    const url = await start({ signingKey });
    const kept = client({ client: await tenantCertificate() });
    for (const [query, after, status] of [
      ['?after=0', 0, 200],
      ['?after=1', 1, 200],
      ['?after=0&limit=501', null, 400],
      ['?after=-1', null, 400],
      ['?after=x', null, 400],
    ] as const) {
      const answer = await kept.get(`${url}${BUNDLE_PATH}${query}`);
      expect(answer.status).toBe(status);
      const kid = hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'hex').slice(0, 16);
      const at = clock.now().toISOString();
      const told = { v: 1, kid, tenant_id: 1, after, head: 1, at, status, sha256: sha256(answer.body) };
      expect(stated(answer)).toEqual(told);
    }
  });

  test('so does a refusal by retention, a busy endpoint or a fault', async () => {
    const pair = await tenantCertificate();
    const broken: Store = {
      ...store,
      prepared: (name, ...asked) =>
        name === BUNDLE_ENTRIES ? Promise.reject(new Error('disk')) : store.prepared(name, ...asked),
    };
    const faulty = await start({ ...syncParts(store), signingKey, store: broken });
    const failed = await client({ client: pair }).get(`${faulty}${BUNDLE_PATH}?after=0`);
    expect(stated(failed)).toMatchObject({ status: 500, after: 0, head: 1, sha256: sha256(failed.body) });
    await sql`update tenant set retention_floor = 1`.execute(store.db);
    const url = await start({ signingKey });
    const gone = await client({ client: pair }).get(`${url}${BUNDLE_PATH}?after=0`);
    expect(stated(gone)).toMatchObject({ status: 410, after: 0, head: 1, sha256: sha256(gone.body) });
  });

  test('a body in pieces is signed as the whole that it is', async () => {
    const summary = 'ㅎ'.repeat(20_000);
    for (const key of ['b', 'c', 'd']) await publish(store, read(live({ key, summary })), AT);
    const url = await start({ signingKey });
    const answer = await client({ client: await tenantCertificate() }).get(`${url}${BUNDLE_PATH}?after=1`);
    expect(answer.body.length).toBeGreaterThan(2 * 64 * 1024);
    expect(Number(answer.headers['content-length'])).toBe(answer.body.length);
    expect(stated(answer)).toMatchObject({ after: 1, head: 4, sha256: sha256(answer.body) });
  });

  test('an answer to a refused certificate has no statement', async () => {
    const url = await start({ signingKey });
    const stranger = client({ client: await issueClient(authority, 'nobody', YEAR) });
    const revoked = await tenantCertificate();
    await revokeCertificate(store.db, certificateFacts(revoked.cert).fingerprint, NOW);
    for (const asker of [stranger, client({ client: revoked }), client()])
      for (const query of ['?after=0', '?after=x']) {
        const { headers } = await asker.get(`${url}${BUNDLE_PATH}${query}`);
        expect(headers['x-causeway-statement']).toBeUndefined();
      }
  });

  test('a cursor above the head is answered with the head, and logged for the vendor', async () => {
    const url = await start({ signingKey });
    const kept = client({ client: await tenantCertificate() });
    const beyond = await kept.get(`${url}${BUNDLE_PATH}?after=10000000`);
    expect(beyond.status).toBe(200);
    expect(beyond.headers['x-causeway-head']).toBe('1');
    expect(stated(beyond)).toMatchObject({ after: 10_000_000, head: 1 });
    await Promise.all(running.map(({ parts }) => parts.pullLog.flush()));
    const noted = await sql`select message from tenant_pull_history`.execute(store.db);
    expect(noted.rows).toEqual([{ message: 'The tenant asks after cursor 10000000, and its records end at 1.' }]);
  });
});
