/** A version of the policy with a start (D212), and replacement phrases (D213), through the API. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startDuePolicy } from '../../../agent/ledger/policy/start.ts';
import { changePolicy } from '../../../agent/ledger/policy/versions.ts';
import { withCriteria } from '../../../agent/ledger/policy/changes.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import type {
  ActivePolicy,
  Disclaimer,
  Page,
  PolicyVersionItem,
  Preview,
  ReviewDetail,
  WordPage,
} from '../../../shared/wire/console/console.ts';
import { START, TestConsole, type Asked } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
});
afterEach(() => console.close());

const ask = <T>(method: Asked['method'], url: string, body?: unknown, match?: number) =>
  console.ask<T>({
    method,
    url: `/api/v1/${url}`,
    as: 'COMPLIANCE_REVIEWER',
    headers: match === undefined ? {} : { 'if-match': `"${match}"` },
    ...(body === undefined ? {} : { body }),
  });
const get = async <T>(url: string) => (await ask<T>('GET', `screening/${url}`)).result;
const startsAt = new Date(START.getTime() + 3_600_000).toISOString();
const words = ({ items }: WordPage) => items.map(({ word }) => word);

describe('a start', () => {
  const later = { addWords: [{ word: '초강세', severity: 'BLOCK' }], disclaimer: '새 안내', reason: '개정' };

  test('leaves what is in force until it comes, and the screen edits what waits', async () => {
    const made = await ask<ActivePolicy>(
      'POST',
      'screening/versions',
      { ...later, startsAt: '2026-11-20T19:00:00+09:00' },
      1,
    );
    expect([made.status, made.headers.etag, made.result.policyVersion]).toEqual([200, '"2"', 2]);
    const waiting = { policyVersion: 2, startsAt, author: '이름 compliance_reviewer', mine: true };
    expect(await get<ActivePolicy>('policy')).toMatchObject({ policyVersion: 1, waiting });
    expect(await get<ActivePolicy>('policy?edited=true')).toMatchObject({ policyVersion: 2, waiting });
    const texts = ['disclaimer', 'disclaimer?edited=true'].map(async (url) => (await get<Disclaimer>(url)).text);
    expect(await Promise.all(texts)).toEqual([SEED_POLICY.disclaimer.text, '새 안내']);
    const q = encodeURIComponent('초강세');
    expect(words(await get<WordPage>(`words?q=${q}&edited=true`))).toEqual(['초강세']);
    expect(words(await get<WordPage>(`words?q=${q}`))).toEqual([]);
    // Effects are those against the policy in force, and the change builds on the one that waits.
    const preview = await ask<Preview>('POST', 'screening/preview', { criteria: { minSources: 7 } });
    expect(preview.result.policyVersion).toBe(2);
    expect(preview.result.changes.map(({ kind }) => kind)).toEqual(['WORD_ADDED', 'CRITERION', 'DISCLAIMER']);

    expect((await ask('PATCH', 'screening/criteria', { minSources: 7 }, 1)).status).toBe(412);
    expect((await ask('PATCH', 'screening/criteria', { minSources: 7 }, 2)).headers.etag).toBe('"3"');
    expect((await get<ActivePolicy>('policy')).waiting).toMatchObject({ policyVersion: 3, startsAt });
    console.pass(3_600_000);
    console.ledger.write((tx) => startDuePolicy(tx, console.now.toISOString()));
    expect(await get<ActivePolicy>('policy')).toMatchObject({
      policyVersion: 3,
      waiting: null,
      criteria: { minSources: 7 },
    });
    const { items } = await get<Page<PolicyVersionItem>>('versions');
    expect(items.map(({ version, active, start }) => [version, active, start?.state])).toEqual([
      [3, true, 'STARTED'],
      [2, false, 'REPLACED'],
      [1, false, undefined],
    ]);
  });

  test('that is no instant, or has passed, is refused', async () => {
    expect((await ask('POST', 'screening/versions', { ...later, startsAt: '2026-12-01' })).status).toBe(400);
    const passed = await ask('POST', 'screening/versions', { ...later, startsAt: START.toISOString() });
    expect([passed.status, passed.body.message]).toEqual([
      409,
      `The start ${START.toISOString()} has passed: name a later one, or none.`,
    ]);
  });

  test('is cancelled by another reviewer, with a reason', async () => {
    await ask('POST', 'screening/versions', { ...later, startsAt });
    const own = await ask('POST', 'screening/versions/2/cancel', { reason: '보류' });
    expect([own.status, own.body.message]).toEqual([409, expect.stringContaining('another reviewer must cancel it')]);
    const actor = { kind: 'MEMBER', id: 'other', displayName: '다른 이', role: 'COMPLIANCE_REVIEWER' } as const;
    const change = () => withCriteria(SEED_POLICY, { minSources: 9 });
    console.ledger.write((tx) => changePolicy(tx, { change, actor, at: console.now.toISOString() }));
    expect((await ask('POST', 'screening/versions/3/cancel', { reason: ' ' })).status).toBe(400);
    expect((await ask('POST', 'screening/versions/2/cancel', { reason: '보류' })).status).toBe(409);
    const done = await ask<PolicyVersionItem>('POST', 'screening/versions/3/cancel', { reason: '보류' });
    expect(done.result).toMatchObject({
      active: false,
      start: { state: 'CANCELLED', cancelledBy: '이름 compliance_reviewer', reason: '보류' },
    });
    expect(await get<ActivePolicy>('policy?edited=true')).toMatchObject({ policyVersion: 1, waiting: null });
  });
});

describe('replacement phrases', () => {
  const word = { word: '초강세', severity: 'REVIEW' };
  const add = (replacements: unknown) => ask('POST', 'screening/words', { ...word, replacements });

  test('are kept with their word, and offered for its hits', async () => {
    const id = console.explanation('PENDING_REVIEW', { summary: '초강세가 났습니다.' });
    const made = await add(['큰 폭의 상승', '호조']);
    expect(made.result).toMatchObject({ replacements: ['큰 폭의 상승', '호조'] });
    const wordId = (made.result as { id: string }).id;
    const detail = async () => (await ask<ReviewDetail>('GET', `review/items/${id}`)).result.replacements;
    expect(await detail()).toEqual([{ wordId, phrases: ['큰 폭의 상승', '호조'] }]);
    const changed = await ask('PATCH', `screening/words/${wordId}`, { replacements: [] });
    expect(changed.result).not.toHaveProperty('replacements');
    expect(await detail()).toEqual([]);
    const { items } = await get<Page<PolicyVersionItem>>('versions');
    expect(items[0]?.changes).toMatchObject([
      { kind: 'WORD_CHANGED', from: { replacements: ['큰 폭의 상승', '호조'] } },
    ]);
  });

  test('are few, short, each once, and hold no word that the policy blocks', async () => {
    const many = Array.from({ length: 11 }, (_, at) => `문구 ${at}`);
    const wrong = [many, ['가'.repeat(201)], [''], ['호조 '], ['호조', '호조']];
    for (const replacements of wrong) expect((await add(replacements)).status, JSON.stringify(replacements)).toBe(400);
    const blocked = await add(['호조', '원금 보장']);
    expect([blocked.status, blocked.body]).toMatchObject([
      409,
      { errors: [{ path: 'replacements', message: '“원금 보장” (0-5)' }] },
    ]);
    expect((await add(['호조'])).status).toBe(200);
    // A later word that blocks what an earlier one offers.
    expect((await ask('POST', 'screening/words', { word: '호조', severity: 'BLOCK' })).status).toBe(409);
  });
});
