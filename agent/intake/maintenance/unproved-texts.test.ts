/**
 * The applied cursor proves nothing (D199): with a verification key, a text is screened anew only where the audit log names
 * its bundle or a key at hand has signed it. Somebody who can write to the ledger raises the cursor over a forged bundle, or
 * replaces one that brought no text; then verify, rebuild, replay and set-aside do their work honestly.
 */
import { beforeEach, expect, test } from 'vitest';
import { testLedger } from '../../../test/support/agent/ledger.ts';
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
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { makeVendorKey, statementOf } from '../../../test/support/vendor-key.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { applyNext } from '../apply/apply.ts';
import type { RawEntry } from '../apply/entry.ts';
import { provedBy } from '../receive/proved.ts';
import { rebuildLedger } from './rebuild.ts';
import { replayRejected } from './replay.ts';
import { truncateAfter } from './truncate.ts';
import { UnprovedTextError } from './unproved-texts.ts';
import { verifyLedger } from './verify.ts';

const NOW = '2026-11-20T08:00:00.000Z';
const FIRST = '코스피가 올랐습니다.';
const FORGED = {
  analysis_engine: 'v2',
  explanation_type: null,
  confidence_level: null,
  summary: '확정 수익을 드립니다.',
};
const UNNAMED = 'no row of the audit log names it, and no verification key at hand has signed it';
const [vendor, former] = [makeVendorKey(), makeVendorKey()];
let ledger: Ledger;
let file: string;
let parts: WholeParts;

beforeEach(() => {
  ({ ledger, file } = testLedger());
  parts = { ...partsOn(ledger, NOW), isProved: provedBy(ledger, { keys: () => [vendor.publicKey] }) };
});

/** Receives and applies a bundle that an earlier key has signed. */
function takeIn(...entries: RawEntry[]): void {
  commitEntries(ledger, entries, NOW, (of) => statementOf(former, { ...of, at: new Date(NOW) }));
  while (applyNext({ ...parts, isProved: () => true }));
}

const onDisk = (sql: string): void => changeOnDisk(file, `DROP TRIGGER raw_bundle_is_never_updated; ${sql}`);
/** Puts another body into the bundle after a cursor, under its right hash and without a statement. */
function replace(after: number, ...entries: RawEntry[]): void {
  const body = bodyOf(bundleOf(after, entries));
  onDisk(`UPDATE raw_bundle SET statement = NULL, ${bodySet(body)} WHERE cursor_from = ${after}`);
}
const findings = (): string => verifyLedger(ledger, [vendor.publicKey], { now: new Date(NOW) }).findings.join('\n');
const rebuild = () => rebuildLedger(parts);
const words = (id: string) => explanationRow(ledger, id)?.published_summary;

test('a forged bundle over which the applied cursor was raised brings no text by a rebuild', () => {
  takeIn(newAt(1, 'a', { summary: FIRST }));
  commitEntries(ledger, [newAt(2, 'forged', FORGED), newAt(3, 'a', FORGED)], NOW, null);
  onDisk('UPDATE sync_state SET applied_cursor = 3');
  expect(findings()).toContain(UNNAMED);
  expect(rebuild).toThrow(UnprovedTextError);
  expect(rebuild).toThrow('"intake set-aside 1"');
  expect([words('forged'), words('a')]).toEqual([undefined, FIRST]);
  // What it advises lets the cloud send again what follows.
  truncateAfter(parts, 1);
  expect(readCursors(ledger)).toMatchObject({ committed: 1, applied: 1 });
  commitEntries(ledger, [newAt(2, 'b')], NOW, (of) => statementOf(vendor, { ...of, at: new Date(NOW) }));
  while (applyNext(parts));
  expect(findings()).toBe('');
  expect(rebuild()).toMatchObject({ restored: 0, corrected: 0 });
  expect(words('b')).toBeDefined();
});

test('nor does one in the place of a bundle that had brought no text, whose words a later bundle hides', () => {
  takeIn(newAt(1, 'a', { summary: FIRST }), newAt(2, 'w'));
  takeIn(invalidationAt(3, 'w'));
  takeIn(newAt(4, 'a', { summary: '코스닥이 내렸습니다.' }));
  expect(findings()).toBe('');
  replace(2, newAt(3, 'a', FORGED));
  expect(findings()).toContain(UNNAMED);
  expect(rebuild).toThrow(UNNAMED);
  expect(() => truncateAfter(parts, 3)).toThrow(UNNAMED);
  expect(words('a')).toBe('코스닥이 내렸습니다.');
  truncateAfter(parts, 2);
  expect(words('a')).toBe(FIRST);
});

test('nor is it replayed as an entry that was once rejected; a withdrawal is', () => {
  takeIn(newAt(1, 'a'), newAt(2, 'w'));
  commitEntries(ledger, [newAt(3, 'forged', FORGED), invalidationAt(4, 'w')], NOW, null);
  onDisk(`UPDATE sync_state SET applied_cursor = 4;
    INSERT INTO rejected_entry (cursor, cursor_from, reason, entry, rejected_at)
    SELECT cursor, 2, 'The entry could not be applied: x', '{}', '${NOW}' FROM (SELECT 3 AS cursor UNION SELECT 4)`);
  expect(replayRejected(parts)).toEqual({
    applied: [4],
    superseded: [],
    rejected: [{ cursor: 3, reason: expect.stringContaining('no verification key at hand has signed') as string }],
  });
  expect([explanationRow(ledger, 'forged'), explanationRow(ledger, 'w')?.status]).toEqual([undefined, 'INVALIDATED']);
  const rejected = ledger.all(sqlite.selectFrom('rejected_entry').select('cursor'));
  expect(rejected).toEqual([{ cursor: 3 }]);
});

test('an honest ledger of an earlier key is sound, and is rebuilt: the log names what brought a text', () => {
  takeIn(newAt(1, 'a'), newAt(2, 'b'));
  takeIn(newAt(3, 'a', { confidence_level: 'MEDIUM' }), invalidationAt(4, 'b'));
  takeIn(newAt(5, 'a', { summary: '코스닥이 내렸습니다.' }), newAt(6, 'b', { summary: '코스피가 올랐습니다.' }));
  truncateAfter(parts, 4);
  takeIn(newAt(5, 'a', { summary: '코스닥이 내렸습니다.' }), newAt(6, 'c'));
  expect(findings()).toBe('');
  changeOnDisk(file, 'DELETE FROM explanation');
  expect(rebuild()).toMatchObject({ restored: 3 });
  expect(findings()).toBe('');
  expect(words('a')).toBe('코스닥이 내렸습니다.');
});

test('nor is a text a finding whose withdrawal was set aside: no row tells that it came again, and it stays withdrawn', () => {
  takeIn(newAt(1, 'a', { summary: FIRST }));
  takeIn(invalidationAt(2, 'a'));
  truncateAfter(parts, 1);
  takeIn(newAt(2, 'a', { summary: '코스닥이 내렸습니다.' }));
  expect(findings()).toBe('');
  expect(rebuild()).toMatchObject({ corrected: 0 });
  changeOnDisk(file, 'DELETE FROM explanation');
  expect(rebuild()).toMatchObject({ restored: 1 });
  expect([findings(), explanationRow(ledger, 'a')?.status]).toEqual(['', 'INVALIDATED']);
  // Whoever makes the row another one gains no words.
  changeOnDisk(file, "DROP TRIGGER invalidated_is_final; UPDATE explanation SET status = 'AUTO_PUBLISHED'");
  expect(rebuild).toThrow(UNNAMED);
});
