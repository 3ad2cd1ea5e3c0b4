/** Blind reviews: which reviewers are asked, what is hidden from them, which opinions count, and how reviews end. */
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isDrawn } from '../../../agent/ledger/review/blind-reviews.ts';
import { rescreened } from '../../../agent/ledger/explanations/explanations.ts';
import { changeRole } from '../../../agent/ledger/accounts/member-changes.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { screened } from '../../../test/support/agent/ledger.ts';
import { withCriteria } from '../../../agent/ledger/policy/changes.ts';
import { publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import type {
  AuditAction,
  BlindReview,
  BlindReviewItem,
  ExplanationDetail,
  Page,
  ReviewItem,
  ReviewStatistics,
  TimelineEntry,
} from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

/** The role that decides first. */
const CR = 'COMPLIANCE_REVIEWER';
/** The first reviewer's words: the second one must not see any of them before their own opinion. */
const SECRET = '첫 심사자의 말';
let console: TestConsole;
let second: string;
beforeEach(() => {
  console = new TestConsole();
  second = colleague('second');
  draw(100);
});
afterEach(() => console.close());

/** A session of another reviewer. */
const colleague = (id: string): string => console.colleague(id, `이름 ${id}`);

function draw(blindShare: number): void {
  const snapshot = withCriteria(SEED_POLICY, { blindShare });
  const at = console.now.toISOString();
  console.ledger.write((tx) => publishPolicy(tx, { snapshot, changes: [], actor: { kind: 'SYSTEM' }, at }));
}

type Decision = 'approve' | 'approve-edited' | 'reject' | 'block';
const BODY = {
  approve: { comment: SECRET },
  'approve-edited': { edited_summary: SECRET, comment: SECRET },
  reject: { reason: SECRET },
  block: { reason: SECRET },
} satisfies Record<Decision, object>;

/** Decides an item; returns its id and that of its blind review. */
async function decided(
  decision: Decision = 'reject',
  id = console.explanation(),
): Promise<[id: string, review: string]> {
  const url = `/api/v1/review/items/${id}/${decision}`;
  expect((await console.ask({ method: 'POST', url, as: CR, body: BODY[decision] })).status).toBe(200);
  const { items } = await list('OPEN');
  return [id, items.at(-1)?.id ?? ''];
}

const PLACE = '/api/v1/review/blind-reviews';
const list = async (state: string, as = second) =>
  (await console.ask<Page<BlindReviewItem>>({ method: 'GET', url: `${PLACE}?state=${state}`, as })).result;
const readReview = (review: string, as = second) =>
  console.ask<BlindReview>({ method: 'GET', url: `${PLACE}/${review}`, as });
const say = (review: string, outcome: string, as = second, reason = '내 생각') =>
  console.ask<BlindReview>({ method: 'POST', url: `${PLACE}/${review}`, as, body: { outcome, reason } });
const get = (url: string, as = second) => console.ask({ method: 'GET', url: `/api/v1/${url}`, as });
const note = (id: string, as = second) => console.ask({ method: 'POST', url: `/api/v1/review/items/${id}/looks`, as });
const blind = async () => {
  const { result } = await console.ask<ReviewStatistics>({ method: 'GET', url: '/api/v1/review/statistics', as: CR });
  return result.blind;
};

describe('the draw', () => {
  test('of 0 % is empty, of 100 % complete, and a larger share includes every smaller one', () => {
    const share = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.string(), fc.nat(), share, share, (id, move, one, other) => {
        expect([isDrawn(id, move, 0), isDrawn(id, move, 100)]).toEqual([false, true]);
        if (isDrawn(id, move, Math.min(one, other))) expect(isDrawn(id, move, Math.max(one, other))).toBe(true);
      }),
    );
  });

  test('follows from the explanation and the number of the decision, and comes near its share', () => {
    const drawn = Array.from({ length: 5_000 }, (_, move) => move).filter((move) => isDrawn('x', move, 10));
    expect(drawn.length / 5_000).toBeCloseTo(0.1, 1);
    // Written out by hand, as an auditor would compute it.
    const first = hash('sha256', `blind x ${drawn[0]}`).slice(0, 8);
    expect((Number(`0x${first}`) * 100) / 0x1_0000_0000).toBeLessThan(10);
  });

  test('covers people’s decisions, by the share at that moment; no auto-provided text and no stop', async () => {
    draw(0);
    await decided('approve');
    expect((await list('OPEN')).total).toBe(0);
    draw(100);
    const url = `/api/v1/explanations/${console.explanation('AUTO_PUBLISHED')}/stop`;
    await console.ask({ method: 'POST', url, as: 'OPERATOR', body: { reason: '사유' } });
    expect((await list('OPEN')).total).toBe(0);
    const reviews = [];
    for (const decision of Object.keys(BODY) as Decision[]) reviews.push((await decided(decision))[1]);
    expect((await list('OPEN')).items.map(({ id }) => id)).toEqual(reviews);
    // The decider is not asked; all others may see the open reviews.
    expect([(await list('OPEN', CR)).total, (await list('OPEN', 'READ_ONLY')).total]).toEqual([0, 4]);
  });
});

