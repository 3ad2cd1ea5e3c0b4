/** What tenants tell of their applying (D230), from the pulls of two processes to the operator's answers. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Applied } from '../../shared/wire/applied.ts';
import { analysisDetailSchema, type Recipients } from '../../shared/wire/operator/analyses.ts';
import { tenantSchema, type Tenant } from '../../shared/wire/operator/tenants.ts';
import { publish } from '../publication/publish.ts';
import { withdraw } from '../publication/withdraw.ts';
import type { Store } from '../store/open.ts';
import { PullLog } from '../sync/pull-log.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { live, read, v2 } from '../../test/support/cloud/loads.ts';
import { addTenants, AT, reset, STORE_KINDS } from '../../test/support/cloud/store.ts';
import { findAnalysis } from './analysis-detail.ts';
import { listTenants } from './tenants.ts';

const second = (count: number): Date => new Date(AT.getTime() + count * 1_000);
const told = (applied: number, entries: Applied['entries'] = [], held = 0): Applied => ({
  applied,
  rejected: entries.length,
  held,
  entries,
});

describe.each(STORE_KINDS)('on %s', (_name, kind) => {
  let store: Store;
  let logs: [PullLog, PullLog];
  provideStore(kind, (opened) => (store = opened.store));
  // Cursors 1 and 2 are texts, 3 and 4 their withdrawals.
  beforeEach(async () => {
    await reset(store);
    await addTenants(store, 3);
    await publish(store, read(live({ key: 'a' })), AT);
    await publish(store, read(v2({ key: 'b' })), AT);
    const fail = (error: unknown): never => {
      throw error;
    };
    logs = [new PullLog(store, fail), new PullLog(store, fail)];
  });

  /** A good pull without news at one of the two processes. */
  async function pull(by: 0 | 1, tenantId: number, at: Date, after: number, says: Applied | null): Promise<void> {
    logs[by].note({ tenantId, at, after, to: null, entries: 0, outcome: 'COMMON200', message: null, told: says });
    await logs[by].flush();
  }
  async function withdrawBoth(): Promise<void> {
    await store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, 'r', second(10)));
    await store.transaction((trx) => withdraw(trx, { movementAnalysisId: 'ana-b' }, 'r', second(10)));
  }
  async function receipts(id: string): Promise<unknown[]> {
    const found = analysisDetailSchema.parse(await findAnalysis(store.db, id, second(60)));
    const seconds = (at: string | null): number | null =>
      at === null ? null : (Date.parse(at) - AT.getTime()) / 1_000;
    return (found.withdrawal?.recipients.tenants ?? []).map((one: Recipients['tenants'][number]) => [
      one.tenantId,
      one.state,
      seconds(one.receivedAt),
      one.applied && [one.applied.state, seconds(one.applied.at), one.applied.code],
    ]);
  }
  async function applied(tenantId: number): Promise<Tenant['applied']> {
    const filter = { page: 1, size: 10, status: null, q: null };
    const { items } = await listTenants(store.db, filter, second(60));
    return tenantSchema.parse(items.find((one) => one.tenantId === tenantId)).applied;
  }

  test('a withdrawal is received and applied at the first pull that says so, at whichever process; the slowest stands first', async () => {
    for (const tenantId of [1, 2, 3]) await pull(0, tenantId, AT, 2, tenantId === 3 ? null : told(2));
    await withdrawBoth();
    await pull(0, 1, second(11), 4, told(2));
    await pull(1, 1, second(12), 4, told(3));
    await pull(0, 1, second(13), 4, told(3));
    await pull(0, 2, second(30), 4, told(4));
    await pull(1, 2, second(40), 4, told(4));
    await pull(1, 3, second(50), 4, null);
    expect(await receipts('res-a')).toEqual([
      [2, 'RECEIVED', 30, ['APPLIED', 30, null]],
      [1, 'RECEIVED', 11, ['APPLIED', 12, null]],
      [3, 'RECEIVED', 50, null],
    ]);
    expect(await receipts('ana-b')).toEqual([
      [1, 'RECEIVED', 11, ['PENDING', null, null]],
      [2, 'RECEIVED', 30, ['APPLIED', 30, null]],
      [3, 'RECEIVED', 50, null],
    ]);
    expect(await applied(1)).toEqual({ at: second(13).toISOString(), pending: 1, rejected: 0, held: 0, entries: [] });
    expect(await applied(3)).toBeNull();
  });

  test('rejected entries have their code and record; a tenant that tells no more keeps the times alone', async () => {
    await pull(0, 1, AT, 2, told(2));
    await withdrawBoth();
    const entries = [
      { cursor: 4, code: 'FORM' },
      { cursor: 1, code: 'TOO_LARGE' },
    ] as const;
    await pull(0, 1, second(11), 4, told(4, entries, 1));
    expect((await receipts('ana-b'))[0]).toEqual([1, 'RECEIVED', 11, ['REJECTED', null, 'FORM']]);
    const record = (isWithdrawal: boolean, id: string) =>
      expect.objectContaining({ isWithdrawal, id, ticker: '069500' }) as unknown;
    expect(await applied(1)).toMatchObject({
      ...{ pending: 0, rejected: 2, held: 1 },
      entries: [
        { ...entries[0], record: record(true, 'ana-b') },
        { ...entries[1], record: record(false, 'res-a') },
      ],
    });
    await pull(0, 1, second(20), 4, null);
    expect(await applied(1)).toBeNull();
    expect((await receipts('res-a'))[0]).toEqual([1, 'RECEIVED', 11, ['APPLIED', 11, null]]);
  });

  test('what was passed before a tenant told anything has no time; a lower cursor than told is not applied', async () => {
    await withdrawBoth();
    await pull(0, 1, second(20), 4, null);
    await pull(0, 1, second(900), 4, told(4));
    expect((await receipts('res-a'))[0]).toEqual([1, 'RECEIVED', 20, ['APPLIED', null, null]]);
    // Its ledger was restored to an older state.
    await pull(0, 1, second(950), 4, told(2));
    expect((await receipts('res-a'))[0]).toEqual([1, 'RECEIVED', 20, ['PENDING', null, null]]);
  });
});
