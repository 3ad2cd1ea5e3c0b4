/**
 * A notice that every text must contain: turned on by a reviewer, shown among the rules, and required of texts that
 * people expose.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { MATCHER_VERSION } from '../../../agent/screening/matcher.ts';
import type { ActivePolicy, Page, PolicyVersionItem, ReviewDetail } from '../../../shared/wire/console/console.ts';
import { TestConsole, type Asked } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
});
afterEach(() => console.close());

/** An explanation as the Intake would have left it under the policy in force. */
function screened(): string {
  const summary = '반도체 업종이 올랐습니다.';
  const screener = console.context.screener.of(console.ledger);
  const found = screener.screen({
    summary,
    explanation_type: 'EVENT_SUPPORTED',
    confidence_level: 'HIGH',
    sourceEventIds: ['a', 'b'],
    observed_return: null,
    outOfScope: [],
  });
  const stored = { ...found, policyVersion: screener.policyVersion, matcherVersion: MATCHER_VERSION };
  const entry = newEntry('screened', { etf_ticker: '000002', summary }, { cursor: 99 });
  return console.ledger.write((tx) => receive(tx, entry, stored, console.now.toISOString()));
}

const ask = <T>(method: Asked['method'], url: string, body?: unknown) =>
  console.ask<T>({
    method,
    url: `/api/v1/${url}`,
    as: 'COMPLIANCE_REVIEWER',
    ...(body === undefined ? {} : { body }),
  });
const NOTICE = {
  name: '원금 손실 고지',
  severity: 'REVIEW',
  active: true,
  terms: ['원금 손실', '손실 위험'],
  onlyWith: [],
} as const;
const publish = (draft: object) => ask<ActivePolicy>('POST', 'screening/versions', draft);
const turnOn = async (more: object = {}) => {
  const { result } = await publish({ addNotices: [{ ...NOTICE, ...more }] });
  return result.notices[0]?.id ?? '';
};
const MISSING = '∅ “원금 손실 고지”: “원금 손실” | “손실 위험”';

test('is off in the seed, is turned on as a new version, changed and switched off again, and the history tells it', async () => {
  const before = (await ask<ActivePolicy>('GET', 'screening/policy')).result;
  expect([before.notices, before.rules.at(-2)]).toMatchObject([[], { check: 'REQUIRED_NOTICE', active: false }]);
  const id = await turnOn();
  const off = { ...NOTICE, id, severity: 'BLOCK', active: false, onlyWith: ['레버리지'] };
  const { result } = await publish({ changeNotices: [off] });
  expect(result.notices).toEqual([off]);
  expect(result.rules.at(-2)).toMatchObject({ active: false, parameters: { notices: 1, active: 0, blocking: 0 } });
  const { items } = (await ask<Page<PolicyVersionItem>>('GET', 'screening/versions')).result;
  const on = { ...NOTICE, id };
  expect(items.slice(0, 2).map(({ changes }) => changes)).toEqual([
    [{ kind: 'NOTICE', from: on, to: off }],
    [{ kind: 'NOTICE', from: null, to: on }],
  ]);
});

test.for([
  { terms: [] },
  { terms: ['?'] },
  { terms: ['원금 손실', '원금손실'] },
  { name: ' ' },
  { severity: 'PASS' },
  { onlyWith: [''] },
])('is refused where it cannot be one: %j', async (wrong) => {
  expect((await publish({ addNotices: [{ ...NOTICE, ...wrong }] })).status).toBe(400);
});

test('an unknown one cannot be changed', async () => {
  expect((await publish({ changeNotices: [{ ...NOTICE, id: 'nothing' }] })).status).toBe(404);
});

test('is required of an edited text: acknowledged if it is for review, refused if it blocks', async () => {
  const id = console.explanation('PENDING_REVIEW');
  const notice = await turnOn();
  const edit = (edited_summary: string, more: object = {}) =>
    ask<ReviewDetail>('POST', `review/items/${id}/approve-edited`, { edited_summary, ...more });
  expect((await edit('고친 글')).body).toMatchObject({
    errors: [
      {
        path: `body.acknowledgedWords.${notice}`,
        message: MISSING,
        finding: { kind: 'NOTICE', name: NOTICE.name, terms: NOTICE.terms },
      },
    ],
  });
  await publish({ changeNotices: [{ ...NOTICE, id: notice, severity: 'BLOCK' }] });
  const blocked = await edit('고친 글', { acknowledgedWords: [notice] });
  expect([blocked.status, blocked.body]).toMatchObject([
    409,
    { errors: [{ path: 'body.edited_summary', message: MISSING }] },
  ]);
  expect((await edit('고친 글. 손실 위험이 있습니다.')).result.status).toBe('PUBLISHED');
});

test('is reported for the received text, a draft and a waiting edit, before any refusal', async () => {
  const id = console.explanation('PENDING_REVIEW');
  const noticeId = await turnOn();
  const { name, severity, terms } = NOTICE;
  const missing = [{ noticeId, name, severity, terms }];
  const save = async (edited_summary: string) =>
    (await ask<ReviewDetail>('PUT', `review/items/${id}/draft`, { edited_summary })).result;
  expect(await save('고친 글')).toMatchObject({
    draft: { missing },
    underReview: { missing },
    hitsNow: { missing: { summary: missing, edited_summary: missing } },
  });
  expect(await save('고친 글. 손실 위험이 있습니다.')).toMatchObject({
    draft: { missing: [] },
    hitsNow: { missing: { summary: missing, edited_summary: [] } },
  });
});

test('that the item’s own screening has named needs no acknowledgement by a plain approval', async () => {
  const held = console.explanation('PENDING_REVIEW');
  const notice = await turnOn();
  const open = await ask('POST', `review/items/${held}/approve`);
  expect([open.status, open.body]).toMatchObject([409, { errors: [{ path: `body.acknowledgedWords.${notice}` }] }]);
  const looked = await ask<ReviewDetail>('POST', `review/items/${held}/approve`, { acknowledgedWords: [notice] });
  expect(looked.result.status).toBe('PUBLISHED');
  const named = screened();
  const item = (await ask<ReviewDetail>('GET', `review/items/${named}`)).result;
  expect(item.reasons).toMatchObject([{ check: 'REQUIRED_NOTICE', verdict: 'REVIEW', hits: [] }]);
  const listed = await ask<Page<ReviewDetail>>('GET', 'review/items?reason=REQUIRED_NOTICE');
  expect(listed.result.items.map((one) => one.id)).toEqual([named]);
  expect((await ask<ReviewDetail>('POST', `review/items/${named}/approve`)).result.status).toBe('PUBLISHED');
});
