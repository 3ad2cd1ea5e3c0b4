/** Each migration from the version before it, with data in it, on both engines. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, describe } from 'vitest';
import { startPostgres, type PostgresServer } from '../../../test/support/postgres.ts';
import { live, read } from '../../testing/loads.ts';
import { AT, deliveries } from '../../testing/store.ts';
import { fanOutInvalidation } from '../../publication/fan-out.ts';
import { publish } from '../../publication/publish.ts';
import { markWithdrawn, withdraw } from '../../publication/withdraw.ts';
import { readBoundary } from '../../facts/boundary.ts';
import { migrate } from './migrate.ts';
import { openEmbedded, openPostgres, type Store } from '../open.ts';
import { eventStore } from './0001-event-store.ts';
import { cursorsAndRetention } from './0002-cursors-and-retention.ts';
import { MIGRATIONS } from './index.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const KINDS: [string, () => Promise<Store>][] = [
  ['PGlite', () => openEmbedded(null)],
  ['PostgreSQL', async () => openPostgres(await postgres.createDatabase(), 2)],
];

/** Published, draft and withdrawn results; a tenant with all records, one that came later, one whose records are gone. */
const VERSION_1 = [
  `insert into entity values ('e', 'KODEX')`,
  `insert into instrument values ('i', 'e', '069500', 'KRX')`,
  `insert into event_thread values ('t', null)`,
  ...[1, 2].flatMap((n) => [
    `insert into price_movement_trigger values ('p${n}', 'i', '2026-11-19', now(), 0.1)`,
    `insert into explanation_route (price_movement_trigger_id) values ('p${n}')`,
    `insert into explanation_run values ('r${n}', ${n}, null, 'DAILY', 'SUCCEEDED', now(), now(), 'h', now())`,
  ]),
  `insert into explanation_result (explanation_result_id, explanation_run_id, explanation_route_id, etf_instrument_id, trade_date, explanation_as_of,
     summary, primary_thread_id, publication_status, draft_reason, published_at, withdrawn_at, withdrawal_reason, load_hash, created_at)
   values ('old', 'r1', 1, 'i', '2026-11-19', now(), 's', 't', 'WITHDRAWN', null, now(), now(), 'x', 'h', now()),
     ('draft', 'r1', 1, 'i', '2026-11-19', now(), 's', 't', 'DRAFT', 'surface_absent', null, null, null, 'h', now()),
     ('now', 'r2', 2, 'i', '2026-11-19', now(), 's', 't', 'PUBLISHED', null, now(), null, null, 'h', now())`,
  `insert into movement_analysis values ('ana', 'r2', 2, 'i', '2026-11-19', now(), 's', 't', null, 'AUTO_PUBLISHED', 'PUBLISHED', now(), null, null, 'h', now())`,
  `insert into tenant (name, environment, retention_floor, created_at) values ('all', 'POC', 0, now()), ('late', 'POC', 0, now()), ('emptied', 'POC', 9, now())`,
  `insert into tenant_delivery values (1, 1, 'NEW', 'old', null, null, null, null, now()), (1, 2, 'INVALIDATION', null, null, 'old', null, 'x', now()),
     (1, 3, 'NEW', 'now', null, null, null, null, now()), (1, 4, 'NEW', null, 'ana', null, null, null, now()), (2, 1, 'NEW', null, 'ana', null, null, null, now())`,
];

