/** Samples of texts provided or blocked without a review: which become samples, and the effects of a verdict. */
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rescreened } from '../../../agent/ledger/explanations/explanations.ts';
import { screened } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { addServed } from '../../../agent/ledger/serving/served.ts';
import { isSampled, sampleOf } from '../../../agent/ledger/review/samples.ts';
import type {
  ExplanationDetail,
  ExplanationItem,
  Page,
  Sample,
  SampleCounts,
} from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
});
afterEach(() => console.close());

const CR = 'COMPLIANCE_REVIEWER';
const share = (percent: number) =>
  console.ask({ method: 'PATCH', url: '/api/v1/screening/criteria', as: CR, body: { sampleShare: percent } });
const mark = (id: string, outcome: string, as = CR, headers: Record<string, string> = {}) =>
  console.ask<Sample>({ method: 'POST', url: `/api/v1/review/samples/${id}`, as, body: { outcome }, headers });
const list = async (outcome: string): Promise<string[]> => {
  const url = `/api/v1/review/samples?outcome=${outcome}`;
  const { result } = await console.ask<Page<ExplanationItem>>({ method: 'GET', url, as: 'READ_ONLY' });
  expect(result.total).toBe(result.items.length);
  return result.items.map(({ id }) => id);
};
const counts = async () =>
  (await console.ask<SampleCounts>({ method: 'GET', url: '/api/v1/review/samples/counts', as: 'OPERATOR' })).result;

test('invariant of the draw: of 0 % empty, of 100 % complete, and a larger share includes every smaller one', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }), (id, one, other) => {
      expect([isSampled(id, 0), isSampled(id, 100)]).toEqual([false, true]);
      if (isSampled(id, Math.min(one, other))) expect(isSampled(id, Math.max(one, other))).toBe(true);
    }),
  );
});

test('the draw follows from the id alone, and comes near its share', () => {
  const ids = Array.from({ length: 5_000 }, (_, index) => `explanation-${index}`);
  const drawn = ids.filter((id) => isSampled(id, 10));
  expect(drawn.length / ids.length).toBeCloseTo(0.1, 1);
  // Written out by hand, as an auditor would compute it.
  const [first = ''] = drawn;
  expect((Number(`0x${hash('sha256', `sample ${first}`).slice(0, 8)}`) * 100) / 0x1_0000_0000).toBeLessThan(10);
});

test('what the program exposes or blocks is sampled by the share of its time; a waiting text is not', async () => {
  await share(0);
  const before = console.explanation('AUTO_PUBLISHED');
  await share(100);
  const [sampled, waiting, blocked] = [
    console.explanation('AUTO_PUBLISHED'),
    console.explanation('PENDING_REVIEW'),
    console.explanation('BLOCKED'),
  ];
  await share(0);
  expect([before, sampled, waiting, blocked].map((id) => sampleOf(console.ledger, id)?.outcome)).toEqual([
    undefined,
    'OPEN',
    undefined,
    'OPEN',
  ]);
  expect((await list('OPEN')).toSorted()).toEqual([sampled, blocked].toSorted());
  expect(sampleOf(console.ledger, blocked)?.kind).toBe('BLOCKED');
  const url = `/api/v1/explanations/${sampled}`;
  const { result } = await console.ask<ExplanationDetail>({ method: 'GET', url, as: 'READ_ONLY' });
  expect(result.sample).toMatchObject({
    kind: 'PROVIDED',
    policyVersion: 3,
    share: 100,
    outcome: 'OPEN',
    seenBy: null,
  });
});

