/** A rebuild exposes only screened texts, for any content of the raw bundles and the rows (D14, D37). */
import { hash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { commandActor, recordAction } from '../../ledger/audit/audit.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { rebuildLedger } from './rebuild.ts';
import {
  bodyOf,
  bundleOf,
  changeOnDisk,
  explanationRow,
  newAt,
  partsOn,
  reviewer,
  takeIn,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { verifyLedger } from './verify.ts';

const CLEAN = '반도체 수출이 늘었습니다.';
const OTHER = '외국인 매물에 지수가 내렸습니다.';
const REVIEWED = '지금은 매수 시점입니다.';

let ledger: Ledger;
let parts: WholeParts;
beforeEach(() => {
  ({ ledger } = testLedger());
  parts = partsOn(ledger);
});

const onDisk = (statements: string): void => changeOnDisk(ledger.file, statements);

/** Imitates a repair by a program that screened nothing: the record holds another text, and with `isCopied` the row too. */
function replaceText(text: string, { isCopied }: { isCopied: boolean }): void {
  const body = bodyOf(bundleOf(0, [newAt(1, 'a', { summary: text })]));
  const hex = (bytes: Uint8Array): string => `x'${Buffer.from(bytes).toString('hex')}'`;
  onDisk(`DROP TRIGGER raw_bundle_is_never_updated;
    UPDATE raw_bundle SET body = ${hex(body)}, sha256 = ${hex(hash('sha256', body, 'buffer'))};
    ${isCopied ? `UPDATE explanation SET summary = '${text}'` : ''}`);
  ledger.write((tx) =>
    recordAction(tx, {
      at: parts.clock.now().toISOString(),
      actor: commandActor(),
      action: 'ledger.repair',
      targetType: 'ledger',
      targetId: null,
      detail: { cursorFrom: 0, cursorTo: 1 },
    }),
  );
}
const row = () => explanationRow(ledger, 'a');

test.each([{ isCopied: false }, { isCopied: true }])(
  'a text without a screening is found, and screened: %j',
  ({ isCopied }) => {
    takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
    expect(verifyLedger(ledger).findings).toEqual([]);
    replaceText(REVIEWED, { isCopied });
    expect(verifyLedger(ledger).findings).toHaveLength(1);
    rebuildLedger(parts);
    expect(row()).toMatchObject({ status: 'PENDING_REVIEW', summary: REVIEWED, failed_checks: '["FORBIDDEN_WORDS"]' });
    expect(verifyLedger(ledger).findings).toEqual([]);
  },
);

test('where a person had decided, a person decides again', () => {
  takeIn(parts, newAt(1, 'a', { summary: REVIEWED }));
  const at = parts.clock.now().toISOString();
  ledger.write((tx) => applyMove(tx, { id: explanationId('a'), move: 'approve', actor: reviewer, at, reason: null }));
  replaceText(OTHER, { isCopied: true });
  rebuildLedger(parts);
  expect(row()).toMatchObject({ status: 'PENDING_REVIEW', summary: OTHER, published_summary: REVIEWED, decided: 1 });
});

test('a row that was lost comes back with its text screened, if that is not the one its history knows', () => {
  takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
  replaceText(REVIEWED, { isCopied: false });
  onDisk('DELETE FROM explanation');
  rebuildLedger(parts);
  expect(row()).toMatchObject({ status: 'PENDING_REVIEW', summary: REVIEWED });
  expect(verifyLedger(ledger).findings).toEqual([]);
});

test('a text that its history knows is copied, and its state stays', () => {
  takeIn(parts, newAt(1, 'a', { summary: REVIEWED }));
  const at = parts.clock.now().toISOString();
  ledger.write((tx) => applyMove(tx, { id: explanationId('a'), move: 'approve', actor: reviewer, at, reason: null }));
  onDisk("UPDATE explanation SET summary = 'forged'");
  rebuildLedger(parts);
  expect(row()).toMatchObject({ status: 'PUBLISHED', summary: REVIEWED });
});

test('a row that says it was withdrawn stays withdrawn, on record, and is no longer a finding', () => {
  takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
  onDisk("UPDATE explanation SET status = 'INVALIDATED'");
  expect(verifyLedger(ledger).findings).toEqual(['The explanation a is marked withdrawn, but no record withdraws it.']);
  expect(rebuildLedger(parts)).toMatchObject({ left: 1 });
  expect(row()?.status).toBe('INVALIDATED');
  expect(verifyLedger(ledger)).toMatchObject({
    findings: [],
    notices: ['The explanation a stays withdrawn, though no record withdraws it any more.'],
  });
});

test('a row without any history begins again', () => {
  takeIn(parts, newAt(1, 'a', { summary: CLEAN }), newAt(2, 'b', { summary: REVIEWED }));
  onDisk('DROP TRIGGER state_history_is_never_deleted; DELETE FROM state_history');
  const lacks = /^The history of an explanation differs from the audit log: the history of .* lacks the move of row/;
  expect(verifyLedger(ledger).findings).toEqual([
    expect.stringMatching(lacks),
    expect.stringMatching(lacks),
    'The explanation a has no history.',
    'The explanation b has no history.',
  ]);
  rebuildLedger(parts);
  expect([row()?.status, explanationRow(ledger, 'b')?.status]).toEqual(['AUTO_PUBLISHED', 'PENDING_REVIEW']);
  expect(verifyLedger(ledger).findings).toEqual([]);
});
