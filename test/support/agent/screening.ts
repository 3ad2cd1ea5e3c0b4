/**
 * The seed policy with a few of its 1,800 words, those of the texts of most tests, for tests whose subject is not which words
 * there are: a screener takes 10 ms to build instead of 220.
 */
import type { PolicySnapshot } from '../../../agent/screening/policy.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';

/** `확정 수익`, `무위험`, `매수`, `매수 추천`, `드립니다`. */
const WORDS = ['word-guaranteed-return', 'word-no-risk', 'word-buy', 'word-buy-recommendation', 'word-done-for-you'];

export const SHORT_POLICY: PolicySnapshot = {
  ...SEED_POLICY,
  words: SEED_POLICY.words.filter(({ id }) => WORDS.includes(id)),
};
