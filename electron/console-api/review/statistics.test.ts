/** Review statistics: what counts, what is not measured, and the cost of the queries. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimItem } from '../../../agent/ledger/review/claims.ts';
import { rescreened } from '../../../agent/ledger/explanations/explanations.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import type { Screened } from '../../../agent/ledger/explanations/screenings.ts';
import { boundOf, type Query } from '../../../agent/ledger/storage/query.ts';
import { screened } from '../../../test/support/agent/ledger.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import type { ReviewStatistics } from '../../../shared/wire/console/console.ts';
import { quantile } from './statistics.ts';
import { memberId, START, TestConsole } from '../../../test/support/console-api/console.ts';

const CR = 'COMPLIANCE_REVIEWER';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TODAY = kstDate(START);

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
});
afterEach(() => console.close());

const ask = (query = '') =>
  console.ask<ReviewStatistics>({ method: 'GET', url: `/api/v1/review/statistics${query}`, as: 'READ_ONLY' });
const statistics = async (query = '') => (await ask(query)).result;
const act = async (id: string, what: string, body?: object, as: string = CR): Promise<void> => {
  const place = ['stop', 'move-to-review', 'unblock'].includes(what) ? 'explanations' : 'review/items';
  const method = what === 'release' ? 'DELETE' : 'POST';
  const url = `/api/v1/${place}/${id}/${what === 'release' ? 'claim' : what}`;
  const { status } = await console.ask({ method, url, as, ...(body === undefined ? {} : { body }) });
  expect([what, status]).toEqual([what, 200]);
};
const reason = { reason: '사유' };
const approve = (id: string) => act(id, 'approve');
const NOTHING = { medianMs: null, p90Ms: null, measured: 0 };

/** A change by the vendor, as the Intake applies it. */
function change(id: string, outcome: Screened['outcome'], summary?: string): void {
  const at = console.now.toISOString();
  console.ledger.write((tx) => {
    if (summary !== undefined)
      tx.run({ sql: 'UPDATE explanation SET summary = ? WHERE id = ?', parameters: [summary, id] });
    const made = rescreened(tx, id, at, screened(outcome));
    applyMove(tx, { id, move: 'text-changed', actor: { kind: 'SYSTEM' }, at, screened: made });
  });
}

describe('a decision', () => {
  test('is counted by kind, on its Korean day; a span without any has null times, not zero', async () => {
    const empty = await statistics();
    expect([empty.from, empty.to, empty.days.length]).toEqual(['2026-10-22', TODAY, 30]);
    expect(empty.total).toEqual({
      decided: { approved: 0, approvedEdited: 0, rejected: 0, blocked: 0 },
      reversed: 0,
      automatic: { provided: 0, reversed: 0, blocked: 0, unblocked: 0 },
      waiting: NOTHING,
      handling: NOTHING,
    });
    await approve(console.explanation());
    await act(console.explanation(), 'approve-edited', { edited_summary: '고친 글' });
    await act(console.explanation(), 'reject', reason);
    // 15:00 in London is the next day in Korea.
    console.now = new Date('2026-11-20T15:00:00.000Z');
    await act(console.explanation(), 'block', reason);
    const { days, total } = await statistics('?from=2026-11-20&to=2026-11-21');
    expect(days.map(({ day, decided }) => [day, ...Object.values(decided)])).toEqual([
      ['2026-11-20', 1, 1, 1, 0],
      ['2026-11-21', 0, 0, 0, 1],
    ]);
    expect(total.decided).toEqual({ approved: 1, approvedEdited: 1, rejected: 1, blocked: 1 });
  });

  test('waiting counts from the item’s arrival in review for this decision', async () => {
    const id = console.explanation();
    console.pass(10 * MINUTE);
    await approve(id);
    await act(id, 'move-to-review');
    console.pass(4 * MINUTE);
    await act(id, 'reject', reason);
    const { total } = await statistics();
    expect(total.waiting).toEqual({ medianMs: 7 * MINUTE, p90Ms: 9.4 * MINUTE, measured: 2 });
    expect(total.handling).toEqual(NOTHING);
  });

  test('handling counts from the decider’s last claim that they kept; a claim of an earlier round, or a released one, does not count', async () => {
    const id = console.explanation();
    const session = console.session(CR);
    await act(id, 'claim', undefined, session);
    console.pass(2 * MINUTE);
    await act(id, 'release', undefined, session);
    console.pass(MINUTE);
    await act(id, 'claim', undefined, session);
    console.pass(3 * MINUTE);
    await approve(id);
    expect((await statistics()).total.handling).toEqual({ medianMs: 3 * MINUTE, p90Ms: 3 * MINUTE, measured: 1 });
    await act(id, 'move-to-review');
    console.pass(MINUTE);
    await approve(id);
    const other = console.explanation();
    await act(other, 'claim', undefined, session);
    await act(other, 'release', undefined, session);
    await approve(other);
    // A colleague's claim does not count as the decider's handling time.
    const taken = console.explanation();
    const colleague = { kind: 'MEMBER', id: memberId('OPERATOR'), displayName: '동료', role: CR } as const;
    const token = console.session('OPERATOR');
    console.ledger.write((tx) => claimItem(tx, { id: taken, actor: colleague, token, at: console.now }));
    await approve(taken);
    const { total } = await statistics();
    expect([total.handling.measured, total.waiting.measured]).toEqual([1, 4]);
  });

  test('a clock that was set back yields no measurement', async () => {
    const id = console.explanation();
    await act(id, 'claim');
    console.pass(-5 * MINUTE);
    await approve(id);
    const { total } = await statistics();
    expect([total.decided.approved, total.waiting, total.handling]).toEqual([1, NOTHING, NOTHING]);
  });
});

