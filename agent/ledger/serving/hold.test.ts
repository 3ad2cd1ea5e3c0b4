/**
 * Visibility over time: an approved text is held (`hold.ts`), a text expires on its trade date, and the clock may be
 * set back. A model in the plainest code gives the expected results.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { addChannel } from './channels.ts';
import { findExplanation, statusOf } from '../explanations/explanations.ts';
import { exposedExplanation, exposedTo, heldNumbers, momentOf } from './visibility.ts';
import { effectsOfExpiry } from '../explanations/exposed-texts.ts';
import { rememberedOf, historyOf } from '../explanations/history.ts';
import { listExplanations } from '../explanations/lists.ts';
import type { Ledger } from '../storage/ledger.ts';
import type { MoveRequest } from '../explanations/transitions.ts';
import { applyMove } from '../transitions.ts';
import { publishPolicy } from '../policy/versions.ts';
import { hasChangedByTime } from './hold.ts';
import { addServed } from './served.ts';
import { newEntry, receive, temporaryLedger } from '../../../test/support/agent/ledger.ts';
import { runs } from '../../../test/support/runs.ts';

const DAY = '2026-11-20';
const START = Date.parse(`${DAY}T05:00:00.000Z`);
const reviewer = {
  kind: 'MEMBER',
  id: 'm',
  displayName: '심사자',
  role: 'COMPLIANCE_REVIEWER',
} as const;

let ledger: Ledger;
let dispose: () => void;
let now: number;
let tickers = 0;
let ticker: string;
beforeAll(() => {
  ({ ledger, dispose } = temporaryLedger());
  ledger.write((tx) => addChannel(tx, { channel: 'MTS', key: 'k', at: 'now' }));
});
afterAll(() => dispose());
beforeEach(() => {
  now = START;
  begin();
});

/** Sets up a case with a ticker of its own. */
function begin(): void {
  tickers += 1;
  ticker = String(tickers).padStart(6, '0');
}
const at = (): string => new Date(now).toISOString();
const idOf = new Map<string, string>();

function put(
  name: string,
  hour: number | string,
  outcome: 'AUTO_PUBLISHED' | 'PENDING_REVIEW' = 'PENDING_REVIEW',
): string {
  const entry = newEntry(`${ticker}-${name}`, {
    etf_ticker: ticker,
    explanation_as_of: typeof hour === 'string' ? hour : `${DAY}T0${hour}:00:00.000Z`,
    summary: `문장 ${name}`,
  });
  const id = ledger.write((tx) => receive(tx, entry, outcome, at()));
  idOf.set(name, id);
  return id;
}
function policy(holdSeconds: number, expiresAt: string | null = null): void {
  const snapshot = {
    ...SEED_POLICY,
    criteria: { ...SEED_POLICY.criteria, holdSeconds, expiresAt },
  };
  ledger.write((tx) => publishPolicy(tx, { snapshot, changes: [], actor: reviewer, at: at() }));
}
function move(id: string, made: Pick<MoveRequest, 'move' | 'editedSummary'>): void {
  ledger.write((tx) => applyMove(tx, { id, actor: reviewer, at: at(), reason: null, ...made }));
}
const exposedText = (): string | undefined => exposedExplanation(ledger, ticker, 'MTS', new Date(now))?.text;
const row = (id: string) => findExplanation(ledger, id, new Date(now));
/** A channel's request, with its serving put on record. */
function ask(): string | undefined {
  const exposed = exposedExplanation(ledger, ticker, 'MTS', new Date(now));
  if (exposed !== undefined) {
    const { id, afterMove, afterFact } = exposed;
    const counted = { afterMove, afterFact, times: 1, firstAt: new Date(now), lastAt: new Date(now) };
    ledger.write((tx) => addServed(tx, [{ id, channel: 'MTS', ...counted }]));
  }
  return exposed?.text;
}

