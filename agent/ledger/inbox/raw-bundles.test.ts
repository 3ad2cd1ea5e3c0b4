import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import {
  commitBundle,
  CursorGapError,
  fallBackTo,
  rawBundleAfter,
  readCursors,
  setAppliedCursor,
  moveToQuarantine,
  WrongTenantError,
  type ReceivedBundle,
} from './raw-bundles.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';

let ledger: Ledger;
beforeEach(() => ({ ledger } = testLedger()));

function bundle(cursorFrom: number, cursorTo: number, extra: Partial<ReceivedBundle> = {}): ReceivedBundle {
  return {
    cursorFrom,
    cursorTo,
    bundleId: crypto.randomUUID(),
    entryCount: cursorTo - cursorFrom,
    tenantId: 7,
    body: Buffer.from(`${cursorFrom}-${cursorTo}`),
    signature: null,
    statement: null,
    receivedAt: '2026-11-20T08:00:00.000Z',
    ...extra,
  };
}
const commit = (received: ReceivedBundle) => ledger.write((tx) => commitBundle(tx, received));

describe('committing', () => {
  test('keeps any bytes as they are, with their hash, and moves the cursor', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), (body) => {
        const from = readCursors(ledger).committed;
        expect(commit(bundle(from, from + 3, { body }))).toBe('COMMITTED');
        const kept = rawBundleAfter(ledger, from);
        expect(Buffer.from(kept?.body ?? [])).toEqual(Buffer.from(body));
        expect(Buffer.from(kept?.sha256 ?? [])).toEqual(createHash('sha256').update(body).digest());
        expect(readCursors(ledger).committed).toBe(from + 3);
      }),
      { numRuns: 50 },
    );
  });
  test('the same range again changes nothing, though its bytes differ', () => {
    commit(bundle(0, 5));
    commit(bundle(5, 9));
    expect(commit(bundle(0, 5, { body: Buffer.from('other bytes') }))).toBe('KNOWN');
    expect(Buffer.from(rawBundleAfter(ledger, 0)?.body ?? []).toString()).toBe('0-5');
    expect(readCursors(ledger).committed).toBe(9);
  });
  test.each([
    ['a gap', 6, 9],
    ['an overlap', 3, 9],
    ['a range that ends elsewhere', 0, 7],
  ])('%s is refused and nothing is kept', (_, from, to) => {
    commit(bundle(0, 5));
    expect(() => commit(bundle(from, to))).toThrow(CursorGapError);
    expect(ledger.all(sqlite.selectFrom('raw_bundle').select('cursor_from'))).toEqual([{ cursor_from: 0 }]);
    expect(readCursors(ledger).committed).toBe(5);
  });
  test('a cursor behind the kept bundle moves to that bundle’s end, and never beyond', () => {
    commit(bundle(0, 5));
    commit(bundle(5, 9));
    ledger.write((tx) => {
      tx.run(sql`DROP TRIGGER committed_cursor_never_falls`);
      tx.run(sqlite.updateTable('sync_state').set({ committed_cursor: 0 }));
    });
    expect(commit(bundle(0, 7))).toBe('KNOWN');
    expect(readCursors(ledger).committed).toBe(5);
    expect(commit(bundle(5, 9))).toBe('KNOWN');
    expect(commit(bundle(9, 12))).toBe('COMMITTED');
    expect(readCursors(ledger).committed).toBe(12);
  });
  test('the first bundle pins the tenant', () => {
    commit(bundle(0, 5));
    expect(() => commit(bundle(5, 6, { tenantId: 8 }))).toThrow(WrongTenantError);
    expect(readCursors(ledger)).toEqual({ tenantId: 7, committed: 5, applied: 0 });
  });
});

test('the database refuses to change or remove a raw bundle, or to move the cursor back', () => {
  commit(bundle(0, 5));
  expect(() => ledger.write((tx) => tx.run(sqlite.updateTable('raw_bundle').set({ bundle_id: 'x' })))).toThrow(
    /never changed/,
  );
  expect(() => ledger.write((tx) => tx.run(sqlite.deleteFrom('raw_bundle')))).toThrow(/never deleted/);
  const [kept] = ledger.all(sqlite.selectFrom('raw_bundle').selectAll());
  if (kept === undefined) throw new Error('there is no raw bundle');
  const other = { ...kept, body: Buffer.from('other'), cursor_to: 4 };
  ledger.write((tx) => tx.run(sqlite.replaceInto('raw_bundle').values(other)));
  expect(ledger.all(sqlite.selectFrom('raw_bundle').selectAll())).toEqual([kept]);
  const back = sqlite.updateTable('sync_state').set({ committed_cursor: 4 });
  expect(() => ledger.write((tx) => tx.run(back))).toThrow(/never falls/);
  expect(() => ledger.write((tx) => setAppliedCursor(tx, 6))).toThrow(/CHECK/);
});

test('a raw bundle leaves only for the quarantine, whole, and the cursor falls only to the end of the rest', () => {
  commit(bundle(0, 5));
  commit(bundle(5, 9, { signature: 'said' }));
  const aside = (change: string): void => {
    ledger.write((tx) => {
      moveToQuarantine(tx, 5, 'x');
      if (change !== '') throw new Error(change);
    });
  };
  // A copy with any other content does not count.
  const incomplete = {
    after_cursor: 5,
    cursor_to: 9,
    entry_count: 4,
    bundle_id: 'x',
    reason: 'x',
    body: Buffer.from('5-9'),
  };
  ledger.write((tx) =>
    tx.run(
      sqlite.insertInto('quarantined_bundle').values({ ...incomplete, sha256: Buffer.alloc(32), received_at: 'now' }),
    ),
  );
  expect(() => ledger.write((tx) => tx.run(sqlite.deleteFrom('raw_bundle').where('cursor_from', '=', 5)))).toThrow(
    /never deleted/,
  );
  expect(() => aside('crash')).toThrow('crash');
  expect(readCursors(ledger).committed).toBe(9);
  expect(rawBundleAfter(ledger, 5)?.cursorTo).toBe(9);
  ledger.write((tx) => {
    moveToQuarantine(tx, 5, 'x');
    expect(() => fallBackTo(tx, 4)).toThrow(/never falls/);
    fallBackTo(tx, 5);
  });
  expect(readCursors(ledger).committed).toBe(5);
  const kept = ledger.first(sqlite.selectFrom('quarantined_bundle').selectAll().where('signature', '=', 'said'));
  expect(kept).toMatchObject({
    after_cursor: 5,
    cursor_to: 9,
    entry_count: 4,
    received_at: '2026-11-20T08:00:00.000Z',
  });
  expect(() => ledger.write((tx) => tx.run(sqlite.updateTable('quarantined_bundle').set({ reason: 'y' })))).toThrow(
    /never changed/,
  );
  if (kept === undefined) throw new Error('nothing is in quarantine');
  expect(() => ledger.write((tx) => tx.run(sqlite.replaceInto('quarantined_bundle').values(kept)))).toThrow(
    /never replaced/,
  );
});

test('the bundle after a cursor holds the next entry', () => {
  commit(bundle(0, 5));
  commit(bundle(5, 9));
  expect([0, 4, 5, 8, 9].map((cursor) => rawBundleAfter(ledger, cursor)?.cursorFrom)).toEqual([0, 0, 5, 5, undefined]);
});