describe('a reversal counts', () => {
  test('an approval that a person later stops or sends back to review; not a correction, the vendor, or a change of the text', async () => {
    const [stopped, sentBack, corrected, withdrawn, changed] = [0, 1, 2, 3, 4].map(() => console.explanation()) as [
      string,
      string,
      string,
      string,
      string,
    ];
    for (const id of [stopped, sentBack, corrected, withdrawn, changed]) await approve(id);
    const url = `/api/v1/explanations/${corrected}/final`;
    await console.ask({ method: 'PATCH', url, as: CR, body: { published_summary: '고친 글' } });
    change(changed, 'PENDING_REVIEW', '다른 글');
    const at = console.now.toISOString();
    console.ledger.write((tx) => applyMove(tx, { id: withdrawn, move: 'invalidate', actor: { kind: 'SYSTEM' }, at }));
    expect((await statistics()).total.reversed).toBe(0);
    console.pass(40 * DAY);
    await act(stopped, 'stop', reason, 'OPERATOR');
    console.pass(MINUTE);
    await act(sentBack, 'move-to-review', undefined, 'OPERATOR');
    // Present state of reversals, whenever they happened: the decisions are of that day.
    const { total, reversals, policies } = await statistics(`?from=${TODAY}&to=${TODAY}`);
    expect([total.reversed, total.decided.approved]).toEqual([2, 5]);
    expect(policies).toMatchObject([{ policyVersion: 1, decided: { approved: 5 }, reversed: 2 }]);
    expect(reversals.map(({ id, decision, takenBackBy }) => [id, decision, takenBackBy])).toEqual([
      [sentBack, 'approve', 'move-to-review'],
      [stopped, 'approve', 'stop'],
    ]);
    await act(corrected, 'stop', reason);
    expect((await statistics(`?from=${TODAY}&to=${TODAY}`)).total.reversed).toBe(3);
  });

  test('no undo by the decider during the hold, but a reversal by another person', async () => {
    await console.ask({ method: 'PATCH', url: '/api/v1/screening/criteria', as: CR, body: { holdSeconds: 30 } });
    const [undone, takenBack] = [console.explanation(), console.explanation()];
    for (const id of [undone, takenBack]) await approve(id);
    await act(undone, 'move-to-review');
    await act(takenBack, 'move-to-review', undefined, 'OPERATOR');
    const { total, reversals } = await statistics();
    expect([total.decided.approved, total.reversed]).toEqual([1, 1]);
    expect(reversals.map(({ id }) => id)).toEqual([takenBack]);
  });

  test('a refusal whose text is approved after all; another text is another decision', async () => {
    const [same, other, again] = [console.explanation(), console.explanation(), console.explanation()];
    for (const id of [same, other, again]) await act(id, 'reject', reason);
    change(same, 'PENDING_REVIEW');
    change(other, 'PENDING_REVIEW', '공급사가 바꾼 글');
    change(again, 'PENDING_REVIEW');
    expect((await statistics()).total.reversed).toBe(0);
    for (const id of [same, other]) await approve(id);
    await act(again, 'block', reason);
    const { total, reversals } = await statistics();
    expect(total.reversed).toBe(1);
    expect(reversals.map(({ id, decision, takenBackBy }) => [id, decision, takenBackBy])).toEqual([
      [same, 'reject', 'approve'],
    ]);
  });

  test('an auto-provided text that a person stopped; its samples are listed beside it', async () => {
    await console.ask({ method: 'PATCH', url: '/api/v1/screening/criteria', as: CR, body: { sampleShare: 100 } });
    const [left, stopped, back, replaced] = [0, 1, 2, 3].map(() => console.explanation('AUTO_PUBLISHED')) as [
      string,
      string,
      string,
      string,
    ];
    await act(stopped, 'stop', reason, 'OPERATOR');
    await act(back, 'move-to-review');
    change(replaced, 'AUTO_PUBLISHED', '새 글');
    await console.ask({ method: 'POST', url: `/api/v1/review/samples/${left}`, as: CR, body: { outcome: 'FINE' } });
    const { total, samples, reversals, policies } = await statistics();
    // A text that replaces another one counts as another provision.
    expect(total.automatic).toEqual({ provided: 5, reversed: 2, blocked: 0, unblocked: 0 });
    expect(samples).toEqual({ OPEN: 1, FINE: 1, MISSED: 0, ACTED: 2 });
    expect(reversals.map(({ decision }) => decision)).toEqual(['automatic', 'automatic']);
    expect(policies).toMatchObject([
      { policyVersion: 1, automatic: { provided: 5, reversed: 2, blocked: 0, unblocked: 0 } },
    ]);
    console.pass(31 * DAY);
    expect((await statistics()).samples).toEqual({ OPEN: 0, FINE: 0, MISSED: 0, ACTED: 0 });
  });

  test('a block of the screening that a person lifted, by the policy that made it; a person’s block is none', async () => {
    await console.ask({ method: 'PATCH', url: '/api/v1/screening/criteria', as: CR, body: { sampleShare: 100 } });
    const [lifted, marked] = [console.explanation('BLOCKED'), console.explanation('BLOCKED')];
    const [, changed] = [console.explanation('BLOCKED'), console.explanation('BLOCKED')];
    await act(console.explanation(), 'block', reason);
    change(changed, 'PENDING_REVIEW', '공급사가 바꾼 글');
    await act(lifted, 'unblock', reason);
    const body = { outcome: 'MISSED' };
    await console.ask({ method: 'POST', url: `/api/v1/review/samples/${marked}`, as: CR, body });
    const { total, samples, blockSamples, reversals, policies } = await statistics();
    expect([total.decided.blocked, total.automatic]).toEqual([
      1,
      { provided: 0, reversed: 0, blocked: 4, unblocked: 1 },
    ]);
    expect(blockSamples).toEqual({ OPEN: 2, FINE: 0, MISSED: 1, ACTED: 1 });
    expect(samples).toEqual({ OPEN: 0, FINE: 0, MISSED: 0, ACTED: 0 });
    expect(reversals.map(({ id, decision, takenBackBy }) => [id, decision, takenBackBy])).toEqual([
      [lifted, 'automatic-block', 'unblock'],
    ]);
    expect(policies.find(({ policyVersion }) => policyVersion === 1)?.automatic).toMatchObject({
      blocked: 4,
      unblocked: 1,
    });
  });
});

