/**
 * The plan of a bundle on PostgreSQL with 100,000 records and more: look-ups by the indexes that
 * `entries/bundle-entries.ts` names, however little the planner knows.
 */
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUNDLE_ENTRIES } from '../entries/bundle-entries.ts';
import { startPostgres, type PostgresServer } from '../../test/support/postgres.ts';
import { runs } from '../../test/support/runs.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { openPostgres, type Store } from '../store/open.ts';
import { countingIds, SetClock } from '../../test/support/cloud/clock.ts';
import { AT } from '../../test/support/cloud/store.ts';
import { fillStore } from '../../test/support/cloud/volume.ts';
import { CERTIFICATE_STATUSES } from './certificate-sql.ts';
import { pull } from './pull.ts';

const TENANTS = 50;
const RESULTS = 2_200;
const TENANT = 7;
/** A tenant with three records. */
const SMALL = 9;
const SMALL_AFTER = RESULTS - 3;

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  Plans?: Node[];
}

let server: PostgresServer;
let store: Store;
/** Made its plans on the empty store, and keeps them. */
let early: Telling;
let url: string;

beforeAll(async () => {
  // No background process gathers statistics during the test.
  server = await startPostgres({ autovacuum: 'off' });
  url = await server.createDatabase();
  store = await openPostgres(url, 2);
  await migrate(store, MIGRATIONS, AT);
  early = await connectTelling();
  await early.plansOf(0);
  await fillStore(store, { tenants: TENANTS, results: RESULTS });
  await sql`delete from tenant_delivery where tenant_id = ${SMALL} and cursor <= ${SMALL_AFTER}`.execute(store.db);
  const { rows } = await sql<{ records: number }>`select count(*) as records from tenant_delivery`.execute(store.db);
  expect(rows[0]?.records).toBeGreaterThan(100_000);
});
afterAll(async () => {
  await early.end();
  await store.close();
  await server.stop();
});

/**
 * A connection that tells the plans of all statements, those inside a function too, and keeps them as a connection for
 * pulls does.
 */
async function connectTelling(): Promise<Telling> {
  const client = new Client({ connectionString: url, options: '-c plan_cache_mode=force_generic_plan' });
  await client.connect();
  const told: string[] = [];
  client.on('notice', ({ message }) => told.push(message ?? ''));
  await client.query("load 'auto_explain'");
  for (const setting of ['log_min_duration = 0', 'log_analyze = on', 'log_nested_statements = on'])
    await client.query(`set auto_explain.${setting}`);
  await client.query("set auto_explain.log_format = 'json'");
  await client.query("set auto_explain.log_level = 'notice'");
  const plansIn = async (statement: string): Promise<Node[]> => {
    told.length = 0;
    await client.query(statement);
    const waiting = told.flatMap((text) => {
      const start = text.indexOf('{');
      return start < 0 ? [] : [(JSON.parse(text.slice(start)) as { Plan: Node }).Plan];
    });
    const nodes: Node[] = [];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      nodes.push(next);
      waiting.push(...(next.Plans ?? []));
    }
    return nodes;
  };
  return {
    plansIn,
    plansOf: (after, tenant = TENANT) =>
      plansIn(`select count(*) from ${BUNDLE_ENTRIES}('{${tenant}}', '{${after}}', '{100}', true, 16777216)`),
    end: () => client.end(),
  };
}

interface Telling {
  plansIn(statement: string): Promise<Node[]>;
  plansOf(after: number, tenant?: number): Promise<Node[]>;
  end(): Promise<void>;
}

const GROWN = ['explanation_', 'document', 'event_evidence', 'source_event', 'disclosure_fact', 'price_movement'];

/** Nested look-ups and nothing else, in the tenant's own partition alone. */
async function expectLookUps(nodes: Node[], { tenant = TENANT, records = 100 } = {}): Promise<void> {
  const { rows } = await sql<{ partition: string }>`
    select min(tableoid::regclass::text) as partition from tenant_delivery where tenant_id = ${tenant}`.execute(
    store.db,
  );
  const partition = rows[0]?.partition;
  const deliveries = nodes.filter((node) => node['Relation Name']?.startsWith('tenant_delivery') === true);
  expect(deliveries.map((node) => [node['Relation Name'], node['Index Name']])).toEqual([
    [partition, `${partition}_pkey`],
  ]);
  // One plan for all values, and no more records read than are delivered.
  expect(deliveries[0]?.['Index Cond']).toMatch(/cursor > \$\d/);
  expect(deliveries[0]).toMatchObject({ 'Actual Loops': 1, 'Actual Rows': records });
  const scanned = nodes
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'] ?? '')
    .filter((name) => GROWN.some((start) => name.startsWith(start)));
  expect(scanned).toEqual([]);
  expect(nodes.filter((node) => /^(Hash|Merge) Join/.test(node['Node Type']))).toEqual([]);
  const most = Math.max(...nodes.map((node) => (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0)));
  expect(most).toBeLessThanOrEqual(500);
}

