/** The baseline's guards with data in them, on both engines. */
import { readdirSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PostgresServer } from '../../../test/support/postgres.ts';
import { sharedPostgres } from '../../../test/support/shared-postgres.ts';
import { live, read } from '../../../test/support/cloud/loads.ts';
import { provideStore } from '../../../test/support/cloud/block-store.ts';
import { AT, BOTH_KINDS, deliveries, reset } from '../../../test/support/cloud/store.ts';
import { fanOutInvalidation } from '../../publication/fan-out.ts';
import { BUNDLE_ENTRIES, CREATE_BUNDLE_ENTRIES } from '../../entries/bundle-entries.ts';
import { publish } from '../../publication/publish.ts';
import { markWithdrawn, withdraw } from '../../publication/withdraw.ts';
import { readBoundary } from '../../facts/boundary.ts';
import { migrate } from './migrate.ts';
import { openEmbedded, openPostgres, type Store } from '../open.ts';
import { MIGRATIONS, STORE_VERSION } from './index.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await sharedPostgres();
});
afterAll(() => postgres.stop());

/** Empty databases, without a schema. */
const EMPTY: [string, () => Promise<Store>][] = [
  ['PGlite', () => openEmbedded(null)],
  ['PostgreSQL', async () => openPostgres(await postgres.createDatabase(), 2)],
];

test('the files are numbered as their versions, from the baseline on without a hole', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => /^\d{4}-/.test(name));
  const names = MIGRATIONS.map(({ version, name }) => `${String(version).padStart(4, '0')}-${name}.ts`);
  expect(files.toSorted()).toEqual(names);
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => 30 + index));
  expect(MIGRATIONS.at(-1)?.version).toBe(STORE_VERSION);
});

/** The migration that has made the present function of the bundle: another text of it needs a migration, or no migrated store has it. */
const MADE = { version: 30, name: 'bundle_entries_635fd92ec57bc694' };

test('the function of the bundle is made by the migration of its last change', () => {
  expect({ ...MADE, name: BUNDLE_ENTRIES }).toEqual(MADE);
  const { statements } = MIGRATIONS.find(({ version }) => version === MADE.version) ?? {};
  expect(statements).toContain(CREATE_BUNDLE_ENTRIES);
});

describe.each(EMPTY)('an empty database on %s', (_name, open) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  test('takes the schema, once', async () => {
    await migrate(store, MIGRATIONS, AT);
    await migrate(store, MIGRATIONS, AT);
    const { rows } = await sql<{ version: number }>`select version from schema_migration order by 1`.execute(store.db);
    expect(rows.map(({ version }) => version)).toEqual(MIGRATIONS.map(({ version }) => version));
  });
});

describe.each(BOTH_KINDS)('migrated on %s', (_name, start) => {
  let store: Store;
  provideStore(start, (opened) => (store = opened.store));
  beforeEach(() => reset(store));

  test('the withdrawals of a tenant are found by cursor', async () => {
    await sql`set enable_seqscan = off`.execute(store.db);
    const { rows } = await sql<Record<string, string>>`
      explain select from tenant_delivery where tenant_id = 1 and delivery_type = 'INVALIDATION' and cursor > 0`.execute(
      store.db,
    );
    // The partition's index has a name of its own.
    expect(JSON.stringify(rows)).toMatch(/tenant_delivery_\d\d_tenant_id_cursor_idx/);
  });

  test('the publications that some tenant may still have are known, and the others are left alone', async () => {
    await sql`insert into tenant (name, environment, created_at) values ('t', 'POC', now()), ('u', 'POC', now())`.execute(
      store.db,
    );
    for (const key of ['told', 'none', 'stays']) await publish(store, read(live({ key })), AT);
    await store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-told' }, 'r', AT));
    await store.transaction((trx) => markWithdrawn(trx, { explanationResultId: 'res-none' }, 'r', AT));
    const unwithdrawnNow = async (): Promise<unknown[]> =>
      (
        await sql<{
          id: string;
        }>`select explanation_result_id as id from unwithdrawn_explanation_result order by 1`.execute(store.db)
      ).rows.map(({ id }) => id);
    const violations = (): Promise<number> =>
      store.transaction(async (trx) => (await readBoundary(trx)).deliveryNowNonpublished);
    expect([await unwithdrawnNow(), await violations()]).toEqual([['res-none'], 2]);
    await store.transaction((trx) => fanOutInvalidation(trx, { explanationResultId: 'res-none' }, 'r', AT));
    await store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-stays' }, 'r', AT));
    expect([await unwithdrawnNow(), await violations()]).toEqual([[], 0]);
  });

  test('every run has the instrument of its firing, and every firing its observation', async () => {
    await publish(store, read(live({ key: 'a', ticker: '069500' })), AT);
    await publish(store, read(live({ key: 'b', ticker: '229200' })), AT);
    const { rows } = await sql`
      select r.explanation_run_id as id, r.instrument_id, ro.price_observation_id as observation
      from explanation_run r join explanation_route ro using (explanation_route_id) order by 1`.execute(store.db);
    expect(rows).toEqual([
      { id: 'run-a', instrument_id: 'inst-069500', observation: 'price_movement_trigger:trg-a' },
      { id: 'run-b', instrument_id: 'inst-229200', observation: 'price_movement_trigger:trg-b' },
    ]);
  });

  test('a tenant that joins later begins at cursor 1', async () => {
    await publish(store, read(live({ key: 'a' })), AT);
    await sql`insert into tenant (name, environment, created_at) values ('new', 'POC', now())`.execute(store.db);
    await publish(store, read(live({ key: 'b' })), AT);
    expect((await deliveries(store)).map((row) => [row.tenant_id, row.cursor])).toEqual([[1, 1]]);
  });
});
