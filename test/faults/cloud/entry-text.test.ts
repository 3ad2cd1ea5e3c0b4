/**
 * A kept text equals the join (D69), in every snapshot, for every writer: each before, between and behind the steps of
 * the process that keeps a text, and all of them at random; the deep suite has them at random each by itself, too.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { KEEP_ENTRY_TEXT } from '../../../cloud/entries/entry-sql.ts';
import { EntryTextRefill, keepEntryText } from '../../../cloud/entries/entry-text.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { read } from '../../../cloud/testing/loads.ts';
import { addTenants, AT, postgresKind, reset, STORE_KINDS, type StoreKind } from '../../../cloud/testing/store.ts';
import { waitFor } from '../../support/process.ts';
import { newSeed, runs } from '../../support/runs.ts';
import { Seeded } from '../truth.ts';
import {
  CHECKED,
  compare,
  DELETIONS,
  isRefusal,
  joinedColumns,
  loadsOf,
  randomOf,
  runAll,
  stopped,
  subjectsOf,
  type Writer,
  WRITERS,
} from './entry-writers.ts';

const COMPARISONS = runs(60, 1_000);

/** So many writes come before the lineages are made anew. */
const AFRESH = 400;
/** Names of lineages, the first of which each test has. */
const MANY = ['a', ...Array.from({ length: 39 }, (_, index) => `k${index}-`)];
const pickOf = (keys: readonly string[], random: () => number): string =>
  keys[Math.floor(random() * keys.length)] ?? 'a';

const SEED = newSeed();
/** Writers between the steps of two transactions. The triggers of all tables are made alike, and each writer is tried alone. */
const SOME = new Seeded(SEED).shuffled(WRITERS).slice(0, runs(4, WRITERS.length));
const anyWriter = (random: () => number): Writer => (WRITERS[Math.floor(random() * WRITERS.length)] ?? WRITERS[0])[1];
const AT_RANDOM: (readonly [string, (random: () => number) => Writer])[] = [
  ['any row', anyWriter] as const,
  ...WRITERS.slice(0, runs(0, WRITERS.length)).map(([what, writer]) => [what, (): Writer => writer] as const),
];

async function publishAll(store: Store, keys: readonly string[]): Promise<void> {
  for (const load of keys.flatMap(loadsOf)) await publish(store, read(load), AT);
}

async function keepAll(store: Store, keys: readonly string[]): Promise<void> {
  for (const subject of keys.flatMap(subjectsOf)) await store.transaction((trx) => keepEntryText(trx, subject));
}

/** Keeps every text that is not kept, in one transaction. */
async function keepMissing(store: Store): Promise<void> {
  const missing = (id: string, table: string, isV2: boolean): string =>
    `select ${isV2 ? `null, ${id}` : `${id}, null`} from ${table}
     where not exists (select from entry_text where subject = ${id} and is_v2 = ${isV2})`;
  const subjects = [
    missing('explanation_result_id', 'explanation_result', false),
    missing('movement_analysis_id', 'movement_analysis', true),
  ];
  const statement = `select ${KEEP_ENTRY_TEXT}(result, analysis) from (${subjects.join(' union all ')}) x (result, analysis)`;
  await store.transaction((trx) => sql.raw(statement).execute(trx));
}

const kept = async (store: Store): Promise<number> => (await compare(store.db)).compared;