describe('a hold', () => {
  test('keeps the text back and leaves the earlier one exposed; then the text is exposed by itself', () => {
    policy(30);
    put('early', 2, 'AUTO_PUBLISHED');
    const late = put('late', 3);
    move(late, { move: 'approve' });
    const until = new Date(now + 30_000).toISOString();
    expect(row(late)).toMatchObject({ status: 'PUBLISHED', obstacle: 'HELD', held_until: until });
    expect(heldNumbers(ledger, at())).toHaveLength(1);
    const list = (heldAt: string) =>
      listExplanations(ledger, { heldAt, sort: 'newest', page: 1, size: 20 }, new Date(now)).rows.map(({ id }) => id);
    expect(list(at())).toEqual([late]);
    now += 29_999;
    expect(exposedText()).toBe('문장 early');
    const before = new Date(now);
    now += 1;
    expect(exposedText()).toBe('문장 late');
    expect(row(late)?.obstacle).toBeNull();
    expect(list(at())).toEqual([]);
    expect(hasChangedByTime(ledger, before, new Date(now))).toBe(true);
    expect(hasChangedByTime(ledger, new Date(now), new Date(now + 1))).toBe(false);
  });

  test.each(['move-to-review', 'stop', 'invalidate'] as const)(
    'that %s ends leaves the text unexposed, and the earlier one in its place',
    (ends) => {
      policy(30);
      put('early', 2, 'AUTO_PUBLISHED');
      const late = put('late', 3);
      move(late, { move: 'approve-edited', editedSummary: '고친 문장' });
      now += 20_000;
      move(late, { move: ends });
      expect(historyOf(ledger, late).map(({ heldUntil, duringHold }) => [heldUntil !== null, duringHold])).toEqual([
        [false, false],
        [true, false],
        [false, true],
      ]);
      expect(row(late)).toMatchObject({
        published_summary: null,
        edited_summary: '고친 문장',
        held_until: null,
      });
      expect(rememberedOf(ledger, late, '문장 late')).toMatchObject({ published_summary: null, held_until: null });
      now += 3_600_000;
      expect(exposedText()).toBe('문장 early');
    },
  );

  test('that is over no longer counts: a text that goes back to review brings no older one back', () => {
    policy(30);
    put('early', 2, 'AUTO_PUBLISHED');
    const late = put('late', 3);
    move(late, { move: 'approve' });
    now += 30_000;
    move(late, { move: 'move-to-review' });
    expect(exposedText()).toBeUndefined();
    expect(historyOf(ledger, late).at(-1)).toMatchObject({ duringHold: false });
    // A new approval begins a new hold. The earlier text stays away meanwhile, and after an undo.
    move(late, { move: 'approve-edited', editedSummary: '고친 문장' });
    expect(exposedText()).toBeUndefined();
    move(late, { move: 'move-to-review' });
    expect(exposedText()).toBeUndefined();
    expect(row(late)?.published_summary).toBe('문장 late');
  });

  test('that may end during the commit counts as over', () => {
    policy(30);
    put('early', 2, 'AUTO_PUBLISHED');
    const late = put('late', 3);
    move(late, { move: 'approve' });
    now += 29_900;
    move(late, { move: 'move-to-review' });
    expect(exposedText()).toBeUndefined();
  });

  test('is for a text that a person approves: neither for an auto-provided one nor for the correction of an exposed one', () => {
    policy(60);
    const id = put('a', 2, 'AUTO_PUBLISHED');
    expect(exposedText()).toBe('문장 a');
    move(id, { move: 'correct', editedSummary: '바로잡은 문장' });
    expect(exposedText()).toBe('바로잡은 문장');
  });

  test('continues when the text is corrected meanwhile, under any policy', () => {
    policy(30);
    const id = put('a', 2);
    move(id, { move: 'approve' });
    now += 10_000;
    policy(0);
    move(id, { move: 'correct', editedSummary: '바로잡은 문장' });
    now += 19_999;
    expect(exposedText()).toBeUndefined();
    now += 1;
    expect(exposedText()).toBe('바로잡은 문장');
  });

  test('does not begin again when the clock is set back after a channel was served the text', () => {
    policy(30);
    put('early', 2, 'AUTO_PUBLISHED');
    const late = put('late', 3);
    move(late, { move: 'approve' });
    now += 30_000;
    expect(ask()).toBe('문장 late');
    now -= 25_000;
    expect(exposedText()).toBe('문장 late');
    move(late, { move: 'move-to-review' });
    expect(exposedText()).toBeUndefined();
    // A new approval begins a new hold, although a channel got the earlier text at a later time.
    now -= 60_000;
    move(late, { move: 'approve-edited', editedSummary: '고친 문장' });
    now += 30_000;
    expect(exposedText()).toBeUndefined();
    now += 85_000;
    expect(exposedText()).toBe('고친 문장');
  });
});

