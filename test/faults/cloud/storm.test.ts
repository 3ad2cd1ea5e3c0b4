/** Fault 21: tenants that connect and pull all at once, against a real cloud process and a real PostgreSQL (D178). */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { certificateFacts, issueClient } from '../../../cloud/pki/certificates.ts';
import { registerCertificate } from '../../../cloud/pki/registry.ts';
import { openPostgres } from '../../../cloud/store/open.ts';
import { AT } from '../../../cloud/testing/store.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { initialise } from '../../bench/cloud/store.ts';
import { startPostgres } from '../../support/postgres.ts';
import { TestFixture } from '../../support/process.ts';

const fixture = new TestFixture();
const ends: (() => unknown)[] = [];
afterAll(async () => {
  await fixture.clear();
  for (const end of ends.toReversed()) await end();
});

const CONNECTIONS = 2_000;
/** As many connections of each as may pull at one time. */
const TENANTS = CONNECTIONS / 4;
/** What a relay waits for a connection (`agent/relay/settings.ts`). */
const CONNECT_MS = 25_000;

test(`${CONNECTIONS} connections at once: every one is made, and every pull is answered`, async () => {
  const postgres = await startPostgres({ fsync: 'off' });
  ends.push(() => postgres.stop());
  const url = await postgres.createDatabase();
  const { pki } = await initialise(url, fixture.folder('pki'));
  const contexts = await tenantsOf(url, pki);
  const cloud = fixture.start('cloud/main.ts', {
    env: {
      CAUSEWAY_HOME: fixture.folder('cloud'),
      CAUSEWAY_DATABASE_URL: url,
      CAUSEWAY_ENGINE_TOKEN: 'storm-token-of-at-least-32-characters',
      CAUSEWAY_SYNC_CERT: pki.serverCert,
      CAUSEWAY_SYNC_KEY: pki.serverKey,
      CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
      ...Object.fromEntries(
        ['SYNC', 'OPERATOR', 'ENGINE', 'CLOUD_METRICS'].map((name) => [`CAUSEWAY_${name}_LISTEN`, '127.0.0.1:0']),
      ),
    },
  });
  const { hostname: host, port } = new URL((await cloud.listening('sync')).url);
  const answers = await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, index) => {
      const secureContext = contexts[index % TENANTS];
      if (secureContext === undefined) throw new Error('no certificate');
      const socket = connect({ host, port: Number(port), servername: 'localhost', secureContext });
      ends.push(() => socket.destroy());
      socket.on('error', () => undefined);
      await once(socket, 'secureConnect', { signal: AbortSignal.timeout(CONNECT_MS) });
      return statusOf(socket);
    }),
  );
  expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200']));
});

/** Makes the tenants, each with a certificate of its own. */
async function tenantsOf(url: string, pki: { ca: string; clientCa: string }): Promise<SecureContext[]> {
  const store = await openPostgres(url, 2);
  try {
    await sql`insert into tenant (name, environment, created_at)
      select 'tenant-' || n, 'PRODUCTION', ${AT} from generate_series(2, ${TENANTS}::integer) n`.execute(store.db);
    const authority = {
      cert: readFileSync(pki.clientCa, 'utf8'),
      key: readFileSync(pki.clientCa.replace(/crt$/, 'key'), 'utf8'),
    };
    const validity = { from: new Date(Date.now() - 3_600_000), days: 2 };
    const contexts: SecureContext[] = [];
    for (let tenant = 1; tenant <= TENANTS; tenant += 1) {
      const { cert, key } = await issueClient(authority, `tenant ${tenant}`, validity);
      await registerCertificate(store.db, tenant, certificateFacts(cert), new Date());
      contexts.push(createSecureContext({ cert, key, ca: readFileSync(pki.ca) }));
    }
    return contexts;
  } finally {
    await store.close();
  }
}

/** Pulls once, and returns the beginning of the status line. */
async function statusOf(socket: TLSSocket): Promise<string> {
  socket.write(`GET ${BUNDLE_PATH}?after=0&limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const [said] = (await once(socket, 'data')) as [Buffer];
  return said.toString('latin1').slice(0, 12);
}
