/** Several publishers and invalidators at once on a real PostgreSQL; the invariants of any number of them are in `test/faults`. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemIds } from '../../shared/time/clock.ts';
import { CloudMetrics } from '../operations/metrics.ts';
import { createOperationsServer } from '../operations/operations.ts';
import { pull } from '../sync/pull.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { live, makeLineage, read, v2 } from '../../test/support/cloud/loads.ts';
import { addTenants, AT, deliveries, postgresKind, reset, type StoreKind } from '../../test/support/cloud/store.ts';
import { openPostgres, type Store, type Trx } from '../store/open.ts';
import { waitFor } from '../../test/support/process.ts';
import { FAN_OUT_LOCK, FanOutLockTimeoutError, fanOutNew } from './fan-out.ts';
import { publish } from './publish.ts';
import { applyRetention, findPosition } from './retention.ts';
import { withdraw } from './withdraw.ts';

let kind: StoreKind;
let stores: Store[];
/** Like the others, but it waits for a lock for 50 ms only. */
let impatient: Store;
/** Like the others, but it waits for a lock without end. */
let patient: Store;

beforeAll(async () => {
  kind = await postgresKind();
  const { store, url } = await kind.open();
  // Pools of their own, as several processes have them.
  const patiently = `${url}?options=-c%20lock_timeout%3D0`;
  stores = [store, await openPostgres(patiently), await openPostgres(patiently)];
  impatient = await openPostgres(`${url}?options=-c%20lock_timeout%3D50`);
  patient = await openPostgres(patiently);
});
afterAll(async () => {
  await Promise.all([...stores, impatient, patient].map((store) => store.close()));
  await kind.stop();
});

/** Publishes one more result without a delivery record. @returns its id */
async function another(trx: Trx): Promise<string> {
  await sql`
    insert into explanation_result (explanation_result_id, explanation_run_id, explanation_route_id, etf_instrument_id, trade_date, explanation_as_of,
      summary, primary_thread_id, publication_status, published_at, withdrawn_at, withdrawal_reason, load_hash, created_at, publication_number)
    select 'another', explanation_run_id, explanation_route_id, etf_instrument_id, trade_date, explanation_as_of + interval '1 hour',
      summary, primary_thread_id, 'WITHDRAWN', published_at, published_at, 'x', load_hash, created_at, 1000
    from explanation_result limit 1`.execute(trx);
  return 'another';
}

const any = (index: number): Store => stores[index % stores.length] as Store;

