/** Rows as bytes, from a real PostgreSQL server: of every size, with faults, and with a line that breaks anywhere. */
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAuthority, writeWhole } from '../../test/support/pki.ts';
import { startPostgres, type PostgresServer } from '../../test/support/postgres.ts';
import { publish } from '../publication/publish.ts';
import { pull } from '../sync/pull.ts';
import { countingIds, SetClock } from '../testing/clock.ts';
import { live, read } from '../testing/loads.ts';
import { addTenants, AT, BOTH_KINDS, type StoreKind } from '../testing/store.ts';
import { ConnectionLostError, InexactIntegerError } from './errors.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { migrate } from './migrations/migrate.ts';
import { openPostgres, type CallValue, type Store } from './open.ts';
import { runs } from '../../test/support/runs.ts';

/** Forty rows: texts of up to `most` characters of three bytes, some of them null, and a number. */
const GIVEN = `create function given(seed integer, most integer) returns table (one text, two text) language sql stable as $$
  select case when n % 7 = 3 then null else repeat(chr(44032 + (n * seed) % 11000), (n * n * seed) % most) end, 'row ' || n
  from generate_series(1, 40) n $$`;
const BROKEN = `create function broken(at integer) returns table (one text) language sql stable as $$
  select (100 / (at - n))::text from generate_series(1, 50) n $$`;

/** Two columns of every row. */
async function rowsOf(store: Store, name: string, values: readonly CallValue[]): Promise<(string | null)[][]> {
  const rows: (string | null)[][] = [];
  await store.rowsOf(name, values, (row) => {
    const texts = [row.text(0), row.text(1)];
    expect([row.bytes(0), row.bytes(1)].map((bytes) => bytes?.toString() ?? null)).toEqual(texts);
    rows.push(texts);
  });
  return rows;
}

describe.each(BOTH_KINDS)('rows of a function on %s', (_name, makeKind) => {
  let kind: StoreKind;
  let store: Store;
  beforeAll(async () => {
    kind = await makeKind();
    ({ store } = await kind.open());
    for (const created of [GIVEN, BROKEN]) await sql.raw(created).execute(store.db);
  });
  afterAll(async () => {
    await store.close();
    await kind.stop();
  });

  test('hold the bytes of each text, whatever its size', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 97 }), fc.constantFrom(1, 5, 3_000, 200_000), async (seed, most) => {
        const { rows } = await sql<{ one: string | null; two: string }>`
          select * from given(${sql.lit(seed)}, ${sql.lit(most)})`.execute(store.db);
        expect(await rowsOf(store, 'given', [seed, most])).toEqual(rows.map(({ one, two }) => [one, two]));
      }),
      { numRuns: runs(3, 12) },
    ));

  test('a fault in the middle rejects, and the connection goes on', async () => {
    await expect(rowsOf(store, 'broken', [25])).rejects.toThrow('division by zero');
    expect(await rowsOf(store, 'broken', [60])).toHaveLength(50);
  });

  test('a row that its reader refuses rejects after the last one, and the connection goes on', async () => {
    let rows = 0;
    const refusing = store.rowsOf('given', [3, 5], () => {
      rows += 1;
      throw new Error('refused');
    });
    await expect(refusing).rejects.toThrow('refused');
    expect(rows).toBe(1);
    expect(await rowsOf(store, 'given', [3, 5])).toHaveLength(40);
  });

  test('a list is an array of bigint', async () => {
    await sql
      .raw(`create function lists(a bigint[], b bigint[]) returns table (one text, two text) language sql stable
      as $$ select n::text, m::text from unnest(a, b) as l (n, m) $$`)
      .execute(store.db);
    expect(await rowsOf(store, 'lists', [[1, 2 ** 53 - 1], [3]])).toEqual([
      ['1', '3'],
      ['9007199254740991', null],
    ]);
    expect(await rowsOf(store, 'lists', [[], []])).toEqual([]);
  });

  test('an unknown function rejects', async () => {
    await expect(rowsOf(store, 'nothing', [true])).rejects.toThrow('function nothing(boolean) does not exist');
  });
});

/** ReadyForQuery: its kind, its length, the state. */
const READY_BYTES = 6;

/** How a server's address is reached, and the bytes between two cuts: over TLS each of them costs a handshake. */
const LINES: [name: string, isSecure: boolean, step: (bytes: number) => number][] = [
  ['a plain line', false, (bytes) => 1 + (bytes % 13)],
  ['a line with TLS', true, () => 97],
];

