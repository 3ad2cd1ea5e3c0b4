/** What each check records: code, parameters and sentence, as the reviewer, the dossier and the inspector get them. */
import { describe, expect, test } from 'vitest';
import type { CheckName, CheckResult } from '../../shared/wire/console/console.ts';
import { MATCHER_VERSION } from './matcher.ts';
import type { Criteria, ForbiddenWord, RequiredNotice } from './policy.ts';
import { UNKNOWN_MARKET } from './findings.ts';
import { createScreener, type Screener, type ScreeningInput } from './screen.ts';
import { withMessage } from './sentences.ts';
import { SEED_POLICY } from './seed/seed-policy.ts';

const good: ScreeningInput = {
  summary: '반도체 업종 강세로 올랐습니다.',
  explanation_type: 'EVENT_SUPPORTED',
  confidence_level: 'HIGH',
  sourceEventIds: ['event-1', 'event-2'],
  observed_return: null,
  outOfScope: [],
};

interface Policy {
  criteria?: Partial<Criteria>;
  words?: ForbiddenWord[];
  notices?: RequiredNotice[];
}

const screenerOf = ({ criteria, words = SEED_POLICY.words, notices = [] }: Policy): Screener =>
  createScreener({
    version: 7,
    snapshot: { ...SEED_POLICY, words, notices, criteria: { ...SEED_POLICY.criteria, ...criteria } },
  });

function found(check: CheckName, input: Partial<ScreeningInput>, policy: Policy = {}): CheckResult | undefined {
  return screenerOf(policy)
    .screen({ ...good, ...input })
    .checks.map(withMessage)
    .find((one) => one.check === check);
}

const word = (text: string, severity: 'BLOCK' | 'REVIEW'): ForbiddenWord => ({
  id: `word-${text}`,
  word: text,
  severity,
  active: true,
  exceptions: [],
});

const notice = (name: string, severity: 'BLOCK' | 'REVIEW', onlyWith: string[] = []): RequiredNotice => ({
  id: `notice-${name}`,
  name,
  severity,
  active: true,
  terms: [`${name} 고지`],
  onlyWith,
});

const LETTERS = ['가가', '나나', '다다', '라라', '마마', '바바'];
const many = LETTERS.map((text) => word(text, 'REVIEW'));

