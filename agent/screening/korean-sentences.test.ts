/** The seed policy against the sentences of a compliance department: at least 97 % as a person decides, no denial blocked. */
import { expect, test } from 'vitest';
import { FIFTH_CLAIMS, FIFTH_DENIALS, FIFTH_HARMLESS } from '../../test/support/sentences/fifth-reader-sentences.ts';
import {
  FOURTH_CLAIMS,
  FOURTH_DENIALS,
  FOURTH_HARMLESS,
} from '../../test/support/sentences/fourth-reader-sentences.ts';
import { FURTHER_CLAIMS, FURTHER_DENIALS, FURTHER_HARMLESS } from '../../test/support/sentences/further-sentences.ts';
import { BLOCKED, CLAIMS, DENIALS, HARMLESS } from '../../test/support/sentences/korean-sentences.ts';
import { REVIEWED_BLOCKED, REVIEWED_CLAIMS } from '../../test/support/sentences/reviewed-claims.ts';
import { REVIEWED_DENIALS, REVIEWED_HARMLESS } from '../../test/support/sentences/reviewed-others.ts';
import { createScreener } from './screen.ts';
import { SEED_POLICY } from './seed/seed-policy.ts';
import { BESIDE_SHORT_CLAIMS, SHORT_CLAIMS } from '../../test/support/sentences/short-sentences.ts';
import {
  EIGHTH_CLAIMS,
  EIGHTH_HARMLESS,
  SEVENTH_CLAIMS,
  SEVENTH_HARMLESS,
} from '../../test/support/sentences/seventh-reader-sentences.ts';
import { SIXTH_CLAIMS, SIXTH_HARMLESS } from '../../test/support/sentences/sixth-reader-sentences.ts';
import { UNSEEN_CLAIMS, UNSEEN_DENIALS, UNSEEN_HARMLESS } from '../../test/support/sentences/unseen-sentences.ts';

const screener = createScreener({ version: 1, snapshot: SEED_POLICY });
const verdictOf = (summary: string): string | undefined =>
  screener
    .screen({
      summary,
      explanation_type: 'EVENT_SUPPORTED',
      confidence_level: 'HIGH',
      sourceEventIds: ['a', 'b'],
      observed_return: null,
      outOfScope: [],
    })
    .checks.find(({ check }) => check === 'FORBIDDEN_WORDS')?.verdict;

/** Sentences that come out otherwise, by name. */
const KNOWN: Readonly<Record<string, string>> = {
  // Claims whose words are in harmless news as well, or stand in an order that nothing tells from another statement.
  '없습니다, 손실은.': 'PASS',
  '국내 최고가 바로 여기 있습니다.': 'PASS',
  '연 8% 배당을 확정했습니다.': 'PASS',
  '독점적인 지위를 누립니다.': 'PASS',
  '외국인이 매수했다는 것은 오른다는 신호입니다.': 'PASS',
  '매수 우위 국면에서는 사는 쪽이 이깁니다.': 'PASS',
  '수익이 안 나면 보수를 받지 않겠습니다.': 'PASS',
  '연 7%를 목표로 하며 지금까지 못 지킨 적이 없어요.': 'PASS',
  '순매수 행렬에 합류': 'PASS',
  연고수익: 'PASS',
  '국내에서 이만큼 잘 굴리는 운용사는 없습니다.': 'PASS',
  '인공지능 시대의 최대 수혜주로 꼽힙니다.': 'PASS',
  절대강자: 'PASS',
  '원금은 안 건드림': 'PASS',
  '이 ETF 최고봉이에요': 'PASS',
  '급등 각': 'PASS',
  // Harmless, in words that a claim has too: a person tells them apart.
  '확실시되던 인수가 무산됐습니다.': 'REVIEW',
  '고수익 자산 선호가 줄었습니다.': 'REVIEW',
  '확실한 방향성 없이 보합권에서 등락했습니다.': 'REVIEW',
  '지난해 최고 실적을 기록했다고 밝혔습니다.': 'REVIEW',
  '급등한 환율이 예상 범위를 벗어났다.': 'REVIEW',
  '손실 없이 매각을 마쳤다.': 'REVIEW',
  '업계 1위 기업이 감산을 결정했습니다.': 'REVIEW',
  '유가 급등은 예상된 결과라는 평가가 나왔습니다.': 'REVIEW',
  '반드시크 발효로 관세가 올랐다.': 'REVIEW',
  '무조건부 신용장 발행이 줄었다.': 'REVIEW',
  '대박물산이 상장 첫날 하락했다.': 'REVIEW',
  '압도적 찬성으로 파업을 가결했다.': 'REVIEW',
  '선거에서 승리가 확실시되자 관련주가 급등했다.': 'REVIEW',
  '위험이 없는 항로를 찾아 우회하면서 운임이 올랐다.': 'REVIEW',
  '최고 수준의 보안을 갖췄다는 평가가 아니라 실적이 주가를 움직였다.': 'REVIEW',
  '목표 수익률을 초과 달성한 펀드가 청산됐다.': 'REVIEW',
  '국내 최초로 승인을 받은 치료제 소식에 올랐다.': 'REVIEW',
  '해외 자회사 상장이 확실해지자 주가가 올랐다.': 'REVIEW',
  '증권사가 매수 의견을 유지했다는 소식에 올랐다.': 'REVIEW',
  '손실을 보상하라는 판결이 나왔다.': 'REVIEW',
  '원금 상환이 끝난 뒤 보장 보험에 가입한 고객이 늘었다.': 'REVIEW',
  '수익이 줄어 배당이 확정되지 못했다.': 'REVIEW',
  '강세를 이어 갈 것으로 예상됐지만 하락했다.': 'REVIEW',
  '상승 마감할 것이라는 예상과 달리 하락했다.': 'REVIEW',
  '유일한 국내 생산 업체가 가동을 멈췄다.': 'REVIEW',
  '무조건 항복을 요구했다는 소식에 유가가 올랐다.': 'REVIEW',
  '반드시 필요한 규제라는 당국의 입장이 나왔다.': 'REVIEW',
  '불확실성이 확실히 줄었다는 평가다.': 'REVIEW',
  '유상증자를 하지 않을 이유가 없다는 경영진의 설명에도 약세였다.': 'REVIEW',
  '대주주가 지분을 매각하지 않을 수 없게 됐다는 보도에 하락했다.': 'REVIEW',
};

