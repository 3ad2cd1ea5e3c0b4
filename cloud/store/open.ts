/**
 * Opens the event store: a PostgreSQL server (15 and later) when a URL is given, else PGlite in a
 * folder. Both give the same types to the same SQL: int8 as an exact number (D3), date as text,
 * timestamptz as Date.
 */
import { mkdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect, PostgresDialect, sql, type Transaction } from 'kysely';
import { ConnectionLostError, InexactIntegerError, isFull, named, StoreUnavailableError } from './errors.ts';
import { readDatabaseAddress, type DatabaseAddress } from './database-address.ts';
import { listenAt, type Hearing, type Listening } from './listening.ts';
import { Hosts, ServerPool, Silence, type ServerPoolParts } from './server-pool.ts';
import { lockFolder, type FolderLock } from './single-writer-lock.ts';
import type { Tables } from './schema.ts';
import { Semaphore } from './semaphore.ts';

export type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;

export interface Store {
  kind: 'postgres' | 'embedded';
  db: Db;
  /**
   * Runs one read-committed transaction. Inside, only `trx` may be used: the embedded store has a single connection, so
   * `db` would wait for ever.
   *
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
  /** Hears what any process that writes here gives to `pg_notify` (D223), over a connection of its own. */
  listen(channel: string, hearing: Hearing): Listening;
  /** The connections at this moment; null for the embedded store, which has none. */
  connections(): Connections | null;
  /**
   * While on, a connection is given up when its statement has no answer in time (`ANSWER_MS`): for a process that serves.
   * Off, as it is once the store is open: a command may ask for longer.
   */
  hurry(isOn: boolean): void;
  /** The time for which the database has answered no request, in ms; 0 without requests. */
  silentMs(): number;
  close(): Promise<void>;
}

export type Session = Readonly<Record<string, string>>;

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
 * Settings of every connection to a server. Waits for locks end, and the server cuts off a transaction with a hanging
 * or missing client, rolls it back and frees its locks.
 */
const SESSION = {
  ...FORMS,
  // Short statements over indexes: compiling one costs more than running it.
  jit: 'off',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '30s',
};

/**
 * For connections of prepared statements alone: by default the server plans a pull's statement at each call, which
 * takes several times as long as running it. Other statements need plans for their values: a generic plan uses no
 * partial index with a parameter in its condition.
 */
export const PREPARED: Session = {
  ...SESSION,
  plan_cache_mode: 'force_generic_plan',
  // A full bundle and its last entry: the rows of a function are gathered there, and what is larger goes to a file.
  work_mem: '32MB',
};

/** A setting that means nothing: where a session lacks it, something between has kept all settings back. */
const REACHED = '-c causeway.session=1';

/** The longest time of a statement without an answer, in ms: a pull is look-ups by key, others wait for locks (5 s). */
const ANSWER_MS = { prepared: 4_000, others: 10_000 };

export interface Connections {
  total: number;
  idle: number;
  /** The number of requests that wait for a connection. */
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
  const address = readDatabaseAddress(url);
  const [hosts, silence] = [new Hosts(address), new Silence()];
  let isHurried = true;
  const poolWith = (session: Session, answerMs: number): Promise<ServerPool> =>
    openPool({ hosts, silence, address, connections, session, answerMs: () => (isHurried ? answerMs : null) });
  const pool = await poolWith(SESSION, ANSWER_MS.others);
  const preparing = await poolWith(PREPARED, ANSWER_MS.prepared);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  let lockTimeoutMs: number;
  try {
    const { rows } = await sql<{
      version: number;
      encoding: string;
      lock_timeout: number;
      reached: string | null;
    }>`
      select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding,
        setting::integer as lock_timeout, current_setting('causeway.session', true) as reached
      from pg_settings where name = 'lock_timeout'`.execute(db);
    lockTimeoutMs = rows[0]?.lock_timeout ?? 0;
    const version = rows[0]?.version ?? 0;
    if (version < 150_000) throw new Error(`it is version ${Math.floor(version / 10_000)}, and 15 or later is needed`);
    if (rows[0]?.reached !== '1') throw new Error(POOLER);
    const encoding = rows[0]?.encoding ?? '';
    if (encoding !== 'UTF8')
      throw new Error(`its encoding is ${encoding}, and UTF8 is needed (createdb -E UTF8 -T template0)`);
  } catch (error) {
    await db.destroy();
    throw unavailable(error);
  }
  isHurried = false;
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
    listen: (channel, hearing) => listenAt(hosts, channel, hearing),
    connections: () => {
      const [one, other] = [pool.counts, preparing.counts];
      return {
        total: one.total + other.total,
        idle: one.idle + other.idle,
        waiting: one.waiting + other.waiting,
      };
    },
    hurry: (isOn) => {
      isHurried = isOn;
    },
    silentMs: () => silence.ms,
    close: async () => {
      await Promise.all([db.destroy(), preparing.end()]);
    },
  };
}

interface PoolParts extends Pick<ServerPoolParts, 'hosts' | 'silence' | 'answerMs'> {
  address: DatabaseAddress;
  connections: number;
  session: Session;
  /** Longest time to connect, in ms; absent: as the pool has it. */
  connectMs?: number;
}

/** Connections with settings of their session and the store's own types. */
export async function openPool({ address, connections, session, connectMs, ...parts }: PoolParts): Promise<ServerPool> {
  const { types } = await import('pg');
  const settings = Object.entries(session).map(([name, value]) => `-c ${name}=${value}`);
  return new ServerPool({
    ...parts,
    settings: {
      max: connections,
      options: [...settings, REACHED, ...(address.options === null ? [] : [address.options])].join(' '),
      types: {
        getTypeParser: (oid, format) => parsers[oid] ?? (types.getTypeParser(oid, format) as (text: string) => unknown),
      },
      ...(connectMs === undefined ? {} : { connectionTimeoutMillis: connectMs }),
    },
  });
}

/** The error of a start that cannot use the server, with the reason in words. */
export const unavailable = (error: unknown): StoreUnavailableError =>
  new StoreUnavailableError(
    `The database of CAUSEWAY_DATABASE_URL cannot be used: ${whyOf(error)}. See that the server runs, that host, port, database, user and password are right, and start again.`,
    error,
  );

const POOLER =
  'a connection pooler (such as PgBouncer) is in between and drops the settings of a session, such as how long to wait for a lock; name the server itself, each process keeps few connections';

/** Several addresses of one name were tried: then the reasons stand inside. */
function whyOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(whyOf))].join('; ');
  if (error instanceof ConnectionLostError)
    return isFull(error.cause)
      ? `it takes no more connections (${whyOf(error.cause)})`
      : 'the connection was lost before it answered';
  const said = error instanceof Error ? error.message : String(error);
  return said.includes('unsupported startup parameter') ? `${POOLER} (it says: ${said})` : said;
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
    listen: (channel, { heard, missed }) => {
      const begun = pglite.listen(channel, heard).then((stop) => {
        missed();
        return stop;
      });
      return { stop: async () => (await begun)() };
    },
    connections: () => null,
    hurry: () => undefined,
    silentMs: () => 0,
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
