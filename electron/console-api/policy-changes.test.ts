/** The compliance policy: every change is a version, and its dry run changes nothing (D16, D17). */
import { beforeEach, afterEach, describe, expect, test } from 'vitest';
import { sqlite } from '../../agent/ledger/ledger.ts';
import { disclaimerText } from '../../agent/screening/policy.ts';
import { SEED_POLICY } from '../../agent/screening/seed-policy.ts';
import type {
  ActivePolicy,
  ChangedWord,
  Disclaimer,
  Page,
  PolicyVersionDetail,
  PolicyVersionItem,
  Preview,
  WordPage,
} from '../../shared/wire/console.ts';
import { TestConsole, type Asked } from './testing.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
});
afterEach(() => console.close());

const ask = <T>(method: Asked['method'], url: string, body?: unknown, headers: Record<string, string> = {}) =>
  console.ask<T>({
    method,
    url: `/api/v1/screening/${url}`,
    as: 'COMPLIANCE_REVIEWER',
    headers,
    ...(body === undefined ? {} : { body }),
  });
const get = async <T>(url: string) => (await ask<T>('GET', url)).result;
const versions = async () => (await get<Page<PolicyVersionItem>>('versions')).items;

/** What stands in the ledger about policies, in the order of time. */
const stored = () => console.ledger.all(sqlite.selectFrom('policy_version').selectAll().orderBy('version'));

describe('forbidden words', () => {
  test('are listed page by page, and found by a part of them', async () => {
    const all = await get<WordPage>('words?size=100');
    expect(all).toMatchObject({ policyVersion: 1, total: SEED_POLICY.words.length });
    expect((await get<WordPage>('words?size=4&page=2')).items).toEqual(all.items.slice(4, 8));
    expect((await get<WordPage>('words?q=%EB%A7%A4%EC%88%98')).items.map(({ word }) => word)).toEqual([
      '매수 추천',
      '매수',
    ]);
  });

  test('are registered as a new version, with one audit row, and found from then on', async () => {
    const before = console.actions().length;
    const answer = await ask<ChangedWord>('POST', 'words', {
      word: '대박',
      severity: 'BLOCK',
      exceptions: [{ text: '대박람회', becomes: 'CLEAR' }],
    });
    expect(answer.result).toMatchObject({ word: '대박', severity: 'BLOCK', active: true, policyVersion: 2 });
    expect(answer.headers.etag).toBe('"2"');
    const { id } = answer.result;
    const changes = [{ kind: 'WORD_ADDED', wordId: id, word: '대박', severity: 'BLOCK' }];
    expect((await versions()).map(({ version, active }) => [version, active])).toEqual([
      [2, true],
      [1, false],
    ]);
    expect((await versions())[0]).toMatchObject({ author: '이름 compliance_reviewer', changes });
    expect(console.actions(before)).toMatchObject([{ action: 'policy.publish', detail: JSON.stringify({ changes }) }]);
    expect(console.context.screener.of(console.ledger).findWords('대박 상품, 대박람회')).toHaveLength(1);
  });

  test('that are the same once folded are refused while one is active', async () => {
    expect((await ask('POST', 'words', { word: '확정수익', severity: 'REVIEW' })).status).toBe(409);
    const [word] = (await get<WordPage>('words?q=%ED%99%95%EC%A0%95')).items;
    await ask('POST', `words/${word?.id ?? ''}/toggle`);
    expect((await ask('POST', 'words', { word: '확정수익', severity: 'REVIEW' })).status).toBe(200);
    // Switching the old one on again would report every hit twice.
    expect((await ask('POST', `words/${word?.id ?? ''}/toggle`)).status).toBe(409);
    expect(stored()).toHaveLength(3);
  });

  test('are switched off and on again, each as a version', async () => {
    const off = await ask<ChangedWord>('POST', 'words/word-no-risk/toggle');
    expect(off.result).toMatchObject({ active: false, policyVersion: 2 });
    expect(console.context.screener.of(console.ledger).findWords('무위험')).toEqual([]);
    const on = await ask<ChangedWord>('POST', 'words/word-no-risk/toggle');
    expect(on.result).toMatchObject({ active: true, policyVersion: 3 });
    expect((await versions()).map(({ changes }) => changes[0]?.kind)).toEqual([
      'WORD_SWITCHED_ON',
      'WORD_SWITCHED_OFF',
      undefined,
    ]);
    expect((await ask('POST', 'words/nothing/toggle')).status).toBe(404);
  });

  test.for([
    {},
    { word: '', severity: 'BLOCK' },
    { word: ' \u200b', severity: 'BLOCK' },
    { word: ' 앞뒤 ', severity: 'BLOCK' },
    { word: '글', severity: 'PASS' },
    { word: '글', severity: 'BLOCK', active: false },
    { word: 'x'.repeat(201), severity: 'BLOCK' },
    { word: '글', severity: 'BLOCK', exceptions: [{ text: '', becomes: 'CLEAR' }] },
  ])('that cannot be one are refused: %j', async (body) => {
    expect((await ask('POST', 'words', body)).status).toBe(400);
    expect(stored()).toHaveLength(1);
  });
});