test('a reviewer gives a verdict once; the text stays as it is', async () => {
  await share(100);
  const [fine, missed] = [console.explanation('AUTO_PUBLISHED'), console.explanation('AUTO_PUBLISHED')];
  const before = console.traces();
  expect((await mark(fine, 'FINE', CR, { 'if-match': '"1"' })).result).toMatchObject({
    outcome: 'FINE',
    seenBy: '이름 compliance_reviewer',
  });
  expect((await mark(missed, 'MISSED', CR, { 'if-match': '"2"' })).status).toBe(412);
  expect((await mark(missed, 'MISSED')).status).toBe(200);
  expect((await mark(fine, 'MISSED')).status).toBe(409);
  expect((await mark(console.explanation('PENDING_REVIEW'), 'FINE')).status).toBe(409);
  expect((await mark(fine, 'ACTED')).status).toBe(400);
  expect([await list('FINE'), await list('MISSED'), await list('OPEN')]).toEqual([[fine], [missed], []]);
  expect(await counts()).toEqual({ OPEN: 0, FINE: 1, MISSED: 1, ACTED: 0 });
  expect(console.traces().history).toBe(before.history + 1);
});

test('a stop records how often each channel got the text', async () => {
  const id = console.explanation('AUTO_PUBLISHED');
  const at = new Date('2026-11-20T08:00:00.000Z');
  const counted = { afterMove: 1, afterFact: 1, times: 7, firstAt: at, lastAt: at };
  console.ledger.write((tx) => addServed(tx, [{ id, channel: 'MTS', ...counted }]));
  const served = [{ channel: 'MTS', times: 7, firstAt: at.toISOString(), lastAt: at.toISOString() }];
  const last = console.traces().actions;
  const url = `/api/v1/explanations/${id}/stop`;
  const stopped = await console.ask<ExplanationDetail>({ method: 'POST', url, as: CR, body: { reason: '사유' } });
  expect(stopped.result.served).toEqual(served);
  expect(JSON.parse(console.actions(last)[0]?.detail ?? '')).toMatchObject({ served });
});

test('a sample that was withdrawn from exposure counts as checked', async () => {
  await share(100);
  const id = console.explanation('AUTO_PUBLISHED');
  const url = `/api/v1/explanations/${id}/stop`;
  expect((await console.ask({ method: 'POST', url, as: 'OPERATOR', body: { reason: '사유' } })).status).toBe(200);
  expect(sampleOf(console.ledger, id)).toMatchObject({ outcome: 'ACTED', seenBy: '이름 operator' });
  expect(await list('ACTED')).toEqual([id]);
});

describe('a sample of a block', () => {
  const post = (url: string, body: object) => console.ask({ method: 'POST', url: `/api/v1/${url}`, as: CR, body });
  const changed = (id: string, outcome: 'PENDING_REVIEW' | 'BLOCKED', withoutText = false) => {
    const at = console.now.toISOString();
    console.ledger.write((tx) => {
      const made = rescreened(tx, id, at, screened(outcome));
      const hidden = { ...made, screeningId: null };
      const asked = { id, move: 'text-changed', actor: { kind: 'SYSTEM' }, at, withoutText } as const;
      applyMove(tx, { ...asked, screened: withoutText ? hidden : made });
    });
  };

  test('counts as acted on where the block is lifted, and is marked like any other', async () => {
    await share(100);
    const [lifted, right] = [console.explanation('BLOCKED'), console.explanation('BLOCKED')];
    expect((await post(`explanations/${lifted}/unblock`, { reason: '오탐' })).status).toBe(200);
    expect((await mark(right, 'FINE')).result).toMatchObject({ kind: 'BLOCKED', outcome: 'FINE' });
    expect(sampleOf(console.ledger, lifted)).toMatchObject({ outcome: 'ACTED', seenBy: '이름 compliance_reviewer' });
  });

  test('is no verdict on it where the vendor changed the text and a person approved that', async () => {
    await share(100);
    const id = console.explanation('BLOCKED');
    changed(id, 'PENDING_REVIEW');
    expect((await post(`review/items/${id}/approve`, {})).status).toBe(200);
    expect(sampleOf(console.ledger, id)).toMatchObject({ outcome: 'OPEN' });
  });

  test('is of a text that the screening blocked, not of one whose raw record was truncated', async () => {
    const [screenedAgain, truncated] = [console.explanation(), console.explanation()];
    await share(100);
    changed(screenedAgain, 'BLOCKED');
    changed(truncated, 'BLOCKED', true);
    expect(await list('OPEN')).toEqual([screenedAgain]);
  });
});
