/** Firms' own lists, read as the seed policy is: one with exceptions, distances, letters alone and replacements, and a short one. */
import { expect, test } from 'vitest';
import { createMatcher } from './matcher.ts';
import type { ForbiddenWord } from './policy.ts';
import { clear, review } from './seed/words.ts';

const word = (text: string, severity: ForbiddenWord['severity'], more: Partial<ForbiddenWord> = {}): ForbiddenWord => ({
  id: text,
  word: text,
  severity,
  active: true,
  exceptions: [],
  ...more,
});
const except = (...texts: string[]): Partial<ForbiddenWord> => ({ exceptions: texts.map(clear) });

const FIRM = createMatcher([
  word('평생 보장', 'BLOCK', except('평생보장형 보험')),
  word('수수료 면제', 'REVIEW', { ...except('수수료 면제 대상'), apart: 1 }),
  word('업계 최저', 'REVIEW', { ...except('업계 최저임금'), apart: 0 }),
  word('독점 공개', 'REVIEW', { apart: null }),
  word('내부 정보', 'BLOCK', except('내부정보 이용 금지')),
  word('VIP 전용', 'REVIEW'),
  word('100% 환급', 'BLOCK'),
  word('0원', 'REVIEW'),
  word('따상', 'REVIEW'),
  word('텐배거', 'REVIEW'),
  word('물타기', 'REVIEW', except('물타기 금지')),
  word('선착순', 'REVIEW', except('선착순 분양')),
  word('무료', 'REVIEW', except('무료화', '무료 급식')),
  word('공짜', 'BLOCK'),
  word('세금 없는', 'REVIEW', { apart: 2 }),
  word('상한가 직행', 'BLOCK', { replacements: ['가격 제한폭까지 상승'] }),
  word('세력', 'REVIEW', except('세력권', '정치 세력')),
  word('작전주', 'BLOCK'),
  word('리딩방', 'BLOCK', { exceptions: [review('리딩방 피해')] }),
  word('불패 신화', 'REVIEW', { apart: 5 }),
]);

const verdictOf = (text: string, list = FIRM): string => {
  const hits = list.find(text);
  if (hits.length === 0) return 'PASS';
  return hits.some(({ severity }) => severity === 'BLOCK') ? 'BLOCK' : 'REVIEW';
};

const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  BLOCK: [
    '평생 보장 상품',
    '내부 정보를 드립니다.',
    '100% 환급',
    '공짜로 드립니다.',
    '상한가 직행 종목',
    '작전주를 알려 드립니다.',
    '리딩방에서 알려 드립니다.',
    // A percentage in words, and exceptions in sentences that ask the reader to act.
    '100퍼센트 환급',
    '백 퍼센트 환급해 드립니다.',
    '평생보장형 보험에 가입하세요.',
    '평생보장형 보험 하나면 든든합니다, 가입하시죠.',
    '리딩방 피해 없는 곳, 저희 리딩방으로 오세요.',
  ],
  REVIEW: [
    '평생토록 수익이 보장됩니다.',
    '평생을 보장해 드립니다.',
    '평생 동안 전액 보장됩니다.',
    '수수료가 면제됩니다.',
    '수수료를 전액 면제해 드립니다.',
    '면제되는 수수료',
    '수수료 면제 대상이 되십니다.',
    '업계에서 최저입니다.',
    '업계 최저 수수료',
    '독점 공개합니다.',
    '내부의 고급 정보를 제공합니다.',
    '내부자 정보',
    'VIP만을 위한 전용 상품',
    'vip전용',
    'ＶＩＰ 전용',
    '환급률 100%입니다.',
    '수수료 0원',
    '수수료 ０원',
    '수수료 0 원',
    '따상을 노립니다.',
    '따.상',
    '따따상 갑니다.',
    '텐 배거',
    '텐배거를 찾아라',
    '텐배거로 만들어 드립니다.',
    '물타기하세요.',
    '물타기 금지령이 풀렸으니 물타기하세요.',
    '선착순입니다.',
    '선착순 분양받으세요.',
    '무료로 드립니다.',
    '세금이 한 푼도 없는 상품',
    '세금 걱정 없는',
    '세금이 없습니다.',
    '상한가로 직행합니다.',
    '상한가까지 그대로 직행!',
    '세력이 들어왔습니다.',
    '정치세력이 매집한다, 따라 담으시죠.',
    '불패의 신화를 이어 온 ETF',
    '신화가 된 불패 투자',
    '불패가 계속되는 부동산 시장 투자 신화',
    '공짜는 없습니다.',
    '공짜가 아닙니다.',
    '작전주에 속지 마십시오.',
    '작전주가 아닙니다.',
    '리딩방 피해가 늘었다.',
    // Letters inside of a word that the analyser only guesses: not sure, so a person reads them.
    '의무료해지 제도가 도입됐다.',
    '재무료율이 조정됐다.',
    '고객 응대 세력화 논란',
    '홍세력 전무가 취임했다.',
  ],
  PASS: [
    '평생보장형 보험의 판매가 늘었다.',
    '평생보장형보험 판매가 늘었다.',
    '수수료를 내는 고객 가운데 일부는 세금 납부 의무를 면제받았다.',
    '수수료 면제 대상이 줄었다.',
    '업계 최저임금이 올랐다.',
    '독점 계약을 공개했다.',
    '실내부 정보 표시 장치를 만든다.',
    '국내부 정보 시스템이 멈췄다.',
    '5,100% 환급',
    '수수료는 10원이다.',
    '100원을 넘었다.',
    '물타기 금지 규정이 생겼다.',
    '선착순 분양을 시작했다.',
    '무료화 정책을 폈다.',
    '너무 료칸이 비싸다.',
    '무료 급식이 확대됐다.',
    '세금을 줄여 재정 여력이 없는 정부가 국채를 늘렸다.',
    '태풍 세력권에 들었다.',
    '정치 세력 간 갈등이 커졌다.',
    '불패를 자랑하던 기업이 무너지고 신화가 끝났다.',
  ],
};

