/**
 * Faults 1 and 8 of the cloud, as a property on a real PostgreSQL: publishers, invalidators and operators
 * who add, remove and shorten tenants, on several connections with random delays between their steps.
 */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeTenant, RegistryError } from '../../../cloud/pki/registry.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { applyRetention, findPosition, RetentionError } from '../../../cloud/publication/retention.ts';
import { withdraw } from '../../../cloud/publication/withdraw.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { live, read, v2 } from '../../support/cloud/loads.ts';
import { addTenants, AT, deliveries, postgresKind, reset, type StoreKind } from '../../support/cloud/store.ts';
import { runs } from '../../support/runs.ts';
import { told, violationOfTenant, violationsOfWitness } from './delivery-invariants.ts';

let kind: StoreKind;
let stores: Store[];

beforeAll(async () => {
  kind = await postgresKind();
  const { store, url } = await kind.open();
  // Pools of their own, as several processes have them.
  stores = [store, await openPostgres(url ?? ''), await openPostgres(url ?? '')];
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await kind.stop();
});

const any = (index: number): Store => stores[index % stores.length] as Store;
/** A tenant from first to last that keeps all its records. */
const WITNESS = 1;
const AT_FIRST = 3;

/** One act of a publisher, an operator or a tenant. The delays, in ms, precede it and its steps. */
type Action = { delays: number[] } & (
  | { do: 'publish'; route: number; republish: boolean }
  | { do: 'publishV2' }
  | { do: 'retry' | 'withdraw'; of: number }
  | { do: 'addTenant' }
  | { do: 'removeTenant'; tenant: number }
  | { do: 'retention'; tenant: number; share: number }
);

const delays = fc.array(fc.nat(4), { minLength: 4, maxLength: 4 });
const others = fc.integer({ min: WITNESS + 1, max: AT_FIRST + 2 });
const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('publish' as const),
        route: fc.nat(3),
        republish: fc.boolean(),
        delays,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('publishV2' as const), delays }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom('retry' as const, 'withdraw' as const), of: fc.nat(40), delays }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('addTenant' as const), delays }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('removeTenant' as const), tenant: others, delays }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('retention' as const), tenant: others, share: fc.nat(100), delays }),
    },
  ),
  { minLength: 6, maxLength: 36 },
);

const pause = (ms: number | undefined): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms ?? 0));

async function play(all: Action[]): Promise<void> {
  const loads = all.map((action, index) =>
    action.do === 'publishV2'
      ? v2({ key: `${index}` })
      : live(
          { key: `${index}`, route: `r${action.do === 'publish' ? action.route : index}` },
          { republication: action.do === 'publish' && action.republish ? { reason: 'again' } : null },
        ),
  );
  const act = async (action: Action, index: number): Promise<void> => {
    const store = any(index);
    const steps = action.delays.values();
    await pause(steps.next().value);
    const take = (of: number): Promise<unknown> => {
      const load = loads[of];
      if (load === undefined) throw new Error('no load');
      return publish(store, read(load), AT, { onStep: () => pause(steps.next().value) });
    };
    switch (action.do) {
      case 'publish':
      case 'publishV2':
        await take(index);
        return;
      case 'retry':
        await take(action.of % (index + 1));
        return;
      case 'withdraw': {
        const of = action.of % (index + 1);
        const subject =
          loads[of]?.mode === 'V2' ? { movementAnalysisId: `ana-${of}` } : { explanationResultId: `res-${of}` };
        await store.transaction(async (trx) => {
          await withdraw(trx, subject, 'operator', AT);
          await pause(steps.next().value);
        });
        return;
      }
      case 'addTenant':
        await addTenants(store, 1, `late-${index}-`);
        return;
      case 'removeTenant':
        await removeTenant(store.db, action.tenant, `tenant-${action.tenant}`, AT).catch(expected(RegistryError));
        return;
      case 'retention': {
        const head = (await findPosition(store.db, action.tenant))?.head ?? 0;
        const floor = Math.floor((head * action.share) / 100);
        const loss = { dropUnconfirmed: true, aboveHead: false };
        await applyRetention(store, action.tenant, floor, loss).catch(expected(RetentionError));
      }
    }
  };
  // Each connection does its share in sequence, so that later acts find the results of earlier ones.
  await Promise.all(
    stores.map(async (_, lane) => {
      for (const [index, action] of all.entries()) if (index % stores.length === lane) await act(action, index);
    }),
  );
}

/** Ignores the error of an act that a concurrent one has made impossible. */
function expected(kindOfError: new (message: string) => Error): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof kindOfError)) throw error;
  };
}