test('versions are counted from 1 without a hole', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

describe.each(KINDS)('on %s', (_name, open) => {
  test('from version 1: cursors go on where each tenant stands, and what was published is numbered', async () => {
    const store = await open();
    try {
      await migrate(store, [eventStore], AT);
      for (const statement of VERSION_1) await sql.raw(statement).execute(store.db);
      const before = await deliveries(store);
      expect(await migrate(store, MIGRATIONS, AT)).toEqual(MIGRATIONS.slice(1).map(({ version }) => version));
      expect(await deliveries(store)).toEqual(before);
      expect(await publish(store, read(live({ key: 'next' })), AT)).toMatchObject({ deliveries: 3 });
      const fresh = (await deliveries(store)).filter((row) => row.explanation_result_id === 'res-next');
      expect(fresh.map((row) => [row.tenant_id, row.cursor])).toEqual([
        [1, 5],
        [2, 2],
        [3, 10],
      ]);
      const { rows } = await sql<{ id: string; n: number | null }>`
        select explanation_result_id as id, publication_number as n from explanation_result
        union all select movement_analysis_id, publication_number from movement_analysis`.execute(store.db);
      expect(rows.filter(({ n }) => n === null).map(({ id }) => id)).toEqual(['draft']);
      expect(new Set(rows.map(({ n }) => n)).size).toBe(rows.length);
    } finally {
      await store.close();
    }
  });

  test('from version 2: every firing with a route was observed, and a later load of it finds its observation', async () => {
    const store = await open();
    try {
      await migrate(store, [eventStore], AT);
      for (const statement of VERSION_1) await sql.raw(statement).execute(store.db);
      await sql`insert into price_movement_trigger values ('unseen', 'i', '2026-11-19', now(), 0.1)`.execute(store.db);
      await migrate(store, [eventStore, cursorsAndRetention], AT);
      await migrate(store, MIGRATIONS, AT);
      await publish(store, read(live({ key: 'next' })), AT);
      await publish(store, read(live({ key: 'again', route: 'next' })), AT);
      const { rows } = await sql`
        select t.trigger_id, ro.price_observation_id as observation, o.trade_date, o.observed_at = t.fired_at as as_fired
        from price_movement_trigger t
        left join price_observation_trigger f on f.price_movement_trigger_id = t.trigger_id
        left join price_observation o on o.price_observation_id = f.price_observation_id
        left join explanation_route ro on ro.price_movement_trigger_id = t.trigger_id
        where ro.price_observation_id is not distinct from o.price_observation_id
        order by 1`.execute(store.db);
      const observed = (trigger_id: string, trade_date: string): object => ({
        trigger_id,
        observation: `price_movement_trigger:${trigger_id}`,
        trade_date,
        as_fired: true,
      });
      expect(rows).toEqual([
        observed('p1', '2026-11-19'),
        observed('p2', '2026-11-19'),
        observed('trg-next', '2026-11-20'),
        { trigger_id: 'unseen', observation: null, trade_date: null, as_fired: null },
      ]);
    } finally {
      await store.close();
    }
  });

  test('from version 5: what was taken back from nobody yet is known, and what was is left alone', async () => {
    const store = await open();
    try {
      await migrate(store, MIGRATIONS.slice(0, 5), AT);
      await sql`insert into tenant (name, environment, created_at) values ('t', 'POC', now()), ('u', 'POC', now())`.execute(
        store.db,
      );
      for (const key of ['told', 'half', 'none', 'stays']) await publish(store, read(live({ key })), AT);
      await store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-told' }, 'r', AT));
      await store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-half' }, 'r', AT));
      await store.transaction((trx) => markWithdrawn(trx, { explanationResultId: 'res-none' }, 'r', AT));
      // One of two tenants was never told; the store had noted that both were.
      await sql`delete from tenant_delivery where target_explanation_result_id = 'res-half' and tenant_id = 2`.execute(
        store.db,
      );
      await sql`delete from recalled_explanation_result where explanation_result_id = 'res-half'`.execute(store.db);
      await migrate(store, MIGRATIONS, AT);
      const unrecalledNow = async (): Promise<unknown[]> =>
        (
          await sql<{
            id: string;
          }>`select explanation_result_id as id from unrecalled_explanation_result order by 1`.execute(store.db)
        ).rows.map(({ id }) => id);
      const violations = (): Promise<number> =>
        store.transaction(async (trx) => (await readBoundary(trx)).deliveryNowNonpublished);
      expect([await unrecalledNow(), await violations()]).toEqual([['res-half', 'res-none'], 3]);
      await store.transaction((trx) => fanOutInvalidation(trx, { explanationResultId: 'res-none' }, 'r', AT));
      await store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-stays' }, 'r', AT));
      expect([await unrecalledNow(), await violations()]).toEqual([['res-half'], 1]);
    } finally {
      await store.close();
    }
  });

  test('from version 7: every run has the instrument of its firing, the ones that come later too', async () => {
    const store = await open();
    try {
      await migrate(store, MIGRATIONS.slice(0, 7), AT);
      await publish(store, read(live({ key: 'a', ticker: '069500' })), AT);
      await migrate(store, MIGRATIONS, AT);
      await publish(store, read(live({ key: 'b', ticker: '229200' })), AT);
      const { rows } = await sql<{ id: string; instrument: string }>`
        select explanation_run_id as id, instrument_id as instrument from explanation_run order by 1`.execute(store.db);
      expect(rows.map(({ id, instrument }) => [id, instrument])).toEqual([
        ['run-a', 'inst-069500'],
        ['run-b', 'inst-229200'],
      ]);
    } finally {
      await store.close();
    }
  });

  test('a tenant that joins an upgraded store begins at cursor 1', async () => {
    const store = await open();
    try {
      await migrate(store, MIGRATIONS, AT);
      await publish(store, read(live({ key: 'a' })), AT);
      await sql`insert into tenant (name, environment, created_at) values ('new', 'POC', now())`.execute(store.db);
      await publish(store, read(live({ key: 'b' })), AT);
      expect((await deliveries(store)).map((row) => [row.tenant_id, row.cursor])).toEqual([[1, 1]]);
    } finally {
      await store.close();
    }
  });
});