test.each<[CheckName, string, Partial<ScreeningInput>, Policy, Partial<CheckResult>]>([
  ['FORBIDDEN_WORDS', 'PASS', {}, {}, { code: 'WORDS_NONE', parameters: {}, message: '금지어가 없습니다.' }],
  [
    'FORBIDDEN_WORDS',
    'REVIEW',
    { summary: ' ' },
    {},
    { code: 'TEXT_BLANK', parameters: {}, message: '본문이 비어 있어 심사가 필요합니다.' },
  ],
  [
    'FORBIDDEN_WORDS',
    'REVIEW',
    { summary: '오늘 \u202e올랐습니다.' },
    {},
    {
      code: 'TEXT_REORDERED',
      parameters: { CHARACTERS: 'U+202E (3-4)' },
      message:
        '글자 표시 순서를 바꾸는 제어 문자가 있어 심사가 필요합니다. 보이지 않거나 읽을 수 없는 문자 U+202E (3-4)',
    },
  ],
  [
    'FORBIDDEN_WORDS',
    'REVIEW',
    { summary: '오늘 \u0007올랐습니다.' },
    {},
    {
      code: 'TEXT_UNFIT',
      parameters: { CHARACTERS: 'U+0007 (3-4)' },
      message: '본문을 그대로 제공할 수 없어 심사가 필요합니다. 보이지 않거나 읽을 수 없는 문자 U+0007 (3-4)',
    },
  ],
  [
    'FORBIDDEN_WORDS',
    'REVIEW',
    { summary: '{{name}}이 <b>올랐</b>습니다.' },
    {},
    {
      code: 'TEXT_UNFIT',
      parameters: { MARKUP: '“<b>” (10-13)', PLACEHOLDER: '“{{name}}” (0-8)' },
      message:
        '본문을 그대로 제공할 수 없어 심사가 필요합니다. 마크업 “<b>” (10-13) · 채워지지 않은 자리 표시 “{{name}}” (0-8)',
    },
  ],
  [
    'FORBIDDEN_WORDS',
    'BLOCK',
    { summary: '<b>무</b>위험' },
    {},
    {
      code: 'WORDS_BLOCK',
      parameters: { words: '“무위험”', count: 1, hits: 1, kept: 1, MARKUP: '“<b>” (0-3)' },
      message: '차단 금지어 “무위험”에 해당하는 표현이 있어 차단합니다. 마크업 “<b>” (0-3)',
    },
  ],
  [
    'FORBIDDEN_WORDS',
    'REVIEW',
    { summary: '반드시 오르고 반드시 급등 예상' },
    {},
    {
      code: 'WORDS_REVIEW',
      parameters: { words: '“반드시”, “급등 예상”', count: 2, hits: 3, kept: 3 },
      message: '심사 금지어 “반드시”, “급등 예상”에 해당하는 표현이 있어 심사가 필요합니다.',
    },
  ],
  [
    'FORBIDDEN_WORDS',
    'BLOCK',
    { summary: '반드시 무위험' },
    {},
    {
      code: 'WORDS_BLOCK',
      parameters: { words: '“무위험”', count: 1, hits: 2, kept: 2 },
      message: '차단 금지어 “무위험”에 해당하는 표현이 있어 차단합니다.',
    },
  ],
  [
    'FORBIDDEN_WORDS',
    'REVIEW',
    { summary: LETTERS.slice(0, 5).join('. ') },
    { words: many },
    {
      parameters: { words: '“가가”, “나나”, “다다”, “라라”, “마마”', count: 5, hits: 5, kept: 5 },
      message: '심사 금지어 “가가”, “나나”, “다다”, “라라”, “마마”에 해당하는 표현이 있어 심사가 필요합니다.',
    },
  ],
  [
    'FORBIDDEN_WORDS',
    'REVIEW',
    { summary: LETTERS.join('. ') },
    { words: many },
    {
      parameters: { words: '“가가”, “나나”, “다다”, “라라”, “마마”', count: 6, hits: 6, kept: 6 },
      message: '심사 금지어 “가가”, “나나”, “다다”, “라라”, “마마” 등 6개에 해당하는 표현이 있어 심사가 필요합니다.',
    },
  ],
  [
    'SOURCE_COUNT',
    'PASS',
    {},
    {},
    {
      code: 'SOURCES_ENOUGH',
      parameters: { count: 2, least: 2 },
      message: '서로 다른 출처가 2건으로, 기준 2건을 충족합니다.',
    },
  ],
  [
    'SOURCE_COUNT',
    'REVIEW',
    { sourceEventIds: ['a'] },
    {},
    {
      code: 'SOURCES_FEW',
      parameters: { count: 1, least: 2 },
      message: '서로 다른 출처가 1건으로, 기준 2건에 미치지 못합니다.',
    },
  ],
  [
    'CONFIDENCE',
    'PASS',
    { confidence_level: 'MEDIUM' },
    { criteria: { minConfidence: 'LOW' } },
    {
      code: 'CONFIDENCE_ENOUGH',
      parameters: { level: 'MEDIUM', least: 'LOW' },
      message: '신뢰도 보통: 기준 낮음 이상을 충족합니다.',
    },
  ],
  [
    'CONFIDENCE',
    'REVIEW',
    { confidence_level: 'LOW' },
    { criteria: { minConfidence: 'HIGH' } },
    {
      code: 'CONFIDENCE_LOW',
      parameters: { level: 'LOW', least: 'HIGH' },
      message: '신뢰도 낮음: 기준 높음 이상을 충족하지 못합니다.',
    },
  ],
  [
    'CONFIDENCE',
    'REVIEW',
    { confidence_level: null },
    {},
    { code: 'CONFIDENCE_MISSING', parameters: {}, message: '신뢰도가 표시되어 있지 않아 심사가 필요합니다.' },
  ],
  [
    'EXPLANATION_TYPE',
    'REVIEW',
    { explanation_type: null },
    {},
    { code: 'TYPE_MISSING', parameters: {}, message: '설명 유형이 표시되어 있지 않아 심사가 필요합니다.' },
  ],
  [
    'EXPLANATION_TYPE',
    'PASS',
    {},
    {},
    {
      code: 'TYPE_KNOWN',
      parameters: { type: 'EVENT_SUPPORTED' },
      message: '설명 유형이 EVENT_SUPPORTED로, 원인이 확인된 설명입니다.',
    },
  ],
  [
    'EXPLANATION_TYPE',
    'REVIEW',
    { explanation_type: 'UNCERTAIN' },
    {},
    {
      code: 'TYPE_UNCERTAIN_REVIEW',
      parameters: {},
      message: '원인이 확인되지 않은 설명(UNCERTAIN)이어서 심사가 필요합니다.',
    },
  ],
  [
    'EXPLANATION_TYPE',
    'PASS',
    { explanation_type: 'UNCERTAIN' },
    { criteria: { uncertainToReview: false } },
    {
      code: 'TYPE_UNCERTAIN_ALLOWED',
      parameters: {},
      message: '원인이 확인되지 않은 설명(UNCERTAIN)이지만 정책이 심사를 요구하지 않습니다.',
    },
  ],
  ['SERVING_SCOPE', 'PASS', {}, {}, { code: 'SCOPE_INSIDE', parameters: {}, message: '제공 범위 안에 있습니다.' }],
  [
    'SERVING_SCOPE',
    'REVIEW',
    {
      outOfScope: [
        { type: 'MARKET', key: UNKNOWN_MARKET },
        { type: 'INSTRUMENT', key: '069500' },
        { type: 'SECTOR', key: '은행' },
      ],
    },
    {},
    {
      code: 'SCOPE_OUTSIDE',
      parameters: { market: '?', instrument: '069500', sector: '은행' },
      message: '제공 범위 제외: 시장 미상 · 제공 범위 제외: 종목 069500 · 제공 범위 제외: 업종 은행',
    },
  ],
  [
    'REQUIRED_NOTICE',
    'PASS',
    {},
    { notices: [notice('손실', 'BLOCK', ['수익률'])] },
    { code: 'NOTICES_NOT_NEEDED', parameters: {}, message: '필수 문구가 필요한 설명이 아닙니다.' },
  ],
  [
    'REQUIRED_NOTICE',
    'PASS',
    { summary: '손실 고지' },
    { notices: [notice('손실', 'BLOCK')] },
    { code: 'NOTICES_PRESENT', parameters: {}, message: '필수 문구가 모두 있습니다.' },
  ],
  [
    'REQUIRED_NOTICE',
    'BLOCK',
    {},
    { notices: [notice('손실', 'BLOCK'), notice('예금', 'REVIEW')] },
    {
      code: 'NOTICES_BLOCK',
      parameters: { notices: '“손실”', count: 1, ids: 'notice-손실 notice-예금' },
      message: '필수 문구 “손실”에 해당하는 표현이 없어 차단합니다.',
    },
  ],
  [
    'REQUIRED_NOTICE',
    'REVIEW',
    {},
    { notices: LETTERS.map((name) => notice(name, 'REVIEW')) },
    {
      code: 'NOTICES_REVIEW',
      parameters: {
        notices: '“가가”, “나나”, “다다”, “라라”, “마마”',
        count: 6,
        ids: LETTERS.map((name) => `notice-${name}`).join(' '),
      },
      message: '필수 문구 “가가”, “나나”, “다다”, “라라”, “마마” 등 6개에 해당하는 표현이 없어 심사가 필요합니다.',
    },
  ],
])('%s %s', (check, verdict, input, policy, expected) => {
  expect(found(check, input, policy)).toMatchObject({
    check,
    verdict,
    policyVersion: 7,
    matcherVersion: MATCHER_VERSION,
    ...expected,
    ...(expected.parameters === undefined
      ? {}
      : { parameters: expect.toSatisfy(sameAs(expected.parameters)) as object }),
  });
});

