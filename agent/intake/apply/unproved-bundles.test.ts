/**
 * With a verification key, what waits to be applied is the vendor's only where its kept statement says so (D199): somebody
 * who can write to the ledger puts a bundle behind the applied cursor, and takes the statements out.
 */
import { beforeEach, expect, test } from 'vitest';
import { makeVendorKey, statementOf, type VendorKey } from '../../../test/support/vendor-key.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { syncStatus } from '../../ledger/inbox/sync-state.ts';
import { repairRawBundles } from '../maintenance/repair.ts';
import { truncateAfter } from '../maintenance/truncate.ts';
import { verifyLedger } from '../maintenance/verify.ts';
import { provedBy } from '../receive/proved.ts';
import type { RawEntry } from './entry.ts';
import { applyNext } from './apply.ts';
import { RawBundleDamagedError } from './committed-entries.ts';
import { WaitingWithdrawals } from './withdrawals.ts';
import {
  bodyOf,
  bodySet,
  bundleOf,
  changeOnDisk,
  commitEntries,
  explanationRow,
  invalidationAt,
  newAt,
  partsOn,
  TENANT,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';

const NOW = '2026-11-20T08:00:00.000Z';
const UNPROVED = 'The raw bundle after cursor 1 waits to be applied, and no verification key at hand has signed it';
const [vendor, next] = [makeVendorKey(), makeVendorKey()];
/** The keys at hand, which a running Intake follows. */
let keys: VendorKey[];
let ledger: Ledger;
let file: string;
let parts: WholeParts;
const verification = { keys: () => keys.map(({ publicKey }) => publicKey), toleranceMs: 300_000 };

beforeEach(() => {
  keys = [vendor];
  ({ ledger, file } = testLedger());
  parts = { ...partsOn(ledger, NOW), isProved: provedBy(ledger, verification), withdrawals: new WaitingWithdrawals() };
  commit([newAt(1, 'a')], vendor);
  applyAll();
});

const statedBy = (key: VendorKey) => (of: { tenantId: number; after: number; head: number; body: Buffer }) =>
  statementOf(key, { ...of, at: new Date(NOW) });
const commit = (entries: RawEntry[], by: VendorKey | null): void =>
  commitEntries(ledger, entries, NOW, by === null ? null : statedBy(by));
const applyAll = (): void => {
  while (applyNext(parts));
};
const onDisk = (sql: string): void => changeOnDisk(file, `DROP TRIGGER raw_bundle_is_never_updated; ${sql}`);
const stated = (value: string | null): void =>
  onDisk(`UPDATE raw_bundle SET statement = ${value === null ? 'NULL' : `'${value}'`} WHERE cursor_from = 1`);
const findings = (): string[] => verifyLedger(ledger, verification.keys(), { now: new Date(NOW) }).findings;
const alarms = () => syncStatus(ledger, new Date(NOW)).alarms;

/** Asks a cloud that has these entries and signs by this key. */
const repair = (entries: RawEntry[], key = vendor, by: typeof verification | null = verification) =>
  repairRawBundles({
    ...parts,
    verification: by,
    pull: ({ after, limit }) => {
      const told = entries.filter(({ cursor }) => cursor > after).slice(0, limit);
      const body = told.length === 0 ? bodyOf() : bodyOf(bundleOf(after, told));
      const statement = statedBy(key)({ tenantId: TENANT, after, head: 9, body });
      return Promise.resolve({ status: 200, body, head: '9', signature: null, statement, retryAfter: null });
    },
  });

test('a bundle that nobody has signed is not applied, also where no other one bears a statement any more', async () => {
  commit([newAt(2, 'forged'), newAt(3, 'a', { summary: '코스닥이 내렸습니다.' })], null);
  commit([invalidationAt(4, 'a')], vendor);
  onDisk('UPDATE raw_bundle SET statement = NULL WHERE cursor_from < 3');
  expect(applyAll).toThrow(RawBundleDamagedError);
  expect(applyAll).toThrow(UNPROVED);
  expect(readCursors(ledger).applied).toBe(1);
  expect([explanationRow(ledger, 'forged'), explanationRow(ledger, 'a')?.status]).toEqual([undefined, 'INVALIDATED']);
  // Nor does a change in it go along with a withdrawal behind it.
  const moves = ledger.all(sqlite.selectFrom('state_history').select('move').orderBy('id'));
  expect(moves).toEqual([{ move: 'receive' }, { move: 'invalidate' }]);
  expect(syncStatus(ledger, new Date(NOW)).lastError).toMatchObject({
    code: 'RAW_DAMAGED',
    message: expect.stringContaining(UNPROVED) as string,
  });
  expect(findings()).toEqual([
    expect.stringContaining('signed the raw bundle after cursor 1, which waits to be applied'),
  ]);
  // The cloud has other records there, which do not fill the range: it was never sent, and is set aside.
  await expect(repair([newAt(5, 'b')])).rejects.toThrow('set-aside');
  truncateAfter(parts, 1);
  commit([newAt(2, 'b')], vendor);
  applyAll();
  expect([findings(), alarms()]).toEqual([[], []]);
});

test('a statement counts that a key at hand has made of this very bundle; a repair brings what the cloud has stated', async () => {
  const entries = [invalidationAt(2, 'a'), newAt(3, 'b')];
  commit(entries, vendor);
  const body = bodyOf(bundleOf(1, [invalidationAt(2, 'a'), newAt(3, 'forged')]));
  onDisk(`UPDATE raw_bundle SET ${bodySet(body)} WHERE cursor_from = 1`);
  const of = { tenantId: TENANT, after: 1, head: 3, body };
  const [good, other] = [statedBy(vendor)(of), statedBy(next)(of)];
  const put: Record<string, string | null> = {
    none: null,
    'of another place': statedBy(vendor)({ ...of, after: 0 }),
    'of another body': statedBy(vendor)({ ...of, body: bodyOf() }),
    'of another tenant': statedBy(vendor)({ ...of, tenantId: TENANT + 1 }),
    'by another key': other,
    'under a seal of another key': `${good.split('.')[0]}.${other.split('.')[1]}`,
    'that is none': 'x.y',
  };
  for (const [name, statement] of Object.entries(put)) {
    stated(statement);
    expect(applyAll, name).toThrow(UNPROVED);
    expect(findings().join(), name).toContain('which waits to be applied');
  }
  expect(explanationRow(ledger, 'a')?.status).toBe('AUTO_PUBLISHED');
  expect(await repair(entries)).toEqual([{ cursorFrom: 1, cursorTo: 3 }]);
  applyAll();
  expect([explanationRow(ledger, 'a')?.status, explanationRow(ledger, 'b')?.status]).toEqual([
    'INVALIDATED',
    'AUTO_PUBLISHED',
  ]);
  expect([findings(), alarms()]).toEqual([[], []]);
  const kept = ledger.first(sqlite.selectFrom('quarantined_bundle').select(['after_cursor', 'reason']));
  expect(kept).toEqual({ after_cursor: 1, reason: expect.stringContaining('no verification key at hand') as string });
});

test('what comes before it is applied, and entries of it that had been applied stay', async () => {
  const entries = [newAt(2, 'b'), newAt(3, 'c')];
  commit([newAt(2, 'b'), newAt(3, 'c')], vendor);
  expect(applyNext({ ...parts, upTo: 2 })).toBe(true);
  commit([newAt(4, 'd')], vendor);
  commit([newAt(5, 'e')], next);
  stated(null);
  expect(applyAll).toThrow(UNPROVED);
  expect(await repair(entries, vendor, { ...verification, keys: () => [vendor.publicKey, next.publicKey] })).toEqual([
    { cursorFrom: 1, cursorTo: 3 },
  ]);
  expect(applyAll).toThrow('after cursor 4 waits');
  expect(readCursors(ledger).applied).toBe(4);
  // The key that has signed the last one comes to hand.
  keys = [vendor, next];
  applyAll();
  expect(findings()).toEqual([]);
});

test('a range that was drawn over the next bundle, which is gone, hides no withdrawal', async () => {
  const entries = [newAt(2, 'b'), invalidationAt(3, 'a'), newAt(4, 'c')];
  for (const entry of entries) commit([entry], vendor);
  onDisk(`DROP TRIGGER raw_bundle_is_never_deleted; DELETE FROM raw_bundle WHERE cursor_from = 2;
    UPDATE raw_bundle SET cursor_to = 3 WHERE cursor_from = 1`);
  expect(applyAll).toThrow('does not hold the entries that it was committed with');
  expect(readCursors(ledger).applied).toBe(1);
  expect(await repair(entries)).toEqual([{ cursorFrom: 1, cursorTo: 3 }]);
  applyAll();
  expect(explanationRow(ledger, 'a')?.status).toBe('INVALIDATED');
  expect([findings(), alarms()]).toEqual([[], []]);
});

test('a first key, or another one, leads on by a repair alone; without a key all is as it was', async () => {
  const entries = [newAt(2, 'b'), invalidationAt(3, 'a'), newAt(4, 'b', { summary: '코스닥이 내렸습니다.' })];
  commit(entries.slice(0, 1), null);
  commit(entries.slice(1), vendor);
  expect(await repair(entries, vendor, null)).toEqual([]);
  keys = [next];
  expect(applyAll).toThrow(UNPROVED);
  expect(await repair(entries, next)).toEqual([
    { cursorFrom: 1, cursorTo: 2 },
    { cursorFrom: 2, cursorTo: 4 },
  ]);
  applyAll();
  expect([findings(), alarms()]).toEqual([[], []]);
  // What is applied is named by the log, and needs no key of today.
  keys = [makeVendorKey()];
  expect(await repair(entries)).toEqual([]);
  expect(findings()).toEqual([]);
  commit([newAt(5, 'c')], null);
  parts = { ...parts, isProved: provedBy(ledger, null) };
  applyAll();
  expect(readCursors(ledger).applied).toBe(5);
});
