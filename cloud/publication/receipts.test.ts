/** Receipts counted for a list, and the withdrawals that some tenant has not received (D128, D133). */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { withdrawalsSchema } from '../../shared/wire/operator/analyses.ts';
import { listTenants } from '../operator/tenants.ts';
import { removeTenant } from '../pki/registry.ts';
import type { Store } from '../store/open.ts';
import { PullLog } from '../sync/pull-log.ts';
import { live, read, v2 } from '../../test/support/cloud/loads.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, AT, deliveries, reset, STORE_KINDS } from '../../test/support/cloud/store.ts';
import type { Subject } from './fan-out.ts';
import { publish } from './publish.ts';
import { countReceipts, listWaitingTenants, readWithdrawals, type ReceiptCounts } from './receipts.ts';
import { listRecipients } from './recipients.ts';
import { withdraw } from './withdraw.ts';

const seconds = (count: number): Date => new Date(AT.getTime() + count * 1_000);

describe.each(STORE_KINDS)('on %s', (_name, makeKind) => {
  let store: Store;
  provideStore(makeKind, (opened) => (store = opened.store));
  beforeEach(async () => {
    await reset(store);
    await addTenants(store, 3);
    for (const key of ['a', 'b']) await publish(store, read(live({ key })), AT);
    await publish(store, read(v2({ key: 'c', ticker: '229200' })), AT);
  });

  async function pull(tenantId: number, after: number, outcome = 'COMMON200'): Promise<void> {
    const log = new PullLog(store, (error) => {
      throw error;
    });
    log.note({ tenantId, at: AT, after, to: null, entries: 0, outcome, message: null });
    await log.flush();
  }
  const takeBack = (subject: Subject, at: Date) => store.transaction((trx) => withdraw(trx, subject, 'wrong', at));
  const count = async (published: string[], withdrawn: string[], at: Date): Promise<Record<string, ReceiptCounts>> =>
    Object.fromEntries(await countReceipts(store.db, { published, withdrawn }, at));

  test('issued, received, never connected and late are counted per analysis, by its current record', async () => {
    await pull(1, 2);
    await pull(2, 0);
    expect(await count(['res-a', 'res-b', 'ana-c', 'res-none'], [], AT)).toEqual({
      'res-a': { total: 3, received: 1, neverConnected: 1, overdue: 0 },
      'res-b': { total: 3, received: 1, neverConnected: 1, overdue: 0 },
      'ana-c': { total: 3, received: 0, neverConnected: 1, overdue: 0 },
    });
    await takeBack({ explanationResultId: 'res-a' }, seconds(10));
    // Twice the polling period of 60 seconds ends at 130 seconds for a record issued at 10.
    expect(await count([], ['res-a'], seconds(130))).toEqual({
      'res-a': { total: 3, received: 0, neverConnected: 1, overdue: 0 },
    });
    expect(await count(['res-b'], ['res-a'], seconds(131))).toEqual({
      // A tenant that never connected is late for nothing.
      'res-a': { total: 3, received: 0, neverConnected: 1, overdue: 2 },
      'res-b': { total: 3, received: 1, neverConnected: 1, overdue: 1 },
    });
  });

  test('a tenant whose pulls have all failed has connected: it waits, in every list alike', async () => {
    await pull(1, 3);
    await pull(2, 0, 'SYNC4001');
    const never = async () => {
      const listed = await listRecipients(store.db, { explanationResultId: 'res-a' }, 'NEW', { at: AT, shown: 9 });
      const tenants = await listTenants(store.db, { q: null, status: null, page: 1, size: 9 }, AT);
      const waiting = await listWaitingTenants(store.db, { published: ['res-a'], withdrawn: [] }, 9);
      return [
        (await count(['res-a'], [], AT))['res-a']?.neverConnected,
        listed.neverConnected,
        waiting.neverConnected,
        (await readWithdrawals(store.db, AT)).tenants.neverConnected,
        tenants.notConnected,
      ];
    };
    await takeBack({ explanationResultId: 'res-b' }, AT);
    expect(await never()).toEqual([1, 1, 1, 1, 1]);
    // Without the text its withdrawal exposes nothing, however long it waits.
    const { analyses } = await readWithdrawals(store.db, seconds(3600));
    expect(analyses.items).toMatchObject([{ id: 'res-b', waiting: 2, overdue: 1, neverConnected: 1 }]);
  });

  test('the counts equal those of the list tenant by tenant, removed records and tenants included', async () => {
    await pull(1, 3);
    await pull(2, 3);
    await sql`delete from tenant_delivery where tenant_id in (1, 3)`.execute(store.db);
    await sql`update tenant set retention_floor = 3, received_below_floor = (
      select range_agg(int8range(publication_number, publication_number, '[]')) from (
        select publication_number from explanation_result union select publication_number from movement_analysis) n)
      where tenant_id in (1, 3)`.execute(store.db);
    await addTenants(store, 1, 'late-');
    await removeTenant(store.db, 2, 'tenant-2', AT);
    for (const id of ['res-a', 'ana-c']) {
      const subject = id === 'ana-c' ? { movementAnalysisId: id } : { explanationResultId: id };
      const { total, received, overdue, tenants } = await listRecipients(store.db, subject, 'NEW', {
        at: AT,
        shown: 9,
      });
      const neverConnected = tenants.filter(({ state }) => state === 'NEVER_CONNECTED').length;
      expect([total, received]).toEqual([2, 1]);
      expect((await count([id], [], AT))[id]).toEqual({ total, received, neverConnected, overdue });
    }
  });

  test('a withdrawal is listed until every tenant has received it, and is late after twice the polling period', async () => {
    const before = await readWithdrawals(store.db, AT);
    expect(before).toMatchObject({ everIssued: false, analyses: { items: [], total: 0 }, tenants: { items: [] } });
    await pull(1, 3);
    await pull(2, 3);
    await takeBack({ movementAnalysisId: 'ana-c' }, seconds(10));
    await takeBack({ explanationResultId: 'res-a' }, seconds(20));
    const cursors = (await deliveries(store)).filter(({ delivery_type }) => delivery_type === 'INVALIDATION');
    await pull(1, cursors.find(({ tenant_id }) => tenant_id === 1)?.cursor ?? 0);
    const found = withdrawalsSchema.parse(await readWithdrawals(store.db, seconds(131)));
    expect(found.everIssued).toBe(true);
    expect(found.analyses).toEqual({
      items: [
        expect.objectContaining({ id: 'ana-c', ticker: '229200', waiting: 1, overdue: 1, neverConnected: 1 }),
        expect.objectContaining({ id: 'res-a', ticker: '069500', waiting: 2, overdue: 0, neverConnected: 1 }),
      ],
      total: 2,
    });
    expect(found.tenants.items.map(({ name, waiting, overdue }) => [name, waiting, overdue])).toEqual([
      ['tenant-2', 2, 1],
      ['tenant-1', 1, 0],
    ]);
    // The third has neither text, so it can expose none: it is counted by itself, and keeps nothing open.
    expect([found.tenants.total, found.tenants.neverConnected]).toEqual([2, 1]);
    for (const tenantId of [1, 2]) await pull(tenantId, 99);
    expect(await readWithdrawals(store.db, seconds(900))).toMatchObject({
      everIssued: true,
      analyses: { items: [], total: 0 },
      tenants: { items: [], total: 0, neverConnected: 1 },
    });
  });

  test('tenants that wait for some of a few records are named once, the longest wait first', async () => {
    await pull(1, 1);
    await pull(2, 3);
    const issued = { published: ['res-a', 'res-b'], withdrawn: [] };
    expect(await listWaitingTenants(store.db, issued, 1)).toEqual({
      items: [{ tenantId: 1, name: 'tenant-1', hasNamesake: false, waiting: 1, waitingSince: AT.toISOString() }],
      total: 1,
      neverConnected: 1,
    });
    expect(await listWaitingTenants(store.db, { published: [], withdrawn: [] }, 1)).toMatchObject({
      items: [],
      total: 0,
    });
  });
});