describe('concurrent publishers and invalidators', () => {
  test('a reader never sees a cursor before a lower one, so that resuming from any answer skips nothing', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 1);
    let done = false;
    const publishing = Promise.all(
      Array.from({ length: 30 }, (_, index) => publish(any(1 + (index % 2)), read(live({ key: `k${index}` })), AT)),
    ).finally(() => {
      done = true;
    });
    let committed = 0;
    const seen: number[] = [];
    for (let isOver = false; !isOver;) {
      const wasDone: boolean = done;
      const { rows } = await sql<{ cursor: number }>`
        select cursor from tenant_delivery where tenant_id = 1 and cursor > ${committed} order by cursor limit 3`.execute(
        any(1).db,
      );
      seen.push(...rows.map((row) => row.cursor));
      committed = seen.at(-1) ?? 0;
      isOver = wasDone && rows.length === 0;
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

  test('a result and an analysis of the same id at the same moment: one is published, the other finds its id taken', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 1);
    // Their releases are stored already: a new one would be shared by both.
    await publish(store, read(live({ key: 'first' })), AT);
    const result = live({ key: 'r' });
    const analysis = v2({ key: 'a', ticker: '102110' });
    if (result.result !== null) result.result.explanation_result_id = 'same';
    analysis.analysis.movement_analysis_id = 'same';
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const first = publish(any(1), read(result), AT, {
      onStep: async (step) => {
        if (step !== 'stored') return;
        held.resolve();
        await release.promise;
      },
    });
    await held.promise;
    const second = publish(any(2), read(analysis), AT).catch((error: unknown) => error);
    const ended = second.then(() => true);
    const waits = async (): Promise<boolean> =>
      (await sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(store.db)).rows.length > 0;
    await waitFor('the second to wait or to end', async () => (await Promise.race([ended, waits()])) || waits());
    release.resolve();
    expect(await first).toMatchObject({ outcome: 'PUBLISHED' });
    expect(await second).toMatchObject({ code: 'ID_TAKEN' });
    expect(await deliveries(store)).toHaveLength(2);
  });

  test('a publisher that lost its commit acknowledgment and retries while the first attempt still runs makes no second record', async () => {
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

  test('a lock holder that hangs while 45 loads wait: pulls, readiness and operators are served all the time', async () => {
    await reset(any(0));
    await addTenants(any(0), 1);
    await publish(any(0), read(live({ key: 'first' })), AT);
    const clock = new SetClock(AT);
    const metrics = new CloudMetrics(() => patient.connections());
    const operations = createOperationsServer({ store: patient, metrics, clock, ids: systemIds, log: false });
    const pulling = { store: patient, clock, ids: systemIds, calculations: false };
    const release = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const hanging = any(1).transaction(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${FAN_OUT_LOCK}, 0))`.execute(trx);
      held.resolve();
      await release.promise;
    });
    await held.promise;
    // Each of another fund: they share only the lock.
    const keys = Array.from({ length: 45 }, (_, index) => `${100_000 + index}`);
    const loads = keys.map((key) => publish(patient, read(live({ key, ticker: key })), AT));
    try {
      for (let round = 0; round < 3; round += 1) {
        expect(await pull(pulling, { fingerprint: 'none', after: 0, limit: 1 })).toEqual({ standing: 'UNKNOWN' });
        expect((await operations.inject('/ready')).statusCode).toBe(200);
      }
      // Loads beyond the semaphore give up like those that wait for the lock.
      const given = await Promise.all(
        keys.map((key) =>
          publish(impatient, read(live({ key: `late-${key}`, ticker: `2${key.slice(1)}` })), AT).catch(
            (error: unknown) => error,
          ),
        ),
      );
      expect(given.filter((error) => error instanceof FanOutLockTimeoutError)).toHaveLength(keys.length);
    } finally {
      release.resolve();
      await hanging;
    }
    expect((await Promise.all(loads)).map(({ outcome }) => outcome)).toEqual(keys.map(() => 'PUBLISHED'));
    expect(await publish(impatient, read(live({ key: 'again' })), AT)).toMatchObject({ outcome: 'PUBLISHED' });
  });

  test.each([
    ['the instrument inst-069500', `select from instrument where instrument_id = 'inst-069500' for update`],
    ['the firing trg-held', `select from explanation_route where price_movement_trigger_id = 'trg-held' for update`],
    ['the id res-waits', `select pg_advisory_xact_lock(hashtextextended('explanation-id:res-waits', 0))`],
    [
      'a row of its lineage, which another load has too',
      `update document set title = title where document_id = 'dis-held'`,
    ],
    ['the run run-waits or its release', `insert into release_bundle (version) values ('held')`],
  ])('the sentence of a wait that ended names what was waited for: %s', async (what, statement) => {
    await publish(any(0), read(live({ key: 'held' })), AT);
    const again = live({ key: 'waits', route: 'held' });
    const [document] = makeLineage('held', 0).documents;
    if (document === undefined) throw new Error('no document');
    again.lineage = { ...makeLineage('waits', 0), disclosure_facts: [], documents: [{ ...document, title: '제목' }] };
    again.run = { ...again.run, release_bundle_version: 'held' };
    await any(1).transaction(async (trx) => {
      await sql.raw(statement).execute(trx);
      await expect(publish(impatient, read(again), AT)).rejects.toMatchObject({
        code: 'LOCK_TIMEOUT',
        message: `Another transaction held ${what} for too long; nothing was written, try again.`,
      });
    });
  });

  test('a firing whose load hangs: another load of it gives up with a clear error, other firings are taken', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 1);
    // The release is stored already: a new one would be shared by both.
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

  test('two instruments whose first loads come at once under one ticker: the second is refused (D205)', async () => {
    const store = any(0);
    await reset(store);
    const of = (key: string) => {
      const load = live({ key });
      return read({ ...load, instrument: { ...load.instrument, instrument_id: `inst-${key}` } });
    };
    const release = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const first = publish(any(1), of('a'), AT, {
      onStep: async (step) => {
        if (step !== 'stored') return;
        held.resolve();
        await release.promise;
      },
    });
    await held.promise;
    let isDone = false;
    const second = publish(any(2), of('b'), AT)
      .catch((error: unknown) => error)
      .finally(() => (isDone = true));
    const isWaiting = async (): Promise<boolean> =>
      isDone || (await sql`select from pg_locks where not granted`.execute(store.db)).rows.length > 0;
    await waitFor('the second to wait', isWaiting);
    release.resolve();
    expect(await first).toMatchObject({ outcome: 'PUBLISHED' });
    expect(await second).toMatchObject({ code: 'INSTRUMENT_CONFLICT' });
  });

  test.each(['the load', 'the withdrawal'])(
    'of a first load under a former ticker and a withdrawal that would give it back, the first counts: %s (D205)',
    async (first) => {
      const store = any(0);
      await reset(store);
      const of = (instrument_id: string, key: string, ticker: string) => {
        const load = live({ key, ticker });
        const changed = { ...load.instrument, instrument_id, ticker };
        return read({ ...load, instrument: changed, instrument_change: key === 'renamed' });
      };
      for (const [key, ticker] of [
        ['former', '111111'],
        ['renamed', '222222'],
      ] as const)
        await publish(store, of('inst', key, ticker), AT);
      const release = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const hang = (): Promise<void> => {
        held.resolve();
        return release.promise;
      };
      let isDone = false;
      const heir = (onStep?: () => Promise<void>) =>
        publish(any(1), of('heir', 'heir', '111111'), AT, {
          onStep: (step) => (step === 'stored' ? (onStep?.() ?? Promise.resolve()) : Promise.resolve()),
        })
          .catch((error: unknown) => error)
          .finally(() => (isDone = true));
      const withdrawn = (then?: () => Promise<void>) =>
        any(2).transaction(async (trx) => {
          await withdraw(trx, { explanationResultId: 'res-renamed' }, 'wrong', AT);
          await then?.();
        });
      if (first === 'the load') {
        const loading = heir(hang);
        await held.promise;
        await withdrawn();
        release.resolve();
        expect(await loading).toMatchObject({ outcome: 'PUBLISHED' });
        const again = publish(store, of('inst', 'again', '111111'), AT);
        await expect(again).rejects.toMatchObject({ code: 'INSTRUMENT_CONFLICT' });
        return;
      }
      const withdrawing = withdrawn(hang);
      await held.promise;
      const loading = heir();
      const isWaiting = async (): Promise<boolean> =>
        isDone || (await sql`select from pg_locks where not granted`.execute(store.db)).rows.length > 0;
      await waitFor('the load to wait', isWaiting);
      release.resolve();
      await withdrawing;
      expect(await loading).toMatchObject({ code: 'INSTRUMENT_CONFLICT' });
    },
  );

  test('a tenant that is added while a fan-out runs gets all of a publication or nothing', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 1);
    await publish(store, read(live({ key: 'a' })), AT);
    await store.transaction(async (trx) => {
      await sql`update explanation_result set summary = summary`.execute(trx);
      await addTenants(any(1), 1, 'late-');
      await sql`delete from tenant_delivery`.execute(trx);
      expect(await fanOutNew(trx, { explanationResultId: 'res-a' }, AT)).toEqual({ issued: 2, passedOver: 0 });
    });
    expect((await deliveries(store)).map((row) => [row.tenant_id, row.cursor])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  test('a floor is judged under the lock: neither a higher floor nor a new record is overwritten', async () => {
    const store = any(0);
    await reset(store);
    await addTenants(store, 2);
    for (const key of ['a', 'b', 'c']) await publish(store, read(live({ key })), AT);
    const allowed = { dropUnconfirmed: true, aboveHead: false };
    const waiting = async (): Promise<boolean> =>
      (await sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(store.db)).rows.length >= 2;
    const { commands } = await any(1).transaction(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${FAN_OUT_LOCK}, 0))`.execute(trx);
      const begun = Promise.allSettled([
        applyRetention(any(0), 1, 1, allowed),
        applyRetention(any(2), 2, 4, { dropUnconfirmed: false, aboveHead: true }),
      ]);
      await waitFor('both commands to wait', waiting);
      await sql`update tenant set retention_floor = 2 where tenant_id = 1`.execute(trx);
      await fanOutNew(trx, { explanationResultId: await another(trx) }, AT);
      return { commands: begun };
    });
    const [lower, above] = await commands;
    expect(lower).toMatchObject({ status: 'rejected', reason: { name: 'RetentionError' } });
    expect(above).toMatchObject({ status: 'rejected', reason: { name: 'RetentionError' } });
    expect(await findPosition(store.db, 1)).toMatchObject({ retentionFloor: 2 });
    expect((await deliveries(store)).filter((row) => row.tenant_id === 2)).toHaveLength(4);
  });
});
