/** The retention of all tenants (D172): what goes, what stays, and who may remove it. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { live, read } from '../../test/support/cloud/loads.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, AT, deliveries, reset, STORE_KINDS } from '../../test/support/cloud/store.ts';
import type { Store } from '../store/open.ts';
import { publish } from './publish.ts';
import { findPosition } from './retention.ts';
import { findRetentionDays, removeExpired, retentionCost, setRetentionDays } from './retention-default.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const never = new AbortController().signal;

describe.each(STORE_KINDS)('the retention of all tenants on %s', (_name, makeKind) => {
  let store: Store;
  provideStore(makeKind, (opened) => (store = opened.store));
  beforeEach(() => reset(store));
  afterEach(() => setRetentionDays(store.db, null));

  const after = (days: number): Date => new Date(AT.getTime() + days * DAY_MS);
  const take = (key: string, at: Date): Promise<unknown> => publish(store, read(live({ key })), at);
  const left = async (): Promise<string[]> =>
    (await deliveries(store)).map(({ tenant_id: tenant, cursor }) => `${tenant}:${cursor}`);
  const confirmed = (tenant: number, cursor: number) =>
    sql`insert into tenant_pull_history (tenant_id, slot, pulled_at, after_cursor, entry_count, outcome)
      values (${tenant}, 0, ${AT}, ${cursor}, 0, 'COMMON200')`.execute(store.db);

  test('keeps everything until it is chosen', async () => {
    await addTenants(store, 1);
    await take('a', AT);
    await confirmed(1, 1);
    expect(await findRetentionDays(store.db)).toBeNull();
    expect(await removeExpired(store, after(10_000), never)).toBe(0);
    expect(await left()).toEqual(['1:1']);
  });

  test('removes what is older and confirmed, and nothing that a tenant has not got', async () => {
    await addTenants(store, 3);
    await take('a', AT);
    await take('b', after(1));
    await take('c', after(40));
    await confirmed(1, 3);
    await confirmed(2, 1);
    await setRetentionDays(store.db, 30);
    expect(await removeExpired(store, after(30), never)).toBe(0);
    expect(await removeExpired(store, after(41), never)).toBe(3);
    expect(await left()).toEqual(['1:3', '2:2', '2:3', '3:1', '3:2', '3:3']);
    expect(await findPosition(store.db, 1)).toMatchObject({ head: 3, retentionFloor: 2 });
    // A second process finds nothing to do.
    expect(await removeExpired(store, after(41), never)).toBe(0);
    await take('d', after(42));
    expect((await left()).filter((row) => row.startsWith('1:'))).toEqual(['1:3', '1:4']);
  });

  test('ends at a stop', async () => {
    await addTenants(store, 1);
    await take('a', AT);
    await confirmed(1, 1);
    await setRetentionDays(store.db, 30);
    expect(await removeExpired(store, after(100), AbortSignal.abort())).toBe(0);
    expect(await left()).toEqual(['1:1']);
  });

  test.each([0, 29, 36_501])('the store refuses %i days', async (days) => {
    await expect(setRetentionDays(store.db, days)).rejects.toThrow(/check/);
  });
});

test('what it takes is told for a year, or for its days', () => {
  expect(retentionCost(null)).toBe('57 GB more every year, for 1,000 tenants at 1,000 publications a day');
  expect(retentionCost(90)).toBe('14 GB and no more, for 1,000 tenants at 1,000 publications a day');
});
