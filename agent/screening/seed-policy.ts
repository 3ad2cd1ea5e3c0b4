/**
 * The policy that a demo ledger starts with (D58). A starting point that a firm's compliance
 * department replaces with its own words; an ordinary new ledger has no policy at all.
 */
import type { ReasonCode } from '../../shared/wire/console/console.ts';
import type { ForbiddenWord, PolicySnapshot, WordException } from './policy.ts';

const clear = (text: string): WordException => ({ text, becomes: 'CLEAR' });
const review = (text: string): WordException => ({ text, becomes: 'REVIEW' });

function word(
  id: string,
  text: string,
  severity: ForbiddenWord['severity'],
  reason: ReasonCode,
  ...exceptions: WordException[]
): ForbiddenWord {
  return { id, word: text, severity, reason, active: true, exceptions };
}

/** The notice that an AI made the text: a legal duty in Korea since January 2026, so no firm changes it. */
export const AI_NOTICE = '이 설명은 생성형 AI가 작성하고 당사의 심사 기준에 따라 제공됩니다.';

export const SEED_POLICY: PolicySnapshot = {
  words: [
    word('word-guaranteed-return', '확정 수익', 'BLOCK', 'GUARANTEED_RETURN', clear('불확정 수익')),
    // A denial of a guarantee still speaks of one: a person reads it, it is never clear.
    word(
      'word-principal-guaranteed',
      '원금 보장',
      'BLOCK',
      'LOSS_COMPENSATION',
      review('원금 보장되지 않'),
      review('원금이 보장되지 않'),
    ),
    // The name of a benchmark rate (KOFR, SOFR), and nothing else that begins like it.
    word('word-no-risk', '무위험', 'BLOCK', 'GUARANTEED_RETURN', clear('무위험 지표 금리')),
    word('word-without-loss', '손실 없는', 'BLOCK', 'LOSS_COMPENSATION'),
    word('word-safe-as-deposit', '예금만큼 안전', 'BLOCK', 'LOSS_COMPENSATION'),
    word('word-absolute-return', '절대수익', 'REVIEW', 'GUARANTEED_RETURN'),
    word('word-target-return', '목표수익', 'REVIEW', 'GUARANTEED_RETURN'),
    word('word-regular-income', '따박따박', 'REVIEW', 'GUARANTEED_RETURN'),
    word('word-like-a-salary', '월급처럼', 'REVIEW', 'GUARANTEED_RETURN'),
    word('word-buy-recommendation', '매수 추천', 'BLOCK', 'SOLICITATION'),
    // White space does not count (D15), so that fees (…매 수수료) hold the word across a space.
    word(
      'word-buy',
      '매수',
      'REVIEW',
      'SOLICITATION',
      clear('매수세'),
      clear('매수 수량'),
      clear('순매수'),
      clear('매매 수수료'),
      clear('판매 수수료'),
      clear('환매 수수료'),
    ),
    word('word-certain', '확실', 'REVIEW', 'ASSERTIVE', clear('불확실')),
    word('word-best', '최고', 'REVIEW', 'EXAGGERATION', clear('최고가'), clear('최고치'), clear('최고경영자')),
    word('word-without-fail', '반드시', 'REVIEW', 'ASSERTIVE'),
    word('word-surge-expected', '급등 예상', 'REVIEW', 'FORECAST'),
  ],
  notices: [],
  criteria: {
    autoProvision: true,
    minSources: 2,
    minConfidence: 'MEDIUM',
    uncertainToReview: true,
    fourEyes: false,
    sampleShare: 5,
    blindShare: 0,
    holdSeconds: 0,
    expiresAt: null,
  },
  disclaimer: {
    aiNotice: AI_NOTICE,
    text: '투자 권유가 아니며, 원금 손실이 발생할 수 있고 예금자보호 대상이 아닙니다. 과거의 수익이 미래의 수익을 보장하지 않으며 투자 결과는 투자자 본인에게 귀속됩니다.',
  },
};