test('a plan that was made while the store was empty is look-ups by index, too', async () => {
  await expectLookUps(await early.plansOf(1_000));
});

describe.each(['without statistics', 'with statistics'])('the plans of a bundle %s', (statistics) => {
  beforeAll(async () => {
    if (statistics === 'with statistics') await sql`analyze`.execute(store.db);
  });

  test.each([
    ['small', SMALL, SMALL_AFTER, 3],
    ['large', TENANT, 1_000, 100],
  ] as const)(
    'are look-ups for either tenant, whichever pulls first: the %s one',
    async (_, tenant, after, records) => {
      const telling = await connectTelling();
      for (let times = 0; times < runs(2, 8); times += 1)
        await expectLookUps(await telling.plansOf(after, tenant), { tenant, records });
      await expectLookUps(await telling.plansOf(SMALL_AFTER, SMALL), { tenant: SMALL, records: 3 });
      await expectLookUps(await telling.plansOf(RESULTS - 100));
      await telling.end();
    },
  );
});

/** A store with one connection for prepared statements, so that its prepared statements can be listed there. */
async function withPulls(
  work: (pulls: Store, ask: (tenant: number, after: number) => Promise<number>) => Promise<void>,
) {
  const pulls = await openPostgres(url, 1);
  const parts = { store: pulls, clock: new SetClock(AT), ids: countingIds(), calculations: true };
  const ask = async (tenant: number, after: number): Promise<number> => {
    const served = await pull(parts, { fingerprint: await certificateOf(tenant), after, limit: 100 });
    if (served.standing !== 'SERVED') throw new Error(served.standing);
    return served.entries;
  };
  try {
    await work(pulls, ask);
  } finally {
    await pulls.close();
  }
}

async function certificateOf(tenant: number): Promise<string> {
  const fingerprint = String(tenant).padStart(64, '0');
  await sql`insert into tenant_certificate (fingerprint, tenant_id, serial_number, subject, not_before, not_after, issued_at)
    values (${fingerprint}, ${tenant}, '01', 'CN=t', '2026-01-01Z', '2027-01-01Z', '2026-01-01Z') on conflict do nothing`.execute(
    store.db,
  );
  return fingerprint;
}

test('the statements of a pull are planned once for all tenants', () =>
  withPulls(async (pulls, ask) => {
    for (let times = 0; times < 8; times += 1) expect(await ask(SMALL, SMALL_AFTER)).toBe(3);
    expect(await ask(TENANT, RESULTS - 100)).toBe(100);
    const plans = await pulls.prepared(
      '',
      'select name, generic_plans, custom_plans from pg_prepared_statements order by 1',
      [],
    );
    const planned = (name: string): unknown => ({ name, generic_plans: 9, custom_plans: 0 });
    expect(plans).toEqual([planned(BUNDLE_ENTRIES), planned(CERTIFICATE_STATUSES.name)]);
  }));

test('statements that are not prepared are planned for their values', () =>
  withPulls(async (pulls) => {
    const { rows } = await sql<{ mode: string }>`select current_setting('plan_cache_mode') as mode`.execute(pulls.db);
    expect(rows).toEqual([{ mode: 'auto' }]);
  }));

test('the planned pull is the served one: 100 entries with their five evidences each', async () => {
  const parts = { store, clock: new SetClock(AT), ids: countingIds(), calculations: true };
  const fingerprint = await certificateOf(TENANT);
  const served = await pull(parts, { fingerprint, after: 1_500, limit: 100 });
  if (served.standing !== 'SERVED') throw new Error(served.standing);
  expect(served).toMatchObject({ head: RESULTS, entries: 100, to: 1_600 });
  const { result } = JSON.parse(String(served.body)) as { result: { entries: { evidences: { kind: string }[] }[] } };
  const kinds = ['NEWS', 'NEWS', 'NEWS', 'NEWS', 'DISCLOSURE', 'CALCULATION'];
  for (const entry of result.entries) expect(entry.evidences.map(({ kind }) => kind)).toEqual(kinds);
});