describe('criteria and disclaimer', () => {
  test('a criterion is changed as a new version; the others stay', async () => {
    const answer = await ask<ActivePolicy>('PATCH', 'criteria', { autoProvision: false });
    expect(answer.result).toMatchObject({
      policyVersion: 2,
      criteria: { ...SEED_POLICY.criteria, autoProvision: false },
      author: '이름 compliance_reviewer',
    });
    expect(answer.result.rules.map(({ check, leadsTo }) => [check, leadsTo])).toEqual([
      ['FORBIDDEN_WORDS', 'BLOCK'],
      ['SOURCE_COUNT', 'REVIEW'],
      ['CONFIDENCE', 'REVIEW'],
      ['EXPLANATION_TYPE', 'REVIEW'],
      ['SERVING_SCOPE', 'REVIEW'],
    ]);
    expect((await versions())[0]?.changes).toEqual([
      { kind: 'CRITERION', criterion: 'autoProvision', from: true, to: false },
    ]);
    expect(await get<ActivePolicy>('policy')).toEqual(answer.result);
  });

  test('what changes nothing makes no version and leaves no trace', async () => {
    const before = console.actions().length;
    const answer = await ask<ActivePolicy>('PATCH', 'criteria', { minSources: SEED_POLICY.criteria.minSources });
    expect(answer.result.policyVersion).toBe(1);
    expect([stored().length, console.actions().length]).toEqual([1, before]);
  });

  test.for([
    {},
    { minSources: -1 },
    { minSources: 1.5 },
    { minConfidence: 'high' },
    { words: [] },
    { minSources: '2' },
  ])('criteria that do not fit are refused: %j', async (body) => {
    expect((await ask('PATCH', 'criteria', body)).status).toBe(400);
  });

  test('the notice of an AI is locked: the firm’s words are changed, and it stands before them', async () => {
    const { aiNotice } = SEED_POLICY.disclaimer;
    const answer = await ask<Disclaimer>('PATCH', 'disclaimer', { disclaimer: '투자 판단은 본인의 책임입니다.' });
    expect(answer.result).toEqual({
      disclaimer: `${aiNotice} 투자 판단은 본인의 책임입니다.`,
      aiNotice,
      text: '투자 판단은 본인의 책임입니다.',
      hits: [],
      policyVersion: 2,
    });
    const whole = await ask<Disclaimer>('PATCH', 'disclaimer', { disclaimer: `${aiNotice} 다른 문구` });
    expect(whole.result).toMatchObject({ aiNotice, text: '다른 문구', policyVersion: 3 });
    expect((await ask('PATCH', 'disclaimer', { disclaimer: aiNotice })).status).toBe(409);
    expect((await ask('PATCH', 'disclaimer', { disclaimer: '  ' })).status).toBe(400);
  });
});

