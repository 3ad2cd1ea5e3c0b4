/**
 * Opens the event store: a PostgreSQL server (15 and later) when a URL is given, else PGlite in a
 * folder. Both give the same types to the same SQL: int8 as an exact number (D3), date as text,
 * timestamptz as Date.
 *
 * Written out: it asks the server's settings before there is a schema.
 */
import { mkdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect, PostgresDialect, sql, type Transaction } from 'kysely';
import { Pool } from 'pg';
import { InexactIntegerError, named, StoreUnavailableError } from './errors.ts';
import { lockFolder, type FolderLock } from './single-writer-lock.ts';
import type { Tables } from './schema.ts';
import { Semaphore } from './semaphore.ts';

export type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;

export interface Store {
  kind: 'postgres' | 'embedded';
  db: Db;
  /**
   * One read-committed transaction. Inside, only `trx` may be used: the embedded store has a single
   * connection, so `db` would wait for ever.
   * @throws LockTimeoutError, ConnectionLostError
   */
  transaction<T>(work: (trx: Trx) => Promise<T>): Promise<T>;
  /**
   * Work that may wait for the fan-out lock takes a permit before a connection, so that a hanging holder leaves
   * connections for pulls and operators. A wait for a permit ends with the lock timeout.
   */
  fanOutSemaphore: Semaphore;
  /**
   * A statement that the server prepares once per connection and keeps by its name. A server plans it once for all
   * values: it must be look-ups by key alone. @throws ConnectionLostError
   */
  prepared<Row>(name: string, text: string, values: readonly unknown[]): Promise<Row[]>;
  /** The connections at this moment; null for the embedded store, which has none. */
  connections(): Connections | null;
  close(): Promise<void>;
}

/**
 * Fixes how values are written and read, and the search path. A server, database or role with other settings would send
 * tenants reordered dates or shortened numbers.
 */
const FORMS = {
  DateStyle: 'ISO,YMD',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  search_path: 'public',
};

/**
 * Settings of every connection to a server. Waits for locks end, and the server cuts off a transaction whose client hangs
 * or has vanished, rolls it back and frees its locks.
 */
const SESSION = {
  ...FORMS,
  // Short statements over indexes: compiling one costs more than running it.
  jit: 'off',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '30s',
};

/**
 * For connections of prepared statements alone: by default the server plans a pull's statement at each call, which takes
 * several times as long as running it. Other statements need plans for their values: a generic plan uses no partial
 * index whose condition is a parameter.
 */
const PREPARED = { plan_cache_mode: 'force_generic_plan' };

export interface Connections {
  total: number;
  idle: number;
  /** How many wait for one. */
  waiting: number;
}

const OID = { int8: 20, date: 1082, timestamptz: 1184 } as const;

function exactInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new InexactIntegerError(text);
  return value;
}

const parsers: Record<number, (text: string) => unknown> = {
  [OID.int8]: exactInt8,
  [OID.date]: (text) => text,
};

/**
 * Opens a PostgreSQL server. Connections are made on demand; the first one now, so that faults show early. Settings in
 * the URL (`?options=-c …`) override `SESSION`.
 * @param connections most for prepared statements, and as many again for everything else
 * @throws StoreUnavailableError
 */
