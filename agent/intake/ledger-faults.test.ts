/** Faults 30 and 34 in the sync status: a fault of the ledger is reported there, and the report ends with the fault. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { LedgerDamagedError, LedgerDiskError, LedgerFullError, LedgerReadOnlyError } from '../ledger/storage/errors.ts';
import type { Ledger } from '../ledger/storage/ledger.ts';
import { sqlite } from '../ledger/storage/query.ts';
import { readCursors } from '../ledger/inbox/raw-bundles.ts';
import { recordPull, syncStatus } from '../ledger/inbox/sync-state.ts';
import { testLedger } from '../../test/support/agent/ledger.ts';
import { applyNext } from './apply/apply.ts';
import { applyTelling, receiveTelling } from './ledger-faults.ts';
import { commitEntries, newAt, partsOn, type WholeParts } from '../../test/support/agent/intake.ts';

const NOW = '2026-11-20T08:00:00.000Z';
let ledger: Ledger;
let parts: WholeParts;
beforeEach(() => {
  ({ ledger } = testLedger());
  parts = partsOn(ledger, NOW);
});

const status = () => syncStatus(ledger, new Date(NOW));
const pragma = (text: string): number =>
  Object.values(ledger.first(sql.raw<Record<string, number>>(`PRAGMA ${text}`)) ?? {})[0] ?? 0;
const applyAll = (): void => {
  while (applyTelling(ledger, parts.clock, () => applyNext(parts)));
};
const broken = (code: string) => Object.assign(new Error('as SQLite says it'), { code });

test('30: a batch without space is reported, until there is space again', () => {
  const entries = Array.from({ length: 40 }, (_, index) => newAt(index + 1, `e${index}`));
  commitEntries(ledger, entries, NOW);
  ledger.write((tx) => recordPull(tx, { at: NOW, head: 40 }));
  const most = pragma('max_page_count');
  pragma(`max_page_count = ${pragma('page_count')}`);
  expect(applyAll).toThrow(LedgerFullError);
  expect(status()).toMatchObject({
    state: 'OK',
    committedCursor: 40,
    appliedCursor: 0,
    lastError: { at: NOW, code: 'LEDGER_FULL', message: expect.stringContaining('no free space') as string },
  });
  pragma(`max_page_count = ${most}`);
  applyAll();
  expect(status()).toMatchObject({ appliedCursor: 40, lastError: null });
});

test.each([
  ['SQLITE_FULL', LedgerFullError, 'LEDGER_FULL', 'make room'],
  ['SQLITE_READONLY_DIRECTORY', LedgerReadOnlyError, 'LEDGER_READ_ONLY', 'permissions'],
  ['SQLITE_IOERR_WRITE', LedgerDiskError, 'LEDGER_DISK', 'look at the disk'],
  ['SQLITE_CORRUPT_INDEX', LedgerDamagedError, 'LEDGER_DAMAGED', 'restore it from a backup'],
])('%s has a sentence of its own, in either step, until that step works again', async (sqlite, kind, code, words) => {
  const message = expect.stringContaining(words) as string;
  const fails = (): never => {
    throw broken(sqlite);
  };
  expect(() => applyTelling(ledger, parts.clock, fails)).toThrow(kind);
  expect(status().lastError).toEqual({ at: NOW, code, message });
  expect(applyTelling(ledger, parts.clock, () => false)).toBe(false);
  expect(status().lastError).toBeNull();

  const receive = receiveTelling(
    ledger,
    parts.clock,
    () => NOW,
    async () => fails(),
  );
  await expect(receive).rejects.toThrow(kind);
  expect(status()).toMatchObject({ state: 'RETRYING', lastError: { code, message } });
  ledger.write((tx) => recordPull(tx, { at: NOW, head: 0 }));
  expect(status()).toMatchObject({ state: 'OK', lastError: null });
});

test('a fault outside the ledger is thrown as it is, and damaged raw bundles stay in the status', () => {
  const bug = new TypeError('a bug');
  expect(() =>
    applyTelling(ledger, parts.clock, () => {
      throw bug;
    }),
  ).toThrow(bug);
  expect(status().lastError).toBeNull();
  commitEntries(ledger, [newAt(1, 'a')], NOW);
  ledger.write((tx) => {
    tx.run(sql`DROP TRIGGER raw_bundle_is_never_updated`);
    tx.run(sqlite.updateTable('raw_bundle').set({ body: Buffer.from('{}') }));
  });
  expect(applyAll).toThrow('does not fit its SHA-256');
  expect(readCursors(ledger).applied).toBe(0);
  applyTelling(ledger, parts.clock, () => false);
  expect(status().lastError?.code).toBe('RAW_DAMAGED');
});
