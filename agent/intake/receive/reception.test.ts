import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { FULL_BUNDLE_BYTES } from '../../../shared/wire/bundle-endpoint.ts';
import type { SyncStatus } from '../../../shared/wire/console/console.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { commitBundle, rawBundleAfter, readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { syncStatus } from '../../ledger/inbox/sync-state.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { makeVendorKey, statementOf } from '../../../test/support/vendor-key.ts';
import { NoAnswerError, OversizedAnswerError, type Answer, type Pull, type PullRequest } from './pull.ts';
import { pullOnce } from './reception.ts';
import { Waits, type Next } from './waits.ts';
import { bodyOf, bundleOf, newAt, readableLog, TENANT, type LogLine } from '../../../test/support/agent/intake.ts';

const NOW = '2026-11-20T08:00:00.000Z';
const LIMIT = 3;
const running = new AbortController().signal;

let ledger: Ledger;
let file: string;
let lines: LogLine[];
let log: ReturnType<typeof readableLog>['log'];
let asked: PullRequest[];
beforeEach(() => {
  ({ ledger, file } = testLedger());
  ({ log, lines } = readableLog());
  asked = [];
});

const answer = (fields: Partial<Answer>): Answer => ({
  status: 200,
  body: bodyOf(),
  head: null,
  signature: null,
  statement: null,
  retryAfter: null,
  ...fields,
});
const bundle = (from: number, ...cursors: number[]) =>
  answer({
    body: bodyOf(
      bundleOf(
        from,
        cursors.map((cursor) => newAt(cursor, `e${cursor}`)),
      ),
    ),
  });

/** One pull from an upstream that gives this answer. */
function receive(
  what: Answer | Error | (() => Answer),
  at: Ledger = ledger,
  limit: number | null = LIMIT,
): Promise<Next> {
  const pull: Pull = async (request) => {
    asked.push(request);
    if (what instanceof Error) throw what;
    return typeof what === 'function' ? what() : what;
  };
  return pullOnce(
    { ledger: at, pull, clock: { now: () => new Date(NOW) }, log, limit, periodMs: 60_000, verification: null },
    running,
  );
}
const status = (): SyncStatus => syncStatus(ledger, new Date(NOW));
const levels = () => lines.map((line) => line.level);
const WARN = 40;
const ERROR = 50;

describe('a good answer', () => {
  test('commits the bytes as they came, and the next pull asks after them', async () => {
    // White space that no serialiser of ours makes: it must still be there.
    const body = Buffer.from(
      JSON.stringify(
        { isSuccess: true, code: 'COMMON200', message: 'OK', result: bundleOf(0, [newAt(2, 'a')]) },
        null,
        3,
      ),
    );
    expect(await receive(answer({ body, head: '8', signature: 'c2ln' }))).toEqual({ when: 'AT_ONCE' });
    const kept = ledger.all(sqlite.selectFrom('raw_bundle').selectAll());
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({
      cursor_from: 0,
      cursor_to: 2,
      entry_count: 1,
      signature: 'c2ln',
      received_at: NOW,
    });
    expect(Buffer.from(kept[0]?.body ?? []).equals(body)).toBe(true);
    expect(status()).toMatchObject({ state: 'OK', committedCursor: 2, appliedCursor: 0, head: 8, lastSuccessAt: NOW });
    await receive(answer({ head: '8' }));
    expect(asked).toEqual([
      { after: 0, limit: LIMIT },
      { after: 2, limit: LIMIT },
    ]);
  });
  test('a full bundle asks for the next at once, without regard to the head', async () => {
    expect(await receive(bundle(0, 1, 2, 3))).toEqual({ when: 'AT_ONCE' });
    expect(await receive(bundle(3, 4, 5))).toEqual({ when: 'PERIOD', notBeforeMs: 0 });
  });
  test('a bundle cut by its bytes does too: judged by the head, or without one by its size', async () => {
    const period = { when: 'PERIOD', notBeforeMs: 0 };
    expect(await receive({ ...bundle(0, 1), head: '2' })).toEqual({ when: 'AT_ONCE' });
    expect(await receive({ ...bundle(1, 2), head: '2' })).toEqual(period);
    const ofBytes = (from: number, bytes: number): Answer => {
      const { body } = bundle(from, from + 1);
      return answer({ body: Buffer.concat([body, Buffer.alloc(bytes - body.length, ' ')]) });
    };
    expect(await receive(ofBytes(2, FULL_BUNDLE_BYTES - 1))).toEqual(period);
    expect(await receive(ofBytes(3, FULL_BUNDLE_BYTES))).toEqual({ when: 'AT_ONCE' });
  });
  test.each([
    ['no head is told', null, 100],
    ['little is waiting', 102, 100],
    ['a backlog is waiting', 103, 500],
  ])('where no limit is set, %s', async (_, head, limit) => {
    await receive({ ...bundle(0, 1, 2), head: head === null ? null : String(head) }, ledger, null);
    await receive(answer({ head: head === null ? null : String(head) }), ledger, null);
    expect(asked).toEqual([
      { after: 0, limit: 100 },
      { after: 2, limit },
    ]);
  });
  test('without news nothing is kept but the time and the head', async () => {
    await receive(answer({ head: '0' }));
    expect(status()).toMatchObject({
      state: 'OK',
      committedCursor: 0,
      head: 0,
      lastAttemptAt: NOW,
      lastSuccessAt: NOW,
      lastError: null,
    });
    expect(ledger.all(sqlite.selectFrom('raw_bundle').select('cursor_from'))).toEqual([]);
  });
});

