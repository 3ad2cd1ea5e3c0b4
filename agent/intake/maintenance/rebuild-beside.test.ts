/** A rebuild and the records beside an explanation: edits that wait for a second person, samples, blind reviews. */
import { beforeEach, expect, test } from 'vitest';
import { blindCounts, giveOpinion, listBlindReviews } from '../../ledger/review/blind-reviews.ts';
import { letEditWait } from '../../ledger/review/drafts.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { publishPolicy } from '../../ledger/policy/versions.ts';
import { markSample, sampleOf } from '../../ledger/review/samples.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { waitingEdit } from '../../ledger/review/waiting-edits.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { rebuildLedger } from './rebuild.ts';
import {
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
const REVIEWED = '지금은 매수 시점입니다.';
const EDITED = '고친 본문입니다.';
const AT = '2026-11-20T09:00:00.000Z';
const ID = explanationId('a');

let ledger: Ledger;
let parts: WholeParts;
beforeEach(() => {
  ({ ledger } = testLedger());
  parts = partsOn(ledger);
  const criteria = { ...SEED_POLICY.criteria, fourEyes: true, sampleShare: 100, blindShare: 100 };
  const snapshot = { ...SEED_POLICY, criteria };
  ledger.write((tx) => publishPolicy(tx, { snapshot, changes: [], actor: { kind: 'SYSTEM' }, at: AT }));
});

const onDisk = (statements: string): void => changeOnDisk(ledger.file, statements);

function letWait(text: string): void {
  const acknowledgement = { matcherVersion: 'm', wordsLetStand: [], figuresLetStand: [] };
  ledger.write((tx) => letEditWait(tx, { id: ID, actor: reviewer, at: AT, text, comment: null, acknowledgement }));
}

test('a waiting edit that was lost or changed waits again with the audit log’s text', () => {
  takeIn(parts, newAt(1, 'a', { summary: REVIEWED }));
  letWait(EDITED);
  const before = waitingEdit(ledger, ID);
  expect(verifyLedger(ledger).findings).toEqual([]);
  for (const sql of [
    'DELETE FROM waiting_edit',
    "UPDATE waiting_edit SET text = 'forged'",
    "UPDATE waiting_edit SET authors = '[]'",
    'DELETE FROM explanation',
  ]) {
    onDisk(sql);
    expect(verifyLedger(ledger).findings).not.toEqual([]);
    rebuildLedger(parts);
    expect(waitingEdit(ledger, ID)).toEqual(before);
    expect(verifyLedger(ledger).findings).toEqual([]);
  }
});

test('a finished edit is not brought back, and one that never waited is removed', () => {
  takeIn(parts, newAt(1, 'a', { summary: REVIEWED }));
  letWait(EDITED);
  letWait('anders');
  expect(verifyLedger(ledger).findings).toEqual([]);
  letWait(EDITED);
  takeIn(parts, newAt(2, 'a', { summary: `${REVIEWED} 지금입니다.` }));
  expect(waitingEdit(ledger, ID)).toBeUndefined();
  expect(verifyLedger(ledger).findings).toEqual([]);
  onDisk(`INSERT INTO waiting_edit VALUES ('${ID}', 'forged', 'm', 'M', '${AT}', NULL, '[]')`);
  expect(verifyLedger(ledger).findings).toHaveLength(1);
  rebuildLedger(parts);
  expect(waitingEdit(ledger, ID)).toBeUndefined();
});

test('an edit ends when its row says that the explanation was withdrawn', () => {
  takeIn(parts, newAt(1, 'a', { summary: REVIEWED }));
  letWait(EDITED);
  onDisk("UPDATE explanation SET status = 'INVALIDATED'");
  rebuildLedger(parts);
  expect(explanationRow(ledger, 'a')?.status).toBe('INVALIDATED');
  expect(waitingEdit(ledger, ID)).toBeUndefined();
  expect(verifyLedger(ledger).findings).toEqual([]);
});

test('an explanation that a rebuild exposes again is drawn for the samples, unless it was drawn before', () => {
  const loseHistory = 'DROP TRIGGER IF EXISTS state_history_is_never_deleted; DELETE FROM state_history;';
  takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
  onDisk(`${loseHistory} DELETE FROM review_sample`);
  rebuildLedger(parts);
  expect(explanationRow(ledger, 'a')?.status).toBe('AUTO_PUBLISHED');
  expect(sampleOf(ledger, ID)).toMatchObject({ outcome: 'OPEN' });
  ledger.write((tx) => markSample(tx, { id: ID, outcome: 'FINE', actor: reviewer, at: AT }));
  onDisk(loseHistory);
  rebuildLedger(parts);
  expect(sampleOf(ledger, ID)).toMatchObject({ outcome: 'FINE' });
});

const reviews = () => ({
  counts: blindCounts(ledger, { from: '', before: '~' }),
  open: listBlindReviews(ledger, { state: 'OPEN', notOf: null, page: 1, size: 10 }).rows.map(({ move_id }) => move_id),
  said: listBlindReviews(ledger, { state: 'AGREED', notOf: null, page: 1, size: 10 }).rows,
});

test('second opinions and the open requests for them stay the same', () => {
  takeIn(parts, newAt(1, 'a', { summary: REVIEWED }), newAt(2, 'b', { summary: REVIEWED }));
  for (const id of [ID, explanationId('b')])
    ledger.write((tx) => applyMove(tx, { id, move: 'reject', actor: reviewer, at: AT, reason: 'x' }));
  const [, open = 0] = reviews().open;
  const second = { ...reviewer, id: 'second' };
  ledger.write((tx) => giveOpinion(tx, { id: String(open), outcome: 'reject', reason: 'y', actor: second, at: AT }));
  const before = reviews();
  expect([before.open.length, before.said.length]).toEqual([1, 1]);
  onDisk('DELETE FROM explanation');
  rebuildLedger(parts);
  expect(reviews()).toEqual(before);
  expect(verifyLedger(ledger).findings).toEqual([]);
});

test('an opinion on a decision that the history lost is hidden and bars no person from deciding', () => {
  takeIn(parts, newAt(1, 'a', { summary: REVIEWED }));
  const decide = (at: string) =>
    ledger.write((tx) => applyMove(tx, { id: ID, move: 'reject', actor: reviewer, at, reason: 'x' }));
  decide(AT);
  expect(reviews().open).toHaveLength(1);
  onDisk("DROP TRIGGER state_history_is_never_deleted; DELETE FROM state_history WHERE move = 'reject'");
  rebuildLedger(parts);
  expect([explanationRow(ledger, 'a')?.status, reviews().open, reviews().counts]).toEqual(['PENDING_REVIEW', [], []]);
  decide('2026-11-21T09:00:00.000Z');
  expect(explanationRow(ledger, 'a')?.status).toBe('REJECTED');
  expect(verifyLedger(ledger).findings).toEqual([]);
});
