/**
 * The plan of a bundle on PostgreSQL with 100,000 records and more: look-ups by the indexes that
 * `bundle-sql.ts` names, however little the planner knows.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepEntryText } from '../entries/entry-text.ts';
import { startPostgres, type PostgresServer } from '../../test/support/postgres.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { openPostgres, type Db, type Store } from '../store/open.ts';
import { countingIds, SetClock } from '../testing/clock.ts';
import { AT } from '../testing/store.ts';
import { fillStore } from '../testing/volume.ts';
import { BUNDLE, STANDING } from './bundle-sql.ts';
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
  'Subplans Removed'?: number;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  Plans?: Node[];
}

let server: PostgresServer;
let store: Store;
/** One connection that planned the statement on the empty store, and keeps that plan. */
let early: Store;
let url: string;

beforeAll(async () => {
  // No background process gathers statistics during the test.
  server = await startPostgres({ autovacuum: 'off' });
  url = await server.createDatabase();
  store = await openPostgres(url, 2);
  await migrate(store, MIGRATIONS, AT);
  early = await openPostgres(url, 1);
  await sql`set plan_cache_mode = force_generic_plan`.execute(early.db);
  await sql.raw(`prepare early ${TYPES} as ${BUNDLE.text}`).execute(early.db);
  await sql.raw(`execute early ${values(0)}`).execute(early.db);
  await fillStore(store, { tenants: TENANTS, results: RESULTS });
  await sql`delete from tenant_delivery where tenant_id = ${SMALL} and cursor <= ${SMALL_AFTER}`.execute(store.db);
  const { rows } = await sql<{ records: number }>`select count(*) as records from tenant_delivery`.execute(store.db);
  expect(rows[0]?.records).toBeGreaterThan(100_000);
});
afterAll(async () => {
  await early.close();
  await store.close();
  await server.stop();
});

const TYPES = '(bigint, bigint, integer, boolean, bigint)';
const values = (after: number, tenant = TENANT): string => `(${tenant}, ${after}, 100, true, 16777216)`;

type Explained = { 'QUERY PLAN': [{ Plan: Node }] };

const explain = (on: Db, execute: string): Promise<Node[]> =>
  explainBy(async (text) => (await sql.raw<Explained>(text).execute(on)).rows, execute);

async function explainBy(run: (text: string) => Promise<Explained[]>, execute: string): Promise<Node[]> {
  const rows = await run(`explain (analyze, format json) ${execute}`);
  const nodes: Node[] = [];
  const waiting = rows.map((row) => row['QUERY PLAN'][0].Plan);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    nodes.push(next);
    waiting.push(...(next.Plans ?? []));
  }
  return nodes;
}

function planOf(after: number, mode: 'generic' | 'custom'): Promise<Node[]> {
  return store.transaction(async (trx) => {
    await sql.raw(`set local plan_cache_mode = force_${mode}_plan`).execute(trx);
    await sql.raw(`prepare asked ${TYPES} as ${BUNDLE.text}`).execute(trx);
    const nodes = await explain(trx, `execute asked ${values(after)}`);
    await sql`deallocate asked`.execute(trx);
    return nodes;
  });
}

/** Nested look-ups and nothing else, in the tenant's own partition alone. */
async function expectLookUps(nodes: Node[], { tenant = TENANT, descents = 100 } = {}): Promise<void> {
  const { rows } = await sql<{ partition: string }>`
    select min(tableoid::regclass::text) as partition from tenant_delivery where tenant_id = ${tenant}`.execute(
    store.db,
  );
  const partition = rows[0]?.partition;
  const deliveries = nodes.filter((node) => node['Relation Name']?.startsWith('tenant_delivery') === true);
  expect(deliveries.map((node) => [node['Relation Name'], node['Index Name']])).toEqual([
    [partition, `${partition}_pkey`],
  ]);
  // One descent per record: the rows read do not grow with the table.
  expect(deliveries[0]).toMatchObject({ 'Actual Loops': descents });
  expect(deliveries[0]?.['Actual Rows']).toBeLessThanOrEqual(1);
  const grown = ['explanation_', 'document', 'event_evidence', 'source_event', 'disclosure_fact', 'price_movement'];
  const scanned = nodes
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'] ?? '')
    .filter((name) => grown.some((start) => name.startsWith(start)));
  expect(scanned).toEqual([]);
  expect(nodes.filter((node) => /^(Hash|Merge) Join/.test(node['Node Type']))).toEqual([]);
  const most = Math.max(...nodes.map((node) => (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0)));
  expect(most).toBeLessThanOrEqual(500);
}

test('a plan that was made while the store was empty is look-ups by index, too', async () => {
  await expectLookUps(await explain(early.db, `execute early ${values(1_000)}`));
});

describe.each(['without statistics', 'with statistics'])('the plan of a bundle %s', (statistics) => {
  beforeAll(async () => {
    if (statistics === 'with statistics') await sql`analyze`.execute(store.db);
  });

  test.each([
    ['generic', 0],
    ['generic', RESULTS - 100],
    ['custom', 1_000],
  ] as const)(
    '%s, after %i: the index of the tenant’s own partition, and no scan of what grows',
    async (mode, after) => {
      await expectLookUps(await planOf(after, mode));
    },
  );
});

test('kept texts are read without reading the rows that they were joined from', async () => {
  const subjects = Array.from({ length: 100 }, (_, index) => ({
    resultId: `res-base-${index + 501}`,
    analysisId: null,
  }));
  await store.transaction(async (trx) => {
    for (const subject of subjects) await keepEntryText(trx, subject);
  });
  const nodes = await planOf(500, 'generic');
  await expectLookUps(nodes);
  expect(nodes.find((node) => node['Index Name'] === 'entry_text_pkey')).toMatchObject({ 'Actual Loops': 100 });
  const joined = nodes.filter((node) =>
    /^(explanation_|document|source_event|instrument)/.test(node['Relation Name'] ?? ''),
  );
  expect(joined.length).toBeGreaterThan(5);
  expect(joined.filter((node) => node['Actual Loops'] !== 0)).toEqual([]);
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

describe.each([
  ['small', SMALL, SMALL_AFTER, 3, 4],
  ['large', TENANT, 1_000, 100, 100],
] as const)('pulls of a %s tenant first', (_size, tenant, after, entries, descents) => {
  test('plan each statement once for all values, and that plan is look-ups for either tenant', () =>
    withPulls(async (pulls, ask) => {
      for (let times = 0; times < 8; times += 1) expect(await ask(tenant, after)).toBe(entries);
      expect([await ask(SMALL, SMALL_AFTER), await ask(TENANT, RESULTS - 100)]).toEqual([3, 100]);
      const plans = await pulls.prepared(
        '',
        'select name, generic_plans, custom_plans from pg_prepared_statements',
        [],
      );
      expect(plans).toHaveLength(2);
      expect(plans).toContainEqual({ name: STANDING.name, generic_plans: 10, custom_plans: 0 });
      expect(plans).toContainEqual({ name: BUNDLE.name, generic_plans: 10, custom_plans: 0 });
      const planned = (of: string): Promise<Node[]> =>
        explainBy((text) => pulls.prepared('', text, []), `execute ${BUNDLE.name} ${of}`);
      await expectLookUps(await planned(values(after, tenant)), { tenant, descents });
      await expectLookUps(await planned(values(SMALL_AFTER, SMALL)), { tenant: SMALL, descents: 4 });
      await expectLookUps(await planned(values(1_000)));
    }));
});

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
