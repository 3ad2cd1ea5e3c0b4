/** The seed policy against the sentences of a compliance department: at least 97 % as a person decides, no denial blocked. */
import { expect, test } from 'vitest';
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
const KNOWN: Readonly<Record<string, string>> = {};

const wrong = (
  sentences: readonly string[],
  isRight: (verdict: string | undefined) => boolean,
): Record<string, string> =>
  Object.fromEntries(sentences.flatMap((one) => (isRight(verdictOf(one)) ? [] : [[one, String(verdictOf(one))]])));

test('sentences come out as a person decides, but for those that are known', () => {
  const claims = Object.values(CLAIMS).flat();
  const found = {
    ...wrong(claims, (verdict) => verdict !== 'PASS'),
    ...wrong(BLOCKED, (verdict) => verdict === 'BLOCK'),
    ...wrong(DENIALS, (verdict) => verdict === 'REVIEW'),
    ...wrong(HARMLESS, (verdict) => verdict === 'PASS'),
  };
  expect(found).toEqual(KNOWN);
  const all = claims.length + BLOCKED.length + DENIALS.length + HARMLESS.length;
  expect(all).toBeGreaterThanOrEqual(300);
  expect(Object.keys(KNOWN).length).toBeLessThanOrEqual(all * 0.03);
});

test('no denial is blocked', () => {
  expect(wrong(DENIALS, (verdict) => verdict !== 'BLOCK')).toEqual({});
});
