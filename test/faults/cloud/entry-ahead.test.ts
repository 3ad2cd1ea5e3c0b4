/**
 * A bundle that was assembled ahead is what a pull gives at that moment (D184), whichever row behind it changes between
 * assembly and pull: each kind of writer before, across and behind the assembly, and all of them at random beside pulls.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EntryTextRefill } from '../../../cloud/entries/entry-text.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { pull, type AssembledBundle } from '../../../cloud/sync/pull.ts';
import { ReadAhead } from '../../../cloud/sync/read-ahead.ts';
import { bundleFixture, PRINT, watchedStatements, type BundleBody } from '../../../cloud/testing/bundle-fixture.ts';
import { read } from '../../../cloud/testing/loads.ts';
import { AT, embeddedKind, postgresKind } from '../../../cloud/testing/store.ts';
import { newSeed, runs } from '../../support/runs.ts';
import { Seeded } from '../truth.ts';
import { loadsOf, randomOf, runAll, stopped, subjectsOf, WRITERS } from './entry-writers.ts';

const COMPARISONS = runs(30, 150);
const SEED = newSeed();
/** Whichever row changed, a bundle ahead asks whether texts were dropped; `entry-text` tries each writer. */
const SOME = new Seeded(SEED).shuffled(WRITERS).slice(0, runs(10, WRITERS.length));
/** Records of a key. */
const EACH = 3;

let url: string;
const KINDS = [
  ['PGlite', embeddedKind],
  [
    'PostgreSQL',
    async () => {
      const kind = await postgresKind();
      const open = async (): ReturnType<typeof kind.open> => {
        const opened = await kind.open();
        url = opened.url ?? '';
        return opened;
      };
      return { ...kind, open };
    },
  ],
] as const;