describe('until the second reviewer has answered', () => {
  test('no answer reveals the decision, its author or reason: it is the same for every decision', async () => {
    const without = new Set<string>();
    for (const decision of Object.keys(BODY) as Decision[]) {
      const id = console.explanation();
      const notes = `/api/v1/review/items/${id}/notes`;
      await console.ask({ method: 'POST', url: notes, as: CR, body: { text: SECRET } });
      const [, review] = await decided(decision, id);
      const answers = [await readReview(review), await console.ask({ method: 'GET', url: PLACE, as: second })];
      for (const { status, body, headers } of answers) {
        expect(status).toBe(200);
        const told = JSON.stringify([body, headers]);
        for (const secret of [SECRET, '이름 compliance_reviewer', 'member-', decision, id, 'PUBLISHED', 'REJECTED'])
          expect(told).not.toContain(secret);
      }
      const { result } = await readReview(review);
      expect(result).toMatchObject({ told: null, blind: true, hadAPart: false });
      expect(result.item?.summary).toBeTruthy();
      without.add(JSON.stringify({ ...result, id: null, item: Object.keys(result.item ?? {}) }));
    }
    expect(without.size).toBe(1);
  });

  test('then both are shown, to every role that may see them; the explanation stays as it is', async () => {
    const [id, review] = await decided('approve-edited');
    const before = console.traces();
    const { status, result } = await say(review, 'reject');
    expect(status).toBe(200);
    expect(result).toMatchObject({
      state: 'DIFFERED',
      told: {
        explanationId: id,
        first: {
          displayName: '이름 compliance_reviewer',
          decision: 'approve-edited',
          reason: SECRET,
          published_summary: SECRET,
        },
        second: { displayName: '이름 second', decision: 'reject', reason: '내 생각', blind: true },
      },
    });
    expect((await readReview(review, 'READ_ONLY')).result.told).toEqual(result.told);
    expect(console.traces()).toEqual({ ...before, actions: before.actions + 1 });
    const { result: timeline } = await console.ask<Page<TimelineEntry>>({
      method: 'GET',
      url: `/api/v1/review/items/${id}/timeline`,
      as: CR,
    });
    expect(timeline.items[0]).toMatchObject({ kind: 'BLIND_DIFFERED', actor: '이름 second' });
    expect([(await list('DIFFERED')).total, (await list('AGREED')).total, (await list('OPEN')).total]).toEqual([
      1, 0, 0,
    ]);
    expect((await say(review, 'reject', colleague('third'))).status).toBe(409);
  });
});