const KNOWN_CLAIMS = Object.keys(KNOWN).filter((one) => KNOWN[one] === 'PASS');
const KNOWN_HARMLESS = Object.keys(KNOWN).filter((one) => KNOWN[one] === 'REVIEW');
const ALL_CLAIMS = [
  ...Object.values(CLAIMS).flat(),
  ...Object.values(FURTHER_CLAIMS).flat(),
  ...REVIEWED_CLAIMS,
  ...UNSEEN_CLAIMS,
  ...FOURTH_CLAIMS,
  ...FIFTH_CLAIMS,
  ...SIXTH_CLAIMS,
  ...SEVENTH_CLAIMS,
  ...EIGHTH_CLAIMS,
  ...SHORT_CLAIMS,
  ...KNOWN_CLAIMS,
];
const ALL_BLOCKED = [...BLOCKED, ...REVIEWED_BLOCKED];
const ALL_DENIALS = [
  ...DENIALS,
  ...FURTHER_DENIALS,
  ...REVIEWED_DENIALS,
  ...UNSEEN_DENIALS,
  ...FOURTH_DENIALS,
  ...FIFTH_DENIALS,
];
const ALL_HARMLESS = [
  ...HARMLESS,
  ...FURTHER_HARMLESS,
  ...REVIEWED_HARMLESS,
  ...UNSEEN_HARMLESS,
  ...FOURTH_HARMLESS,
  ...FIFTH_HARMLESS,
  ...SIXTH_HARMLESS,
  ...SEVENTH_HARMLESS,
  ...EIGHTH_HARMLESS,
  ...BESIDE_SHORT_CLAIMS,
  ...KNOWN_HARMLESS,
];

const wrong = (
  sentences: readonly string[],
  isRight: (verdict: string | undefined) => boolean,
): Record<string, string> =>
  Object.fromEntries(sentences.flatMap((one) => (isRight(verdictOf(one)) ? [] : [[one, String(verdictOf(one))]])));

test('sentences come out as a person decides, but for those that are known', () => {
  const found = {
    ...wrong(ALL_CLAIMS, (verdict) => verdict !== 'PASS'),
    ...wrong(ALL_BLOCKED, (verdict) => verdict === 'BLOCK'),
    ...wrong(ALL_DENIALS, (verdict) => verdict === 'REVIEW'),
    ...wrong(ALL_HARMLESS, (verdict) => verdict === 'PASS'),
  };
  expect(found).toEqual(KNOWN);
  const all = ALL_CLAIMS.length + ALL_BLOCKED.length + ALL_DENIALS.length + ALL_HARMLESS.length;
  expect(all).toBeGreaterThanOrEqual(300);
  expect(Object.keys(KNOWN).length).toBeLessThanOrEqual(all * 0.03);
});

test('no denial is blocked', () => {
  expect(wrong(ALL_DENIALS, (verdict) => verdict !== 'BLOCK')).toEqual({});
});
