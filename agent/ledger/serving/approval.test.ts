/** Approval numbers and the end of an approval (D211): who gets one, that none comes twice, and what lapses. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { commandActor } from '../audit/audit.ts';
import { findExplanation } from '../explanations/explanations.ts';
import { historyOf } from '../explanations/history.ts';
import { followHistory } from '../explanations/history-check.ts';
import { recordPull } from '../inbox/sync-state.ts';
import { publishPolicy } from '../policy/versions.ts';
import { letEditWait } from '../review/drafts.ts';
import { bandOf } from '../shown/shown-at.ts';
import { readShownFacts } from '../shown/shown-facts.ts';
import { openLedger, type Ledger } from '../storage/ledger.ts';
import type { MoveRequest } from '../explanations/transitions.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../transitions.ts';
import {
  approvalNumbering,
  ApprovalNumbersClosedError,
  closeNumbers,
  goOnAfter,
  NextNumberError,
  setApprovalNumbering,
  type NumberingChange,
} from './approval.ts';
import { addChannel } from './channels.ts';
import { hasChangedByTime } from './hold.ts';
import { exposedExplanation } from './visibility.ts';

const PATTERN = '제{YYYY}-{SEQ:5}호';
const PERSON = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
const OTHER = { ...PERSON, id: 'n', displayName: '다른 심사자' };

let ledger: Ledger;
let now: Date;
let received: number;
beforeEach(() => {
  ledger = openLedger(':memory:');
  received = 0;
  // Still the 20th in Korea.
  now = new Date('2026-11-20T14:59:59.000Z');
  ledger.write((tx) => addChannel(tx, { channel: 'MTS', key: 'k', at: at() }));
  policy({});
});
afterEach(() => ledger.close());
const at = (): string => now.toISOString();

function policy(criteria: Partial<(typeof SEED_POLICY)['criteria']>): void {
  const snapshot = { ...SEED_POLICY, criteria: { ...SEED_POLICY.criteria, ...criteria } };
  ledger.write((tx) => publishPolicy(tx, { snapshot, changes: [], actor: PERSON, at: at() }));
}
const set = (change: Partial<NumberingChange>): void =>
  ledger.write((tx) =>
    setApprovalNumbering(tx, { pattern: PATTERN, validDays: null, ...change }, { actor: PERSON, at: at() }),
  );
function put(outcome: 'AUTO_PUBLISHED' | 'PENDING_REVIEW' = 'PENDING_REVIEW', result = {}): string {
  received += 1;
  const fields: Partial<NewEntry['explanation_result']> = { etf_ticker: String(received).padStart(6, '0'), ...result };
  return ledger.write((tx) => receive(tx, newEntry(`e${received}`, fields, { cursor: received }), outcome, at()));
}
const move = (id: string, made: Pick<MoveRequest, 'move' | 'editedSummary'>, actor = PERSON): void =>
  void ledger.write((tx) => applyMove(tx, { id, actor, at: at(), reason: null, ...made }));
const numberOf = (id: string): string | null | undefined => findExplanation(ledger, id, now)?.approval_number;
const given = (id: string): (string | null)[] => historyOf(ledger, id).map((row) => row.approvalNumber);
function approved(): string {
  const id = put();
  move(id, { move: 'approve' });
  return id;
}

describe('a number', () => {
  test('is that of each text that a person lets out; what leaves provision has none, and gets another one', () => {
    set({ next: 1 });
    const id = put();
    move(id, { move: 'approve' });
    expect(numberOf(id)).toBe('제2026-00001호');
    move(id, { move: 'correct', editedSummary: '고친 글' });
    expect(numberOf(id)).toBe('제2026-00002호');
    move(id, { move: 'move-to-review' });
    expect(numberOf(id)).toBeNull();
    move(id, { move: 'approve-edited', editedSummary: '고친 글' });
    expect(given(id)).toEqual([null, '제2026-00001호', '제2026-00002호', null, '제2026-00003호']);
    expect(exposedExplanation(ledger, '000001', 'MTS', now)?.approval_number).toBe('제2026-00003호');
    expect(followHistory(ledger).faults.size).toBe(0);
  });

  test('is not that of a text that the program lets out, nor of one of v2', () => {
    set({ next: 1 });
    const automatic = put('AUTO_PUBLISHED');
    const second = put('PENDING_REVIEW', { analysis_engine: 'v2' });
    move(second, { move: 'approve' });
    expect([automatic, second].map(numberOf)).toEqual([null, null]);
    move(automatic, { move: 'correct', editedSummary: '고친 글' });
    expect(numberOf(automatic)).toBe('제2026-00001호');
  });

  test('is that of the second approval under four eyes', () => {
    policy({ fourEyes: true });
    set({ next: 1 });
    const id = put();
    ledger.write((tx) => {
      const edit = { id, actor: OTHER, at: at(), text: '고친 글', comment: null };
      for (const person of [PERSON, OTHER]) tx.run(aReviewer({ id: person.id }));
      letEditWait(tx, { ...edit, acknowledgement: { matcherVersion: 'm', wordsLetStand: [], figuresLetStand: [] } });
    });
    expect(numberOf(id)).toBeNull();
    move(id, { move: 'approve-edited', editedSummary: '고친 글' });
    expect(numberOf(id)).toBe('제2026-00001호');
  });

  test('stays used when its approval is undone during the hold, and a refused approval uses none', () => {
    policy({ holdSeconds: 30 });
    set({ next: 1 });
    const id = approved();
    move(id, { move: 'move-to-review' });
    expect(() => move(id, { move: 'correct', editedSummary: '고침' })).toThrow('not possible');
    move(id, { move: 'approve' });
    expect(given(id)).toEqual([null, '제2026-00001호', null, '제2026-00002호']);
  });
});

describe('a series', () => {
  test('begins anew with the Korean year, and goes on where it was when a pattern comes back', () => {
    set({ next: 41 });
    expect(numberOf(approved())).toBe('제2026-00041호');
    set({ pattern: '심사필 {SEQ}', next: 1 });
    expect(numberOf(approved())).toBe('심사필 1');
    set({ pattern: '제{YYYY}-{SEQ}호' });
    expect(numberOf(approved())).toBe('제2026-42호');
    now = new Date('2026-12-31T15:00:00.000Z');
    expect(approvalNumbering(ledger, now).next).toBe('제2027-1호');
    expect(numberOf(approved())).toBe('제2027-1호');
  });

  test('passes over numbers that another pattern has made', () => {
    set({ pattern: '1{SEQ}', next: 1 });
    expect([approved(), approved()].map(numberOf)).toEqual(['11', '12']);
    set({ pattern: '{SEQ}', next: 11 });
    expect(numberOf(approved())).toBe('13');
  });

  test('begins where a person says, and never before its end', () => {
    expect(() => set({})).toThrow(NextNumberError);
    set({ next: 100 });
    approved();
    expect(() => set({ next: 100 })).toThrow('up to 100');
    set({ next: 200 });
    expect(numberOf(approved())).toBe('제2026-00200호');
  });

  test('is closed by a restore that may have lost numbers, until a person says where it goes on', () => {
    set({ next: 1 });
    const id = put();
    ledger.write((tx) => closeNumbers(tx, commandActor(), at()));
    expect(() => move(id, { move: 'approve' })).toThrow(ApprovalNumbersClosedError);
    move(put('AUTO_PUBLISHED'), { move: 'stop' });
    expect(approvalNumbering(ledger, now)).toMatchObject({ closedAt: at(), next: null });
    expect(() => set({ validDays: 5 })).toThrow(NextNumberError);
    set({ next: 500 });
    move(id, { move: 'approve' });
    expect(numberOf(id)).toBe('제2026-00500호');
  });

  test('goes on after those of the ledger that a restore replaces', () => {
    set({ next: 1 });
    approved();
    ledger.write((tx) => goOnAfter(tx, [{ series: '제2026-{SEQ}호', last: 7 }]));
    expect(numberOf(approved())).toBe('제2026-00008호');
  });
});

test('an approval lapses at the end of its last Korean day; nothing else comes in its place, and a new one lasts anew', () => {
  set({ pattern: null, validDays: 2 });
  put('AUTO_PUBLISHED', { etf_ticker: '069500', explanation_as_of: '2026-11-20T01:00:00.000Z' });
  const id = put('PENDING_REVIEW', { etf_ticker: '069500' });
  move(id, { move: 'approve' });
  const end = new Date('2026-11-21T15:00:00.000Z');
  const obstacle = () => findExplanation(ledger, id, now)?.obstacle;
  const exposedId = () => exposedExplanation(ledger, '069500', 'MTS', now)?.id;
  now = new Date(end.getTime() - 1);
  expect([obstacle(), exposedId()]).toEqual([null, id]);
  expect(hasChangedByTime(ledger, now, end)).toBe(true);
  now = end;
  expect([obstacle(), exposedId()]).toEqual(['LAPSED', undefined]);
  const span = { from: new Date(end.getTime() - 1).toISOString(), to: end.toISOString() };
  expect(bandOf(readShownFacts(ledger, '069500', span, end), span.from, span.to)).toMatchObject([
    { showing: { state: 'GIVEN', id, approvalNumber: null } },
    { showing: { state: 'NOTHING', reason: 'LAPSED', id }, causes: [{ kind: 'LAPSED', id }] },
  ]);
  move(id, { move: 'correct', editedSummary: '고친 글' });
  expect([obstacle(), exposedId(), numberOf(id)]).toEqual([null, id, null]);
});

test.each([
  ['by an exact clock', 0, '2026-11-22T15:00:00.000Z'],
  ['by the clock of a host that is slow by 90 s', 90_000, '2026-11-22T14:58:30.000Z'],
])('the approval of a text that lies ahead lasts from the day of its text, %s', (_, slowMs, heldUntil) => {
  set({ pattern: null, validDays: 1 });
  const statedAt = new Date(now.getTime() + slowMs - 60_000).toISOString();
  now = new Date(now.getTime() - 60_000);
  ledger.write((tx) => recordPull(tx, { at: at(), head: null, statedAt }));
  put('AUTO_PUBLISHED', { etf_ticker: '069500', explanation_as_of: '2026-11-20T01:00:00.000Z' });
  const id = put('PENDING_REVIEW', { etf_ticker: '069500', trade_date: '2026-11-23' });
  move(id, { move: 'approve' });
  const approval = findExplanation(ledger, id, now);
  expect(approval).toMatchObject({ held_until: heldUntil, valid_until: '2026-11-23T15:00:00.000Z' });
  now = new Date(heldUntil);
  expect(exposedExplanation(ledger, '069500', 'MTS', now)?.id).toBe(id);
  expect(findExplanation(ledger, id, now)?.obstacle).toBeNull();
  now = new Date('2026-11-23T15:00:00.000Z');
  expect(findExplanation(ledger, id, now)?.obstacle).toBe('LAPSED');
  expect(followHistory(ledger).faults.size).toBe(0);
});

test('an approval whose hold ends on the next Korean day lasts from that day', () => {
  policy({ holdSeconds: 30 });
  set({ pattern: null, validDays: 1 });
  expect(findExplanation(ledger, approved(), now)).toMatchObject({
    held_until: '2026-11-20T15:00:29.000Z',
    valid_until: '2026-11-21T15:00:00.000Z',
  });
});

const aReviewer = ({ id }: { id: string }) => sql`
  INSERT INTO member (id, username, display_name, role, password_hash, active, created_at, version)
  VALUES (${id}, ${id}, ${id}, 'COMPLIANCE_REVIEWER', '', 1, '', 1)`;
