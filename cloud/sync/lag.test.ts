/** How long withdrawals take to each tenant, and how long the oldest waits, on both engines. */
import { beforeEach, describe, expect, test } from 'vitest';
import { publish } from '../publication/publish.ts';
import { withdraw } from '../publication/withdraw.ts';
import type { Passed } from '../operations/metrics.ts';
import type { Store } from '../store/open.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { live, read } from '../../test/support/cloud/loads.ts';
import { addTenants, AT, BOTH_KINDS, reset } from '../../test/support/cloud/store.ts';
import { withdrawalLag } from '../publication/lag.ts';
import { PullLog } from './pull-log.ts';

const second = (count: number): Date => new Date(AT.getTime() + count * 1_000);

describe.each(BOTH_KINDS)('on %s', (_name, kind) => {
  let store: Store;
  let log: PullLog;
  let passed: Passed[];
  provideStore(kind, (opened) => (store = opened.store));
  // Cursor 1 is a text, 2 its withdrawal.
  beforeEach(async () => {
    await reset(store);
    await addTenants(store, 3);
    await publish(store, read(live({ key: 'a' })), AT);
    passed = [];
    log = new PullLog(
      store,
      (error) => {
        throw error;
      },
      (more) => passed.push(...more),
    );
  });
  const withdrawAt = (at: Date): Promise<unknown> =>
    store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, 'r', at));
  /** A good pull; one that waits does so for ten minutes. */
  async function pull(tenantId: number, at: Date, after: number, applied: number | null, waits = true): Promise<void> {
    const waitingUntil = waits ? new Date(at.getTime() + 600_000) : null;
    const told = applied === null ? null : { applied, rejected: 0, held: 0, entries: [] };
    log.note({ tenantId, at, after, to: null, entries: 0, outcome: 'COMMON200', message: null, told, waitingUntil });
    await log.flush();
  }

  test('each tenant that was there is measured once for each step, never below zero; what one finds on its return is not', async () => {
    await pull(1, second(0), 1, 1);
    await pull(2, second(0), 1, 1);
    await pull(3, second(-600), 1, 1);
    await withdrawAt(second(10));
    await pull(1, second(10.4), 2, 1);
    await pull(1, second(11), 2, 2);
    await pull(1, second(12), 2, 2);
    // Another process, whose clock is behind.
    await pull(2, second(9), 2, 2);
    await pull(3, second(900), 2, 1);
    await pull(3, second(901), 2, 2);
    expect(passed).toEqual([
      { received: 400, applied: null },
      { received: null, applied: 1_000 },
      { received: 0, applied: 0 },
    ]);
  });

  test('the oldest one that waits for a tenant that is connected, at each step', async () => {
    const lag = (at: number) => withdrawalLag(store.db, second(at));
    expect(await lag(0)).toEqual({ received: 0, applied: 0 });
    await pull(1, second(0), 1, 1);
    await pull(2, second(0), 1, null);
    // It polls by its period, and is overdue only later.
    await pull(3, second(0), 1, 1, false);
    expect(await lag(1)).toEqual({ received: 0, applied: 0 });
    await withdrawAt(second(10));
    expect(await lag(80)).toEqual({ received: 70, applied: 70 });
    await pull(1, second(81), 2, 1);
    expect(await lag(90)).toEqual({ received: 80, applied: 80 });
    // It does not tell what it applies, so nothing is said of that.
    await pull(2, second(91), 2, null);
    expect(await lag(100)).toEqual({ received: 0, applied: 90 });
    await pull(1, second(101), 2, 2);
    expect(await lag(110)).toEqual({ received: 0, applied: 0 });
    // Away.
    expect(await lag(10_000)).toEqual({ received: 0, applied: 0 });
  });
});
