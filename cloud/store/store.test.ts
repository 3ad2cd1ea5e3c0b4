/** Opening, migrating and locking the store. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AT } from '../../test/support/cloud/store.ts';
import type { PostgresServer } from '../../test/support/postgres.ts';
import { copyTemplate } from '../../test/support/cloud/embedded-template.ts';
import { sharedPostgres } from '../../test/support/shared-postgres.ts';
import { lockFolder, StoreInUseError } from './single-writer-lock.ts';
import { appliedTo, migrate, MigrationFailedError, StoreTooNewError, type Migration } from './migrations/migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { InexactIntegerError, StoreTakesNoWritesError, StoreUnavailableError } from './errors.ts';
import { openEmbedded, openPostgres, type Store } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-store-'));
let postgres: PostgresServer;
let embedded: Store;

beforeAll(async () => {
  [postgres, embedded] = await Promise.all([sharedPostgres(), openEmbedded(null)]);
});
afterAll(async () => {
  await embedded.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Both kinds, empty. */
async function onBoth(work: (store: Store) => Promise<void>): Promise<void> {
  const server = await openPostgres(await postgres.createDatabase(), 2);
  try {
    await work(server);
  } finally {
    await server.close();
  }
  await sql`drop schema public cascade`.execute(embedded.db);
  await sql`create schema public`.execute(embedded.db);
  await work(embedded);
}

const first: Migration = { version: 1, name: 'one', statements: ['create table one (id integer)'] };
const second: Migration = {
  version: 2,
  name: 'two',
  statements: ['create table two (id integer)', 'insert into one values (1)'],
};
const broken: Migration = {
  version: 2,
  name: 'broken',
  statements: ['create table two (id integer)', 'insert into nowhere values (1)'],
};
const tables = async (store: Store): Promise<string[]> =>
  (
    await sql<{
      t: string;
    }>`select table_name as t from information_schema.tables where table_schema = 'public' order by 1`.execute(store.db)
  ).rows.map(({ t }) => t);

describe('migrations', () => {
  test('apply once, in order, and go on from where they stopped', () =>
    onBoth(async (store) => {
      expect(await migrate(store, [first], AT)).toEqual([1]);
      await sql`insert into one values (7)`.execute(store.db);
      expect(await migrate(store, [first, second], AT)).toEqual([2]);
      expect(await migrate(store, [first, second], AT)).toEqual([]);
      expect((await sql`select id from one order by id`.execute(store.db)).rows).toEqual([{ id: 1 }, { id: 7 }]);
    }));

  test('a failed migration leaves the state before it and is named', () =>
    onBoth(async (store) => {
      const failed = migrate(store, [first, broken], AT);
      await expect(failed).rejects.toThrow(MigrationFailedError);
      await expect(failed).rejects.toThrow(/Migration 2 \(broken\).*rolled back/);
      expect(await tables(store)).toEqual(['one', 'schema_migration']);
      expect(await migrate(store, [first, second], AT)).toEqual([2]);
    }));

  test('a store from a newer program is refused and left alone', () =>
    onBoth(async (store) => {
      await migrate(store, [first, second], AT);
      await expect(migrate(store, [first], AT)).rejects.toThrow(StoreTooNewError);
      await expect(migrate(store, [first], AT)).rejects.toThrow(/schema version 2.*versions up to 1/);
    }));

  test('a program runs on a newer store as long as each newer migration leaves it usable', () =>
    onBoth(async (store) => {
      const expand = { ...second, oldestProgram: 1 };
      await migrate(store, [first, expand], AT);
      expect(await migrate(store, [first], AT)).toEqual([]);
      expect(await appliedTo(store.db)).toEqual({ version: 2, oldestProgram: 1 });
      const contract = { version: 3, name: 'contract', oldestProgram: 2, statements: ['drop table one'] };
      await migrate(store, [first, expand, contract], AT);
      expect(await migrate(store, [first, expand], AT)).toEqual([]);
      await expect(migrate(store, [first], AT)).rejects.toThrow(StoreTooNewError);
    }));

  test('several processes at once: each migration is applied by one of them', async () => {
    const url = await postgres.createDatabase();
    const stores = await Promise.all([1, 2, 3].map(() => openPostgres(url, 1)));
    const applied = await Promise.all(stores.map((store) => migrate(store, MIGRATIONS, AT)));
    expect(applied.flat().toSorted((a, b) => a - b)).toEqual(MIGRATIONS.map(({ version }) => version));
    await Promise.all(stores.map((store) => store.close()));
  });
});

describe('types are the same on both drivers', () => {
  test('int8 is an exact number, date is text, timestamptz is a Date, json is parsed', () =>
    onBoth(async (store) => {
      const { rows } = await sql`
        select 9007199254740991::int8 as big, count(*) as counted, '2026-11-20'::date as day, '2026-11-20T09:00:00.123+09:00'::timestamptz as at,
          '{"a":[1,null]}'::jsonb as doc, 0.1::float8 as ratio, null::int8 as nothing`.execute(store.db);
      const expected = {
        big: 9007199254740991,
        counted: 1,
        day: '2026-11-20',
        at: new Date('2026-11-20T00:00:00.123Z'),
        doc: { a: [1, null] },
        ratio: 0.1,
        nothing: null,
      };
      expect(rows).toEqual([expected]);
      expect(
        await store.prepared('types', 'select $1::int8 as big, $2::date as day, $3::timestamptz as at', [
          5,
          '2026-11-20',
          AT,
        ]),
      ).toEqual([{ big: 5, day: '2026-11-20', at: AT }]);
    }));

  test('an integer beyond 2^53-1 is an error, never rounded', () =>
    onBoth(async (store) => {
      await expect(sql`select 9007199254740993::int8 as big`.execute(store.db)).rejects.toThrow(InexactIntegerError);
      expect((await sql`select 1 as alive`.execute(store.db)).rows).toEqual([{ alive: 1 }]);
    }));

  test('a transaction is read committed under any default', () =>
    onBoth(async (store) => {
      await sql`set default_transaction_isolation to 'serializable'`.execute(store.db);
      const level = await store.transaction(
        async (trx) =>
          (await sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(trx)).rows[0]
            ?.level,
      );
      expect(level).toBe('read committed');
      await sql`reset default_transaction_isolation`.execute(store.db);
    }));
});