describe.each(STORE_KINDS)('on %s', (_name, makeKind) => {
  let kind: StoreKind;
  let store: Store;
  beforeAll(async () => {
    kind = await makeKind();
    ({ store } = await kind.open());
  });
  afterAll(async () => {
    await store.close();
    await kind.stop();
  });
  beforeEach(async () => {
    await reset(store);
    await addTenants(store, 1);
    await publishAll(store, ['a']);
  });

  test('a publication keeps the texts of its results', async () => {
    expect(await compare(store.db)).toEqual({ compared: 3, wrong: [] });
  });

  test.each(WRITERS)(
    'a change of %s drops the texts that contain it, and a refill restores them',
    async (_what, writer) => {
      const { ready, change } = writer('a', 10);
      await store.transaction((trx) => runAll(trx, ready));
      await keepAll(store, ['a']);
      const undone = store.transaction(async (trx) => {
        await runAll(trx, change);
        expect((await compare(trx)).wrong).toEqual([]);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await compare(store.db)).toEqual({ compared: 3, wrong: [] });
      await store.transaction((trx) => runAll(trx, change));
      const { compared, wrong } = await compare(store.db);
      expect(wrong).toEqual([]);
      expect(compared).toBeLessThan(3);
      const refill = new EntryTextRefill(store);
      refill.ask(subjectsOf('a'));
      await refill.idle();
      expect(await compare(store.db)).toEqual({ compared: 3, wrong: [] });
    },
  );

  test('a change of any column of any joined table drops the texts that it changes', async () => {
    const columns = await joinedColumns(store.db);
    const refused: string[] = [];
    let dropped = 0;
    for (const { table, column, other } of columns) {
      const undone = new Error('undone');
      await store
        .transaction(async (trx) => {
          await sql.raw(`update ${table} set ${column} = ${other}`).execute(trx);
          const { compared, wrong } = await compare(trx);
          expect(wrong, `${table}.${column}`).toEqual([]);
          if (compared < 3) dropped += 1;
          throw undone;
        })
        .catch((error: unknown) => {
          if (error === undone) return;
          // A reference or a check refuses the value; rows that refer to others are written above.
          if (!isRefusal(error)) throw error;
          refused.push(`${table}.${column}`);
        });
    }
    expect(refused.filter((name) => !/(?:_id|_uuid)$/.test(name))).toEqual(CHECKED);
    expect(dropped).toBeGreaterThan(30);
  });

  test.each(DELETIONS)('a row of %s that is deleted past its references drops all texts', async (table, row) => {
    const gone = store.transaction(async (trx) => {
      await runAll(trx, ['set local session_replication_role = replica', `delete from ${table} where ${row('a')}`]);
      expect(await compare(trx)).toEqual({ compared: 0, wrong: [] });
      throw new Error('undone');
    });
    await expect(gone).rejects.toThrow('undone');
    expect(await kept(store)).toBe(3);
  });

  test('a write of the same values drops no kept text', async () => {
    await runAll(store.db, [
      'update explanation_result set counter_factors = null, summary = summary',
      'update document set title = title, available_at = now()',
      'update explanation_run_calculation set title = title',
    ]);
    expect(await kept(store)).toBe(3);
  });

  test('a writer whose isolation hides commits meanwhile is refused', async () => {
    const late = store.db.transaction().execute(async (trx) => {
      await sql`set transaction isolation level repeatable read`.execute(trx);
      await sql`update document set title = 'late'`.execute(trx);
    });
    await expect(late).rejects.toThrow(/read committed only/);
    expect(await compare(store.db)).toEqual({ compared: 3, wrong: [] });
  });

  test('a text of another form is replaced', async () => {
    await sql`update entry_text set form = 'of another program', body = 'stale'`.execute(store.db);
    await keepAll(store, ['a']);
    expect(await compare(store.db)).toEqual({ compared: 3, wrong: [] });
  });

  test('truncating a table is refused, because earlier snapshots would see it', async () => {
    await expect(sql`truncate explanation_run_calculation`.execute(store.db)).rejects.toThrow(/never truncated/);
    expect(await compare(store.db)).toEqual({ compared: 3, wrong: [] });
  });

  test('all writers, one after the other at random', { timeout: 2 * 3_600_000 }, async () => {
    const random = randomOf(SEED);
    const keys = MANY.slice(0, runs(1, MANY.length));
    const most = runs(50, 1_000);
    for (let compared = 0, n = 10; compared < most; n += 1) {
      // Most writers add rows to a lineage, the embedded store removes no old version of a row by itself, and each comparison
      // would take longer than the one before.
      if (n % AFRESH === 10) {
        await reset(store);
        await sql`vacuum`.execute(store.db);
        await addTenants(store, 1);
        await publishAll(store, keys);
      }
      const key = pickOf(keys, random);
      const { ready, change } = anyWriter(random)(key, n);
      await store.transaction((trx) => runAll(trx, [...ready, ...change]));
      if (random() < 0.7) await keepMissing(store);
      const look = await compare(store.db);
      expect(look.wrong, `seed ${SEED}`).toEqual([]);
      compared += Math.max(1, look.compared);
    }
  });
});

describe('between the steps of two transactions', () => {
  let kind: StoreKind;
  let store: Store;
  let others: Store[];
  beforeAll(async () => {
    kind = await postgresKind();
    const opened = await kind.open();
    store = opened.store;
    others = await Promise.all([1, 2, 3, 4].map(() => openPostgres(opened.url ?? '', 2)));
  });
  afterAll(async () => {
    await Promise.all([store, ...others].map((one) => one.close()));
    await kind.stop();
  });
  beforeEach(async () => {
    await reset(store);
    await addTenants(store, 1);
  });

  /** Until the transaction waits for a lock, or is over. */
  async function waitsOrEnds(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    void work.catch(() => undefined).finally(() => (isOver = true));
    await waitFor('a lock to be waited for', async () => {
      const { rows } = await sql`select from pg_locks where not granted`.execute(store.db);
      return isOver || rows.length > 0;
    });
  }

  test.each(SOME)('a change of %s that began first is read, though it ends last', async (_what, writer) => {
    await publishAll(store, ['a']);
    const { ready, change } = writer('a', 10);
    await store.transaction((trx) => runAll(trx, ready));
    const first = stopped(others[0] as Store, (trx) => runAll(trx, change));
    await first.done;
    const keeping = keepAll(others[1] as Store, ['a']);
    await waitsOrEnds(keeping);
    await first.commit();
    await keeping;
    expect(await compare(store.db)).toEqual({ compared: 3, wrong: [] });
  });

  test.each(SOME)('a change of %s that begins before the text can be seen drops it', async (_what, writer) => {
    await publishAll(store, ['a']);
    const { ready, change } = writer('a', 10);
    await store.transaction((trx) => runAll(trx, ready));
    await sql`delete from entry_text`.execute(store.db);
    for (const subject of subjectsOf('a')) {
      const keeping = stopped(others[0] as Store, (trx) => keepEntryText(trx, subject));
      await keeping.done;
      const changing = (others[1] as Store).transaction((trx) => runAll(trx, change));
      await waitsOrEnds(changing);
      await keeping.commit();
      await changing.catch(() => undefined);
      expect((await compare(store.db)).wrong).toEqual([]);
    }
  });

  test('a refill does not wait for long, and is made up for later', async () => {
    await publishAll(store, ['a']);
    await sql`delete from entry_text`.execute(store.db);
    const writer = stopped(others[0] as Store, async (trx) => {
      await sql`update document set title = 'held' where document_id = 'doc-a-0'`.execute(trx);
    });
    await writer.done;
    const refill = new EntryTextRefill(others[1] as Store);
    refill.ask(subjectsOf('a'));
    await refill.idle();
    expect(await kept(store)).toBe(0);
    await writer.commit();
    refill.ask(subjectsOf('a'));
    await refill.idle();
    expect(await compare(store.db)).toEqual({ compared: 3, wrong: [] });
  });

  test.each(AT_RANDOM)(
    `writers of %s beside publishers, refills and ${COMPARISONS} comparisons`,
    { timeout: 2 * 3_600_000 },
    async (what, writerOf) => {
      const keys = MANY.slice(0, runs(8, MANY.length));
      await publishAll(store, keys);
      let isOver = false;
      let number = 10;
      const until = async (step: (random: () => number) => Promise<unknown>, salt: number): Promise<void> => {
        const random = randomOf(SEED + salt);
        // A deadlock or a lock that takes too long undoes one step, and the next one follows.
        while (!isOver) await step(random).catch(() => undefined);
      };
      const pick = (random: () => number): string => pickOf(keys, random);
      const pause = (random: () => number) => sql`select pg_sleep(${random() * 0.02})`;
      const write = async (random: () => number, on: Store): Promise<void> => {
        const { ready, change } = writerOf(random)(pick(random), (number += 1));
        await on.transaction((trx) => runAll(trx, ready));
        await on.transaction(async (trx) => {
          await runAll(trx, change);
          await pause(random).execute(trx);
          if (random() < 0.2) throw new Error('undone');
        });
      };
      const refill = (random: () => number, on: Store): Promise<void> =>
        on.transaction(async (trx) => {
          const subjects = subjectsOf(pick(random));
          await keepEntryText(
            trx,
            subjects[Math.floor(random() * subjects.length)] ?? { resultId: 'none', analysisId: null },
          );
          await pause(random).execute(trx);
        });
      const publishing = async (random: () => number, on: Store): Promise<void> => {
        const shared = loadsOf(pick(random))[0];
        const key = `p${(number += 1)}`;
        const [load] = loadsOf(key);
        if (load !== undefined && shared !== undefined && number < 200)
          await publish(on, read({ ...load, lineage: shared.lineage }), AT);
        else await pause(random).execute(on.db);
      };
      const [one, two, three, four] = others as [Store, Store, Store, Store];
      const busy = [
        until((random) => write(random, one), 1),
        until((random) => write(random, two), 2),
        until((random) => refill(random, two), 3),
        until((random) => refill(random, three), 4),
        until((random) => publishing(random, four), 5),
      ];
      let compared = 0;
      const wrong: string[] = [];
      while (compared < COMPARISONS && wrong.length === 0) {
        const look = await compare(store.db);
        compared += look.compared;
        wrong.push(...look.wrong);
      }
      isOver = true;
      await Promise.all(busy);
      expect(wrong, `${what}, seed ${SEED}`).toEqual([]);
      expect((await compare(store.db)).wrong).toEqual([]);
    },
  );
});