describe('a bad answer leaves the cursor unchanged, and a good one afterwards continues', () => {
  test.each<[string, Answer | Error, string, number]>([
    [
      'a bundle of another tenant',
      answer({ body: bodyOf(bundleOf(1, [newAt(2, 'x')], { tenant_id: 8 })) }),
      'VIOLATION',
      ERROR,
    ],
    ['a stale bundle again', bundle(0, 1), 'VIOLATION', ERROR],
    ['a bundle further on', bundle(5, 6), 'VIOLATION', ERROR],
    ['no JSON', answer({ body: Buffer.from('<html>') }), 'VIOLATION', ERROR],
    ['an endless body', new OversizedAnswerError(100), 'VIOLATION', ERROR],
    ['a head below the cursor', answer({ head: '0' }), 'REGRESSED', ERROR],
    ['400', answer({ status: 400 }), 'REFUSED', ERROR],
    ['401', answer({ status: 401 }), 'UNAUTHORIZED', ERROR],
    ['403', answer({ status: 403 }), 'FORBIDDEN', ERROR],
    ['410', answer({ status: 410 }), 'GONE', ERROR],
    ['503', answer({ status: 503 }), 'RETRYING', WARN],
    ['no answer', new NoAnswerError('ECONNRESET', 'read ECONNRESET', null), 'RETRYING', WARN],
  ])('%s', async (_, bad, state, level) => {
    await receive(bundle(0, 1));
    lines.length = 0;
    expect(await receive(bad)).toMatchObject({ when: 'PERIOD' });
    expect(status()).toMatchObject({ state, committedCursor: 1, lastError: { at: NOW }, lastSuccessAt: NOW });
    expect(levels()).toEqual([level]);
    expect(rawBundleAfter(ledger, 1)).toBeUndefined();

    await receive({ ...bundle(1, 2), head: '2' });
    expect(status()).toMatchObject({ state: 'OK', committedCursor: 2, head: 2 });
    expect(status().lastError).toBeNull();
  });
  test('another tenant’s certificate is named, without advice to set anything aside', async () => {
    await receive(bundle(0, 1));
    const foreign = bodyOf(bundleOf(0, [newAt(1, 'theirs')], { tenant_id: TENANT + 1 }));
    await receive(() => answer({ head: '0', ...(asked.at(-1)?.after === 0 ? { body: foreign } : {}) }));
    expect(asked.at(-1)).toEqual({ after: 0, limit: 1 });
    expect(status()).toMatchObject({ state: 'FORBIDDEN', committedCursor: 1, lastError: { code: 'OTHER_TENANT' } });
    expect(status().lastError?.message).toContain(`tenant ${TENANT + 1}, and this ledger belongs to tenant ${TENANT}`);
    expect(status().lastError?.message).not.toContain('intake set-aside');
    await receive({ ...bundle(1, 2), head: '2' });
    expect(status()).toMatchObject({ state: 'OK', committedCursor: 2 });
  });
  test('and so it is where that tenant has no record yet: the statement names it, with a key or without', async () => {
    await receive(bundle(0, 1));
    const told = { tenantId: TENANT + 1, after: 1, head: 0, at: new Date(NOW), body: bodyOf() };
    await receive(answer({ head: '0', statement: statementOf(makeVendorKey(), told) }));
    expect(status()).toMatchObject({ state: 'FORBIDDEN', committedCursor: 1, lastError: { code: 'OTHER_TENANT' } });
    expect(status().lastError?.message).not.toContain('intake set-aside');
  });
  test('a body that violates the envelope is kept apart with its reason; other failures are not', async () => {
    const body = Buffer.from('{"isSuccess":true');
    await receive(answer({ body }));
    await receive(answer({ status: 500, body: Buffer.from('oops') }));
    await receive(new OversizedAnswerError(100));
    const kept = ledger.all(sqlite.selectFrom('quarantined_bundle').selectAll());
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({
      after_cursor: 0,
      received_at: NOW,
      reason: expect.stringContaining('not JSON') as string,
    });
    expect(Buffer.from(kept[0]?.body ?? []).equals(body)).toBe(true);
    expect(status().quarantinedBundles).toBe(1);
  });
  test('a violation that lasts does not fill the disk', async () => {
    for (let i = 0; i < 30; i++) await receive(bundle(9, 10));
    expect(status().quarantinedBundles).toBe(20);
  });
  test('Retry-After is passed on', async () => {
    expect(await receive(answer({ status: 503, retryAfter: '120' }))).toEqual({ when: 'PERIOD', notBeforeMs: 120_000 });
  });
});