describe('a disclaimer that the policy itself blocks', () => {
  const refused = async (method: Asked['method'], url: string, body?: unknown) => {
    const before = stored();
    const answer = await ask(method, url, body);
    expect(stored()).toEqual(before);
    return answer;
  };

  test('is refused with every hit, and nothing is published', async () => {
    const { status, body } = await refused('PATCH', 'disclaimer', {
      disclaimer: '무위험 상품이며 손실 없는 상품입니다.',
    });
    expect([status, body]).toMatchObject([
      409,
      {
        code: 'COMMON409',
        errors: [
          { path: 'disclaimer', message: '“무위험” (0-3)' },
          { path: 'disclaimer', message: expect.stringContaining('손실 없는') as string },
        ],
      },
    ]);
  });

  test('is not made by a word either, registered, switched on or restored', async () => {
    const word = { word: '투자 권유', severity: 'BLOCK' };
    expect((await refused('POST', 'words', word)).status).toBe(409);
    await ask('PATCH', 'disclaimer', { disclaimer: '원금 손실이 발생할 수 있습니다.' });
    const { result } = await ask<ChangedWord>('POST', 'words', word);
    await ask('POST', `words/${result.id}/toggle`);
    await ask('PATCH', 'disclaimer', { disclaimer: '투자 권유가 아닙니다.' });
    expect((await refused('POST', `words/${result.id}/toggle`)).status).toBe(409);
    expect((await ask('PATCH', 'criteria', { minSources: 4 })).status).toBe(200);
  });

  test('a word to be looked at may stand there, and is told', async () => {
    const { status, result } = await ask<Disclaimer>('PATCH', 'disclaimer', {
      disclaimer: '반드시 설명서를 읽으십시오.',
    });
    expect([status, result.hits]).toMatchObject([200, [{ word: '반드시', severity: 'REVIEW', start: 0 }]]);
    expect((await get<Disclaimer>('disclaimer')).hits).toEqual(result.hits);
  });
});

describe('versions', () => {
  test('one is shown whole, and an earlier one becomes the active one again as a new version', async () => {
    await ask('PATCH', 'criteria', { minSources: 4 });
    await ask('POST', 'words/word-no-risk/toggle');
    const restored = await ask<ActivePolicy>('POST', 'versions/1/restore');
    expect(restored.result).toMatchObject({ policyVersion: 4, criteria: SEED_POLICY.criteria });
    const whole = await get<PolicyVersionDetail>('versions/4');
    expect({ words: whole.words, criteria: whole.criteria, disclaimer: whole.disclaimer }).toEqual(SEED_POLICY);
    expect(whole.changes).toEqual([
      { kind: 'RESTORED', version: 1 },
      { kind: 'WORD_SWITCHED_ON', wordId: 'word-no-risk', word: '무위험', severity: 'BLOCK' },
      { kind: 'CRITERION', criterion: 'minSources', from: 4, to: 2 },
    ]);
    expect((await get<PolicyVersionDetail>('versions/2')).criteria.minSources).toBe(4);
    expect((await ask('GET', 'versions/99')).status).toBe(404);
    expect((await ask('POST', 'versions/99/restore')).status).toBe(404);
    expect((await ask('GET', 'versions/0')).status).toBe(400);
  });

  test('who changes another version than the one they read: 412 with the one in force', async () => {
    await ask('PATCH', 'criteria', { minSources: 4 });
    const late = await ask('PATCH', 'criteria', { minSources: 5 }, { 'if-match': '"1"' });
    expect([late.status, late.body]).toMatchObject([412, { errors: [{ path: 'version', message: '2' }] }]);
    expect((await ask('PATCH', 'criteria', { minSources: 5 }, { 'if-match': '"2"' })).status).toBe(200);
  });

  test('an explanation that is there is not screened again by a new version', async () => {
    const id = console.explanation('AUTO_PUBLISHED', { summary: '반도체 강세' });
    const before = console.traces();
    await ask('POST', 'words', { word: '반도체', severity: 'BLOCK' });
    expect(console.traces().state).toBe(before.state);
    expect(console.traces().history).toBe(before.history);
    expect(id).not.toBe('');
  });
});

test('without a policy nothing is provided, and the disclaimer comes first', async () => {
  await using bare = new TestConsole({ seed: 'members without policy' });
  const change = (method: Asked['method'], url: string, body: unknown) =>
    bare.ask<Disclaimer>({ method, url: `/api/v1/screening/${url}`, as: 'COMPLIANCE_REVIEWER', body });
  expect((await change('POST', 'words', { word: '글', severity: 'BLOCK' })).status).toBe(409);
  expect((await change('PATCH', 'criteria', { minSources: 1 })).status).toBe(409);
  expect((await change('POST', 'preview', { criteria: { minSources: 1 } })).status).toBe(409);
  expect((await change('PATCH', 'disclaimer', { disclaimer: '고지 문구' })).result).toMatchObject({ policyVersion: 1 });
  const policy = await bare.ask<ActivePolicy>({ method: 'GET', url: '/api/v1/screening/policy', as: 'READ_ONLY' });
  expect(policy.result.criteria?.autoProvision).toBe(false);
  expect((await change('POST', 'words', { word: '글', severity: 'BLOCK' })).status).toBe(200);
});

