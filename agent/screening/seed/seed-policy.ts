/**
 * The policy that a demo ledger starts with (D58). A starting point that a firm's compliance department replaces with its own
 * words; an ordinary new ledger has no policy at all. Where firms differ it takes the careful side. The words stand by the
 * kinds of claims that the Korean rules for advertising of financial products know.
 */
import type { PolicySnapshot } from '../policy.ts';
import { ADDRESS } from './address.ts';
import { REQUESTS, SOLICITATION } from './advice.ts';
import { COMPARISON, SUPERLATIVES } from './comparison.ts';
import { CERTAINTY, FORECAST } from './future.ts';
import { LOSS } from './loss.ts';
import { YIELD } from './yield.ts';

/** The notice that an AI made the text: a legal duty in Korea since January 2026, so no firm changes it. */
export const AI_NOTICE = '이 설명은 생성형 AI가 작성하고 당사의 심사 기준에 따라 제공됩니다.';

export const SEED_POLICY: PolicySnapshot = {
  words: [
    ...LOSS,
    ...YIELD,
    ...COMPARISON,
    ...SUPERLATIVES,
    ...SOLICITATION,
    ...REQUESTS,
    ...ADDRESS,
    ...CERTAINTY,
    ...FORECAST,
  ],
  notices: [],
  criteria: {
    autoProvision: true,
    minSources: 2,
    minConfidence: 'MEDIUM',
    uncertainToReview: true,
    suspectToReview: false,
    insidePasses: true,
    fourEyes: false,
    sampleShare: 5,
    blindShare: 0,
    holdSeconds: 0,
    expiresAt: null,
    reasonDigits: null,
  },
  disclaimer: {
    aiNotice: AI_NOTICE,
    text: '투자 권유가 아니며, 원금 손실이 발생할 수 있고 예금자보호 대상이 아닙니다. 과거의 수익이 미래의 수익을 보장하지 않으며 투자 결과는 투자자 본인에게 귀속됩니다.',
  },
};