test('waits at the cloud and tells of it; a break is followed soon, and a record is no reason to wait for more (D223)', async () => {
  let now = 0;
  const waits = new Waits({ seconds: 25, periodMs: 60_000, elapsedMs: () => now, random: () => 0 });
  const pulled = async (seconds: number, what: Answer | Error): Promise<[Next, number | null]> => {
    const pull: Pull = async (request) => {
      asked.push(request);
      now += seconds * 1_000;
      if (what instanceof Error) throw what;
      return what;
    };
    const clock = { now: () => new Date(NOW) };
    const parts = { ledger, pull, clock, log, limit: LIMIT, periodMs: 60_000, verification: null, waits };
    return [await pullOnce(parts, running), status().waitSeconds];
  };
  expect(await pulled(25, answer({}))).toEqual([{ when: 'WAITING' }, 25]);
  expect(await pulled(0, answer({ ...bundle(0, 1), isWaitApplied: true }))).toEqual([{ when: 'WAITING' }, 25]);
  expect(await pulled(0, answer({ ...bundle(1, 2, 3, 4), isWaitApplied: true }))).toEqual([{ when: 'AT_ONCE' }, null]);
  expect(await pulled(3, new NoAnswerError('ECONNRESET', 'x', null))).toEqual([{ when: 'SOON', ms: 1_000 }, null]);
  expect(await pulled(3, answer({ status: 503 }))).toEqual([{ when: 'SOON', ms: 2_000 }, null]);
  expect(await pulled(0, answer({}))).toEqual([{ when: 'PERIOD', notBeforeMs: 0 }, null]);
  expect(status().waitCutSeconds).toBe(3);
  expect(asked.map(({ waitSeconds }) => waitSeconds)).toEqual([25, 25, 25, 25, 25, 12]);
});

describe('a fault on the tenant’s side', () => {
  test('another Intake on the same ledger is reported and does no harm', async () => {
    await receive(() => {
      const other = openLedger(file);
      other.write((tx) =>
        commitBundle(tx, {
          cursorFrom: 0,
          cursorTo: 9,
          bundleId: 'x',
          entryCount: 1,
          tenantId: TENANT,
          body: Buffer.from('x'),
          signature: null,
          statement: null,
          receivedAt: NOW,
        }),
      );
      other.close();
      return bundle(0, 1);
    });
    expect(readCursors(ledger).committed).toBe(9);
    expect(status().quarantinedBundles).toBe(0);
    expect(levels()).toEqual([WARN]);
  });
  test('a locked ledger rejects the whole pull, and the next pull continues', async () => {
    const impatient = openLedger(file, { busyTimeoutMs: 20 });
    const holder = new Database(file);
    try {
      holder.exec('BEGIN IMMEDIATE');
      await expect(receive(bundle(0, 1), impatient)).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
      expect(readCursors(impatient).committed).toBe(0);
      holder.exec('ROLLBACK');
      await receive(bundle(0, 1), impatient);
      expect(readCursors(impatient).committed).toBe(1);
    } finally {
      holder.close();
      impatient.close();
    }
  });
  test('an unknown fault of the pull itself is thrown, not recorded as the network’s', async () => {
    await expect(receive(new TypeError('a bug'))).rejects.toThrow('a bug');
    expect(status().state).toBe('NEVER');
  });
});
