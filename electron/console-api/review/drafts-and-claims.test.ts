/** Drafts and claims that reviewers leave on an item before they decide (D13, D17). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { draftId } from '../../../agent/ledger/review/drafts.ts';
import { openSession, touchSession } from '../../../agent/ledger/accounts/sessions.ts';
import {
  CLAIM_MS,
  EXPLANATION_STATUSES,
  type ClaimAnswer,
  type Page,
  type ReviewDetail,
  type ReviewItem,
  type TimelineEntry,
} from '../../../shared/wire/console/console.ts';
import { LIMITS, TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let other: string;
beforeAll(() => {
  console = new TestConsole();
  other = console.colleague('second', '둘째');
});
afterAll(() => console.close());

const detail = async (id: string, as = 'READ_ONLY') =>
  (await console.ask<ReviewDetail>({ method: 'GET', url: `/api/v1/review/items/${id}`, as })).result;

describe('a draft', () => {
  const save = (id: string, body: unknown, headers: Record<string, string> = {}, as = 'COMPLIANCE_REVIEWER') =>
    console.ask<ReviewDetail>({
      method: 'PUT',
      url: `/api/v1/review/items/${id}/draft`,
      as,
      body,
      headers,
    });

  test('is kept for its author only, makes no version of the item, and is never shown to customers', async () => {
    const id = console.explanation('PENDING_REVIEW', { summary: '받은 글' });
    const before = console.traces();
    const answer = await save(id, { edited_summary: '고치는 글 매수', comment: '보는 중' });
    expect(answer.headers.etag).toBe('"1"');
    expect(answer.result).toMatchObject({
      status: 'PENDING_REVIEW',
      summary: '받은 글',
      edited_summary: '고치는 글 매수',
      published_summary: '받은 글',
      comment: '보는 중',
      draft: { version: 1, text: '고치는 글 매수', authors: ['이름 compliance_reviewer'] },
      colleagueDrafts: [],
      hitsNow: { edited_summary: [{ wordId: 'word-buy', severity: 'REVIEW' }] },
    });
    for (const as of ['READ_ONLY', other]) {
      const seen = await detail(id, as);
      expect(seen).toMatchObject({
        version: 1,
        edited_summary: null,
        comment: null,
        draft: null,
        colleagueDrafts: [{ displayName: '이름 compliance_reviewer', authors: ['이름 compliance_reviewer'] }],
      });
      expect(JSON.stringify(seen)).not.toContain('고치는 글');
    }
    expect(console.actions(before.actions)).toMatchObject([{ action: 'review.draft', target_id: id }]);
    expect(console.traces().history).toBe(before.history);
  });

  test.for(['approve', 'approve-edited'])('gives its comment to an %s that has none', async (decision) => {
    const id = console.explanation();
    await save(id, { edited_summary: '고치는 글', comment: '보는 중' });
    const ask = (way: string, body: object) =>
      console.ask<ReviewDetail>({
        method: 'POST',
        url: `/api/v1/${way}`,
        as: 'COMPLIANCE_REVIEWER',
        body,
      });
    const approve = (more: object = {}) =>
      ask(`review/items/${id}/${decision}`, {
        ...(decision === 'approve' ? { text: 'RECEIVED' } : { edited_summary: '고치는 글' }),
        ...more,
      });
    const { result } = await approve();
    expect([result.comment, result.history.at(-1)?.reason]).toEqual(['보는 중', '보는 중']);
    // The next decision has its own comment, and null means none.
    await ask(`explanations/${id}/move-to-review`, {});
    expect((await approve()).result).toMatchObject({ status: 'PUBLISHED', comment: null });
    await ask(`explanations/${id}/move-to-review`, {});
    await save(id, { edited_summary: '고치는 글 둘', comment: '또 보는 중' });
    expect((await approve({ comment: null })).result).toMatchObject({ status: 'PUBLISHED', comment: null });
  });

  test('may hold a text that could never be approved', async () => {
    const answer = await save(console.explanation(), { edited_summary: '무위험' });
    expect(answer.result.hitsNow.edited_summary).toMatchObject([{ severity: 'BLOCK' }]);
  });

  test('an unchanged save leaves no trace; null removes the draft', async () => {
    const id = console.explanation();
    await save(id, { edited_summary: '글' });
    const before = console.traces();
    expect((await save(id, { edited_summary: '글' })).result.draft?.version).toBe(1);
    expect(console.traces()).toEqual(before);
    expect((await save(id, { edited_summary: null })).result).toMatchObject({
      edited_summary: null,
      draft: { text: null, version: 2 },
    });
  });

  test('for a version other than the one read: 412; for an unknown item: 404', async () => {
    const id = console.explanation();
    const before = console.traces();
    expect((await save(id, { edited_summary: '글' }, { 'if-match': '"9"' })).status).toBe(412);
    expect((await save('nothing', { edited_summary: '글' })).status).toBe(404);
    expect((await save(id, {})).status).toBe(400);
    expect((await save(id, { edited_summary: 5 })).status).toBe(400);
    expect(console.traces()).toEqual(before);
  });

  test.for(EXPLANATION_STATUSES.filter((status) => status !== 'PENDING_REVIEW'))(
    'of an item that is %s: 409 with the present state',
    async (status) => {
      const id = console.explanation(status);
      const before = console.traces();
      expect((await save(id, { edited_summary: '글' })).body).toMatchObject({
        code: 'COMMON409',
        errors: [{ path: 'status', message: status }, { path: 'version' }],
      });
      expect(console.traces()).toEqual(before);
    },
  );

  const post = (way: string, body: object, as = 'COMPLIANCE_REVIEWER') =>
    console.ask<ReviewDetail>({ method: 'POST', url: `/api/v1/${way}`, as, body });

  test("is removed by its author's approval of the received text, which says so", async () => {
    const id = console.explanation();
    await save(id, { edited_summary: '고치는 글' });
    const before = console.traces();
    expect((await post(`review/items/${id}/approve`, {})).body.code).toBe('REVIEW4092');
    expect(console.traces()).toEqual(before);
    await post(`review/items/${id}/approve`, { text: 'RECEIVED' });
    await post(`explanations/${id}/move-to-review`, {});
    expect(await detail(id, 'COMPLIANCE_REVIEWER')).toMatchObject({ edited_summary: null, draft: { text: null } });
  });

  test('of a colleague does not break a decision: the visible version is still valid, and the draft remains', async () => {
    const id = console.explanation();
    await save(id, { edited_summary: '동료의 글' });
    const decided = await console.ask<ReviewDetail>({
      method: 'POST',
      url: `/api/v1/review/items/${id}/approve`,
      as: other,
      headers: { 'if-match': '"1"' },
    });
    expect(decided.result).toMatchObject({ status: 'PUBLISHED', exposed: false, obstacle: 'SCOPE' });
    await post(`explanations/${id}/move-to-review`, {}, other);
    expect((await detail(id, 'COMPLIANCE_REVIEWER')).draft?.text).toBe('동료의 글');
  });

  test('changed in another window of the same user is not overwritten', async () => {
    const id = console.explanation();
    const first = await save(id, { edited_summary: '첫 창', draftVersion: 0 });
    expect(first.result.draft?.version).toBe(1);
    expect((await save(id, { edited_summary: '둘째 창', draftVersion: 1 })).result.draft?.version).toBe(2);
    const before = console.traces();
    const refused = await save(id, { edited_summary: '다시 첫 창', draftVersion: 1 });
    expect(refused.body).toMatchObject({ code: 'COMMON412', errors: [{ path: 'draftVersion', message: '2' }] });
    expect(console.traces()).toEqual(before);
    // A draft that is deleted and written again never has an earlier version number.
    await save(id, { edited_summary: null, draftVersion: 2 });
    expect((await save(id, { edited_summary: '다시', draftVersion: 0 })).status).toBe(412);
    expect((await save(id, { edited_summary: '다시', draftVersion: 3 })).result.draft?.version).toBe(4);
  });

  test('is taken over by a colleague; from then on both are authors, and that is on record', async () => {
    const id = console.explanation();
    await save(id, { edited_summary: '동료의 글' });
    const [theirs] = (await detail(id, other)).colleagueDrafts;
    const takeOver = (more: object = {}) =>
      post(`review/items/${id}/draft/take-over`, { draftId: theirs?.id, ...more }, other);
    const last = console.traces().actions;
    const taken = await takeOver({ draftVersion: 0 });
    expect(taken.result).toMatchObject({
      version: 1,
      edited_summary: '동료의 글',
      draft: { text: '동료의 글', authors: ['이름 compliance_reviewer', '둘째'] },
    });
    expect(console.actions(last)).toMatchObject([{ action: 'review.draft-taken-over', actor: '둘째' }]);
    // The first author stays an author after they delete their draft and a colleague rewrites the whole text.
    await save(id, { edited_summary: null });
    const changed = await save(id, { edited_summary: '아주 다른 글' }, {}, other);
    expect(changed.result.draft?.authors).toEqual(['둘째', '이름 compliance_reviewer']);
    const approved = await post(`review/items/${id}/approve-edited`, { edited_summary: '더 다른 글' }, other);
    expect(approved.result.history.at(-1)).toMatchObject({
      actor: '둘째',
      authors: ['둘째', '이름 compliance_reviewer'],
    });
    expect((await takeOver()).status).toBe(409);
    const again = console.explanation();
    const own = (await save(again, { edited_summary: '제 글' }, {}, other)).result;
    expect(own.colleagueDrafts).toEqual([]);
    for (const from of [draftId(again, 'second'), draftId(again, 'member-COMPLIANCE_REVIEWER'), theirs?.id])
      expect((await post(`review/items/${again}/draft/take-over`, { draftId: from }, other)).status).toBe(404);
  });
});

describe('a claim', () => {
  const claim = (id: string, as: string, method: 'POST' | 'DELETE' = 'POST') =>
    console.ask<ClaimAnswer>({ method, url: `/api/v1/review/items/${id}/claim`, as });
  const FIRST = '이름 compliance_reviewer';
  /** The names of the viewers; the caller's own has a mark. */
  const viewers = ({ claims }: ClaimAnswer): string[] =>
    claims.map(({ displayName, mine }) => `${displayName}${mine ? ' (나)' : ''}`);

  test('shows every viewer, and marks the caller’s own', async () => {
    const id = console.explanation();
    const mine = console.session('COMPLIANCE_REVIEWER');
    const before = console.traces();
    const { result } = await claim(id, mine);
    expect(result.claims).toEqual([
      {
        displayName: FIRST,
        claimedAt: console.now.toISOString(),
        expiresAt: new Date(console.now.getTime() + CLAIM_MS).toISOString(),
        mine: true,
      },
    ]);
    expect(viewers(await detail(id))).toEqual([FIRST]);
    const queue = await console.ask<Page<ReviewItem>>({
      method: 'GET',
      url: '/api/v1/review/items?size=100',
      as: mine,
    });
    expect(queue.result.items.find((item) => item.id === id)?.claims).toMatchObject([{ mine: true }]);
    expect(console.actions(before.actions)).toMatchObject([{ action: 'review.claim', target_id: id }]);
    expect(console.traces().state).toBe(before.state);
  });

  test('coexists with a colleague’s, and each expires after ten minutes; renewal extends it', async () => {
    const id = console.explanation();
    const mine = console.session('COMPLIANCE_REVIEWER');
    await claim(id, mine);
    console.pass(CLAIM_MS - 1);
    expect(viewers((await claim(id, other)).result)).toEqual([FIRST, '둘째 (나)']);
    const renewals = console.actions().length;
    expect(viewers((await claim(id, mine)).result)).toEqual([`${FIRST} (나)`, '둘째']);
    expect(console.actions()).toHaveLength(renewals);
    console.pass(CLAIM_MS - 1);
    expect(viewers(await detail(id))).toEqual([FIRST, '둘째']);
    console.pass(1);
    expect(viewers(await detail(id))).toEqual([]);
  });

  test('that expired appears in log and timeline at the next write, with its time of expiry', async () => {
    const [id, next] = [console.explanation(), console.explanation()];
    await claim(id, console.session('COMPLIANCE_REVIEWER'));
    const endedAt = new Date(console.now.getTime() + CLAIM_MS).toISOString();
    console.pass(CLAIM_MS + 5_000);
    const before = console.traces();
    await claim(next, other);
    const left = console.actions(before.actions);
    expect(left).toMatchObject([
      { action: 'review.claim-released', target_id: id, actor: FIRST },
      { action: 'review.claim', target_id: next },
    ]);
    expect(JSON.parse(left[0]?.detail ?? '')).toEqual({ ended: 'EXPIRED', endedAt });
    const { result } = await console.ask<Page<TimelineEntry>>({
      method: 'GET',
      url: `/api/v1/review/items/${id}/timeline`,
      as: other,
    });
    expect(result.items.map(({ kind }) => kind)).toEqual(['RELEASED', 'CLAIMED', 'MOVE']);
  });

  test('on another item releases the session’s former one; two sessions of a user are one viewer', async () => {
    const [first, second] = [console.explanation(), console.explanation()];
    const [desktop, laptop] = [console.session('COMPLIANCE_REVIEWER'), console.session('COMPLIANCE_REVIEWER')];
    await claim(first, desktop);
    await claim(first, laptop);
    expect(viewers(await detail(first))).toEqual([FIRST]);
    const before = console.traces();
    await claim(second, desktop);
    expect(console.actions(before.actions)).toMatchObject([
      { action: 'review.claim-released', target_id: first },
      { action: 'review.claim', target_id: second },
    ]);
    expect([viewers(await detail(first)), viewers(await detail(second))]).toEqual([[FIRST], [FIRST]]);
    await claim(second, laptop);
    expect([viewers(await detail(first)), viewers(await detail(second))]).toEqual([[], [FIRST]]);
    // A session that has left the item cannot end a claim on it.
    await claim(first, desktop, 'DELETE');
    await claim(second, laptop, 'DELETE');
    expect(viewers(await detail(second))).toEqual([FIRST]);
  });

  test.for(['logout', 'deactivation', 'absolute life'])('ends with its session: %s', async (end) => {
    const id = console.explanation();
    const member = `ends-${end.replace(' ', '-')}`;
    console.colleague(member);
    const session = console.ledger.write((tx) => {
      const begun = end === 'absolute life' ? console.now.getTime() - LIMITS.absoluteMs + 1 : console.now.getTime();
      const token = openSession(tx, member, new Date(begun), LIMITS);
      touchSession(tx, token, console.now.toISOString());
      return token;
    });
    await claim(id, session);
    expect(viewers(await detail(id))).toEqual([member]);
    if (end === 'logout') await console.ask({ method: 'POST', url: '/api/v1/auth/logout', as: session, body: {} });
    else if (end === 'deactivation')
      await console.ask({ method: 'POST', url: `/api/v1/members/${member}/deactivate`, as: 'TENANT_ADMIN', body: {} });
    else console.pass(1);
    expect(viewers(await detail(id))).toEqual([]);
    // The next session that begins removes expired ones.
    if (end === 'absolute life') {
      console.pass(1);
      console.session('READ_ONLY');
    }
    const released = console
      .actions()
      .filter(({ action, target_id }) => action === 'review.claim-released' && target_id === id);
    expect(released).toMatchObject([{ actor: member }]);
    expect(JSON.parse(released[0]?.detail ?? '')).toEqual({ ended: 'SESSION_ENDED' });
  });

  test('blocks no decision: the first one counts, and ends all claims', async () => {
    const id = console.explanation();
    await claim(id, other);
    const answer = await console.ask<ReviewDetail>({
      method: 'POST',
      url: `/api/v1/review/items/${id}/approve`,
      as: 'COMPLIANCE_REVIEWER',
    });
    expect(answer.result).toMatchObject({ status: 'PUBLISHED', claims: [] });
  });

  test.for(EXPLANATION_STATUSES.filter((status) => status !== 'PENDING_REVIEW'))(
    'on an item that is %s: 409 with the present state, and no trace',
    async (status) => {
      const id = console.explanation(status);
      const before = console.traces();
      const answer = await claim(id, 'COMPLIANCE_REVIEWER');
      expect([answer.status, answer.body]).toMatchObject([
        409,
        {
          code: 'COMMON409',
          errors: [
            { path: 'status', message: status },
            { path: 'version', message: '1' },
          ],
        },
      ]);
      expect(console.traces()).toEqual(before);
      expect((await detail(id)).claims).toEqual([]);
    },
  );

  test('is released only by its own session', async () => {
    const id = console.explanation();
    await claim(id, other);
    expect(viewers((await claim(id, 'COMPLIANCE_REVIEWER', 'DELETE')).result)).toEqual(['둘째']);
    expect((await claim(id, other, 'DELETE')).result).toEqual({ claims: [] });
    for (const method of ['POST', 'DELETE'] as const) expect((await claim('nothing', other, method)).status).toBe(404);
  });
});