describe('an expiry', () => {
  const expire = Date.parse(`${DAY}T15:30:00.000+09:00`);
  test('hides the text of its trade date from that minute on, and brings nothing older back', () => {
    policy(0, '15:30');
    put('early', 2, 'AUTO_PUBLISHED');
    const late = put('late', 3, 'AUTO_PUBLISHED');
    now = expire - 1;
    expect(exposedText()).toBe('문장 late');
    const before = new Date(now);
    now = expire;
    expect(exposedText()).toBeUndefined();
    expect(row(late)).toMatchObject({
      status: 'AUTO_PUBLISHED',
      obstacle: 'EXPIRED',
      expires_at: '15:30',
    });
    expect(hasChangedByTime(ledger, before, new Date(now))).toBe(true);
  });

  test('that is set, moved or lifted previews its effect exactly', () => {
    put('early', 2, 'AUTO_PUBLISHED');
    put('late', 3, 'AUTO_PUBLISHED');
    policy(0, '15:30');
    now = expire;
    const told = (after: string | null) =>
      effectsOfExpiry(ledger, after, new Date(now))
        .filter(({ text }) => text.etf_ticker === ticker)
        .map(({ text, effect }) => [text.id, effect]);
    expect(told('15:30')).toEqual([]);
    expect(told('15:31')).toEqual([[idOf.get('late'), 'exposedAgain']]);
    expect(told(null)).toEqual([[idOf.get('late'), 'exposedAgain']]);
    policy(0, null);
    expect(exposedText()).toBe('문장 late');
    expect(told('15:30')).toEqual([[idOf.get('late'), 'exposedNoMore']]);
    expect(told('15:31')).toEqual([[idOf.get('late'), 'exposedShorter']]);
    policy(0, '16:00');
    expect(told(null)).toEqual([[idOf.get('late'), 'exposedLonger']]);
  });
});

test('the plan of a channel’s request uses indexes alone and sorts nothing', () => {
  const { sql, parameters } = exposedTo('t', 'MTS', momentOf(new Date(now)));
  const plan = ledger.all<{ detail: string }>({ sql: `EXPLAIN QUERY PLAN ${sql}`, parameters });
  const steps = plan.map(({ detail }) => detail);
  expect(steps.filter((step) => /^SCAN (?!e$)|B-TREE/.test(step))).toEqual([
    // The newest version first, and no other but those that wait.
    'SCAN policy_version',
    'SCAN policy_in_force',
  ]);
  expect(steps).toContain('SEARCH explanation USING INDEX explanation_provided (etf_ticker=?)');
});

const fail = (): never => {
  throw new Error('no such item');
};

interface Told {
  status: ExplanationStatus;
  /** The text that was let out last. */
  text: string | null;
  /** The text that was exposed before it. */
  before: string | null;
  until: number | null;
  /** When a channel was last served any text of it. */
  served: number;
  /** The act by which it was stated last, and the one that took it off. */
  stated: number;
  ended: number | null;
}

