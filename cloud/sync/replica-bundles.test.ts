/** Pulls with a read replica: a standby that lags, falls silent, is ahead, is promoted, or belongs to another primary. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startPostgresPair, type PostgresPair } from '../../test/support/postgres.ts';
import { waitFor } from '../../test/support/process.ts';
import { withdraw } from '../publication/withdraw.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { openPostgres } from '../store/open.ts';
import { openReplica, type Replica, type ReplicaOutcome } from '../store/replica.ts';
import { bundleFixture, PRINT, type BundleBody } from '../../test/support/cloud/bundle-fixture.ts';
import { live } from '../../test/support/cloud/loads.ts';
import { AT, reset } from '../../test/support/cloud/store.ts';
import { STATUS_FOR_REPLICA } from './certificate-sql.ts';
import { CollectedBundle } from '../entries/collected-bundle.ts';
import { pull } from './pull.ts';
import { ReplicaBundles, type PrimaryMoment } from './replica-bundles.ts';
import { runs } from '../../test/support/runs.ts';

let pair: PostgresPair;
let url: string;
let replica: Replica;
let standby: Client;
const fixture = bundleFixture(async () => {
  pair = await startPostgresPair({ isWaiting: false, settings: { autovacuum: 'off' } });
  url = await pair.createDatabase();
  const store = await openPostgres(url);
  await migrate(store, MIGRATIONS, AT);
  replica = await openReplica(pair.standbyOf(url), 2);
  standby = await waitFor('the database to be at the standby', () => connected(pair.standbyOf(url)));
  return { open: async () => ({ store, url }), stop: () => pair.stop() };
});
afterAll(async () => {
  await standby.end();
  await replica.close();
});

let outcomes: ReplicaOutcome[];
let turns: string[];
let time: number;
beforeEach(() => {
  [outcomes, turns, time] = [[], [], 0];
  fixture.parts.replica = withReplica(replica);
});

async function connected(address: string): Promise<Client> {
  const client = new Client({ connectionString: address });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const withReplica = (asked: Pick<Replica, 'prepared'>): ReplicaBundles =>
  new ReplicaBundles(
    asked,
    { asked: (outcome) => outcomes.push(outcome), turned: (error) => turns.push(error === null ? 'BACK' : 'AWAY') },
    () => time,
  );

const lag = () => standby.query('select pg_wal_replay_pause()');
async function catchUp(): Promise<void> {
  await standby.query('select pg_wal_replay_resume()');
  const { rows } = await sql<{ at: string }>`select pg_current_wal_insert_lsn()::text as at`.execute(fixture.store.db);
  await waitFor('the standby to have applied all', async () => {
    const { rows: seen } = await standby.query('select pg_last_wal_replay_lsn() >= $1::pg_lsn as is', [rows[0]?.at]);
    return (seen as { is: boolean }[])[0]?.is;
  });
}

/** What a pull gives, apart from the id of the bundle. */
async function given(isFromPrimary: boolean, after: number, limit: number): Promise<unknown> {
  const { replica: replicaOf, ...plain } = fixture.parts;
  const parts = isFromPrimary ? plain : { ...plain, replica: replicaOf };
  const result = await pull(parts, { fingerprint: PRINT, after, limit });
  if (result.standing !== 'SERVED') return result;
  const { body, ...facts } = result;
  const { result: bundle } = JSON.parse(body.toString()) as BundleBody;
  return { ...facts, entries: bundle?.entries ?? [] };
}

const withdrawn = (key: string): Promise<unknown> =>
  fixture.store.transaction((trx) => withdraw(trx, { explanationResultId: `res-${key}` }, '수치 오류', AT));

type Step =
  | { do: 'publish' | 'withdraw' | 'rename' | 'lag' | 'catchUp' | 'revoke' }
  | { do: 'retain'; floor: number }
  | { do: 'pull'; after: number; limit: number };
const cursor = fc.integer({ min: 0, max: 6 });
const asked = fc.record({ do: fc.constant('pull' as const), after: cursor, limit: fc.integer({ min: 1, max: 4 }) });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: asked },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('publish', 'publish', 'catchUp', 'catchUp', 'withdraw', 'rename', 'lag'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retain' as const), floor: cursor }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const) }) },
);

/** Each run has a bundle from the replica, and one for which it is behind. */
const everything: Step = { do: 'pull', after: 0, limit: 9 };
const FIRST: Step[] = [{ do: 'publish' }, { do: 'catchUp' }, everything, { do: 'lag' }, { do: 'publish' }, everything];