test('a read-only store reports that, and answers reads', () =>
  onBoth(async (store) => {
    await sql`create table one (id integer)`.execute(store.db);
    const write = () => store.transaction((trx) => sql`insert into one values (1)`.execute(trx));
    const readOnly = (on: boolean) =>
      Promise.all([1, 2].map(() => sql`set default_transaction_read_only to ${sql.lit(on)}`.execute(store.db)));
    await readOnly(true);
    await expect(write()).rejects.toThrow(StoreTakesNoWritesError);
    await expect(write()).rejects.toThrow(/takes no writes now .*read-only.*nothing was written.*primary/);
    expect((await sql`select 1 as alive`.execute(store.db)).rows).toEqual([{ alive: 1 }]);
    await readOnly(false);
    await write();
  }));

describe('the lock of the embedded folder', () => {
  const holdInChild = (target: string): Promise<ReturnType<typeof spawn>> =>
    new Promise((resolve, reject) => {
      const script = `const { lockFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'single-writer-lock.ts'))}); lockFolder(${JSON.stringify(target)}); console.log('held'); setInterval(() => {}, 1000);`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`exit ${code}`)));
      child.stdout.once('data', () => resolve(child));
    });

  test('a second holder is refused with the pid of the first, and killing that one frees the folder', async () => {
    const target = join(folder, 'locked');
    const holder = await holdInChild(target);
    expect(() => lockFolder(target)).toThrow(StoreInUseError);
    expect(() => lockFolder(target)).toThrow(new RegExp(`process ${holder.pid}\\b`));
    const ended = new Promise((resolve) => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await ended;
    const lock = lockFolder(target);
    expect(() => lockFolder(target)).toThrow(new RegExp(`process ${process.pid}\\b`));
    lock.release();
    lock.release();
    lockFolder(target).release();
  });

  test('committed rows are there when the folder is opened again; a second opening meanwhile is refused', async () => {
    const target = join(folder, 'deep', 'store');
    await copyTemplate(target);
    const opened = await openEmbedded(target);
    await sql`create table one (id integer)`.execute(opened.db);
    await sql`insert into one values (42)`.execute(opened.db);
    await expect(openEmbedded(target)).rejects.toThrow(StoreInUseError);
    await opened.close();
    const again = await openEmbedded(target);
    expect((await sql`select id from one`.execute(again.db)).rows).toEqual([{ id: 42 }]);
    await again.close();
    expect(existsSync(`${target}.lock`)).toBe(true);
  });
});

test('a server that is not there is one clear sentence', async () => {
  const failed = openPostgres('postgres://nobody@127.0.0.1:1/none');
  await expect(failed).rejects.toThrow(StoreUnavailableError);
  await expect(failed).rejects.toThrow(/CAUSEWAY_DATABASE_URL.*ECONNREFUSED.*See that the server runs/);
});

test('settings of a database or a role change nothing that is read or written', async () => {
  const url = await postgres.createDatabase();
  const hostile = {
    DateStyle: `'SQL, DMY'`,
    TimeZone: `'Asia/Kathmandu'`,
    IntervalStyle: 'iso_8601',
    extra_float_digits: '-15',
    bytea_output: 'escape',
    standard_conforming_strings: 'off',
    search_path: 'nowhere',
  };
  const admin = await openPostgres(url, 1);
  await sql`create schema nowhere`.execute(admin.db);
  for (const [name, value] of Object.entries(hostile)) {
    await sql.raw(`alter database ${new URL(url).pathname.slice(1)} set ${name} to ${value}`).execute(admin.db);
    await sql
      .raw(`alter role current_user in database ${new URL(url).pathname.slice(1)} set ${name} to ${value}`)
      .execute(admin.db);
  }
  await admin.close();
  const seen = async (store: Store): Promise<unknown> => {
    const { rows } = await sql`
      select date '2026-11-02' as day, (date '2026-11-02')::text as text, timestamptz '2026-11-02T03:04:05.678Z' as instant,
        (timestamptz '2026-11-02T03:04:05.678Z')::text as told, 0.1::float8 + 0.2::float8 as number,
        (interval '1 day 2 hours')::text as span, '\\xff'::bytea::text as bytes, length('a\\nb') as letters,
        current_schema() as schema`.execute(store.db);
    return rows[0];
  };
  const server = await openPostgres(url, 1);
  await migrate(server, MIGRATIONS, AT);
  const expected = {
    day: '2026-11-02',
    text: '2026-11-02',
    instant: new Date('2026-11-02T03:04:05.678Z'),
    told: '2026-11-02 03:04:05.678+00',
    number: 0.1 + 0.2,
    span: '1 day 02:00:00',
    bytes: '\\xff',
    letters: 4,
    schema: 'public',
  };
  expect(await seen(server)).toEqual(expected);
  await server.close();
  expect(await seen(embedded)).toEqual(expected);
});
