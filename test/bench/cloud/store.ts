/** Stores of a given size for benchmarks, on the shared PostgreSQL server. */
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { sql } from 'kysely';
import { runCommandLine } from '../../../cloud/commands/command-line.ts';
import { certificateFacts, issueClient } from '../../../cloud/pki/certificates.ts';
import { registerCertificate } from '../../../cloud/pki/registry.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { live, read } from '../../support/cloud/loads.ts';
import { AT } from '../../support/cloud/store.ts';
import type { BenchFixture } from '../bench.ts';

export const TENANTS = 10_000;
/** Published results, and so the most records per tenant. */
const RESULTS = 500;

export interface BenchStore {
  store: Store;
  url: string;
  /** Files of the authority and of the server, created by `init`. */
  pki: Record<'ca' | 'serverCert' | 'serverKey' | 'clientCa', string>;
  /** The first tenant and its certificate. */
  tenant: { tenantId: number; cert: string; key: string };
  /** The last cursor of every tenant that has records. */
  head: number;
}

/** Distribution of the delivery records: many tenants with all of them, or few with some. */
const SIZES = {
  '10,000': { holders: 100, records: 100 },
  '5,000,000': { holders: TENANTS, records: RESULTS },
} as const;
export type Size = keyof typeof SIZES;

/**
 * A store with 10,000 tenants and 500 published results of 5 evidences each, with this many delivery records. The first
 * tenant has at least 100.
 */
export async function makeStore(fixture: BenchFixture, size: Size): Promise<BenchStore> {
  const server = await fixture.postgres();
  const url = await server.createDatabase();
  const installed = await initialise(url, fixture.folder('pki'));
  const store = await openPostgres(url, 4);
  fixture.after(() => store.close());
  // Without any tenant, so that publication writes no records: all are written at once below.
  await sql`update tenant set removed_at = ${AT}`.execute(store.db);
  for (let number = 1; number <= RESULTS; number += 1)
    await publish(store, read(live({ key: `base-${number}`, documents: 4 })), AT);
  await sql`update tenant set removed_at = null`.execute(store.db);
  await sql`
    insert into tenant (name, environment, created_at)
    select 'tenant-' || n, 'PRODUCTION', ${AT} from generate_series(2, ${TENANTS}::integer) n`.execute(store.db);
  await fill(fixture, store, size);
  return { store, url, pki: installed.pki, tenant: installed.tenant, head: SIZES[size].records };
}

/** The rows of 500 fan-outs, in order, by one INSERT … SELECT whose references are known to be valid. */
async function fill(fixture: BenchFixture, store: Store, size: Size): Promise<void> {
  const { holders, records } = SIZES[size];
  fixture.say(`writing ${size} delivery records`);
  const index = 'tenant_delivery_once_per_explanation_result_id';
  await store.transaction(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`drop index ${sql.ref(index)}`.execute(trx);
    await sql`
      insert into tenant_delivery (tenant_id, cursor, delivery_type, explanation_result_id, created_at)
      select t, n, 'NEW', 'res-base-' || n, ${AT}
      from generate_series(1, ${records}::integer) n, generate_series(1, ${holders}::integer) t
      order by n, t`.execute(trx);
    await sql`update fan_out_count set fan_outs = ${records}`.execute(trx);
    await sql`update tenant set cursor_lag = case when tenant_id <= ${holders} then 0 else ${records} end`.execute(trx);
  });
  await sql`
    create unique index ${sql.ref(index)} on tenant_delivery (explanation_result_id, tenant_id)
    where explanation_result_id is not null`.execute(store.db);
  await sql`vacuum (analyze)`.execute(store.db);
  await sql`checkpoint`.execute(store.db);
}

/** Publishes so many results of 5 evidences each. */
export async function publishSome(url: string, count: number): Promise<void> {
  const store = await openPostgres(url, 2);
  try {
    for (let number = 1; number <= count; number += 1)
      await publish(store, read(live({ key: `base-${number}`, documents: 4 })), AT);
  } finally {
    await store.close();
  }
}

/**
 * Tenants up to this number, with a certificate for each; they have nothing of what was published before.
 * @param from the first of them: those before are there @returns what each needs to connect
 */
export async function tenantsWithCertificates(
  url: string,
  pki: { ca: string; clientCa: string },
  tenants: number,
  from = 1,
): Promise<SecureContext[]> {
  const store = await openPostgres(url, 2);
  try {
    await sql`insert into tenant (name, environment, created_at, cursor_lag)
      select 'tenant-' || n, 'PRODUCTION', ${AT}, fan_outs
      from generate_series(${Math.max(from, 2)}::integer, ${tenants}::integer) n, fan_out_count order by n`.execute(
      store.db,
    );
    const authority = {
      cert: readFileSync(pki.clientCa, 'utf8'),
      key: readFileSync(pki.clientCa.replace(/crt$/, 'key'), 'utf8'),
    };
    const validity = { from: new Date(Date.now() - 3_600_000), days: 2 };
    const contexts: SecureContext[] = [];
    for (let tenant = from; tenant <= tenants; tenant += 1) {
      const { cert, key } = await issueClient(authority, `tenant ${tenant}`, validity);
      await registerCertificate(store.db, tenant, certificateFacts(cert), new Date());
      contexts.push(createSecureContext({ cert, key, ca: readFileSync(pki.ca) }));
    }
    return contexts;
  } finally {
    await store.close();
  }
}

/** Store, authority and first tenant by `init`, with the demo's operator account. */
export async function initialise(
  url: string,
  home: string,
): Promise<{ pki: BenchStore['pki']; tenant: BenchStore['tenant'] }> {
  let out = '';
  const code = await runCommandLine(['init', '--tenant', 'tenant-1'], {
    env: { CAUSEWAY_HOME: home, CAUSEWAY_DATABASE_URL: url, CAUSEWAY_DEMO: '1' },
    print: (line) => (out += line),
    printError: (line) => console.error(line),
  });
  if (code !== 0) throw new Error(`init ended with ${code}`);
  const { pki, tenants } = JSON.parse(out) as { pki: BenchStore['pki']; tenants: [BenchStore['tenant']] };
  return { pki, tenant: tenants[0] };
}