test('a pull gives what the primary alone would give, whatever the replica has applied', async () => {
  const all: ReplicaOutcome[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 25 }), async (run) => {
      await catchUp();
      await reset(fixture.store);
      await sql`insert into tenant (name, environment, polling_seconds, created_at) values ('one', 'POC', 60, ${AT})`.execute(
        fixture.store.db,
      );
      await fixture.register(PRINT, 1);
      outcomes = [];
      let published = 0;
      for (const step of [...FIRST, ...run]) {
        switch (step.do) {
          case 'publish':
            published += 1;
            await fixture.take(live({ key: String(published) }));
            break;
          case 'withdraw':
            await withdrawn(String(published));
            break;
          case 'rename':
            await sql`update instrument_name set entity_name = entity_name || '+'`.execute(fixture.store.db);
            break;
          case 'lag':
            await lag();
            break;
          case 'catchUp':
            await catchUp();
            break;
          case 'revoke':
            await sql`update tenant_certificate set revoked_at = ${AT}`.execute(fixture.store.db);
            break;
          case 'retain':
            await sql`update tenant set retention_floor = least(${step.floor}, (select fan_outs from fan_out_count))`.execute(
              fixture.store.db,
            );
            break;
          case 'pull':
            expect(await given(false, step.after, step.limit)).toEqual(await given(true, step.after, step.limit));
        }
      }
      all.push(...outcomes);
    }),
    { numRuns: runs(8, 40) },
  );
  await catchUp();
  expect(new Set(all)).toEqual(new Set(['SERVED', 'BEHIND']));
});

test('a replica that has applied all serves, and one that lags makes no head fall', async () => {
  await fixture.take(live({ key: 'a' }));
  await catchUp();
  expect(await given(false, 0, 9)).toMatchObject({ head: 1, to: 1 });
  await lag();
  await fixture.take(live({ key: 'b' }));
  expect(await given(false, 0, 9)).toMatchObject({ head: 2, to: 2 });
  expect(await given(false, 2, 9)).toMatchObject({ head: 2, entries: [] });
  expect(outcomes).toEqual(['SERVED', 'BEHIND']);
  await catchUp();
});

test('a certificate that is revoked at the primary is refused before the replica knows', async () => {
  await fixture.take(live({ key: 'a' }));
  await catchUp();
  await lag();
  await sql`update tenant_certificate set revoked_at = now()`.execute(fixture.store.db);
  expect(await given(false, 0, 9)).toEqual({ standing: 'REVOKED', tenantId: 1 });
  await catchUp();
});

test('a replica counts only with the very state that the primary has told', async () => {
  await fixture.take(live({ key: 'a' }));
  const { name, text } = STATUS_FOR_REPLICA;
  const [told] = await fixture.store.prepared<PrimaryMoment>(name, text, [PRINT, AT, 0]);
  await catchUp();
  if (told === undefined) throw new Error('the certificate is unknown');
  const settings = { calculations: false, fullBundleBytes: 1_000_000 };
  const read = async (other: Partial<PrimaryMoment>): Promise<number | null> => {
    const bundle = new CollectedBundle();
    const asked = { tenantId: 1, after: 0, limit: 9, bundle };
    return (await withReplica(replica).read({ ...told, ...other }, asked, settings)) ? bundle.entries : null;
  };
  const [cluster = '', timeline = ''] = told.origin.split('/');
  expect(await read({})).toBe(1);
  expect(await read({ origin: `${cluster}/00000002` })).toBeNull();
  expect(await read({ origin: `1${cluster}/${timeline}` })).toBeNull();
  expect(await read({ snapshot: '100000:100000:' })).toBeNull();
  // A commit that waits for a synchronous standby is seen here before the primary shows it.
  await fixture.take(live({ key: 'b' }));
  await catchUp();
  expect(await read({})).toBeNull();
  expect(outcomes).toEqual(['SERVED', 'BEHIND', 'BEHIND', 'BEHIND', 'BEHIND']);
});

test('a silent replica is left alone for five seconds, and used again when it answers', async () => {
  await fixture.take(live({ key: 'a' }));
  await catchUp();
  const thaw = pair.freezeStandby();
  expect(await given(false, 0, 9)).toMatchObject({ to: 1 });
  thaw();
  time = 4_999;
  expect(await given(false, 0, 9)).toMatchObject({ to: 1 });
  expect([outcomes, turns]).toEqual([['AWAY', 'AWAY'], ['AWAY']]);
  time = 5_000;
  expect(await given(false, 0, 9)).toMatchObject({ to: 1 });
  expect([outcomes.at(-1), turns]).toEqual(['SERVED', ['AWAY', 'BACK']]);
});

test('a replica that has been promoted is passed over', async () => {
  await fixture.take(live({ key: 'a' }));
  await catchUp();
  await pair.promote();
  expect(await given(false, 0, 9)).toMatchObject({ to: 1 });
  expect(outcomes).toEqual(['BEHIND']);
});