describe('a dry run', () => {
  const preview = (body: object) => ask<Preview>('POST', 'preview', body);

  test('tells what a change would have done, and changes nothing', async () => {
    const clear = console.explanation('AUTO_PUBLISHED', { summary: '반도체 강세' });
    console.explanation('BLOCKED', { summary: '무위험 상품' });
    console.explanation('AUTO_PUBLISHED', { summary: '반도체 강세', analysis_engine: 'v2' });
    const low = console.explanation('PENDING_REVIEW', { confidence_level: 'LOW' });
    const before = console.traces();
    const block = await preview({ addWords: [{ word: '반도체 강세', severity: 'BLOCK' }] });
    expect(block.result).toMatchObject({
      policyVersion: 1,
      examined: 3,
      truncated: false,
      changes: [{ kind: 'WORD_ADDED' }],
      newlyBlocked: {
        count: 1,
        items: [
          {
            id: clear,
            before: 'AUTO_PUBLISHED',
            after: 'BLOCKED',
            failed: ['FORBIDDEN_WORDS'],
            status: 'AUTO_PUBLISHED',
          },
        ],
      },
      newlyReviewed: { count: 0 },
      newlyProvided: { count: 0 },
    });
    const lenient = await preview({ criteria: { minConfidence: 'LOW' }, toggleWords: ['word-no-risk'] });
    expect(lenient.result.newlyProvided.items.map(({ id }) => id)).toEqual(expect.arrayContaining([low]));
    expect(lenient.result.newlyProvided.count).toBe(2);
    const strict = await preview({ criteria: { autoProvision: false } });
    expect(strict.result).toMatchObject({ newlyReviewed: { count: 1 }, newlyProvided: { count: 0 } });
    expect(console.traces()).toEqual(before);
    expect(stored()).toHaveLength(1);
  });

  test('looks at the last days alone, and begins from an earlier version where it is told to', async () => {
    console.explanation('AUTO_PUBLISHED');
    console.pass(3 * 86_400_000);
    console.explanation('AUTO_PUBLISHED');
    const change = { criteria: { autoProvision: false } };
    expect((await preview({ days: 1, ...change })).result.examined).toBe(1);
    expect((await preview({ days: 4, ...change })).result.examined).toBe(2);
    await ask('PATCH', 'criteria', change.criteria);
    expect((await preview({ restoreVersion: 1 })).result.newlyProvided.count).toBe(2);
    expect((await preview({ restoreVersion: 9 })).status).toBe(404);
    expect((await preview({ toggleWords: ['nothing'] })).status).toBe(404);
    for (const days of [0, 367, 1.5, '7']) expect((await preview({ days })).status).toBe(400);
  });

  test('of what is outside the scope holds it back in both', async () => {
    console.explanation('AUTO_PUBLISHED');
    await console.ask({ method: 'POST', url: '/api/v1/scope/markets/KRX/toggle', as: 'TENANT_ADMIN' });
    const { result } = await preview({ criteria: { minSources: 9 } });
    expect([result.examined, result.newlyReviewed.count]).toEqual([1, 0]);
  });

  test('walks more rows than one step holds, each once', async () => {
    for (let n = 0; n < 230; n += 1) console.explanation('AUTO_PUBLISHED');
    const { result } = await preview({ criteria: { autoProvision: false } });
    expect([result.examined, result.newlyReviewed.count, result.newlyReviewed.items.length]).toEqual([230, 230, 100]);
    expect(new Set(result.newlyReviewed.items.map(({ id }) => id)).size).toBe(100);
  });
});

test('the disclaimer of the seed is both of its parts', async () => {
  expect((await get<Disclaimer>('disclaimer')).disclaimer).toBe(disclaimerText(SEED_POLICY));
});
