/** Several publishers and invalidators at once on a real PostgreSQL: fan-out rules 1 to 4. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { live, read, v2 } from '../testing/loads.ts';
import { addTenants, AT, deliveries, postgresKind, reset, type DeliveryRow, type StoreKind } from '../testing/store.ts';
import { openPostgres, type Store } from '../store/open.ts';
import { FAN_OUT_LOCK, FanOutLockTimeoutError, fanOutNew } from './fan-out.ts';
import { publish } from './publish.ts';
import { withdraw } from './withdraw.ts';

const TENANTS = 3;
let kind: StoreKind;
let stores: Store[];
/** As the others, but it waits for a lock for 50 ms only. */
let impatient: Store;

beforeAll(async () => {
  kind = await postgresKind();
  const { store, url } = await kind.open();
  // Pools of their own, as several processes have them.
  stores = [store, await openPostgres(url ?? ''), await openPostgres(url ?? '')];
  impatient = await openPostgres(`${url}?options=-c%20lock_timeout%3D50`);
});
afterAll(async () => {
  await Promise.all([...stores, impatient].map((store) => store.close()));
  await kind.stop();
});

const any = (index: number): Store => stores[index % stores.length] as Store;

/** One thing that somebody does, after a random number of turns of the event loop. */
type Action =
  | { do: 'publish'; route: number; republish: boolean; turns: number }
  | { do: 'publishV2'; turns: number }
  | { do: 'retry'; of: number; turns: number }
  | { do: 'withdraw'; of: number; turns: number };

const turns = fc.integer({ min: 0, max: 12 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      route: fc.integer({ min: 0, max: 3 }),
      republish: fc.boolean(),
      turns,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('publishV2' as const), turns }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('retry' as const), of: fc.nat(20), turns }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('withdraw' as const), of: fc.nat(20), turns }) },
);

