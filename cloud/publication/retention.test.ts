/** Retention (D5, SYNC4101): removed records, remembered facts, and refusals. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { live, read, v2 } from '../../test/support/cloud/loads.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, AT, deliveries, reset, STORE_KINDS } from '../../test/support/cloud/store.ts';
import type { Store } from '../store/open.ts';
import type { Subject } from './fan-out.ts';
import { publish } from './publish.ts';
import { applyRetention, findPosition, RetentionError } from './retention.ts';
import { withdraw } from './withdraw.ts';

const NOTHING_SPECIAL = { dropUnconfirmed: false, aboveHead: false };

describe.each(STORE_KINDS)('retention on %s', (_name, makeKind) => {
  let store: Store;
  provideStore(makeKind, (opened) => (store = opened.store));
  beforeEach(() => reset(store));

  const takeDown = (subject: Subject): Promise<number | null> =>
    store.transaction((trx) => withdraw(trx, subject, 'x', AT));
  const take = (key: string): Promise<unknown> => publish(store, read(live({ key })), AT);
  const sent = async (): Promise<string[]> =>
    (await deliveries(store)).map(
      (row) =>
        `${row.tenant_id}:${row.cursor} ${row.explanation_result_id ?? row.movement_analysis_id ?? `-${row.target_explanation_result_id ?? row.target_movement_analysis_id}`}`,
    );
  const drop = (tenantId: number, floor: number): ReturnType<typeof applyRetention> =>
    applyRetention(store, tenantId, floor, { dropUnconfirmed: true, aboveHead: false });

  /** Good pulls of tenant 1, one second after the other. */
  const pulled = async (...afters: number[]): Promise<void> => {
    for (const [slot, after] of afters.entries()) {
      await sql`insert into tenant_pull_history (tenant_id, slot, pulled_at, after_cursor, entry_count, outcome)
        values (1, ${slot}, ${new Date(AT.getTime() + slot * 1_000)}, ${after}, 0, 'COMMON200')`.execute(store.db);
    }
  };

  test('is off until it is set', async () => {
    await addTenants(store, 1);
    await take('a');
    expect(await findPosition(store.db, 1)).toEqual({ head: 1, retentionFloor: 0, confirmedCursor: 0 });
  });

  test('removes the records of that tenant up to the floor, and cursors continue above it', async () => {
    await addTenants(store, 2);
    for (const key of ['a', 'b', 'c']) await take(key);
    expect(await drop(1, 2)).toEqual({ head: 3, retentionFloor: 2, confirmedCursor: 0, removedRecords: 2 });
    expect(await sent()).toEqual(['1:3 res-c', '2:1 res-a', '2:2 res-b', '2:3 res-c']);
    expect(await drop(1, 3)).toMatchObject({ retentionFloor: 3, removedRecords: 1 });
    expect(await drop(1, 3)).toMatchObject({ retentionFloor: 3, removedRecords: 0 });
    await take('d');
    expect(await sent()).toEqual(['1:4 res-d', '2:1 res-a', '2:2 res-b', '2:3 res-c', '2:4 res-d']);
  });

  test('is on record together with the floor, or nothing is removed', async () => {
    await addTenants(store, 1);
    for (const key of ['a', 'b']) await take(key);
    const record = (): Promise<void> => Promise.reject(new Error('the log cannot be written'));
    const loss = { dropUnconfirmed: true, aboveHead: false };
    await expect(applyRetention(store, 1, 2, loss, record)).rejects.toThrow('the log cannot be written');
    expect(await findPosition(store.db, 1)).toMatchObject({ head: 2, retentionFloor: 0 });
    expect(await sent()).toHaveLength(2);
  });

  test('two commands at once: the higher floor wins; no record above it is removed, and no loss below it is unreported', async () => {
    await addTenants(store, 1);
    for (let number = 1; number <= 20; number += 1) await take(`k${number}`);
    const [high, low] = await Promise.allSettled([drop(1, 15), drop(1, 5)]);
    expect(high).toMatchObject({ status: 'fulfilled' });
    if (low.status === 'rejected') expect(low.reason).toBeInstanceOf(RetentionError);
    expect(await findPosition(store.db, 1)).toMatchObject({ head: 20, retentionFloor: 15 });
    expect((await deliveries(store)).map(({ cursor }) => cursor)).toEqual([16, 17, 18, 19, 20]);
  });

  test('the same command removes the records that a killed run left below the floor', async () => {
    await addTenants(store, 1);
    for (const key of ['a', 'b']) await take(key);
    await sql`update tenant set retention_floor = 2`.execute(store.db);
    expect(await applyRetention(store, 1, 2, NOTHING_SPECIAL)).toMatchObject({ retentionFloor: 2, removedRecords: 2 });
    expect(await takeDown({ explanationResultId: 'res-a' })).toBe(1);
  });

  test('a later INVALIDATION reaches a tenant with a removed NEW, v2 too, and no tenant that never received it', async () => {
    await addTenants(store, 1, 'early-');
    await take('a');
    await publish(store, read(v2({ key: 'b' })), AT);
    await take('c');
    await addTenants(store, 1, 'late-');
    await take('d');
    await drop(1, 3);
    await drop(2, 1);
    expect(await takeDown({ explanationResultId: 'res-a' })).toBe(1);
    expect(await takeDown({ movementAnalysisId: 'ana-b' })).toBe(1);
    expect(await takeDown({ explanationResultId: 'res-d' })).toBe(2);
    expect(await sent()).toEqual(['1:4 res-d', '1:5 -res-a', '1:6 -ana-b', '1:7 -res-d', '2:2 -res-d']);
  });

  test('a second withdrawal sends nothing after the records are removed', async () => {
    await addTenants(store, 1);
    await take('a');
    await takeDown({ explanationResultId: 'res-a' });
    await drop(1, 2);
    expect(await takeDown({ explanationResultId: 'res-a' })).toBeNull();
    expect(await sent()).toEqual([]);
  });

  test('the received cursors stay known as a few ranges, for any number of removed records', async () => {
    await addTenants(store, 1);
    for (let number = 1; number <= 30; number += 1) await take(`k${number}`);
    for (let floor = 1; floor <= 30; floor += 1) await drop(1, floor);
    const { rows } = await sql<{ ranges: number }>`
      select (select count(*) from unnest(t.received_below_floor)) as ranges from tenant t`.execute(store.db);
    expect(rows).toEqual([{ ranges: 1 }]);
  });

  test('more records than one batch', async () => {
    await addTenants(store, 1);
    await take('a');
    // Withdrawals of nothing: records that refer to one result, as many as are wanted.
    await sql`drop index tenant_delivery_once_per_target_explanation_result_id`.execute(store.db);
    await sql`
      insert into tenant_delivery (tenant_id, cursor, delivery_type, target_explanation_result_id, reason, created_at)
      select 1, n, 'INVALIDATION', 'res-a', 'x', ${AT} from generate_series(2, 12000) n`.execute(store.db);
    await sql`update fan_out_count set fan_outs = 12000`.execute(store.db);
    expect(await drop(1, 11_000)).toMatchObject({ head: 12_000, retentionFloor: 11_000, removedRecords: 11_000 });
    expect((await deliveries(store)).length).toBe(1_000);
    await sql`delete from tenant_delivery`.execute(store.db);
    await sql`
      create unique index tenant_delivery_once_per_target_explanation_result_id
      on tenant_delivery (target_explanation_result_id, tenant_id) where target_explanation_result_id is not null`.execute(
      store.db,
    );
  });

  test('a tenant with used-up cursors blocks no other: neither a publication nor a withdrawal', async () => {
    await addTenants(store, 3);
    await take('a');
    const last = Number.MAX_SAFE_INTEGER;
    await sql`update tenant set retention_floor = ${last}::bigint, cursor_lag = 1 - ${last}::bigint where tenant_id = 2`.execute(
      store.db,
    );
    expect(await take('b')).toMatchObject({ outcome: 'PUBLISHED', deliveries: 2 });
    expect(await takeDown({ explanationResultId: 'res-a' })).toBe(2);
    expect(await findPosition(store.db, 2)).toMatchObject({ head: last });
    expect(await findPosition(store.db, 3)).toMatchObject({ head: 3 });
  });

  test('after a restore the floor may lie above the last record: cursors continue above it, and the receipts stay known', async () => {
    await addTenants(store, 2);
    await take('a');
    const restored = { dropUnconfirmed: false, aboveHead: true };
    const refused = async (floor: number, words: RegExp): Promise<void> => {
      await expect(applyRetention(store, 1, floor, restored)).rejects.toThrow(words);
      expect(await sent()).toEqual(['1:1 res-a', '2:1 res-a']);
    };
    await refused(7, /last good pull of tenant 1 went on from nowhere, not from 7.*--drop-unconfirmed/);
    await refused(Number.MAX_SAFE_INTEGER, /more than 10000000 above the last record of tenant 1, which is 1/);
    await pulled(0, 1, 7);
    await refused(71, /went on from 7, not from 71/);
    expect(await applyRetention(store, 1, 7, restored)).toMatchObject({
      head: 7,
      retentionFloor: 7,
      removedRecords: 1,
    });
    await take('b');
    await takeDown({ explanationResultId: 'res-a' });
    expect(await sent()).toEqual(['1:8 res-b', '1:9 -res-a', '2:1 res-a', '2:2 res-b', '2:3 -res-a']);
  });

  describe('is refused, and changes nothing,', () => {
    const confirmed = async (cursor: number): Promise<void> => {
      await pulled(cursor);
      await sql`insert into tenant_pull_history (tenant_id, slot, pulled_at, after_cursor, entry_count, outcome)
        values (1, 100, ${AT}, 99, 0, 'SYNC4011')`.execute(store.db);
    };
    beforeEach(async () => {
      await addTenants(store, 1);
      for (const key of ['a', 'b', 'c']) await take(key);
    });
    const refused = async (floor: number, words: RegExp, tenantId = 1): Promise<void> => {
      const before = await sent();
      const attempt = applyRetention(store, tenantId, floor, NOTHING_SPECIAL);
      await expect(attempt).rejects.toThrow(RetentionError);
      await expect(attempt).rejects.toThrow(words);
      expect(await sent()).toEqual(before);
    };

    test('above the tenant’s confirmed cursor, unless the loss is allowed', async () => {
      await refused(1, /confirmed its records up to 0 only: those from 1 to 1 would be lost.*--drop-unconfirmed/);
      await confirmed(2);
      await refused(3, /up to 2 only: those from 3 to 3/);
      expect(await applyRetention(store, 1, 2, NOTHING_SPECIAL)).toMatchObject({
        confirmedCursor: 2,
        removedRecords: 2,
      });
      expect(await drop(1, 3)).toMatchObject({ removedRecords: 1 });
    });

    test('above the start of the last good pull: an Intake with an older ledger needs the rest again, and a pull from above the head confirms nothing', async () => {
      await pulled(2, 3, 1, Number.MAX_SAFE_INTEGER);
      expect(await findPosition(store.db, 1)).toMatchObject({ head: 3, confirmedCursor: 1 });
      await refused(3, /confirmed its records up to 1 only: those from 2 to 3/);
      expect(await applyRetention(store, 1, 1, NOTHING_SPECIAL)).toMatchObject({ removedRecords: 1 });
    });

    test('above the last record, below the floor, and for an unknown tenant', async () => {
      await confirmed(3);
      await refused(4, /floor 4 lies above the last record of tenant 1, which is 3/);
      await applyRetention(store, 1, 2, NOTHING_SPECIAL);
      await refused(1, /up to 2 are gone already/);
      await refused(1, /no tenant 7/, 7);
    });
  });
});
