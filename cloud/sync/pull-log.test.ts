/** The pull log on both stores: constant space, several writers, no loss of a written pull. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { openPostgres, type Store } from '../store/open.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, reset, STORE_KINDS } from '../../test/support/cloud/store.ts';
import { HISTORY_SLOTS, PullLog, type PullNote } from './pull-log.ts';

const START = Date.parse('2026-11-20T00:00:00Z');
const at = (second: number): Date => new Date(START + second * 1_000);
const good = (tenantId: number, second: number, entries = 0): PullNote => {
  const to = entries === 0 ? null : second + entries;
  return { tenantId, at: at(second), after: second, to, entries, outcome: 'COMMON200', message: null };
};
const bad = (tenantId: number, second: number, outcome = 'SYNC4001'): PullNote => {
  return { tenantId, at: at(second), after: null, to: null, entries: 0, outcome, message: `${outcome} at ${second}` };
};

describe.each(STORE_KINDS)('the pull log on %s', (_name, makeKind) => {
  let store: Store;
  let url: string | null;
  provideStore(makeKind, (opened) => ({ store, url } = opened));
  beforeEach(async () => {
    await reset(store);
    await addTenants(store, 3);
  });
  const logOver = (over: Store): PullLog =>
    new PullLog(over, (error) => {
      throw error;
    });
  const state = (tenantId: number) =>
    store.db.selectFrom('tenant_pull_state').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst();
  const history = async (tenantId: number): Promise<{ second: number; outcome: string; to: number | null }[]> => {
    const { rows } = await sql<{ pulled_at: Date; outcome: string; to_cursor: number | null }>`
      select pulled_at, outcome, to_cursor from tenant_pull_history where tenant_id = ${tenantId} order by pulled_at`.execute(
      store.db,
    );
    return rows.map((row) => ({
      second: (row.pulled_at.getTime() - START) / 1_000,
      outcome: row.outcome,
      to: row.to_cursor,
    }));
  };

  test('gives the operator’s facts: time, outcome, last good pull, last event, latest error, and the pulls themselves', async () => {
    const log = logOver(store);
    for (const note of [good(1, 1, 5), bad(1, 2), good(1, 3), bad(2, 4, 'SYNC4031')]) log.note(note);
    await log.flush();
    expect(await state(1)).toEqual({
      tenant_id: 1,
      pulls: 3,
      entries: 5,
      last_pull_at: at(3),
      last_outcome: 'COMMON200',
      last_good_pull_at: at(3),
      last_good_after: 3,
      last_event_sync_at: at(1),
      last_error_at: at(2),
      last_error_code: 'SYNC4001',
      last_error_message: 'SYNC4001 at 2',
      waiting_until: null,
      told: null,
    });
    expect(await state(2)).toMatchObject({
      last_outcome: 'SYNC4031',
      last_good_pull_at: null,
      last_good_after: null,
      last_event_sync_at: null,
    });
    expect(await state(3)).toBeUndefined();
    expect(await history(1)).toEqual([
      { second: 1, outcome: 'COMMON200', to: 6 },
      { second: 2, outcome: 'SYNC4001', to: null },
      { second: 3, outcome: 'COMMON200', to: null },
    ]);
  });

  test('takes constant space per tenant: the last pulls alone stay, in one batch or in many', async () => {
    const log = logOver(store);
    for (let second = 0; second < HISTORY_SLOTS + 7; second += 1) {
      log.note(good(1, second));
      if (second % 50 === 49) await log.flush();
    }
    for (let second = 0; second < 2 * HISTORY_SLOTS + 1; second += 1) log.note(good(2, second));
    await log.flush();
    expect((await history(1)).map(({ second }) => second)).toEqual(
      Array.from({ length: HISTORY_SLOTS }, (_, index) => index + 7),
    );
    expect((await history(2)).map(({ second }) => second)).toEqual(
      Array.from({ length: HISTORY_SLOTS }, (_, index) => index + HISTORY_SLOTS + 1),
    );
    expect(await state(2)).toMatchObject({ pulls: 2 * HISTORY_SLOTS + 1 });
  });

  test('a process that writes late does not set the state back', async () => {
    const [early, late] = [logOver(store), logOver(store)];
    for (const note of [good(1, 20, 2), bad(1, 21), good(1, 22)]) early.note(note);
    for (const note of [good(1, 10, 1), bad(1, 11, 'SYNC4002')]) late.note(note);
    await early.flush();
    await late.flush();
    expect(await state(1)).toMatchObject({
      pulls: 5,
      entries: 3,
      last_pull_at: at(22),
      last_outcome: 'COMMON200',
      last_good_pull_at: at(22),
      last_good_after: 22,
      last_event_sync_at: at(20),
      last_error_at: at(21),
      last_error_code: 'SYNC4001',
    });
    expect((await history(1)).map(({ second }) => second)).toEqual([10, 11, 20, 21, 22]);
  });

  test('a tenant that asks again at once is taken for waiting until its next pull, in any order of writes', async () => {
    const log = logOver(store);
    log.note({ ...good(1, 5), waitingUntil: at(40) });
    await log.flush();
    log.note(good(1, 3));
    await log.flush();
    expect(await state(1)).toMatchObject({ waiting_until: at(40) });
    log.note(bad(1, 6));
    await log.flush();
    expect(await state(1)).toMatchObject({ waiting_until: null });
  });

  test('written pulls are there for the next process, and a lost one is a gap in the log alone', async () => {
    const killed = logOver(store);
    killed.note(good(1, 1, 3));
    await killed.flush();
    // Killed: the timer of this one never fires.
    const next = logOver(store);
    next.note(good(1, 9));
    await next.flush();
    expect(await state(1)).toMatchObject({ pulls: 2, entries: 3, last_pull_at: at(9), last_event_sync_at: at(1) });
  });

  test('a batch that cannot be written is reported, and fails neither the caller nor the next batch', async () => {
    const told: unknown[] = [];
    let isBroken = true;
    const broken: Store = {
      ...store,
      transaction: (work) => (isBroken ? Promise.reject(new Error('gone')) : store.transaction(work)),
    };
    const log = new PullLog(broken, (error) => told.push(error));
    log.note(good(1, 1));
    await log.flush();
    isBroken = false;
    log.note(good(1, 2));
    await log.flush();
    expect(told).toHaveLength(1);
    expect(await state(1)).toMatchObject({ pulls: 1, last_pull_at: at(2) });
  });

  test('several processes write at once, each over its own connections where the store has several', async () => {
    const stores = url === null ? [store] : await Promise.all([url, url, url].map((each) => openPostgres(each, 2)));
    const writers = [0, 1, 2].map((index) => ({ log: logOver(stores[index % stores.length] ?? store), index }));
    await Promise.all(
      writers.map(async ({ log, index }) => {
        for (let round = 0; round < 20; round += 1) {
          // In another order in each process: they must not wait for each other crosswise.
          for (const tenantId of index % 2 === 0 ? [1, 2, 3] : [3, 2, 1])
            log.note(good(tenantId, round * 3 + index, 1));
          await log.flush();
        }
      }),
    );
    for (const tenantId of [1, 2, 3]) {
      expect(await state(tenantId)).toMatchObject({ pulls: 60, entries: 60, last_pull_at: at(59) });
      expect(await history(tenantId)).toHaveLength(60);
    }
    if (url !== null) await Promise.all(stores.map((each) => each.close()));
  });
});