test.each(Object.entries(OUTCOMES))("a firm's words: %s", (expected, sentences) => {
  expect(sentences.filter((one) => verdictOf(one) !== expected)).toEqual([]);
});

/** The list of a small firm: a word each for the claims that everybody knows, all of them blocking. */
const SMALL = createMatcher([
  ...['원금 보장', '확정 수익', '손실 없는', '무위험', '고수익', '무조건'].map((text) => word(text, 'BLOCK')),
  word('최고', 'BLOCK', except('최고경영자')),
]);

const OF_SMALL: Readonly<Record<string, readonly string[]>> = {
  BLOCK: [
    '위험이 무에 가까운 無危險 투자입니다.',
    '아무 조건 없이 무조건적으로 오릅니다.',
    '가히 최고라 부를 만합니다.',
    // Harmless, and the firm's own word as it stands: an exception of the firm would clear it.
    '기온이 최고 38도까지 올랐다는 예보에 전력주가 강세였어요.',
  ],
  REVIEW: [
    '원금까지도 온전히 보장해 드려요.',
    '보장받는 원금이 전체의 절반을 넘습니다.',
    '원금은 물론 이자도 보장이 됨.',
    '수익이 미리 확정되는 방식입니다.',
    '확정적으로 얻게 되는 수익이에요.',
    '손실이라고는 찾아볼 수 없음.',
    '손실이 거의 없다고 보시면 됩니다.',
    '높은 수익이 따라옵니다.',
    '수익이 매우 높은 상품이에요.',
    '위험이라고는 없는 구조입니다.',
    '아무런 조건 없이 올라요.',
    // Harmless, in a word that begins with 수익.
    '수익증권 발행 조건이 확정되었습니다.',
  ],
  PASS: [
    '재무위험 관리 조직을 신설했습니다.',
    '근무조건이 개선되었다는 소식이 있었어요.',
    '비용을 줄이고 수익성을 높였다고 공시했습니다.',
    '최고경영자가 사임했습니다.',
    '채무조건이 완화되었다는 보도가 나왔습니다.',
    '영업 손실이 줄었음을 확인했습니다.',
    '근무 조건의 변화는 없었다고 밝혔습니다.',
    '수익성이 높은 제품의 비중이 늘었어요.',
  ],
};

test.each(Object.entries(OF_SMALL))("a small firm's words: %s", (expected, sentences) => {
  expect(sentences.filter((one) => verdictOf(one, SMALL) !== expected)).toEqual([]);
});