describe('blindness', () => {
  test('agreement counts only blind reviews, with the decisions of both persons', async () => {
    await say((await decided('reject'))[1], 'reject');
    await say((await decided('approve'))[1], 'block');
    await decided('block');
    const pairs = [
      { first: 'approve', second: 'block', count: 1 },
      { first: 'reject', second: 'reject', count: 1 },
    ];
    expect(await blind()).toEqual({ open: 1, overtaken: 0, notBlind: 0, agreed: 1, differed: 1, pairs });
  });

  test('the log of one ticker is refused as that of one explanation is', async () => {
    const [id, review] = await decided('reject', console.explanation('PENDING_REVIEW', { etf_ticker: 'BLIND' }));
    const asked = (as: string) => console.ask({ method: 'GET', url: '/api/v1/audit/actions?ticker=BLIND', as });
    const refused = await asked(second);
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'REVIEW4096', errors: [{ message: review }] }]);
    expect((await asked(CR)).status).toBe(200);
    await console.ask({ method: 'POST', url: `/api/v1/review/items/${id}/looks`, as: second });
    expect((await asked(second)).status).toBe(200);
  });

  test('a search of the log leaves out what it tells of a text under a blind review', async () => {
    const [id] = await decided('reject', console.explanation('PENDING_REVIEW', { etf_name: '찾는 종목' }));
    const found = async (as: string) =>
      (
        await console.ask<Page<AuditAction>>({
          method: 'GET',
          url: `/api/v1/audit/actions?q=${encodeURIComponent('찾는종목')}`,
          as,
        })
      ).result.items.map(({ targetId }) => targetId);
    expect(await found(second)).toEqual([]);
    expect(await found(CR)).toContain(id);
    await console.ask({ method: 'POST', url: `/api/v1/review/items/${id}/looks`, as: second });
    expect(await found(second)).toContain(id);
  });

  test('every answer that reveals the decision needs the look on record first; a reviewer who takes it is not blind', async () => {
    const places: ((id: string) => string)[] = [
      (id) => `explanations/${id}`,
      (id) => `review/items/${id}`,
      (id) => `review/items/${id}/timeline`,
      (id) => `audit/actions?targetId=${id}`,
    ];
    for (const [index, place] of places.entries()) {
      const [id, review] = await decided();
      const third = colleague(`third-${index}`);
      const refused = await get(place(id));
      expect([refused.status, refused.body]).toEqual([
        409,
        expect.objectContaining({ code: 'REVIEW4096', errors: [{ path: 'review', message: review }] }),
      ]);
      expect(JSON.stringify(refused.body)).not.toMatch(/reject/i);
      expect((await readReview(review)).result.blind).toBe(true);
      // The decider and the other roles give no blind opinion, so they are not asked.
      for (const as of [CR, 'OPERATOR', 'TENANT_ADMIN', 'READ_ONLY'])
        expect((await get(place(id), as)).status).toBe(200);
      expect((await note(id)).result).toEqual({ noted: true });
      expect([(await get(place(id))).status, (await note(id)).result]).toEqual([200, { noted: false }]);
      expect(console.actions().filter(({ action }) => action === 'review.looked')).toHaveLength(index + 1);
      // The review of another person is still blind.
      expect([(await readReview(review)).result.blind, (await readReview(review, third)).result.blind]).toEqual([
        false,
        true,
      ]);
      expect((await say(review, 'reject')).result).toMatchObject({
        state: 'AGREED',
        told: { second: { blind: false } },
      });
      expect(await blind()).toMatchObject({ notBlind: index + 1, agreed: 0, differed: 0, pairs: [] });
    }
    expect((await note('none')).status).toBe(404);
  });

  test('a list shows the state and hides the rest', async () => {
    const [id] = await decided('approve-edited');
    const other = console.explanation('AUTO_PUBLISHED');
    const row = async (as: string) => {
      const { result } = await console.ask<Page<ReviewItem>>({
        method: 'GET',
        url: '/api/v1/review/items?status=PUBLISHED',
        as,
      });
      return result.items[0];
    };
    expect(await row(second)).toMatchObject({ id, status: 'PUBLISHED', edited_summary: null, comment: null });
    expect(await row(CR)).toMatchObject({ id, edited_summary: SECRET, comment: SECRET });
    const snapshot = async (as: string) => {
      const url = `/api/v1/explanations/${other}`;
      const { result } = await console.ask<ExplanationDetail>({ method: 'GET', url, as });
      return result.snapshots.find((one) => one.id === id);
    };
    expect(await snapshot(second)).toMatchObject({ status: null, exposed: null });
    expect(await snapshot(CR)).toMatchObject({ status: 'PUBLISHED' });
  });

  test('after a change of role since the draw the decision may have been shown before', async () => {
    const [id, review] = await decided();
    const viewer = colleague('viewer');
    const at = console.now.toISOString();
    console.ledger.write((tx) => {
      for (const role of ['READ_ONLY', 'COMPLIANCE_REVIEWER'] as const)
        changeRole(tx, { id: 'viewer', role, actor: { kind: 'SYSTEM' }, at });
    });
    expect((await readReview(review, viewer)).result.blind).toBe(false);
    expect((await get(`review/items/${id}`, viewer)).status).toBe(200);
  });

  test('the decider and an author are no second person; a reviewer who only opened the item is', async () => {
    const id = console.explanation();
    const item = `/api/v1/review/items/${id}`;
    const [writer, looker] = [colleague('writer'), colleague('looker')];
    await console.ask({ method: 'PUT', url: `${item}/draft`, as: writer, body: { edited_summary: '쓰는 중' } });
    await console.ask({ method: 'POST', url: `${item}/claim`, as: looker });
    const [, review] = await decided('reject', id);
    expect((await readReview(review, writer)).result.hadAPart).toBe(true);
    // The list of what is to do has none of it, by rows and by count.
    const totals = [writer, CR, looker].map(async (as) => (await list('OPEN', as)).total);
    expect(await Promise.all(totals)).toEqual([0, 0, 1]);
    expect([(await say(review, 'reject', writer)).status, (await say(review, 'reject', CR)).status]).toEqual([
      409, 409,
    ]);
    expect((await readReview(review, looker)).result).toMatchObject({ hadAPart: false, blind: true });
    expect((await say(review, 'reject', looker)).status).toBe(200);
  });
});

