import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  EXPLANATION_STATUSES,
  MOVES,
  type ExplanationStatus,
  type Move,
} from '../../../shared/wire/console/console.ts';
import { recordAction, verifyChain, type Actor } from '../audit/audit.ts';
import { findExplanation, rescreened } from './explanations.ts';
import type { Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { MoveNotAllowedError, UnknownExplanationError, VersionMismatchError, type MoveRequest } from './transitions.ts';
import { historyOf } from './history.ts';
import { applyMove } from '../transitions.ts';
import { publishPolicy } from '../policy/versions.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { forceStatus, newEntry, receive, screened, testLedger } from '../../../test/support/agent/ledger.ts';

const REVIEWER: Actor = { kind: 'MEMBER', id: 'm-1', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' };
const AT = '2026-11-20T08:00:00.000Z';

/** Taken from decision D12 by hand, not from the code: the state after a move, or absent where it is refused. */
const ALLOWED: Partial<Record<Move, Partial<Record<ExplanationStatus, ExplanationStatus>>>> = {
  approve: { PENDING_REVIEW: 'PUBLISHED' },
  'approve-edited': { PENDING_REVIEW: 'PUBLISHED' },
  reject: { PENDING_REVIEW: 'REJECTED' },
  block: { PENDING_REVIEW: 'BLOCKED' },
  'move-to-review': { AUTO_PUBLISHED: 'PENDING_REVIEW', PUBLISHED: 'PENDING_REVIEW', STOPPED: 'PENDING_REVIEW' },
  // No state alone allows it: see “a block”.
  unblock: {},
  stop: { AUTO_PUBLISHED: 'STOPPED', PUBLISHED: 'STOPPED' },
  correct: { AUTO_PUBLISHED: 'AUTO_PUBLISHED', PUBLISHED: 'PUBLISHED' },
  invalidate: {
    AUTO_PUBLISHED: 'INVALIDATED',
    PENDING_REVIEW: 'INVALIDATED',
    PUBLISHED: 'INVALIDATED',
    REJECTED: 'INVALIDATED',
    BLOCKED: 'INVALIDATED',
    STOPPED: 'INVALIDATED',
  },
};

let ledger: Ledger;
let id: string;
beforeEach(() => {
  ({ ledger } = testLedger());
  ledger.write((tx) => {
    // Screened under version 1, decided under version 2.
    for (const change of ['first', 'second']) {
      publishPolicy(tx, {
        snapshot: SEED_POLICY,
        changes: [{ kind: 'NOTE', text: change }],
        actor: { kind: 'SYSTEM' },
        at: AT,
      });
    }
    id = receive(tx, newEntry('r-1'));
  });
});

function request(move: MoveRequest['move'], extra: Partial<MoveRequest> = {}): MoveRequest {
  const text = move === 'approve-edited' || move === 'correct' ? { editedSummary: '고친 문장' } : {};
  return { id, move, actor: REVIEWER, at: AT, reason: '사유', ...text, ...extra };
}

function rows(): { history: number; audit: number } {
  return {
    history: ledger.all(sqlite.selectFrom('state_history').select('id')).length,
    audit: ledger.all(sqlite.selectFrom('console_action_log').select('seq')).length,
  };
}

describe('every move from every state', () => {
  const moves = MOVES.filter((move): move is MoveRequest['move'] => move !== 'receive' && move !== 'text-changed');
  test.each(moves.flatMap((move) => EXPLANATION_STATUSES.map((from) => [move, from] as const)))(
    '%s from %s',
    (move, from) => {
      ledger.write((tx) => forceStatus(tx, id, from));
      const before = rows();
      const to = ALLOWED[move]?.[from];
      if (to === undefined) {
        expect(() => ledger.write((tx) => applyMove(tx, request(move)))).toThrow(MoveNotAllowedError);
        expect(rows()).toEqual(before);
        expect(findExplanation(ledger, id, new Date(AT))?.version).toBe(1);
        return;
      }
      expect(ledger.write((tx) => applyMove(tx, request(move)))).toEqual({ from, to, version: 2 });
      expect(findExplanation(ledger, id, new Date(AT))?.status).toBe(to);
      expect(rows()).toEqual({ history: before.history + 1, audit: before.audit + 1 });
      expect(historyOf(ledger, id).at(-1)).toEqual({
        move,
        from,
        to,
        actor: '심사자',
        at: AT,
        reason: '사유',
        policyVersion: move === 'invalidate' ? 1 : 2,
        heldUntil: null,
        duringHold: false,
        ...{ approvalNumber: null, validUntil: null },
        authors: move === 'approve-edited' || move === 'correct' ? ['심사자'] : [],
        mine: false,
      });
    },
  );
});

describe('a block', () => {
  const SYSTEM: Actor = { kind: 'SYSTEM' };
  const unblock = () => ledger.write((tx) => applyMove(tx, request('unblock')));
  /** Another text, as the Intake screens it. */
  const changed = (withoutText = false) =>
    ledger.write((tx) => {
      const made = withoutText ? null : rescreened(tx, id, AT, screened('BLOCKED'));
      const hidden = { outcome: 'BLOCKED', policyVersion: 1, screeningId: null } as const;
      const asked = { id, move: 'text-changed', actor: SYSTEM, at: AT, withoutText } as const;
      applyMove(tx, { ...asked, screened: made ?? hidden });
    });

  test('of the screening is lifted into review, with its reason, and exposes nothing', () => {
    id = ledger.write((tx) => receive(tx, newEntry('r-2'), 'BLOCKED'));
    expect(unblock()).toEqual({ from: 'BLOCKED', to: 'PENDING_REVIEW', version: 2 });
    expect(findExplanation(ledger, id, new Date(AT))).toMatchObject({ obstacle: 'STATE', published_summary: null });
    expect(historyOf(ledger, id).at(-1)).toMatchObject({ move: 'unblock', reason: '사유', actor: '심사자' });
    expect(unblock).toThrow(MoveNotAllowedError);
  });

  test('by a person is final, also of a text that the screening had blocked before', () => {
    id = ledger.write((tx) => receive(tx, newEntry('r-2'), 'BLOCKED'));
    unblock();
    ledger.write((tx) => applyMove(tx, request('block')));
    expect(unblock).toThrow(expect.objectContaining({ name: 'MoveNotAllowedError', status: 'BLOCKED', version: 3 }));
  });

  test('is final, too, where the audit log alone still tells that a person made it', () => {
    id = ledger.write((tx) => receive(tx, newEntry('r-2'), 'BLOCKED'));
    const told = { at: AT, actor: REVIEWER, action: 'explanation.block', targetType: 'explanation', targetId: id };
    ledger.write((tx) => recordAction(tx, { ...told, detail: {} }));
    expect(unblock).toThrow(MoveNotAllowedError);
  });

  test('of a text that the vendor changed is lifted where the screening made the last move', () => {
    changed();
    expect(unblock()).toMatchObject({ to: 'PENDING_REVIEW' });
  });

  test('of a text whose raw record was truncated stays until the cloud sends it again (D67)', () => {
    id = ledger.write((tx) => receive(tx, newEntry('r-2'), 'BLOCKED'));
    changed(true);
    expect(unblock).toThrow(MoveNotAllowedError);
    id = ledger.write((tx) => receive(tx, newEntry('r-3'), 'BLOCKED'));
    ledger.write((tx) => tx.run(sqlite.updateTable('explanation').set({ cursor: 0 }).where('id', '=', id)));
    expect(unblock).toThrow(MoveNotAllowedError);
  });
});

describe('texts', () => {
  test('approve shows the text as received', () => {
    ledger.write((tx) => applyMove(tx, request('approve')));
    expect(findExplanation(ledger, id, new Date(AT))).toMatchObject({
      status: 'PUBLISHED',
      published_summary: newEntry('r-1').explanation_result.summary,
    });
  });
  test('approve with edit shows the edited text and keeps the received one', () => {
    ledger.write((tx) => applyMove(tx, request('approve-edited', { comment: '수치 확인' })));
    expect(findExplanation(ledger, id, new Date(AT))).toMatchObject({
      published_summary: '고친 문장',
      edited_summary: '고친 문장',
      comment: '수치 확인',
      summary: newEntry('r-1').explanation_result.summary,
    });
  });
  test('a refused text stays unexposed', () => {
    ledger.write((tx) => applyMove(tx, request('reject')));
    expect(findExplanation(ledger, id, new Date(AT))).toMatchObject({
      status: 'REJECTED',
      published_summary: null,
    });
  });
});

describe('a second decision', () => {
  test('a version that has moved on is refused while the state still allows the move', () => {
    ledger.write((tx) => {
      forceStatus(tx, id, 'PUBLISHED');
      applyMove(tx, request('correct'));
    });
    expect(() => ledger.write((tx) => applyMove(tx, request('stop', { expectedVersion: 1 })))).toThrow(
      VersionMismatchError,
    );
  });
  test('a decided item answers with its present state, for any version of the caller', () => {
    ledger.write((tx) => applyMove(tx, request('approve', { expectedVersion: 1 })));
    const second = () => ledger.write((tx) => applyMove(tx, request('reject', { expectedVersion: 1 })));
    expect(second).toThrow(expect.objectContaining({ name: 'MoveNotAllowedError', status: 'PUBLISHED', version: 2 }));
  });
  test('an unknown explanation is reported', () => {
    expect(() => ledger.write((tx) => applyMove(tx, request('stop', { id: 'nobody' })))).toThrow(
      UnknownExplanationError,
    );
  });
});

test('the audit log holds the texts that customers saw', () => {
  ledger.write((tx) => applyMove(tx, request('approve-edited')));
  const last = ledger.first(
    sqlite.selectFrom('console_action_log').select(['action', 'detail']).orderBy('seq', 'desc').limit(1),
  );
  expect(last?.action).toBe('explanation.approve-edited');
  expect(JSON.parse(last?.detail ?? '')).toMatchObject({ to: 'PUBLISHED', published_summary: '고친 문장' });
});

test('the database itself keeps a withdrawn explanation withdrawn, and history unchanged', () => {
  ledger.write((tx) => applyMove(tx, request('invalidate')));
  expect(() => ledger.write((tx) => forceStatus(tx, id, 'PUBLISHED'))).toThrow(/never comes back/);
  expect(() => ledger.write((tx) => tx.run(sqlite.updateTable('state_history').set({ reason: 'x' })))).toThrow(
    /never changed/,
  );
  expect(() => ledger.write((tx) => tx.run(sqlite.deleteFrom('state_history')))).toThrow(/never deleted/);
  const [first] = ledger.all(sqlite.selectFrom('state_history').selectAll());
  if (first === undefined) throw new Error('there is no history');
  expect(() => ledger.write((tx) => tx.run(sqlite.replaceInto('state_history').values(first)))).toThrow(
    /never replaced/,
  );
});

test('any sequence of moves follows the table, and history and audit tell it without a gap', () => {
  const moves = MOVES.filter((move): move is MoveRequest['move'] => move !== 'receive' && move !== 'text-changed');
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...moves), { maxLength: 12 }), fc.uuid(), (sequence, key) => {
      id = ledger.write((tx) => receive(tx, newEntry(key)));
      let status: ExplanationStatus = 'PENDING_REVIEW';
      let made = 1;
      for (const move of sequence) {
        const to: ExplanationStatus | undefined = ALLOWED[move]?.[status];
        const make = () => ledger.write((tx) => applyMove(tx, request(move)));
        if (to === undefined) {
          expect(make).toThrow(MoveNotAllowedError);
        } else {
          make();
          status = to;
          made += 1;
        }
      }
      const history = historyOf(ledger, id);
      expect(history).toHaveLength(made);
      expect(history.at(-1)?.to).toBe(status);
      for (const [index, change] of history.entries()) expect(change.from).toBe(history[index - 1]?.to ?? null);
      expect(findExplanation(ledger, id, new Date(AT))).toMatchObject({ status, version: made });
    }),
    { numRuns: 60 },
  );
  expect(verifyChain(ledger)).toMatchObject({ ok: true });
});