async function play(actions: Action[]): Promise<void> {
  const loads = actions.map((step, index) => {
    if (step.do === 'publish')
      return live(
        { key: `${index}`, route: `r${step.route}` },
        { republication: step.republish ? { reason: 'again' } : null },
      );
    return v2({ key: `${index}` });
  });
  await Promise.all(
    actions.map(async (step, index) => {
      for (let turn = 0; turn < step.turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const store = any(index);
      const target = step.do === 'retry' || step.do === 'withdraw' ? step.of % actions.length : index;
      const load = loads[target];
      if (load === undefined) throw new Error('no load');
      if (step.do === 'withdraw') {
        const subject =
          load.mode === 'V2' ? { movementAnalysisId: `ana-${target}` } : { explanationResultId: `res-${target}` };
        await store.transaction((trx) => withdraw(trx, subject, 'operator', AT));
      } else {
        await publish(store, read(load), AT);
      }
    }),
  );
}

/** What must hold of all records, whatever the order in which things happened. */
function checkRecords(rows: DeliveryRow[], withdrawn: Set<string>, everPublished: Set<string>): void {
  const byTenant = Map.groupBy(rows, (row) => row.tenant_id);
  for (const [, own] of byTenant) {
    expect(own.map((row) => row.cursor)).toEqual(own.map((_, index) => index + 1));
    const newAt = new Map<string, number>();
    const invalidAt = new Map<string, number>();
    for (const row of own) {
      const body = row.explanation_result_id ?? row.movement_analysis_id;
      const target = row.target_explanation_result_id ?? row.target_movement_analysis_id;
      const [seen, id] = body === null ? [invalidAt, target] : [newAt, body];
      expect(seen.has(id ?? '')).toBe(false);
      seen.set(id ?? '', row.cursor);
    }
    expect(new Set(newAt.keys())).toEqual(everPublished);
    expect(new Set(invalidAt.keys())).toEqual(withdrawn);
    for (const [id, cursor] of invalidAt) expect(cursor).toBeGreaterThan(newAt.get(id) ?? Number.POSITIVE_INFINITY);
  }
  expect(byTenant.size).toBe(everPublished.size === 0 ? 0 : TENANTS);
}

describe('concurrent publishers and invalidators', () => {
  test('cursors ascend without gap or duplicate, and an INVALIDATION stands above its NEW and only where that went', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 2, maxLength: 14 }), async (actions) => {
        const store = any(0);
        await reset(store);
        await addTenants(store, TENANTS);
        await play(actions);
        const { rows } = await sql<{ id: string; state: string }>`
          select explanation_result_id as id, publication_status as state from explanation_result
          union all select movement_analysis_id, publication_status from movement_analysis`.execute(store.db);
        const having = (...wanted: string[]): Set<string> =>
          new Set(rows.filter(({ state }) => wanted.includes(state)).map(({ id }) => id));
        checkRecords(await deliveries(store), having('WITHDRAWN'), having('PUBLISHED', 'WITHDRAWN'));
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });

  test('a reader never sees a cursor before a lower one, so that resuming from any answer skips nothing', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 1);
    let done = false;
    const publishing = Promise.all(
      Array.from({ length: 30 }, (_, index) => publish(any(index), read(live({ key: `k${index}` })), AT)),
    ).finally(() => {
      done = true;
    });
    let committed = 0;
    const seen: number[] = [];
    for (let last = false; !last; last = done && seen.length >= 30) {
      const { rows } = await sql<{ cursor: number }>`
        select cursor from tenant_delivery where tenant_id = 1 and cursor > ${committed} order by cursor limit 3`.execute(
        any(1).db,
      );
      seen.push(...rows.map((row) => row.cursor));
      committed = seen.at(-1) ?? 0;
    }
    await publishing;
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  test('two loads of one route at the same moment: one is published, the other a draft', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 1);
    const outcomes = await Promise.all(
      [0, 1, 2].map((index) => publish(any(index), read(live({ key: `k${index}`, route: 'r' })), AT)),
    );
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['DRAFT', 'DRAFT', 'PUBLISHED']);
  });

  test('a publisher whose commit acknowledgment was lost, and who tries again while the first is still running, makes no second record', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 1);
    const outcomes = await Promise.all([0, 1, 2].map((index) => publish(any(index), read(live({ key: 'same' })), AT)));
    expect(outcomes.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['PUBLISHED', 'PUBLISHED', 'PUBLISHED']);
    expect(await deliveries(store)).toHaveLength(1);
  });

  test('a lock holder that hangs: publisher and invalidator give up with a clear error, write nothing, and succeed later', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 1);
    await publish(store, read(live({ key: 'old' })), AT);
    const takeDown = (by: Store): Promise<number | null> =>
      by.transaction((trx) => withdraw(trx, { explanationResultId: 'res-old' }, 'x', AT));
    const release = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const hanging = any(1).transaction(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${FAN_OUT_LOCK}, 0))`.execute(trx);
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const blocked = await publish(impatient, read(live({ key: 'a' })), AT).catch((error: unknown) => error);
    expect(blocked).toBeInstanceOf(FanOutLockTimeoutError);
    expect((blocked as Error).message).toContain(FAN_OUT_LOCK);
    const blockedWithdrawal = await takeDown(impatient).catch((error: unknown) => error);
    release.resolve();
    await hanging;
    expect(blockedWithdrawal).toBeInstanceOf(FanOutLockTimeoutError);
    expect(await deliveries(store)).toHaveLength(1);
    expect(await takeDown(store)).toBe(1);
    expect(await publish(store, read(live({ key: 'a' })), AT)).toMatchObject({ outcome: 'PUBLISHED', repeated: false });
  });

  test('a firing whose load hangs: another load of it gives up with a clear error, other firings go on', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 1);
    // The release is known already: a new one would be shared by both.
    await publish(store, read(live({ key: 'first' })), AT);
    const release = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const hanging = publish(any(1), read(live({ key: 'a', route: 'r' })), AT, {
      onStep: async (step) => {
        if (step !== 'stored') return;
        held.resolve();
        await release.promise;
      },
    });
    await held.promise;
    const same = await publish(impatient, read(live({ key: 'b', route: 'r' })), AT).catch((error: unknown) => error);
    const other = await publish(store, read(live({ key: 'c', ticker: '102110' })), AT).catch((error: unknown) => error);
    release.resolve();
    expect(same).toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(other).toMatchObject({ outcome: 'PUBLISHED' });
    expect(await hanging).toMatchObject({ outcome: 'PUBLISHED' });
    expect((await deliveries(store)).map((row) => [row.cursor, row.explanation_result_id])).toEqual([
      [1, 'res-first'],
      [2, 'res-c'],
      [3, 'res-a'],
    ]);
  });

  test('a tenant that is added while a fan-out runs gets all of a publication or nothing', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 1);
    await publish(store, read(live({ key: 'a' })), AT);
    await store.transaction(async (trx) => {
      await sql`update explanation_result set summary = summary`.execute(trx);
      await addTenants(any(1), 1, 'late-');
      await sql`delete from tenant_delivery`.execute(trx);
      expect(await fanOutNew(trx, { explanationResultId: 'res-a' }, AT)).toBe(2);
    });
    expect((await deliveries(store)).map((row) => [row.tenant_id, row.cursor])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });
});