// PostgreSQL; the deep suite has PGlite too.
describe.each(KINDS.slice(runs(1, 0)))('a bundle ahead on %s', (name, makeKind) => {
  const fixture = bundleFixture(makeKind);
  let ahead: ReadAhead<AssembledBundle>;
  let assemblies: Promise<void>[];
  let settled: () => Promise<void>;
  beforeEach(async () => {
    ahead = new ReadAhead();
    assemblies = [];
    const { store } = fixture;
    const watched = watchedStatements(store);
    ({ settled } = watched);
    fixture.parts.calculations = true;
    fixture.parts.store = {
      ...watched.store,
      rowsOf: (...asked) => {
        const assembly = store.rowsOf(...asked);
        assemblies.push(assembly);
        return assembly;
      },
    };
    for (const load of ['a', 'b'].flatMap(loadsOf)) await publish(store, read(load), AT);
  });

  const entriesOf = async (after: number, isAhead: boolean): Promise<unknown> => {
    const asked = { fingerprint: PRINT, after, limit: EACH };
    const result = await pull(fixture.parts, isAhead ? { ...asked, ahead } : asked);
    if (result.standing !== 'SERVED') throw new Error(result.standing);
    const { result: bundle } = JSON.parse(result.body.toString()) as BundleBody;
    result.release();
    return bundle?.entries;
  };
  /** The first bundle is given, and the second one is assembled. */
  const pullFirst = async (): Promise<void> => {
    await entriesOf(0, true);
    // Behind the moment the assembly begins.
    await settled();
    await Promise.all(assemblies);
    expect(assemblies).toHaveLength(2);
  };
  const forgetTexts = () => sql`delete from entry_text`.execute(fixture.store.db);

  test.each(SOME)('tells a change of %s, whether a text was kept or not', async (_what, writer) => {
    for (const [number, isKept] of [true, false].entries()) {
      const { ready, change } = writer('b', 10 + number);
      await fixture.store.transaction((trx) => runAll(trx, ready));
      if (!isKept) await forgetTexts();
      assemblies.length = 0;
      await pullFirst();
      await fixture.store.transaction((trx) => runAll(trx, change));
      const given = await entriesOf(EACH, true);
      // Not every change of a row is one of the text.
      expect(assemblies).toHaveLength(3);
      expect(given).toEqual(await entriesOf(EACH, false));
    }
  });

  test('is given after publications of new runs, and leaves them without a trace', async () => {
    const ids = async (): Promise<unknown> =>
      (await sql`select xid::text from entry_change`.execute(fixture.store.db)).rows;
    const before = await ids();
    await pullFirst();
    for (const load of loadsOf('c')) await publish(fixture.store, read(load), AT);
    const given = await entriesOf(EACH, true);
    await settled();
    // The assembly of the third bundle has begun; the second one was not assembled again.
    expect(assemblies).toHaveLength(3);
    expect(given).toEqual(await entriesOf(EACH, false));
    expect(await ids()).toEqual(before);
  });

  if (name === 'PGlite') return;
  const others: Store[] = [];
  beforeAll(async () => {
    for (let count = 0; count < 4; count += 1) others.push(await openPostgres(url, 2));
  });
  afterAll(async () => {
    for (const other of others) await other.close();
  });

  test.each(SOME)('tells a change of %s that began before it was assembled', async (_what, writer) => {
    const { ready, change } = writer('b', 10);
    await fixture.store.transaction((trx) => runAll(trx, ready));
    const changing = stopped(others[0] as Store, (trx) => runAll(trx, change));
    await changing.done;
    // A later one that is over: so the one under way lies within the snapshot.
    await sql`select pg_current_xact_id()`.execute(fixture.store.db);
    await pullFirst();
    await changing.commit();
    expect(await entriesOf(EACH, true)).toEqual(await entriesOf(EACH, false));
  });

  test('is given while a change is under way, and after one that was undone', async () => {
    const changing = stopped(others[0] as Store, (trx) => runAll(trx, [`update document set title = 'new'`]));
    await changing.done;
    await pullFirst();
    const given = await entriesOf(EACH, true);
    expect(assemblies).toHaveLength(2);
    expect(given).toEqual(await entriesOf(EACH, false));
    await changing.commit();
    assemblies.length = 0;
    await pullFirst();
    await runAll(fixture.store.db, [
      `do $$ begin begin update document set title = 'undone'; raise 'undone'; exception when raise_exception then end; end $$`,
    ]);
    await entriesOf(EACH, true);
    expect(assemblies).toHaveLength(2);
  });

  test(
    `equals the join beside writers of any row, for ${COMPARISONS} comparisons`,
    { timeout: 3_600_000 },
    async () => {
      let isOver = false;
      let number = 10;
      const until = async (step: (random: () => number) => Promise<unknown>, salt: number): Promise<void> => {
        const random = randomOf(SEED + salt);
        // A deadlock or a lock that takes too long undoes one step, and the next one follows.
        while (!isOver) await step(random).catch(() => undefined);
      };
      const pause = (random: () => number) => sql`select pg_sleep(${random() * 0.03})`;
      const write = async (random: () => number, on: Store): Promise<void> => {
        const [, writer] = WRITERS[Math.floor(random() * WRITERS.length)] ?? WRITERS[0];
        const { ready, change } = writer(random() < 0.5 ? 'a' : 'b', (number += 1));
        await on.transaction((trx) => runAll(trx, ready));
        await pause(random).execute(on.db);
        await on.transaction(async (trx) => {
          await runAll(trx, change);
          await pause(random).execute(trx);
          if (random() < 0.2) throw new Error('undone');
        });
      };
      const keep = async (random: () => number, on: Store): Promise<void> => {
        const refill = new EntryTextRefill(on);
        refill.ask(subjectsOf(random() < 0.5 ? 'a' : 'b'));
        await refill.idle();
        await pause(random).execute(on.db);
      };
      const [one, two, three, four] = others as [Store, Store, Store, Store];
      const busy = [
        until((random) => write(random, one), 1),
        until((random) => write(random, two), 2),
        until((random) => keep(random, three), 3),
      ];
      const random = randomOf(SEED);
      let [compared, fromAhead] = [0, 0];
      const wrong: unknown[] = [];
      while (compared < COMPARISONS && wrong.length === 0) {
        assemblies.length = 0;
        await entriesOf(0, true);
        if (random() < 0.5) await pause(random).execute(four.db);
        const before = await entriesOf(EACH, false);
        const count = assemblies.length;
        const given = await entriesOf(EACH, true);
        const isFromAhead = assemblies.length === count;
        // Every writer writes another value: what is equal before and behind a pull was so during it.
        const after = await entriesOf(EACH, false);
        if (JSON.stringify(before) !== JSON.stringify(after)) continue;
        compared += 1;
        if (isFromAhead) fromAhead += 1;
        if (JSON.stringify(given) !== JSON.stringify(before)) wrong.push({ given, before });
      }
      isOver = true;
      await Promise.all(busy);
      expect(wrong, `seed ${SEED}`).toEqual([]);
      expect(fromAhead).toBeGreaterThan(COMPARISONS / 100);
    },
  );
});
