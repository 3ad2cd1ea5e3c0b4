/** Pulls that come at once get what each would get alone, by few statements. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { BUNDLE_ENTRIES } from '../entries/bundle-entries.ts';
import { withdraw } from '../publication/withdraw.ts';
import { bundleFixture } from '../../test/support/cloud/bundle-fixture.ts';
import { live, v2 } from '../../test/support/cloud/loads.ts';
import { AT, STORE_KINDS } from '../../test/support/cloud/store.ts';
import { IncompleteBundleError, pull, type PullRequest } from './pull.ts';
import { runs } from '../../test/support/runs.ts';

const TENANTS = 4;
const printOf = (tenant: number): string => String(tenant).padStart(64, '0');

describe.each(STORE_KINDS)('pulls at once on %s', (_name, makeKind) => {
  const fixture = bundleFixture(makeKind);
  let statements: string[];
  beforeEach(async () => {
    await sql`insert into tenant (name, environment, polling_seconds, created_at)
      select 'more-' || n, 'POC', 60, ${AT} from generate_series(3, ${TENANTS}::integer) n`.execute(fixture.store.db);
    for (let tenant = 1; tenant <= TENANTS; tenant += 1) await fixture.register(printOf(tenant), tenant);
    for (const key of ['a', 'b', 'c', 'd']) await fixture.take(live({ key }));
    await fixture.take(v2({ key: 'e' }));
    await fixture.store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-b' }, '수치 오류', AT));
    await sql`update tenant set retention_floor = 2 where tenant_id = 3`.execute(fixture.store.db);
    await sql`update tenant_certificate set revoked_at = ${AT} where tenant_id = 4`.execute(fixture.store.db);
    statements = [];
    const { store } = fixture;
    fixture.parts.store = {
      ...store,
      prepared: (name, text, values) => {
        statements.push(name === BUNDLE_ENTRIES ? 'entries' : name);
        return store.prepared(name, text, values);
      },
    };
  });

  const given = async (request: PullRequest): Promise<unknown> => {
    const result = await pull(fixture.parts, request).catch((error: unknown) => error);
    if (result instanceof Error) return result.message;
    const { body, ...facts } = result as { body?: Buffer };
    if (body === undefined) return facts;
    const { result: bundle } = JSON.parse(body.toString()) as { result?: { cursor_from: number; entries: unknown[] } };
    return { ...facts, from: bundle?.cursor_from, given: bundle?.entries };
  };

  const request = fc.record({
    fingerprint: fc.constantFrom(...[1, 2, 3, 4, 9].map(printOf)),
    after: fc.integer({ min: 0, max: 7 }),
    limit: fc.integer({ min: 1, max: 6 }),
  });

  test.each([
    ['of ordinary size', 1_000_000],
    // A few entries fill what is asked for together.
    ['that are full soon', 3_000],
    ['that are full at each entry', 1],
  ])('give what each would give alone: bundles %s', (_what, fullBundleBytes) =>
    fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 3, maxLength: 30 }), async (requests) => {
        fixture.parts.fullBundleBytes = fullBundleBytes;
        const alone: unknown[] = [];
        for (const each of requests) alone.push(await given(each));
        expect(await Promise.all(requests.map(given))).toEqual(alone);
      }),
      { numRuns: runs(3, 15) },
    ),
  );

  test('fifty of them take a few statements', async () => {
    await Promise.all(Array.from({ length: 50 }, () => given({ fingerprint: printOf(1), after: 5, limit: 1 })));
    expect(statements.filter((name) => name === 'entries').length).toBeLessThan(10);
    expect(statements.filter((name) => name !== 'entries').length).toBeLessThan(10);
  });

  test.each([
    ['of v1', live({ key: 'f' }), 'explanation_result'],
    ['of v2', v2({ key: 'f' }), 'movement_analysis'],
  ])(
    'an entry %s for which all have waited is assembled once, and is the same for each',
    async (_what, load, table) => {
      await fixture.take(load);
      const each = [1, 2].map((tenant) => ({ fingerprint: printOf(tenant), after: 6, limit: 100 }));
      const alone: unknown[] = [];
      for (const one of each) alone.push(await given(one));
      expect(alone).toMatchObject([{ entries: 1 }, { entries: 1 }]);
      expect(await Promise.all(each.map(given))).toEqual(alone);
      const reads = await fixture.store.transaction(async (trx) => {
        const readSoFar = async (): Promise<number> => {
          const { rows } = await sql<{ reads: number }>`
          select (idx_tup_fetch + seq_tup_read)::integer as reads from pg_stat_xact_user_tables where relname = ${table}`.execute(
            trx,
          );
          return rows[0]?.reads ?? Number.NaN;
        };
        const readBy = async (tenants: number[]): Promise<number> => {
          const lists = [tenants, tenants.map(() => 6), tenants.map(() => 100)].map((list) => `{${list.join()}}`);
          const before = await readSoFar();
          await sql`select * from ${sql.raw(BUNDLE_ENTRIES)}(${sql.join(lists)}, true, 16777216)`.execute(trx);
          return (await readSoFar()) - before;
        };
        return [await readBy([1]), await readBy([1, 2])];
      });
      expect(reads[0]).toBeGreaterThan(0);
      expect(reads[1]).toBe(reads[0]);
    },
  );

  test('a tenant whose records refer to nothing fails for itself alone', async () => {
    const whole = { fingerprint: printOf(2), after: 5, limit: 1 };
    const alone = await given(whole);
    await fixture.store.db.connection().execute(async (db) => {
      await sql`set session_replication_role = replica`.execute(db);
      await sql`update tenant_delivery set explanation_result_id = 'res-none' where tenant_id = 1 and cursor = 1`.execute(
        db,
      );
      await sql`set session_replication_role = origin`.execute(db);
    });
    const broken = { fingerprint: printOf(1), after: 0, limit: 1 };
    const { message } = new IncompleteBundleError(1, 0);
    expect(await Promise.all([broken, whole, broken, whole, broken, whole].map(given))).toEqual([
      message,
      alone,
      message,
      alone,
      message,
      alone,
    ]);
  });
});