describe.each(LINES)('on %s that breaks', (_name, isSecure, step) => {
  let server: PostgresServer;
  /** Of the server itself, without TLS. */
  let url: string;
  /** By way of the line. */
  let through: string;
  let folder: string;
  let line: Server;
  /** Bytes of the server's answers that still pass; null: all. */
  let passing: number | null = null;
  /** Bytes of the server's answers so far. */
  let answered = 0;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'causeway-tls-'));
    const authority = await makeAuthority();
    const { cert, key } = await authority.server();
    const ca = writeWhole(folder, 'ca.crt', authority.ca);
    server = await startPostgres({ ssl: 'on' }, { 'server.crt': cert, 'server.key': key });
    url = await server.createDatabase();
    const { hostname, port } = new URL(url);
    line = createServer((near) => {
      const far = connect(Number(port), hostname);
      far.on('data', (chunk) => {
        answered += chunk.length;
        if (passing === null) return void near.write(chunk);
        near.write(chunk.subarray(0, passing));
        passing -= chunk.length;
        if (passing < 0) near.destroy();
      });
      near.on('data', (chunk) => far.write(chunk));
      for (const socket of [near, far]) socket.on('error', () => undefined);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    }).listen(0, '127.0.0.1');
    await once(line, 'listening');
    const address = new URL(url);
    address.port = String((line.address() as AddressInfo).port);
    if (isSecure) address.search = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: ca }).toString();
    through = address.href;
  });
  afterAll(async () => {
    line.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a cut at any byte rejects, and the next call has a new connection', async () => {
    const store = await openPostgres(through, 1);
    await sql.raw(GIVEN).execute(store.db);
    const whole = await rowsOf(store, 'given', [3, 5]);
    answered = 0;
    expect(await rowsOf(store, 'given', [3, 5])).toEqual(whole);
    // With the last message the server says that it is ready: all rows are there.
    const size = answered - READY_BYTES;
    for (let bytes = 0; bytes < size; bytes += step(bytes)) {
      expect(await rowsOf(store, 'given', [3, 5])).toEqual(whole);
      passing = bytes;
      await expect(rowsOf(store, 'given', [3, 5])).rejects.toThrow(ConnectionLostError);
      passing = null;
    }
    await store.close();
  });

  test('a bundle is that of the server itself, and a pull after a cut in the middle is answered', async () => {
    const [direct, store] = [await openPostgres(url, 1), await openPostgres(through, 1)];
    await migrate(direct, MIGRATIONS, AT);
    await addTenants(direct, 1);
    const fingerprint = 'ab'.repeat(32);
    await sql`insert into tenant_certificate (fingerprint, tenant_id, serial_number, subject, not_before, not_after, issued_at)
      values (${fingerprint}, 1, '01', 'CN=t', '2026-01-01Z', '2027-01-01Z', '2026-01-01Z')`.execute(direct.db);
    for (let key = 0; key < 20; key += 1) await publish(direct, read(live({ key: `${key}` })), AT);
    await sql`update explanation_result set summary = summary || repeat('한국어 설명 ', 2000)`.execute(direct.db);
    const bodyOf = async (of: Store): Promise<string> => {
      const parts = { store: of, clock: new SetClock(AT), ids: countingIds(), calculations: true };
      const pulled = await pull(parts, { fingerprint, after: 0, limit: 100 });
      if (pulled.standing !== 'SERVED') throw new Error(pulled.standing);
      return pulled.body.toString();
    };
    const whole = await bodyOf(direct);
    expect(whole.length).toBeGreaterThan(250_000);
    answered = 0;
    expect(await bodyOf(store)).toBe(whole);
    passing = Math.floor(answered / 2);
    await expect(bodyOf(store)).rejects.toThrow(ConnectionLostError);
    passing = null;
    expect(await bodyOf(store)).toBe(whole);
    const how = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
    expect(await store.prepared('', how, [])).toEqual([{ ssl: isSecure }]);
    await Promise.all([direct.close(), store.close()]);
  });

  test('a number that is not exact is refused, because the statement holds it as text', async () => {
    const store = await openPostgres(url, 1);
    for (const value of [0.5, Number.NaN, 2 ** 53, [1, 0.5]])
      await expect((async () => rowsOf(store, 'given', [value]))()).rejects.toThrow(InexactIntegerError);
    await store.close();
  });
});
