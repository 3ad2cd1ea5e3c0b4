/** The seed policy against the sentences of a compliance department: at least 97 % as a person decides, no denial blocked. */
import { expect, test } from 'vitest';
import { FURTHER_CLAIMS, FURTHER_DENIALS, FURTHER_HARMLESS } from './further-sentences.ts';
import { BLOCKED, CLAIMS, DENIALS, HARMLESS } from './korean-sentences.ts';
import { createScreener } from './screen.ts';
import { SEED_POLICY } from './seed-policy.ts';

const screener = createScreener({ version: 1, snapshot: SEED_POLICY });
const verdictOf = (summary: string): string | undefined =>
  screener
    .screen({
      summary,
      explanation_type: 'EVENT_SUPPORTED',
      confidence_level: 'HIGH',
      sourceEventIds: ['a', 'b'],
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
  '놓치면 후회합니다.': 'PASS',
  '손실 위험으로부터 완전히 자유롭습니다.': 'PASS',
  // Harmless, in words that a claim has too: a person tells them apart.
  '확실한 방향성 없이 보합권에서 등락했습니다.': 'REVIEW',
  '안전자산인 금 가격이 사상 최고 수준으로 올랐습니다.': 'REVIEW',
  '지난해 최고 실적을 기록했다고 밝혔습니다.': 'REVIEW',
  '급등한 환율이 예상 범위를 벗어났다.': 'REVIEW',
  '손실 없이 매각을 마쳤다.': 'REVIEW',
  '업계 1위 기업이 감산을 결정했습니다.': 'REVIEW',
};

const KNOWN_CLAIMS = Object.keys(KNOWN).filter((one) => KNOWN[one] === 'PASS');
const KNOWN_HARMLESS = Object.keys(KNOWN).filter((one) => KNOWN[one] === 'REVIEW');
const ALL_CLAIMS = [...Object.values(CLAIMS).flat(), ...Object.values(FURTHER_CLAIMS).flat(), ...KNOWN_CLAIMS];
const ALL_DENIALS = [...DENIALS, ...FURTHER_DENIALS];
const ALL_HARMLESS = [...HARMLESS, ...FURTHER_HARMLESS, ...KNOWN_HARMLESS];

const wrong = (
  sentences: readonly string[],
  isRight: (verdict: string | undefined) => boolean,
): Record<string, string> =>
  Object.fromEntries(sentences.flatMap((one) => (isRight(verdictOf(one)) ? [] : [[one, String(verdictOf(one))]])));

test('sentences come out as a person decides, but for those that are known', () => {
  const found = {
    ...wrong(ALL_CLAIMS, (verdict) => verdict !== 'PASS'),
    ...wrong(BLOCKED, (verdict) => verdict === 'BLOCK'),
    ...wrong(ALL_DENIALS, (verdict) => verdict === 'REVIEW'),
    ...wrong(ALL_HARMLESS, (verdict) => verdict === 'PASS'),
  };
  expect(found).toEqual(KNOWN);
  const all = ALL_CLAIMS.length + BLOCKED.length + ALL_DENIALS.length + ALL_HARMLESS.length;
  expect(all).toBeGreaterThanOrEqual(300);
  expect(Object.keys(KNOWN).length).toBeLessThanOrEqual(all * 0.03);
});

test('no denial is blocked', () => {
  expect(wrong(ALL_DENIALS, (verdict) => verdict !== 'BLOCK')).toEqual({});
});
