import { beforeEach, expect, test } from 'vitest';
import type { Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { acknowledgeQuarantine, quarantine, quarantineNow } from './quarantine.ts';
import { commitBundle, moveToQuarantine } from './raw-bundles.ts';
import { syncStatus } from './sync-state.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';

let ledger: Ledger;
beforeEach(() => ({ ledger } = testLedger()));

const AT = '2026-11-20T08:00:00.000Z';
const put = (after: number, reason: string, body: Uint8Array): void =>
  ledger.write((tx) => quarantine(tx, { after, reason, body, statement: null, receivedAt: AT }));
const kept = () =>
  ledger.all(
    sqlite.selectFrom('quarantined_bundle').select(['after_cursor', 'reason', 'body']).where('cursor_to', 'is', null),
  );
const hasAlarm = (): boolean => syncStatus(ledger, new Date(AT)).alarms.includes('QUARANTINED_BUNDLES');

test('the same body is kept once per cursor', () => {
  for (const after of [5, 5, 6]) put(after, 'wrong tenant', Buffer.from('x'));
  expect(quarantineNow(ledger)).toEqual({ kept: 2, unseen: 2, dropped: 0 });
});

test('of many the newest stay, and one of each kind; dropped ones are counted', () => {
  put(0, 'rare', Buffer.from('the only one'));
  for (let n = 0; n < 30; n++) put(0, 'often', Buffer.from(String(n)));
  expect(quarantineNow(ledger)).toEqual({ kept: 20, unseen: 20, dropped: 11 });
  expect(kept().map(({ body }) => Buffer.from(body).toString())).toEqual([
    'the only one',
    ...Array.from({ length: 19 }, (_, n) => String(n + 11)),
  ]);
});

test('all cursors together are bounded too, by number', () => {
  for (let after = 0; after < 210; after++) put(after, `at ${after}`, Buffer.from('x'));
  expect(quarantineNow(ledger)).toMatchObject({ kept: 200, dropped: 10 });
  expect(kept()[0]?.after_cursor).toBe(10);
});

test('and by bytes', () => {
  for (let n = 0; n < 3; n++) put(1_000 + n, 'large', Buffer.alloc(60 * 1024 ** 2, n));
  expect(kept().map(({ after_cursor }) => after_cursor)).toEqual([1_001, 1_002]);
});

test('truncated raw bundles stay in quarantine for good and raise no alarm', () => {
  const bundle = {
    cursorFrom: 0,
    cursorTo: 3,
    bundleId: 'b',
    entryCount: 3,
    tenantId: 7,
    signature: null,
    statement: null,
    receivedAt: AT,
  };
  ledger.write((tx) => commitBundle(tx, { ...bundle, body: Buffer.alloc(1_000) }));
  ledger.write((tx) => moveToQuarantine(tx, 0, 'taken out'));
  expect([quarantineNow(ledger), hasAlarm()]).toEqual([{ kept: 1, unseen: 0, dropped: 0 }, false]);
  for (let n = 0; n < 30; n++) put(0, 'often', Buffer.from(String(n)));
  expect(quarantineNow(ledger)).toMatchObject({ kept: 21, unseen: 20 });
  const all = sqlite.deleteFrom('quarantined_bundle');
  expect(() => ledger.write((tx) => tx.run(all))).toThrow('never deleted');
});

test('the alarm ends with an acknowledgement, on record, and returns with the next body', () => {
  put(0, 'x', Buffer.from('1'));
  expect(hasAlarm()).toBe(true);
  expect(ledger.write((tx) => acknowledgeQuarantine(tx, AT))).toBe(1);
  expect([hasAlarm(), syncStatus(ledger, new Date(AT))]).toMatchObject([
    false,
    { quarantinedBundles: 1, quarantinedUnseen: 0 },
  ]);
  expect(ledger.write((tx) => acknowledgeQuarantine(tx, AT))).toBe(0);
  const log = ledger.all(sqlite.selectFrom('console_action_log').select(['action', 'detail']));
  expect(log).toEqual([{ action: 'quarantine.acknowledge', detail: '{"bundles":1,"dropped":0}' }]);
  put(0, 'x', Buffer.from('2'));
  expect(hasAlarm()).toBe(true);
});