/** Also without a further parameter. */
const sameAs =
  (parameters: object) =>
  (other: unknown): boolean =>
    JSON.stringify(inOrder(other as object)) === JSON.stringify(inOrder(parameters));
const inOrder = (parameters: object): unknown[] =>
  Object.entries(parameters).toSorted(([one], [other]) => (one < other ? -1 : 1));

const NAMES = ['금지어', '출처 수', '신뢰도', '설명 유형', '제공 범위'];

test('without a policy each check names itself', () => {
  expect(createScreener(null).screen(good).checks.map(withMessage)).toEqual(
    NAMES.map((name, at) => ({
      check: ['FORBIDDEN_WORDS', 'SOURCE_COUNT', 'CONFIDENCE', 'EXPLANATION_TYPE', 'SERVING_SCOPE'][at],
      verdict: 'REVIEW',
      code: 'NO_POLICY',
      parameters: {},
      message: `적용 중인 정책이 없어 ${name} 검사를 하지 못했습니다.`,
      hits: [],
      policyVersion: null,
      matcherVersion: MATCHER_VERSION,
    })),
  );
  expect(createScreener(null).missingNotices('아무 글')).toEqual([]);
  expect([createScreener(null).screen(good).failures, screenerOf({}).policyVersion]).toEqual([[], 7]);
});

test.each<[CheckName, string, object]>([
  ['FORBIDDEN_WORDS', '금지어', { summary: null }],
  ['SOURCE_COUNT', '출처 수', { sourceEventIds: 1 }],
  ['SERVING_SCOPE', '제공 범위', { outOfScope: null }],
])('a breakdown of %s is on record by name', (check, name, damaged) => {
  expect(found(check, damaged)).toMatchObject({
    verdict: 'REVIEW',
    code: 'CHECK_FAILED',
    message: `${name} 검사 중 오류가 발생하여 심사로 보냅니다.`,
  });
});

