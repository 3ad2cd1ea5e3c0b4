/**
 * The vendor's statement beside a raw record (D59) moves with the record, and `verify` checks one against the other.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeVendorKey, statementOf } from '../../../test/support/vendor-key.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { commitBundle } from '../../ledger/inbox/raw-bundles.ts';
import { applyNext } from '../apply/apply.ts';
import { archiveRawBodies } from './archive.ts';
import { backupLedger } from './backup.ts';
import { restoreLedger } from './restore.ts';
import { rebuildLedger } from '../maintenance/rebuild.ts';
import { truncateAfter } from '../maintenance/truncate.ts';
import {
  bodyOf,
  bundleOf,
  changeOnDisk,
  newAt,
  partsOn,
  RESTORE_ALONE,
  TENANT,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { markOf } from '../maintenance/verify-mark.ts';
import { verifyLedger } from '../maintenance/verify.ts';

const vendor = makeVendorKey();
const AT = new Date('2026-01-02T00:00:00.000Z');
const STATED = { tenantId: TENANT, after: 2, head: 3, at: AT };
let folder: string;
let ledger: Ledger;
let parts: WholeParts;
let told: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-statement-'));
  ledger = openLedger(path.join(folder, 'ledger.sqlite'));
  parts = partsOn(ledger);
  told = [0, 1].map((after) => commit(after));
  while (applyNext(parts));
});
afterEach(() => {
  ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

function commit(after: number): string {
  const body = bodyOf(bundleOf(after, [newAt(after + 1, `e${after}`)]));
  const statement = statementOf(vendor, { tenantId: TENANT, after, head: 2, at: AT, body });
  const range = { cursorFrom: after, cursorTo: after + 1, entryCount: 1, tenantId: TENANT };
  const kept = {
    ...range,
    bundleId: crypto.randomUUID(),
    body,
    signature: null,
    statement,
    receivedAt: AT.toISOString(),
  };
  ledger.write((tx) => commitBundle(tx, kept));
  return statement;
}
const findings = (at = ledger): string[] => verifyLedger(at, [vendor.publicKey]).findings;
const kept = (table: 'raw_bundle' | 'quarantined_bundle', at = ledger): (string | null)[] =>
  at.all(sqlite.selectFrom(table).select('statement')).map(({ statement }) => statement);

test('it stays through archive, rebuild and backup', async () => {
  expect(archiveRawBodies(ledger, 1, new Date('2026-11-20T00:00:00.000Z')).bundles).toBe(2);
  rebuildLedger(parts);
  expect(kept('raw_bundle')).toEqual(told);
  expect(findings()).toEqual([]);
  const copy = path.join(folder, 'copy.sqlite');
  await backupLedger(ledger, copy);
  const opened = openLedger(copy);
  expect(kept('raw_bundle', opened)).toEqual(told);
  expect(findings(opened)).toEqual([]);
  opened.close();
});

test('a truncated raw bundle takes it into the quarantine', () => {
  truncateAfter(parts, 1);
  expect(kept('raw_bundle')).toEqual(told.slice(0, 1));
  expect(kept('quarantined_bundle')).toEqual(told.slice(1));
});

test.each<[string, () => string]>([
  ['another record’s', () => told[1] ?? ''],
  ['none', () => 'x.y'],
  ['one of another body', () => statementOf(vendor, { tenantId: TENANT, after: 0, head: 2, at: AT, body: bodyOf() })],
  ['one with another signature', () => `${told[0]?.split('.')[0]}.${told[1]?.split('.')[1]}`],
])('verify finds %s in its place, also where it goes on after an earlier run', (_, other) => {
  const { file } = ledger;
  const mark = markOf(ledger, [vendor.publicKey], AT);
  verifyLedger(ledger, [vendor.publicKey], { mark });
  expect(mark.done.received.bundles).toBe(2);
  ledger.close();
  changeOnDisk(
    file,
    `DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET statement = '${other()}' WHERE cursor_from = 0`,
  );
  ledger = openLedger(file);
  expect(findings()).toEqual(["The vendor's statement beside the raw bundle after cursor 0 does not fit it."]);
  expect(verifyLedger(ledger, [vendor.publicKey], { mark }).findings).toEqual(findings());
});

test.each([TENANT + 1, null])('verify finds that the ledger names another tenant (%s) than its records', (named) => {
  const { file } = ledger;
  const other = `The ledger names tenant ${named}, and the raw bundle after cursor 0 is of tenant ${TENANT}.`;
  const stated = [0, 1].map(
    (from) => `The vendor's statement beside the raw bundle after cursor ${from} does not fit it.`,
  );
  const change = (sql: string): void => {
    ledger.close();
    changeOnDisk(file, sql);
    ledger = openLedger(file);
  };
  change(`UPDATE sync_state SET tenant_id = ${named}`);
  expect(findings().toSorted()).toEqual([other, ...stated].toSorted());
  change('DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET statement = NULL');
  expect(findings()).toEqual([other]);
});

test('a restore takes nothing that waits to be applied and that no key at hand has signed', async () => {
  commit(2);
  const backup = path.join(folder, 'backup.sqlite');
  await backupLedger(ledger, backup);
  const verification = { keys: () => [vendor.publicKey], toleranceMs: 0 };
  const restore = (): Promise<unknown> =>
    restoreLedger({ ...RESTORE_ALONE, file: path.join(folder, 'new.sqlite'), backup, verification, now: AT });
  await expect(restore()).resolves.toMatchObject({ position: { committed: 3, applied: 2 } });
  for (const forged of [
    'NULL',
    `'${statementOf(makeVendorKey(), { ...STATED, body: bodyOf(bundleOf(2, [newAt(3, 'e2')])) })}'`,
  ]) {
    changeOnDisk(
      backup,
      `DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET statement = ${forged} WHERE cursor_from = 2`,
    );
    await expect(restore()).rejects.toThrow(
      forged === 'NULL' ? 'No verification key at hand has signed the raw bundle after cursor 2' : 'not sound',
    );
  }
  // Also where nothing tells any more that there ever was a key.
  changeOnDisk(backup, 'DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET statement = NULL');
  await expect(restore()).rejects.toThrow('which waits to be applied');
});

test('without the key that made it, the record alone is held against it', () => {
  expect(verifyLedger(ledger).findings).toEqual([]);
  expect(verifyLedger(ledger, [makeVendorKey().publicKey]).findings).toEqual([]);
});
