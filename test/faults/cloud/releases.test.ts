/**
 * Two releases over one store, as while an upgrade goes from host to host (D137, D180): the release before beside this
 * one, a store that the next release has expanded under both, and the way back. CAUSEWAY_RELEASE_BEFORE names the unpacked
 * package of the release before; without it this program takes its place, as it does for the first release.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../../cloud/store/open.ts';
import { MIGRATIONS, STORE_VERSION } from '../../../cloud/store/migrations/index.ts';
import { migrate, type Migration } from '../../../cloud/store/migrations/migrate.ts';
import { live } from '../../support/cloud/loads.ts';
import type { Bundle } from '../../../shared/wire/bundle.ts';
import { waitFor } from '../../support/process.ts';
import { runs } from '../../support/runs.ts';
import { about, CloudFixture, operatorOf, unpacked, type Cloud, type Tenant } from './cloud-fixture.ts';

const FOLDER = process.env['CAUSEWAY_RELEASE_BEFORE'] ?? '';
const BEFORE = FOLDER === '' ? { script: 'cloud/main.ts' } : unpacked(FOLDER);
/** Publications of each program in a stage. */
const SHARE = runs(2, 12);

/** A column more in every table, and another table: what a release may add for the next one. */
const EXPAND: Migration = {
  version: STORE_VERSION + 1,
  name: 'expand',
  oldestProgram: MIGRATIONS[0]?.version ?? 0,
  statements: [
    `do $$ declare name regclass; begin
       for name in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       loop execute format('alter table %s add column of_the_next_release text', name); end loop;
     end $$`,
    'create table of_the_next_release (id bigint primary key)',
  ],
};
const CONTRACT: Migration = { version: STORE_VERSION + 2, name: 'contract', statements: ['select 1'] };

let clouds: CloudFixture;
beforeAll(async () => {
  clouds = await CloudFixture.start();
});
afterAll(() => clouds.clear());

type Entry = Bundle['entries'][number];

/** What was acknowledged, and what each tenant has received; shared by all stages. */
class Run {
  readonly tenants: readonly Tenant[];
  readonly acknowledged: string[] = [];
  readonly received: Entry[][];
  #key = 0;

  constructor(tenants: readonly Tenant[]) {
    this.tenants = tenants;
    this.received = tenants.map(() => []);
  }

  /** Both programs publish their share, the other one withdraws the last of it; each tenant asks them by turns. */
  async goOn(programs: readonly Cloud[], meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
    const operators = await Promise.all(programs.map(operatorOf));
    let isDone = false;
    const consuming = this.tenants.map((_, index) => this.#consume(index, programs, () => isDone));
    const publishing = programs.map(async (cloud, own) => {
      let key = '';
      for (let count = 0; count < SHARE; count += 1) {
        key = String((this.#key += 1));
        // An engine repeats a load that failed, by its id.
        await waitFor(`load ${key}`, async () => (await cloud.load(live({ key })))[0]?.outcome === 'PUBLISHED');
        this.acknowledged.push(`NEW res-${key}`);
      }
      const withdraw = operators[(own + 1) % operators.length];
      await waitFor(`the withdrawal of ${key}`, async () =>
        [200, 409].includes((await withdraw?.(`res-${key}`))?.status ?? 0),
      );
      this.acknowledged.push(`INVALIDATION res-${key}`);
    });
    const all = Promise.all([...publishing, meanwhile()]).finally(() => (isDone = true));
    await Promise.all([all, ...consuming]);
  }

  async #consume(index: number, programs: readonly Cloud[], done: () => boolean): Promise<void> {
    const entries = this.received[index] ?? [];
    for (let pulls = index, isLast = false; !isLast; pulls += 1) {
      isLast = done();
      const { bundle } = await waitFor('a pull', () =>
        (this.tenants[index] as Tenant).pull(programs[pulls % programs.length] as Cloud, entries.length, 3),
      );
      entries.push(...(bundle?.entries ?? []));
      if (bundle !== null) isLast = false;
    }
  }
}

async function apply(url: string, ...migrations: Migration[]): Promise<void> {
  const store = await openPostgres(url, 1);
  try {
    // It waits for locks on every table of a store in use; where PostgreSQL takes one back, the next start tries again.
    await waitFor(
      'the migration',
      async () => (await migrate(store, [...MIGRATIONS, ...migrations], new Date())).length > 0,
    );
  } finally {
    await store.close();
  }
}

async function end(programs: readonly Cloud[]): Promise<void> {
  for (const { part } of programs) expect(await part.stop()).toEqual({ code: 0, signal: null });
}

test('two releases publish, withdraw and serve over one store, before and after the next release expands it', async () => {
  const url = await clouds.initialised(BEFORE);
  // The release before serves while this one migrates its store.
  const before = await clouds.cloud(url, { release: BEFORE });
  const programs = [before, await clouds.cloud(url)];
  const run = new Run([await clouds.tenant(url, 'one'), await clouds.tenant(url, 'two')]);
  await run.goOn(programs);
  await run.goOn(programs, () => apply(url, EXPAND));
  await end(programs);
  // The way back: both start on the store of the next release.
  const again = [await clouds.cloud(url, { release: BEFORE }), await clouds.cloud(url)];
  await run.goOn(again);
  await end(again);

  for (const entries of run.received) {
    expect(entries.map(({ cursor }) => cursor)).toEqual(entries.map((_, index) => index + 1));
    expect(entries.map(about).toSorted()).toEqual(run.acknowledged.toSorted());
    expect(JSON.stringify(entries)).not.toContain('of_the_next_release');
  }
  expect(run.received[1]?.map(about)).toEqual(run.received[0]?.map(about));
  for (const tenant of run.tenants) tenant.close();

  await apply(url, EXPAND, CONTRACT);
  const refused = clouds.begin(url, { release: BEFORE });
  expect(await refused.ended()).toEqual({ code: 1, signal: null });
  expect(refused.stderr).toContain(`schema version ${STORE_VERSION + 2}, but this program knows versions up to`);
});
