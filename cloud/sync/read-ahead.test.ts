/** Bundles assembled ahead: only the content of a plain pull, once, soon, and for the caller that may have it. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bundleFixture, PRINT } from '../testing/bundle-fixture.ts';
import { live } from '../testing/loads.ts';
import { STORE_KINDS } from '../testing/store.ts';
import { pull, type AssembledBundle, type PullResult } from './pull.ts';
import { ReadAhead } from './read-ahead.ts';

// Other tests compare the answers of the two stores; here one store is enough.
describe.each(STORE_KINDS.slice(0, 1))('a backlog on %s', (_name, makeKind) => {
  const fixture = bundleFixture(makeKind);
  let ahead: ReadAhead<AssembledBundle>;
  let assembled: number[];
  beforeEach(async () => {
    ahead = new ReadAhead();
    assembled = [];
    for (const key of ['a', 'b', 'c', 'd', 'e']) await fixture.take(live({ key }));
    const { store } = fixture;
    fixture.parts.store = {
      ...store,
      rowsOf: (name, values, take) => {
        assembled.push(Number(values[1]));
        return store.rowsOf(name, values, take);
      },
    };
  });
  const ask = (after: number, limit = 2): Promise<PullResult> =>
    pull(fixture.parts, { fingerprint: PRINT, after, limit, ahead });
  const entriesOf = (result: PullResult): unknown =>
    result.standing === 'SERVED' &&
    (JSON.parse(result.body.toString()) as { result: { entries: unknown } }).result.entries;

  test('is assembled a bundle ahead, each once, and equals that of plain pulls', async () => {
    for (const after of [0, 2, 4]) {
      const plain = await fixture.ask(after, 2);
      assembled.pop();
      const found = await ask(after);
      expect(entriesOf(found)).toEqual(plain.body.result?.entries);
      expect(found).toMatchObject({ to: plain.to, head: 5 });
    }
    // The last one was not full: nothing follows it.
    expect(assembled).toEqual([0, 2, 4]);
  });

  test('is assembled again for another range, and for a repeated one', async () => {
    await ask(0);
    await ask(2, 3);
    expect(assembled).toEqual([0, 2, 2]);
    await ask(0);
    await ask(2);
    await ask(2);
    expect(assembled).toEqual([0, 2, 2, 0, 2, 4, 2, 4]);
  });

  test('is not given to a caller with a meanwhile revoked certificate, nor from below the retention floor', async () => {
    await ask(0);
    await sql`update tenant set retention_floor = 3 where tenant_id = 1`.execute(fixture.store.db);
    expect(await ask(2)).toEqual({ standing: 'GONE', tenantId: 1, floor: 3 });
    await sql`update tenant_certificate set revoked_at = now()`.execute(fixture.store.db);
    expect(await ask(2)).toEqual({ standing: 'REVOKED', tenantId: 1 });
  });
});

describe('an assembly ahead', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const RANGE = { after: 2, limit: 2 };

  test('is kept for two seconds', async () => {
    const ahead = new ReadAhead<string>();
    ahead.begin(1, RANGE, async () => 'row');
    vi.advanceTimersByTime(1_999);
    expect(await ahead.take(1, RANGE)).toBe('row');
    ahead.begin(1, RANGE, async () => 'row');
    vi.advanceTimersByTime(2_000);
    expect(await ahead.take(1, RANGE)).toBeNull();
  });
  test('that fails is as if it had not begun', async () => {
    const ahead = new ReadAhead<string>();
    ahead.begin(1, RANGE, () => Promise.reject(new Error('the database is gone')));
    expect(await ahead.take(1, RANGE)).toBeNull();
  });
  test('is limited to eight at once, one for each tenant', async () => {
    const ahead = new ReadAhead<number>();
    for (let tenant = 1; tenant <= 9; tenant += 1) ahead.begin(tenant, RANGE, async () => tenant);
    ahead.begin(8, { after: 4, limit: 2 }, async () => 80);
    expect(await Promise.all([8, 9, 1].map((tenant) => ahead.take(tenant, RANGE)))).toEqual([null, null, 1]);
  });
});
