/** Words behind markup and Chinese characters, and texts that no policy is asked about: sentences and their outcomes (D210). */
import { describe, expect, test } from 'vitest';
import type { ForbiddenWord } from './policy.ts';
import { createFinder, createMatcher } from './matcher.ts';
import { createScreener } from './screen.ts';
import { withWhy } from './sentences.ts';
import { SEED_POLICY } from './seed/seed-policy.ts';

const screener = createScreener({ version: 1, snapshot: SEED_POLICY });
const outcomeOf = (summary: string): string =>
  screener.screen({
    summary,
    explanation_type: 'EVENT_SUPPORTED',
    confidence_level: 'HIGH',
    sourceEventIds: ['event-1', 'event-2'],
    observed_return: null,
    outOfScope: [],
  }).outcome;

const OUTCOMES = {
  BLOCKED: [
    '이 상품은 <b>원금</b> 보장 상품입니다.',
    '원금&nbsp;보장 상품입니다.',
    '원금 보&shy;장 상품입니다.',
    '&#50896;&#44552; 보장 상품입니다.',
    '<p>원금</p><p>보장</p>',
    '원<!-- 쉼 -->금 보장 상품입니다.',
    '[원금](https://example.com) 보장 상품입니다.',
    '**원금** 보장 상품입니다.',
    '元金保障 商品입니다.',
    '원금(元金) 보장(保障) 상품입니다.',
    '元金(원금) 保障(보장) 상품입니다.',
    '無危險 상품입니다.',
    '무(無)위험 상품입니다.',
    '確定收益을 드리는 상품입니다.',
    '確定 收益率 5%인 상품입니다.',
    '損失 없는 투자입니다.',
    '<i>元金</i>&nbsp;保&shy;障 상품입니다.',
  ],
  PENDING_REVIEW: [
    '<!-- 원금 보장 --> 지수가 올랐습니다.',
    '<a title="원금 보장">지수</a>가 올랐습니다.',
    '원금 보장<b>되지 않</b>습니다.',
    '원금 보장(保障)되지 않습니다.',
    '무위험<b>지표금리</b>가 내렸습니다.',
    '絶對收益을 추구합니다.',
    '買受 의견이 늘었습니다.',
    '元一金 保障 상품입니다.',
    '原金 반드시(必) 오릅니다.',
    '<b>지수</b>가 올랐습니다.',
    '지수가 올랐습니다.<script>alert(1)</script>',
    '{{name}}이 올랐습니다.',
    '죄송하지만 투자 조언을 드릴 수 없습니다.',
    '지수가 \ufffd 올랐습니다.',
    'Your principal is guaranteed.',
    'ì›ê¸ˆ ë³´ìž¥',
  ],
  AUTO_PUBLISHED: [
    '지수가 1.2% 올랐고, S&P 500도 올랐습니다.',
    '最高價를 기록했습니다.',
    '최고가(最高價)를 기록했습니다.',
    '不確實性이 커졌습니다.',
    '불확실성(不確實性)이 커졌습니다.',
    '無危險指標金利가 내렸습니다.',
    '純買受가 늘었고 買受勢가 이어졌습니다.',
    '中 경기 부양과 美 금리(金利) 하락에 올랐습니다.',
    '元·달러 환율이 내렸습니다.',
    '<표 1>의 PER < 10배인 종목이 올랐습니다.',
  ],
};

describe.each(Object.entries(OUTCOMES))('%s', (outcome, texts) => {
  test.each(texts)('%s', (text) => expect(outcomeOf(text)).toBe(outcome));
});

const word = (text: string, more: Partial<ForbiddenWord> = {}): ForbiddenWord => ({
  id: `id-${text}`,
  word: text,
  severity: 'BLOCK',
  active: true,
  exceptions: [],
  ...more,
});
const hitsOf = (words: ForbiddenWord[], text: string) =>
  createMatcher(words)
    .find(text)
    .map(withWhy)
    .map(({ severity, start, end, matched, reading, why }) => ({ severity, start, end, matched, reading, why }));

describe('a hit names its place in the text as received, and how it was read', () => {
  test.each([
    ['값 <b>원금</b> 보장', 5, 14, 'PAGE', '마크업을 해석하여 화면에 표시되는 대로 비교했습니다.'],
    ['값 원금(元金) 보장(保障)', 2, 11, 'HANJA', '한자를 한글로 읽어 비교했습니다.'],
    ['<b>元金</b> 保障', 3, 12, 'HANJA', '한자를 한글로 읽어 비교했습니다.'],
  ] as const)('%s', (text, start, end, reading, how) => {
    const why = `금지어 “원금 보장”에 해당합니다. ${how}`;
    expect(hitsOf([word('원금 보장')], text)).toEqual([
      { severity: 'BLOCK', start, end, matched: text.slice(start, end), reading, why },
    ]);
  });
  test('one that is there without any reading says nothing of it', () => {
    expect(hitsOf([word('원금 보장')], '<b>元</b> 원금 보장')).toEqual([
      expect.objectContaining({ severity: 'BLOCK', start: 9, end: 14, reading: undefined }),
    ]);
  });
  test('one of the source alone leads to a person, and so does one by initial sounds inside of a word', () => {
    expect(hitsOf([word('원금 보장')], '<!-- 원금 보장 -->')).toEqual([
      expect.objectContaining({ severity: 'REVIEW', start: 5, reading: 'SOURCE' }),
    ]);
    expect(hitsOf([word('이익 보장')], '營業利益 보장')).toEqual([
      expect.objectContaining({ severity: 'REVIEW', start: 2, end: 7, reading: 'HANJA' }),
    ]);
  });
});

test('the words of a policy are read as texts are, and those with signs of markup stay findable', () => {
  expect(hitsOf([word('元金')], '원금과 元金')).toHaveLength(2);
  expect(hitsOf([word('<b>')], '<b>원금</b>')).toMatchObject([{ severity: 'REVIEW', matched: '<b>' }]);
  expect(hitsOf([word('최고', { exceptions: [{ text: '最高價', becomes: 'CLEAR' }] })], '최고가와 最高價')).toEqual([]);
});

test('a notice counts where a reader sees it', () => {
  const holds = createFinder(['원금 손실이 발생할 수 있습니다']);
  expect(holds('<b>원금</b> 손실이 발생할 수 있습니다.')).toBe(true);
  expect(holds('원금(元金) 손실이 발생할 수 있습니다.')).toBe(true);
  expect(holds('<!-- 원금 손실이 발생할 수 있습니다. -->')).toBe(false);
});
