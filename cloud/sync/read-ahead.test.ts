/** Bundles assembled ahead: only the content of a plain pull, once, soon, and for the caller that may have it. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bundleFixture, PRINT, watchedStatements } from '../testing/bundle-fixture.ts';
import { withdraw } from '../publication/withdraw.ts';
import { live } from '../testing/loads.ts';
import { AT, STORE_KINDS } from '../testing/store.ts';
import { pull, type AssembledBundle, type PullResult } from './pull.ts';
import { ReadAhead } from './read-ahead.ts';

describe.each(STORE_KINDS)('a backlog on %s', (_name, makeKind) => {
  const fixture = bundleFixture(makeKind);
  let ahead: ReadAhead<AssembledBundle>;
  let assembled: number[];
  let settled: () => Promise<void>;
  beforeEach(async () => {
    ahead = new ReadAhead();
    assembled = [];
    for (const key of ['a', 'b', 'c', 'd', 'e']) await fixture.take(live({ key }));
    const { store } = fixture;
    const watched = watchedStatements(store);
    ({ settled } = watched);
    fixture.parts.store = {
      ...watched.store,
      rowsOf: (name, values, take) => {
        assembled.push(Number(values[1]));
        return store.rowsOf(name, values, take);
      },
    };
  });
  const ask = async (after: number, limit = 2): Promise<PullResult> => {
    const result = await pull(fixture.parts, { fingerprint: PRINT, after, limit, ahead });
    // Behind the moment the following assembly begins.
    await settled();
    return result;
  };
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

  const summariesOf = (result: PullResult): unknown[] =>
    (entriesOf(result) as { explanation_result?: { summary: string } }[]).map(
      ({ explanation_result: told }) => told?.summary ?? 'an invalidation',
    );

  test('is assembled again after a change of what it tells', async () => {
    await ask(0);
    await sql`update explanation_result set summary = 'new' where explanation_result_id = 'res-c'`.execute(
      fixture.store.db,
    );
    const found = await ask(2);
    expect(summariesOf(found)[0]).toBe('new');
    expect(entriesOf(found)).toEqual((await fixture.ask(2, 2)).body.result?.entries);
    expect(assembled).toEqual([0, 2, 2, 4, 2]);
  });

  test('is assembled again after a change of a record', async () => {
    await fixture.store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, '수치 오류', AT));
    await ask(2);
    await sql`update tenant_delivery set reason = '다른 사유' where delivery_type = 'INVALIDATION'`.execute(
      fixture.store.db,
    );
    expect(JSON.stringify(entriesOf(await ask(4)))).toContain('다른 사유');
  });

  test('is given although records were issued meanwhile, and assembled again where they belong to it', async () => {
    await ask(0);
    await fixture.take(live({ key: 'f' }));
    expect(await ask(2)).toMatchObject({ entries: 2, to: 4, head: 6 });
    expect(assembled).toEqual([0, 2, 4]);
    await ask(0, 3);
    expect(await ask(3, 3)).toMatchObject({ entries: 3, to: 6, head: 6 });
    await ask(0, 4);
    await fixture.take(live({ key: 'g' }));
    await fixture.store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, '수치 오류', AT));
    expect(summariesOf(await ask(4, 4))).toEqual((await plainSummaries(4, 4)) as unknown[]);
    expect(assembled.slice(3)).toEqual([0, 3, 0, 4, 4, 4]);
  });
  const plainSummaries = async (after: number, limit: number): Promise<unknown> =>
    (await fixture.ask(after, limit)).body.result?.entries.map(
      ({ explanation_result: told }) => told?.['summary'] ?? 'an invalidation',
    );

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
  const partsOf = <Row>(assemble: () => Promise<Row>) => ({ moment: async () => 'then', assemble });

  test('is kept for two seconds', async () => {
    const ahead = new ReadAhead<string>();
    ahead.begin(
      'one',
      RANGE,
      partsOf(async () => 'row'),
    );
    vi.advanceTimersByTime(1_999);
    expect(await ahead.take('one', RANGE)?.row).toBe('row');
    ahead.begin(
      'one',
      RANGE,
      partsOf(async () => 'row'),
    );
    vi.advanceTimersByTime(2_000);
    expect(ahead.take('one', RANGE)).toBeNull();
  });
  test('that fails is as if it had not begun', async () => {
    const ahead = new ReadAhead<string>();
    ahead.begin(
      'one',
      RANGE,
      partsOf(() => Promise.reject(new Error('the database is gone'))),
    );
    expect(await ahead.take('one', RANGE)?.row).toBeNull();
  });
  test('without a moment is not begun', async () => {
    const ahead = new ReadAhead<string>();
    let assembled = 0;
    const assemble = async (): Promise<string> => `${(assembled += 1)}`;
    for (const moment of [async () => null, () => Promise.reject(new Error('the database is gone'))]) {
      ahead.begin('one', RANGE, { moment, assemble });
      const prepared = ahead.take('one', RANGE);
      expect([await prepared?.moment, await prepared?.row, assembled]).toEqual([null, null, 0]);
    }
  });
  test('is limited to eight at once, one for each caller', async () => {
    const ahead = new ReadAhead<number>();
    for (let caller = 1; caller <= 9; caller += 1)
      ahead.begin(
        `caller ${caller}`,
        RANGE,
        partsOf(async () => caller),
      );
    ahead.begin(
      'caller 8',
      { after: 4, limit: 2 },
      partsOf(async () => 80),
    );
    expect(ahead.take('caller 8', RANGE)).toBeNull();
    expect(ahead.take('caller 9', RANGE)).toBeNull();
    expect(await ahead.take('caller 1', RANGE)?.row).toBe(1);
  });
});