describe('other ends and refusals', () => {
  test('an event of the explanation before the opinion ends the review', async () => {
    const [stopped, one] = await decided('approve');
    const [changed, two] = await decided('reject');
    const [withdrawn, three] = await decided('block');
    const url = `/api/v1/explanations/${stopped}/stop`;
    await console.ask({ method: 'POST', url, as: 'OPERATOR', body: { reason: '사유' } });
    const at = console.now.toISOString();
    console.ledger.write((tx) => {
      const made = rescreened(tx, changed, at, screened('PENDING_REVIEW'));
      applyMove(tx, { id: changed, move: 'text-changed', actor: { kind: 'SYSTEM' }, at, screened: made });
      applyMove(tx, { id: withdrawn, move: 'invalidate', actor: { kind: 'SYSTEM' }, at });
    });
    for (const review of [one, two, three])
      expect([(await readReview(review)).status, (await say(review, 'reject')).status]).toEqual([404, 404]);
    expect(await blind()).toMatchObject({ open: 0, overtaken: 3 });
    // A decision after that is a new one.
    const [, again] = await decided('approve', changed);
    expect(again).not.toBe(two);
    expect((await say(again, 'approve')).status).toBe(200);
  });

  test('an opinion is kept, and is shown without a text that the vendor has changed since', async () => {
    const [id, review] = await decided();
    await say(review, 'reject');
    const run = (sql: string) => () => console.ledger.write((tx) => tx.run({ sql, parameters: [] }));
    expect(run("UPDATE blind_review SET reason = 'x'")).toThrow('never changed');
    expect(run('DELETE FROM blind_review')).toThrow('never deleted');
    const at = console.now.toISOString();
    console.ledger.write((tx) => {
      const made = rescreened(tx, id, at, screened('PENDING_REVIEW'));
      applyMove(tx, { id, move: 'text-changed', actor: { kind: 'SYSTEM' }, at, screened: made });
    });
    expect((await readReview(review)).result).toMatchObject({
      state: 'AGREED',
      item: null,
      told: { explanationId: id },
    });
  });

  test('a reason is required, one of the four decisions, and an existing review', async () => {
    const [, review] = await decided();
    expect((await say(review, 'reject', second, ' ')).body.code).toBe('REVIEW4001');
    expect((await say(review, 'stop')).status).toBe(400);
    for (const none of ['0', '999999', '1e3', 'x']) expect((await say(none, 'reject')).status).toBe(404);
    expect((await say(review, 'reject', 'OPERATOR')).status).toBe(403);
  });
});
