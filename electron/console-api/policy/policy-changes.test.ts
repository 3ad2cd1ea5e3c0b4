/** The compliance policy: every change is a version (D16). */
import { hash } from 'node:crypto';
import { beforeEach, afterEach, describe, expect, test } from 'vitest';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { disclaimerText } from '../../../agent/screening/policy.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import type {
  ActivePolicy,
  ChangedWord,
  Disclaimer,
  Page,
  PolicyDifferences,
  PolicyVersionDetail,
  PolicyVersionItem,
  WordPage,
} from '../../../shared/wire/console/console.ts';
import { TestConsole, type Asked } from '../../../test/support/console-api/console.ts';

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

const context = () => console.context.screener.of(console.ledger);

/** The policy versions of the ledger, oldest first. */
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
      word: '떼돈',
      severity: 'BLOCK',
      exceptions: [{ text: '떼돈방석', becomes: 'CLEAR' }],
    });
    expect(answer.result).toMatchObject({ word: '떼돈', severity: 'BLOCK', active: true, policyVersion: 2 });
    expect(answer.headers.etag).toBe('"2"');
    const { id } = answer.result;
    const exceptions = [{ text: '떼돈방석', becomes: 'CLEAR' }];
    const changes = [{ kind: 'WORD_ADDED', wordId: id, word: '떼돈', severity: 'BLOCK', exceptions }];
    expect((await versions()).map(({ version, active }) => [version, active])).toEqual([
      [2, true],
      [1, false],
    ]);
    expect((await versions())[0]).toMatchObject({ author: '이름 compliance_reviewer', changes });
    const snapshotSha256 = hash('sha256', stored()[1]?.snapshot ?? '');
    expect(console.actions(before)).toMatchObject([
      { action: 'policy.publish', detail: JSON.stringify({ changes, snapshotSha256 }) },
    ]);
    expect(context().findWords('떼돈 상품, 떼돈방석')).toHaveLength(1);
  });

  test('that are equal once folded are refused with the existing row, active or not', async () => {
    const again = () => ask('POST', 'words', { word: '확정수익', severity: 'REVIEW' });
    const said = { errors: [{ path: 'words.word-guaranteed-return', message: '확정 수익' }] };
    const used = await again();
    expect([used.status, used.body]).toMatchObject([409, said]);
    expect(used.body.message).toBe('The word “확정 수익” is registered already.');
    await ask('POST', 'words/word-guaranteed-return/toggle');
    const unused = await again();
    expect([unused.status, unused.body]).toMatchObject([409, said]);
    expect(unused.body.message).toContain('switched off');
    expect(stored()).toHaveLength(2);
  });

  test('get another severity and other exceptions, and the history tells both states', async () => {
    const exceptions = [
      { text: '최고가', becomes: 'CLEAR' },
      { text: '국내 최고', becomes: 'REVIEW' },
    ];
    const answer = await ask<ChangedWord>('PATCH', 'words/word-best', {
      severity: 'BLOCK',
      reason: 'ASSERTIVE',
      exceptions,
    });
    expect(answer.result).toMatchObject({
      id: 'word-best',
      word: '최고',
      severity: 'BLOCK',
      exceptions,
      policyVersion: 2,
    });
    const from = SEED_POLICY.words.find(({ id }) => id === 'word-best');
    expect((await versions())[0]?.changes).toEqual([
      {
        kind: 'WORD_CHANGED',
        wordId: 'word-best',
        word: '최고',
        severity: 'BLOCK',
        reason: 'ASSERTIVE',
        exceptions,
        from: { severity: 'REVIEW', reason: from?.reason, exceptions: from?.exceptions },
      },
    ]);
    const hits = context().findWords('사상 최고치, 국내 최고, 최고가');
    expect(hits.map(({ matched, severity }) => [matched, severity])).toEqual([
      ['최고', 'BLOCK'],
      ['국내 최고', 'REVIEW'],
    ]);
    expect((await ask('PATCH', 'words/nothing', { severity: 'BLOCK' })).status).toBe(404);
    expect((await ask('PATCH', 'words/word-best', { severity: 'REVIEW' }, { 'if-match': '"1"' })).status).toBe(412);
  });

  test.for([
    {},
    { word: '다른 낱말' },
    { severity: 'PASS' },
    { exceptions: [{ text: '?', becomes: 'REVIEW' }] },
    { exceptions: [{ text: ' 최고가', becomes: 'CLEAR' }] },
    {
      exceptions: [
        { text: '최고가', becomes: 'CLEAR' },
        { text: '최고 가', becomes: 'REVIEW' },
      ],
    },
  ])('are not changed to an invalid one: %j', async (body) => {
    expect((await ask('PATCH', 'words/word-best', body)).status).toBe(400);
    expect(stored()).toHaveLength(1);
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
      ['REQUIRED_NOTICE', 'REVIEW'],
      ['OBSERVED_RETURN', 'REVIEW'],
    ]);
    expect(answer.result.rules.slice(-2)).toMatchObject([
      { active: false, parameters: { notices: 0, active: 0 } },
      { active: false, parameters: { suspectToReview: false } },
    ]);
    expect((await versions())[0]?.changes).toEqual([
      { kind: 'CRITERION', criterion: 'autoProvision', from: true, to: false },
    ]);
    expect(await get<ActivePolicy>('policy')).toEqual(answer.result);
  });

  test('a change to the same value makes no version and leaves no trace', async () => {
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

  test('the AI notice is locked: the firm’s words are changed, and it precedes them', async () => {
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

test.each(['\u202e', '\u200b', '\u{e0041}', '\ufffd', '\u0378'])(
  '%j goes to no customer and into no word',
  async (sign) => {
    const bad = [
      ask('PATCH', 'disclaimer', { disclaimer: `투자 결과는 본인의 책임${sign}입니다.` }),
      ask('POST', 'words', { word: '떼돈', severity: 'REVIEW', replacements: [`수익${sign}`] }),
      // One that no reader sees is read past, so that a word means what it looks like.
      ...(/[\ufffd\u0378]/.test(sign) ? [ask('POST', 'words', { word: `떼${sign}돈`, severity: 'REVIEW' })] : []),
    ];
    for (const { status, body } of await Promise.all(bad))
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('which no reader sees or reads')]);
    expect(stored()).toHaveLength(1);
  },
);

describe('a disclaimer blocked by the policy itself', () => {
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

  test('cannot result from a word either, registered, switched on or restored', async () => {
    const word = { word: '투자 결과', severity: 'BLOCK' };
    expect((await refused('POST', 'words', word)).status).toBe(409);
    await ask('PATCH', 'disclaimer', { disclaimer: '원금 손실이 발생할 수 있습니다.' });
    const { result } = await ask<ChangedWord>('POST', 'words', word);
    await ask('POST', `words/${result.id}/toggle`);
    await ask('PATCH', 'disclaimer', { disclaimer: '투자 결과는 본인의 책임입니다.' });
    expect((await refused('POST', `words/${result.id}/toggle`)).status).toBe(409);
    expect((await ask('PATCH', 'criteria', { minSources: 4 })).status).toBe(200);
  });

  test('nor can a required notice be one that the policy blocks by its letters, whatever it denies', async () => {
    const notice = (term: string) => ({
      addNotices: [{ name: '손실 고지', severity: 'REVIEW', active: true, terms: [term], onlyWith: [] }],
      reason: '고지 의무',
    });
    expect((await refused('POST', 'versions', notice('원금 보장이 되지 않습니다'))).status).toBe(409);
    expect((await ask('POST', 'versions', notice('원금이 보장되지 않습니다'))).status).toBe(200);
  });

  test('a word of severity REVIEW may appear in it, and is reported', async () => {
    const { status, result } = await ask<Disclaimer>('PATCH', 'disclaimer', {
      disclaimer: '반드시 설명서가 교부된다.',
    });
    expect([status, result.hits]).toMatchObject([200, [{ word: '반드시', severity: 'REVIEW', start: 0 }]]);
    expect((await get<Disclaimer>('disclaimer')).hits).toEqual(result.hits);
  });
});

describe('versions', () => {
  test('one is shown whole, and an earlier one becomes active again as a new version', async () => {
    await ask('PATCH', 'criteria', { minSources: 4 });
    await ask('POST', 'words/word-no-risk/toggle');
    const restored = await ask<ActivePolicy>('POST', 'versions', { restoreVersion: 1, reason: '시험 종료' });
    expect(restored.result).toMatchObject({ policyVersion: 4, criteria: SEED_POLICY.criteria });
    const whole = await get<PolicyVersionDetail>('versions/4');
    expect({
      words: whole.words,
      notices: whole.notices,
      criteria: whole.criteria,
      disclaimer: whole.disclaimer,
    }).toEqual(SEED_POLICY);
    expect(whole.changes).toEqual([
      { kind: 'NOTE', text: '시험 종료' },
      { kind: 'RESTORED', version: 1 },
      {
        kind: 'WORD_SWITCHED_ON',
        wordId: 'word-no-risk',
        word: '무위험',
        severity: 'BLOCK',
        reason: 'GUARANTEED_RETURN',
        exceptions: [{ text: '무위험 지표 금리', becomes: 'CLEAR' }],
        apart: null,
      },
      { kind: 'CRITERION', criterion: 'minSources', from: 4, to: 2 },
    ]);
    expect((await get<PolicyVersionDetail>('versions/2')).criteria.minSources).toBe(4);
    expect((await ask('GET', 'versions/99')).status).toBe(404);
    expect((await ask('POST', 'versions', { restoreVersion: 99 })).status).toBe(404);
    expect((await ask('GET', 'versions/0')).status).toBe(400);
  });

  test('any two are compared, in either direction', async () => {
    await ask('PATCH', 'criteria', { minSources: 4 });
    await ask('PATCH', 'words/word-best', { severity: 'BLOCK' });
    const between = (from: number, to: number) =>
      ask<PolicyDifferences>('GET', `versions/${to}/differences?from=${from}`);
    const { result } = await between(1, 3);
    expect([result.from.version, result.to.version]).toEqual([1, 3]);
    expect(result.changes.map(({ kind }) => kind)).toEqual(['WORD_CHANGED', 'CRITERION']);
    expect((await between(3, 2)).result.changes).toMatchObject([
      { kind: 'WORD_CHANGED', severity: 'REVIEW', from: { severity: 'BLOCK' } },
    ]);
    expect((await between(2, 2)).result.changes).toEqual([]);
    expect([(await between(1, 9)).status, (await between(9, 1)).status]).toEqual([404, 404]);
    expect((await ask<PolicyDifferences>('GET', 'versions/1/differences')).result.from).toMatchObject({
      version: 3,
      active: true,
    });
    expect((await ask('GET', 'versions/1/differences?from=0')).status).toBe(400);
  });

  test('a draft is published whole, with its reason', async () => {
    const { result, headers } = await ask<ActivePolicy>('POST', 'versions', {
      addWords: [{ word: '떼돈', severity: 'BLOCK' }],
      toggleWords: ['word-best'],
      changeWords: [{ id: 'word-buy', exceptions: [] }],
      criteria: { minSources: 3 },
      reason: '준법감시부 요청',
    });
    expect([result.policyVersion, headers.etag]).toEqual([2, '"2"']);
    expect((await versions())[0]?.changes.map(({ kind }) => kind)).toEqual([
      'NOTE',
      'WORD_SWITCHED_OFF',
      'WORD_CHANGED',
      'WORD_ADDED',
      'CRITERION',
    ]);
    for (const draft of [{}, { reason: '사유만' }, { criteria: { minSources: 4 }, reason: ' ' }])
      expect((await ask('POST', 'versions', draft)).status).toBe(400);
    expect((await ask('POST', 'versions', { toggleWords: ['nothing'] })).status).toBe(404);
    expect(stored()).toHaveLength(2);
  });

  test('a change based on another version than the one in force: 412 with the one in force', async () => {
    await ask('PATCH', 'criteria', { minSources: 4 });
    const late = await ask('PATCH', 'criteria', { minSources: 5 }, { 'if-match': '"1"' });
    expect([late.status, late.body]).toMatchObject([412, { errors: [{ path: 'version', message: '2' }] }]);
    expect((await ask('PATCH', 'criteria', { minSources: 5 }, { 'if-match': '"2"' })).status).toBe(200);
  });

  test('a new version does not rescreen existing explanations', async () => {
    const id = console.explanation('AUTO_PUBLISHED', { summary: '반도체 강세' });
    const before = console.traces();
    await ask('POST', 'words', { word: '반도체', severity: 'BLOCK' });
    expect(console.traces().state).toBe(before.state);
    expect(console.traces().history).toBe(before.history);
    expect(id).not.toBe('');
  });
});

test('without a policy nothing is exposed, and the disclaimer comes first', async () => {
  await using bare = new TestConsole({ seed: 'members without policy' });
  const change = (method: Asked['method'], url: string, body: unknown) =>
    bare.ask<Disclaimer>({ method, url: `/api/v1/screening/${url}`, as: 'COMPLIANCE_REVIEWER', body });
  expect((await change('POST', 'words', { word: '글', severity: 'BLOCK' })).status).toBe(409);
  expect((await change('PATCH', 'criteria', { minSources: 1 })).status).toBe(409);
  expect((await change('POST', 'preview', { criteria: { minSources: 1 } })).status).toBe(409);
  expect((await change('POST', 'preview', { disclaimer: '고지 문구' })).status).toBe(200);
  expect((await change('PATCH', 'disclaimer', { disclaimer: '고지 문구' })).result).toMatchObject({ policyVersion: 1 });
  const policy = await bare.ask<ActivePolicy>({ method: 'GET', url: '/api/v1/screening/policy', as: 'READ_ONLY' });
  expect(policy.result.criteria?.autoProvision).toBe(false);
  expect((await change('POST', 'words', { word: '글', severity: 'BLOCK' })).status).toBe(200);
});

test('the disclaimer of the seed has both of its parts', async () => {
  expect((await get<Disclaimer>('disclaimer')).disclaimer).toBe(disclaimerText(SEED_POLICY));
});