describe('the span', () => {
  test('has one day or more, and at most 92', async () => {
    const spans = [
      ['?from=2026-11-20&to=2026-11-19', 400],
      ['?from=2026-08-20&to=2026-11-20', 400],
      ['?from=2026-08-21&to=2026-11-20', 200],
      ['?from=2026-10-01', 200],
      ['?to=0001-01-01', 200],
      ['?to=9999-12-31', 200],
      ['?from=9999-12-31&to=0001-01-01', 400],
      ['?from=2026-02-30', 400],
      ['?days=3', 400],
    ] as const;
    for (const [query, status] of spans) expect([query, (await ask(query)).status]).toEqual([query, status]);
  });

  test('every statement uses an index of its moment or explanation, for a ledger of any size', async () => {
    const asked = new Map<string, readonly unknown[]>();
    const { all, first } = console.ledger;
    Object.assign(console.ledger, {
      all: (query: Query<unknown>) => {
        const { sql, parameters } = boundOf(query);
        asked.set(sql, parameters);
        return all.call(console.ledger, query);
      },
    });
    await act(console.explanation(), 'reject', reason);
    asked.clear();
    await statistics();
    Object.assign(console.ledger, { all, first });
    const plans = [...asked].filter(([sql]) => /state_history|review_sample|console_action_log/.test(sql));
    expect(plans).toHaveLength(7);
    for (const [sql, parameters] of plans) {
      const steps = console.ledger.all<{ detail: string }>({ sql: `EXPLAIN QUERY PLAN ${sql}`, parameters });
      expect(steps.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN'))).toEqual([]);
      expect(steps[0]?.detail).toMatch(
        /SEARCH .* USING (COVERING )?INDEX \w+ \((.* )?(at|sampled_at|drawn_at)>\? AND /,
      );
    }
  });
});

describe('quantiles', () => {
  test('are null without values; otherwise they lie within the measured range, and grow with their share', () => {
    expect([quantile([], 0.5), quantile([7], 0.9), quantile([1, 2, 9, 10], 0.5)]).toEqual([null, 7, 6]);
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: 1 }), (times) => {
        const sorted = times.toSorted((a, b) => a - b);
        const [median, p90] = [quantile(sorted, 0.5) ?? -1, quantile(sorted, 0.9) ?? -1];
        expect(median).toBeGreaterThanOrEqual(sorted[0] ?? 0);
        expect(p90).toBeGreaterThanOrEqual(median);
        expect(p90).toBeLessThanOrEqual(sorted.at(-1) ?? 0);
        // At least half of them, and at least nine in ten, up to interpolation.
        expect(sorted.filter((ms) => ms <= median).length).toBeGreaterThanOrEqual(Math.floor(sorted.length / 2));
      }),
    );
  });
});