describe('hits', () => {
  const summary = (count: number): string => '반드시 '.repeat(count);

  test('up to a hundred are all kept, and the sentence names no number', () => {
    const result = found('FORBIDDEN_WORDS', { summary: summary(100) });
    expect(result?.hits).toHaveLength(100);
    expect(result?.message).toBe('심사 금지어 “반드시”에 해당하는 표현이 있어 심사가 필요합니다.');
  });

  test('of more a hundred are kept, blocking ones first, and the sentence says how many there are', () => {
    const result = found('FORBIDDEN_WORDS', { summary: `${summary(100)} 무위험` });
    expect(result?.hits.map((hit) => hit.word)).toEqual(['무위험', ...Array.from({ length: 99 }, () => '반드시')]);
    expect(result).toMatchObject({
      parameters: { words: '“무위험”', count: 1, hits: 101, kept: 100 },
      message: '차단 금지어 “무위험”에 해당하는 표현이 있어 차단합니다. 모두 101곳 가운데 100곳만 기록합니다.',
    });
    expect(found('FORBIDDEN_WORDS', { summary: summary(101) })?.message).toBe(
      '심사 금지어 “반드시”에 해당하는 표현이 있어 심사가 필요합니다. 모두 101곳 가운데 100곳만 기록합니다.',
    );
  });

  test('up to a hundred stay in the order of the text, and of more none is kept twice', () => {
    const wordsOf = (summary: string) => found('FORBIDDEN_WORDS', { summary })?.hits.map((hit) => hit.word);
    expect(wordsOf('반드시 무위험')).toEqual(['반드시', '무위험']);
    expect(wordsOf(`${summary(99)} 무위험`)?.at(-1)).toBe('무위험');
    expect(wordsOf(`무위험 ${summary(100)}`)?.filter((word) => word === '무위험')).toHaveLength(1);
  });

  test('count before what else makes a text unreadable', () => {
    expect(found('FORBIDDEN_WORDS', { summary: '무위험 \u202e올랐습니다.' })?.code).toBe('WORDS_BLOCK');
  });
});

describe('equal results are one object', () => {
  const screener = screenerOf({});
  const of = (input: Partial<ScreeningInput>) => screener.screen({ ...good, ...input }).checks;

  test('of the same check, code, verdict and parameters, and without hits', () => {
    const [first, second] = [of({}), of({})];
    for (const [at, check] of first.entries()) expect(second[at]).toBe(check);
    expect(of({ summary: '반드시' })[0]).not.toBe(of({ summary: '반드시' })[0]);
    const sources = of({ sourceEventIds: ['a', 'b', 'c'] })[1];
    expect(sources).not.toBe(first[1]);
    expect(sources?.parameters).toEqual({ count: 3, least: 2 });
  });

  test('the parameters of one sentence may differ', () => {
    // 시장 미상 is how both read.
    const scope = (key: string) => of({ outOfScope: [{ type: 'MARKET', key }] })[4]?.parameters;
    expect([scope(UNKNOWN_MARKET), scope('미상'), scope(UNKNOWN_MARKET)]).toEqual([
      { market: '?' },
      { market: '미상' },
      { market: '?' },
    ]);
  });

  test('a thousand are kept at most', () => {
    const first = of({})[1];
    const type = (at: number) => of({ explanation_type: `T${at}` });
    for (let at = 0; at < 900; at += 1) type(at);
    expect(of({})[1]).toBe(first);
    for (let at = 900; at < 1_100; at += 1) type(at);
    expect(of({})[1]).not.toBe(first);
    expect(of({})[1]).toEqual(first);
  });
});

test('a notice out of use is not missing, and its check breaks down by name', () => {
  const { missingNotices } = screenerOf({ notices: [{ ...notice('손실', 'BLOCK'), active: false }] });
  expect(missingNotices('아무 글')).toEqual([]);
  const damaged = { ...notice('손실', 'BLOCK'), terms: null } as unknown as RequiredNotice;
  expect(found('REQUIRED_NOTICE', {}, { notices: [damaged] })?.message).toBe(
    '필수 문구 검사 중 오류가 발생하여 심사로 보냅니다.',
  );
});

test('missing notices of any text', () => {
  const { missingNotices } = screenerOf({ notices: [notice('손실', 'BLOCK'), notice('예금', 'REVIEW')] });
  expect(missingNotices('예금 고지').map((one) => one.notice.name)).toEqual(['손실']);
});
