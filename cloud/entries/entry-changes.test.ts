/**
 * The ids of changes (D184): which moments count as unchanged. `test/faults/cloud/entry-ahead.test.ts` has all writers, and
 * `sync/plan.test.ts` the plan.
 */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { publish } from '../publication/publish.ts';
import type { Store } from '../store/open.ts';
import { provideStore } from '../testing/block-store.ts';
import { live, read } from '../testing/loads.ts';
import { addTenants, AT, reset, STORE_KINDS } from '../testing/store.ts';
import { trimEntryChanges } from './entry-changes.ts';

describe.each(STORE_KINDS)('on %s', (name, makeKind) => {
  let store: Store;
  provideStore(makeKind, (opened) => (store = opened.store));
  beforeEach(async () => {
    await reset(store);
    await addTenants(store, 1);
    await publish(store, read(live({ key: 'a' })), AT);
  });

  const one = async <T>(value: string): Promise<T> => {
    const { rows } = await sql<{ value: T }>`select ${sql.raw(value)} as value`.execute(store.db);
    return (rows[0] as { value: T }).value;
  };
  const moment = (): Promise<string> => one('entries_moment()');
  const isUnchanged = (since: string): Promise<boolean> => one(`entries_unchanged_since('${since}')`);
  const change = (times = 1) =>
    sql`do $$ begin for n in 1..${sql.lit(times)} loop
      update document set title = title || '+' where document_id = 'doc-a-0'; commit; end loop; end $$`.execute(
      store.db,
    );
  const count = (): Promise<number> => one('(select count(*) from entry_change)');

  test('a change leaves one id for its transaction, and the same values leave none', async () => {
    const [before, since] = [await count(), await moment()];
    await sql`update document set title = title`.execute(store.db);
    expect([await count(), await isUnchanged(since)]).toEqual([before, true]);
    await store.transaction(async (trx) => {
      for (const title of ['one', 'two']) await sql`update document set title = ${title}`.execute(trx);
    });
    expect([await count(), await isUnchanged(since)]).toEqual([before + 1, false]);
    expect(await isUnchanged(await moment())).toBe(true);
  });

  test('only the last ones are kept, and a moment before one that was removed is not taken for unchanged', async () => {
    const since = await moment();
    await change(1_200);
    const later = await moment();
    await trimEntryChanges(store.db);
    expect(await count()).toBe(1_002);
    expect([await isUnchanged(since), await isUnchanged(await moment())]).toEqual([false, true]);
    // The id of the removal counts as a change.
    expect(await isUnchanged(later)).toBe(false);
    // A moment of which every change has been removed, and so has every witness.
    await sql`delete from entry_change`.execute(store.db);
    expect(await isUnchanged(later)).toBe(false);
    await trimEntryChanges(store.db);
    expect(await isUnchanged(await moment())).toBe(true);
  });

  test('ids of another cluster, which a dump has brought, are passed over until they are reached', async () => {
    await sql`insert into entry_change select (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + n)::text::xid8
      from generate_series(100, 1600) n`.execute(store.db);
    const since = await moment();
    await trimEntryChanges(store.db);
    await store.transaction((trx) => sql`select pg_current_xact_id()`.execute(trx));
    expect(await isUnchanged(await moment())).toBe(true);
    await change();
    expect(await isUnchanged(since)).toBe(false);
    await sql`delete from entry_change where xid >= pg_snapshot_xmax(pg_current_snapshot())`.execute(store.db);
  });

  test('a moment of another run of the server has no meaning here', async () => {
    const [run = '', snapshot = ''] = (await moment()).split('|');
    expect(await isUnchanged(`${run}|${snapshot}`)).toBe(true);
    expect(await isUnchanged(`${run}0|${snapshot}`)).toBe(false);
    // A crash ends a run, and each run begins with a checkpoint.
    await sql`checkpoint`.execute(store.db);
    expect(await isUnchanged(`${run}|${snapshot}`)).toBe(false);
  });

  if (name === 'PGlite') return;

  test('a change that was under way at the moment is not missed when its id has been removed', async () => {
    let since = '';
    await publish(store, read(live({ key: 'b' })), AT);
    await store.transaction(async (trx) => {
      await sql`update source_event set event_type_code = 'OTHER' where source_event_id = 'evt-b-0'`.execute(trx);
      await change(1_200);
      since = await moment();
      expect(await isUnchanged(since)).toBe(true);
    });
    await trimEntryChanges(store.db);
    // Without the removal's own id, which tells of a change too.
    await sql`delete from entry_change where xid >= ${sql.lit(since.split(':')[1])}`.execute(store.db);
    expect(await isUnchanged(since)).toBe(false);
  });
});
