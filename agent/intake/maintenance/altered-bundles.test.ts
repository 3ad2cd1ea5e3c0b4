/**
 * Somebody alters what the vendor stated, bundle and row alike, and takes the statements out. The rows of the texts in the
 * audit log name their bundles (D199).
 */
import { beforeEach, expect, test } from 'vitest';
import { makeVendorKey, statementOf } from '../../../test/support/vendor-key.ts';
import { rawBundleAfter } from '../../ledger/inbox/raw-bundles.ts';
import { openChannel } from '../../ledger/serving/channels.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { applyNext } from '../apply/apply.ts';
import type { RawEntry } from '../apply/entry.ts';
import { backupLedger } from '../backup/backup.ts';
import type { Pull } from '../receive/pull.ts';
import {
  bodyOf,
  bodySet,
  bundleOf,
  changeOnDisk,
  commitEntries,
  newAt,
  partsOn,
  takeIn,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { RawRecordsDamagedError, rebuildLedger } from './rebuild.ts';
import { repairRawBundles } from './repair.ts';
import { truncateAfter } from './truncate.ts';
import { verifyLedger } from './verify.ts';

const NOW = '2026-11-20T08:00:00.000Z';
const AHEAD = '2026-11-20T07:30:00.000Z';
const vendor = makeVendorKey();
const at = (minute: number): string => `2026-11-20T07:0${minute}:00.000Z`;
const text = (cursor: number, id: string): RawEntry =>
  newAt(cursor, id, { summary: `지수가 올랐습니다. ${id}`, explanation_as_of: at(cursor) });
const STATED = [text(1, 'a'), text(2, 'b')];

let ledger: Ledger;
let file: string;
let parts: WholeParts;
beforeEach(() => {
  ({ ledger, file } = testLedger());
  parts = partsOn(ledger, NOW);
  ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: NOW }));
  for (const entry of STATED)
    commitEntries(ledger, [entry], NOW, (of) => statementOf(vendor, { ...of, head: 2, at: new Date(NOW) }));
  while (applyNext(parts));
  isSound();
});

const findings = () => verifyLedger(ledger, [vendor.publicKey], { now: new Date(NOW) }).findings;
const isSound = (): void => expect(findings()).toEqual([]);
const exposedText = () => exposedExplanation(ledger, '069500', 'MTS', new Date(NOW))?.text;
const FOUND = expect.stringMatching(
  /^The raw bundle after cursor 0 is not the one of which row \d+ of the audit log/,
) as string;

/** Dates the text `a` after `b`, in all places that no key seals. */
function dateAgain(): void {
  const stated = rawBundleAfter(ledger, 0);
  const body = Buffer.from(stated?.body ?? [])
    .toString()
    .replace(/(?<="explanation_as_of":")[^"]+/, AHEAD);
  changeOnDisk(
    file,
    `DROP TRIGGER raw_bundle_is_never_updated;
     UPDATE raw_bundle SET ${bodySet(body)} WHERE cursor_from = 0;
     UPDATE raw_bundle SET statement = NULL;
     UPDATE explanation SET explanation_as_of = '${AHEAD}' WHERE explanation_result_id = 'a'`,
  );
}

const pull: Pull = ({ after, limit }) => {
  const body = bodyOf(bundleOf(after, STATED.filter(({ cursor }) => cursor > after).slice(0, limit)));
  return Promise.resolve({ status: 200, body, head: '2', signature: null, statement: null, retryAfter: null });
};
const repair = () => repairRawBundles({ ...parts, pull, verification: null });

test('a text that is dated otherwise than the vendor has is found, and a repair brings back what was stated', async () => {
  expect(exposedText()).toContain('b');
  dateAgain();
  expect(exposedText()).toContain('a');
  expect(findings()).toEqual([FOUND]);
  await expect(backupLedger(ledger, `${file}.copy`)).rejects.toThrow();
  expect(() => rebuildLedger(parts)).toThrow(RawRecordsDamagedError);
  expect(await repair()).toEqual([{ cursorFrom: 0, cursorTo: 1 }]);
  expect(exposedText()).toContain('b');
  isSound();
  expect(rebuildLedger(parts)).toMatchObject({ corrected: 0, restored: 0 });
  dateAgain();
  expect(findings()).toEqual([FOUND]);
});

test('a bundle that is gone with its text is found where others have closed the gap', () => {
  changeOnDisk(
    file,
    `DROP TRIGGER raw_bundle_is_never_updated; DROP TRIGGER raw_bundle_is_never_deleted;
     DELETE FROM raw_bundle WHERE cursor_from = 0; UPDATE raw_bundle SET cursor_from = 0, statement = NULL`,
  );
  expect(findings()).toEqual([FOUND, expect.stringContaining('after cursor 1')]);
});

test('other bundles in the place of those that were set aside are those of which the log tells', () => {
  truncateAfter(parts, 1);
  isSound();
  commitEntries(ledger, [text(2, 'c')], NOW);
  while (applyNext(parts));
  takeIn(parts, text(3, 'b'));
  expect(verifyLedger(ledger)).toMatchObject({ findings: [] });
  expect(rebuildLedger(parts)).toMatchObject({ corrected: 0, restored: 0 });
});