/** Reads the witness's records as pulls do, a few at a time from the last cursor on, until `done`. */
async function follow(store: Store, done: () => boolean): Promise<number[]> {
  const seen: number[] = [];
  for (let last = false; !last;) {
    last = done();
    const { rows } = await sql<{ cursor: number }>`
      select cursor from tenant_delivery where tenant_id = ${WITNESS} and cursor > ${seen.at(-1) ?? 0} order by cursor limit 3`.execute(
      store.db,
    );
    seen.push(...rows.map(({ cursor }) => cursor));
    if (rows.length > 0) last = false;
  }
  return seen;
}

async function check(store: Store): Promise<void> {
  const { rows: stored } = await sql<{ id: string; state: string }>`
    select explanation_result_id as id, publication_status as state from explanation_result
    union all select movement_analysis_id, publication_status from movement_analysis`.execute(store.db);
  const having = (...states: string[]): Set<string> =>
    new Set(stored.filter(({ state }) => states.includes(state)).map(({ id }) => id));
  const byTenant = Map.groupBy(await deliveries(store), (row) => row.tenant_id);
  const witness = (byTenant.get(WITNESS) ?? []).map(told);
  expect(violationsOfWitness(witness, having('PUBLISHED', 'WITHDRAWN'), having('WITHDRAWN'))).toEqual([]);
  const { rows: tenants } = await sql<{ id: number; floor: number }>`
    select tenant_id as id, retention_floor as floor from tenant order by tenant_id`.execute(store.db);
  for (const { id, floor } of tenants) {
    const head = (await findPosition(store.db, id))?.head ?? null;
    expect([id, violationOfTenant(witness, byTenant.get(id) ?? [], floor, head)]).toEqual([id, null]);
  }
}

describe('faults 1 and 8: fan-outs at once, with tenants that come and go', () => {
  test('each tenant gets, in commit order and without a hole, all publications of its time and their withdrawals', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (all) => {
        const store = any(0);
        await reset(store);
        await addTenants(store, AT_FIRST);
        let done = false;
        const reading = follow(any(1), () => done);
        await play(all).finally(() => {
          done = true;
        });
        const seen = await reading;
        expect(seen).toEqual(seen.map((_, index) => index + 1));
        expect(seen.length).toBe((await deliveries(store)).filter((row) => row.tenant_id === WITNESS).length);
        await check(store);
      }),
      { numRuns: runs(6, 60), endOnFailure: true },
    );
  });

  test('fault 1: the transaction that began first commits last, and its cursor is the higher one', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 2);
    // The release is known already: a new one would be shared by both.
    await publish(store, read(live({ key: 'base' })), AT);
    const [began, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = publish(any(1), read(live({ key: 'first' })), AT, {
      onStep: async (step) => {
        if (step !== 'stored') return;
        began.resolve();
        await mayGoOn.promise;
      },
    });
    await began.promise;
    await publish(any(2), read(live({ key: 'second', ticker: '102110' })), AT).finally(() => mayGoOn.resolve());
    await first;
    const own = (await deliveries(store)).filter((row) => row.tenant_id === WITNESS);
    expect(own.map((row) => [row.cursor, row.explanation_result_id])).toEqual([
      [1, 'res-base'],
      [2, 'res-second'],
      [3, 'res-first'],
    ]);
  });
});

describe('the invariants themselves find each breach', () => {
  const NEW = { kind: 'NEW' as const, id: 'a' };
  const GONE = { kind: 'INVALIDATION' as const, id: 'a' };
  const row = (cursor: number, id: string) => ({
    tenant_id: 2,
    cursor,
    delivery_type: 'NEW' as const,
    explanation_result_id: id,
    movement_analysis_id: null,
    target_explanation_result_id: null,
    target_movement_analysis_id: null,
    reason: null,
  });

  test('of a witness', () => {
    const [none, a] = [new Set<string>(), new Set(['a'])];
    expect(violationsOfWitness([NEW, GONE], a, a)).toEqual([]);
    expect(violationsOfWitness([GONE, NEW], a, a)).toEqual(['a was withdrawn below its NEW']);
    expect(violationsOfWitness([NEW, NEW], a, none)).toEqual(['a was sent twice']);
    expect(violationsOfWitness([NEW, GONE, GONE], a, a)).toEqual(['a was withdrawn twice']);
    expect(violationsOfWitness([NEW], a, a)).toHaveLength(1);
    expect(violationsOfWitness([], a, none)).toHaveLength(1);
  });

  test('of a tenant', () => {
    const b = { kind: 'NEW' as const, id: 'b' };
    expect(violationOfTenant([NEW, GONE, b], [row(1, 'b')], 0, 1)).toBeNull();
    expect(violationOfTenant([NEW, GONE, b], [row(2, 'b')], 0, 1)).toContain('cursors 2 above 0');
    expect(violationOfTenant([NEW, GONE, b], [row(1, 'a'), row(2, 'b')], 0, 2)).toContain('no time of membership');
    expect(violationOfTenant([NEW, b], [row(1, 'a')], 0, 1)).toContain('no time of membership');
    expect(violationOfTenant([NEW, b], [row(1, 'a')], 0, null)).toBeNull();
  });
});