test('the exposed texts agree with the plain model, for any acts in any order and any setting of the clock', () => {
  const item = fc.constantFrom(0, 1, 1, 2);
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom('approve', 'approve-edited', 'move-to-review', 'move-to-review', 'stop', 'correct'),
        item,
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('ask') }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(10_000, 29_499, 30_000) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('back'), ms: fc.constantFrom(1_000, 20_000, 90_000) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('policy'),
        hold: fc.constantFrom(0, 10, 30),
        expires: fc.constantFrom(null, '14:01', '14:30'),
      }),
    },
  );
  const begins = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean());
  /** Of the first text: the others follow it by a second each. */
  const firstAt = fc.constantFrom(START - 3_600_000, START - 3_600_000, START - 1_000, START + 20_000);
  fc.assert(
    fc.property(begins, firstAt, fc.array(step, { maxLength: 14 }), (exposable, first, steps) => {
      now = START;
      begin();
      policy(30);
      let [hold, expires] = [30, null as string | null];
      const comes = (n: number): number => first + n * 1_000;
      const ids = exposable.map((isExposable, n) =>
        put(String(n), new Date(comes(n)).toISOString(), isExposable ? 'AUTO_PUBLISHED' : 'PENDING_REVIEW'),
      );
      const told: Told[] = exposable.map((isExposable, n) => ({
        status: isExposable ? 'AUTO_PUBLISHED' : 'PENDING_REVIEW',
        text: isExposable ? `문장 ${n}` : null,
        before: null,
        until: isExposable && comes(n) > now ? comes(n) : null,
        served: 0,
        stated: 0,
        ended: null,
      }));
      const isHeld = ({ until, served }: Told, when: number): boolean =>
        until !== null && when < until && served < until;
      const isOn = ({ status }: Told): boolean => status === 'PUBLISHED' || status === 'AUTO_PUBLISHED';
      const isUp = (each: Told): boolean => isOn(each) && !isHeld(each, now);
      const isEver = (each: Told): boolean => each.text !== null && (each.before !== null || !isHeld(each, now));
      /** The latest that is up and was stated after all later ones that are off went off. */
      const candidate = (): Told | undefined =>
        told.findLast(
          (each, place) =>
            isUp(each) &&
            told.slice(place + 1).every((later) => !isEver(later) || isUp(later) || (later.ended ?? 0) < each.stated),
        );
      const isOver = (): boolean => expires !== null && now >= Date.parse(`${DAY}T${expires}:00.000+09:00`);
      const wanted = (): string | undefined => {
        const one = candidate();
        return one !== undefined && isOn(one) && !isHeld(one, now) && !isOver() ? (one.text ?? undefined) : undefined;
      };
      /** The latest that any channel was served: nothing before it is served again, unless a person approves it. */
      let latest = -1;
      for (const [n, each] of steps.entries()) {
        if (each.kind === 'pass') now += each.ms;
        else if (each.kind === 'back') now -= each.ms;
        else if (each.kind === 'policy') {
          [hold, expires] = [each.hold, each.expires];
          policy(hold, expires);
        } else if (each.kind === 'ask') {
          expect(ask()).toBe(wanted());
          const one = candidate();
          if (wanted() !== undefined && one !== undefined) {
            one.served = Math.max(one.served, now);
            expect(told.indexOf(one)).toBeGreaterThanOrEqual(latest);
            latest = told.indexOf(one);
          }
        } else if ('item' in each) {
          const [id, one] = [ids[each.item], told[each.item]];
          if (id === undefined || one === undefined) throw new Error('no such item');
          const editedSummary = `고친 문장 ${n}`;
          try {
            move(id, { move: each.kind, editedSummary });
          } catch {
            expect(statusOf(ledger, id)).toBe(one.status);
            continue;
          }
          const wasHeld = isHeld(one, now + 500);
          if (wasHeld) one.text = one.before;
          const isApproval = each.kind === 'approve' || each.kind === 'approve-edited';
          const holds = (isApproval && hold > 0) || (each.kind === 'correct' && wasHeld);
          const until = hold === 0 ? 0 : Math.max(now, one.served) + hold * 1_000;
          const byPolicy = holds ? Math.max(each.kind === 'correct' ? (one.until ?? 0) : 0, until) : 0;
          const isLetOut = isApproval || (each.kind === 'correct' && wasHeld);
          const ahead = isLetOut && comes(each.item) > now ? comes(each.item) : 0;
          one.until = Math.max(byPolicy, ahead) === 0 ? null : Math.max(byPolicy, ahead);
          one.before = one.until === null ? null : one.text;
          if (each.kind === 'approve') one.text = `문장 ${each.item}`;
          else if (each.kind === 'approve-edited' || each.kind === 'correct') one.text = editedSummary;
          // An approval of a person states it anew. An approval that is undone during its hold has ended nothing.
          if (isApproval) [one.stated, latest] = [n + 1, -1];
          else if (each.kind !== 'correct' && isOn(one) && !wasHeld) one.ended = n + 1;
          if (isApproval) one.status = 'PUBLISHED';
          else if (each.kind === 'stop') one.status = 'STOPPED';
          else if (each.kind === 'move-to-review') one.status = 'PENDING_REVIEW';
        }
        expect(exposedText()).toBe(wanted());
        for (const [index, id] of ids.entries()) {
          const found = row(id);
          expect(found?.obstacle === null).toBe(told[index] === candidate() && wanted() !== undefined);
          const isWaiting = isOn(told[index] ?? fail()) && isHeld(told[index] ?? fail(), now);
          if (isWaiting) expect(found?.obstacle).toBe(comes(index) > now ? 'AHEAD' : 'HELD');
          // The journals tell the same.
          const { status, published_summary, held_until } = rememberedOf(ledger, id, `문장 ${index}`) ?? {};
          expect({ status, published_summary, held_until }).toEqual({
            status: found?.status,
            published_summary: told[index]?.text ?? null,
            held_until: found?.held_until,
          });
        }
      }
    }),
    { numRuns: runs(30, 100) },
  );
});