export async function openPostgres(url: string, connections = 10): Promise<Store> {
  const { types } = await import('pg');
  const target = new URL(url);
  const asked = target.searchParams.get('options');
  target.searchParams.delete('options');
  const poolWith = (session: Record<string, string>): Pool => {
    const settings = Object.entries(session).map(([name, value]) => `-c ${name}=${value}`);
    const pool = new Pool({
      connectionString: target.href,
      max: connections,
      connectionTimeoutMillis: 10_000,
      // The system's own probes find a peer that has vanished, if late.
      keepAlive: true,
      options: [...settings, ...(asked === null ? [] : [asked])].join(' '),
      types: {
        getTypeParser: (oid, format) => parsers[oid] ?? (types.getTypeParser(oid, format) as (text: string) => unknown),
      },
    });
    // A dropped connection is replaced at the next use; the statement that was using it fails with its own error.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  };
  const pool = poolWith(SESSION);
  const preparing = poolWith({ ...SESSION, ...PREPARED });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  let lockTimeoutMs: number;
  try {
    const { rows } = await sql<{
      version: number;
      encoding: string;
      lock_timeout: number;
    }>`
      select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding,
        setting::integer as lock_timeout
      from pg_settings where name = 'lock_timeout'`.execute(db);
    lockTimeoutMs = rows[0]?.lock_timeout ?? 0;
    const version = rows[0]?.version ?? 0;
    if (version < 150_000) throw new Error(`it is version ${Math.floor(version / 10_000)}, and 15 or later is needed`);
    const encoding = rows[0]?.encoding ?? '';
    if (encoding !== 'UTF8')
      throw new Error(`its encoding is ${encoding}, and UTF8 is needed (createdb -E UTF8 -T template0)`);
  } catch (error) {
    await db.destroy();
    throw new StoreUnavailableError(
      `The database of CAUSEWAY_DATABASE_URL cannot be used: ${whyOf(error)}. See that the server runs, that host, port, database, user and password are right, and start again.`,
      error,
    );
  }
  return {
    kind: 'postgres',
    db,
    transaction: (work) => named(readCommitted(db, work)),
    fanOutSemaphore: new Semaphore(
      Math.max(1, Math.floor(connections / 2)),
      lockTimeoutMs === 0 ? null : lockTimeoutMs,
    ),
    prepared: async <Row>(name: string, text: string, values: readonly unknown[]) =>
      (await named(preparing.query({ name, text, values: [...values] }))).rows as Row[],
    connections: () => ({
      total: pool.totalCount + preparing.totalCount,
      idle: pool.idleCount + preparing.idleCount,
      waiting: pool.waitingCount + preparing.waitingCount,
    }),
    close: async () => {
      await Promise.all([db.destroy(), preparing.end()]);
    },
  };
}

/** Several addresses of one name were tried: then the reasons stand inside. */
function whyOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(whyOf))].join('; ');
  return error instanceof Error ? error.message : String(error);
}

/**
 * Opens the embedded store in a folder (null: in memory, for tests).
 * @throws StoreInUseError when another process has it open
 */
export async function openEmbedded(folder: string | null): Promise<Store> {
  const lock: FolderLock | null = folder === null ? null : lockFolder(folder);
  let pglite: PGlite;
  try {
    if (folder !== null) mkdirSync(folder, { recursive: true, mode: 0o700 });
    pglite = await PGlite.create({
      ...(folder === null ? {} : { dataDir: folder }),
      parsers,
    });
    for (const [name, value] of Object.entries(FORMS))
      await pglite.exec(`set ${name} to ${value.includes(',') ? `'${value}'` : value}`);
  } catch (error) {
    lock?.release();
    throw new StoreUnavailableError(
      `The embedded store ${folder ?? 'in memory'} cannot be opened: ${error instanceof Error ? error.message : String(error)}.`,
      error,
    );
  }
  const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
  return {
    kind: 'embedded',
    db,
    transaction: (work) => named(readCommitted(db, work)),
    // Transactions of the one connection come one after the other anyway.
    fanOutSemaphore: new Semaphore(1, null),
    prepared: async <Row>(_name: string, text: string, values: readonly unknown[]) =>
      (await pglite.query<Row>(text, [...values])).rows,
    connections: () => null,
    close: async () => {
      await db.destroy();
      if (!pglite.closed) await pglite.close();
      lock?.release();
    },
  };
}

/**
 * Sets read committed by a statement: Kysely's PGlite dialect ignores the option, a server may have another default, and
 * cursors are correct only when each statement sees all earlier commits.
 */
function readCommitted<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`set transaction isolation level read committed`.execute(trx);
    return work(trx);
  });
}
