/** The chain of the vendor's audit log, on both kinds of store. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store/open.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { AT, BOTH_KINDS } from '../../test/support/cloud/store.ts';
import { recordActivity, verifyActivities } from './activity-log.ts';

const actor = { operatorId: null, name: '김 운영\n', sourceAddress: '10.0.0.1' };
const add = (store: Store, targetId: string): Promise<void> =>
  recordActivity(store.db, { at: AT, actor, type: 'TENANT_ADDED', targetType: 'TENANT', targetId, reason: '사유' });

describe.each(BOTH_KINDS)('on %s', (_name, start) => {
  let store: Store;
  provideStore(start, (opened) => (store = opened.store));

  /** Runs past the trigger, as a person with the database's own rights can. */
  const tamper = async (statement: string): Promise<void> => {
    await sql`alter table admin_activity_log disable trigger admin_activity_log_append_only`.execute(store.db);
    await sql.raw(statement).execute(store.db);
  };

  test('writers at once make one chain without a hole', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, index) => add(store, String(index))));
    // A transaction that is rolled back leaves no hole.
    await store
      .transaction(async (trx) => {
        await recordActivity(trx, { at: AT, actor, type: 'TENANT_REMOVED', targetType: 'TENANT', targetId: 'x' });
        await sql`select 1 / 0`.execute(trx);
      })
      .catch(() => undefined);
    await add(store, 'last');
    expect(await verifyActivities(store.db)).toMatchObject({ rows: 41, broken: null });
  });

  test.each([
    [`update admin_activity_log set reason = 'other' where position = 7`, 7],
    [`update admin_activity_log set reason = 'other', hash = repeat('0', 64) where position = 6`, 6],
    [`update admin_activity_log set occurred_at = occurred_at + interval '1 microsecond' where position = 5`, 5],
    [`delete from admin_activity_log where position = 4`, 4],
    [`update admin_activity_log set source_address = null where position = 3`, 3],
  ])('finds %s', async (statement, position) => {
    await tamper(statement);
    expect(await verifyActivities(store.db)).toMatchObject({ rows: position - 1, broken: { position } });
  });
});
