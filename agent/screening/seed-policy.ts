/**
 * The policy that a demo ledger starts with (D58). A starting point that a firm's compliance department replaces with its own
 * words; an ordinary new ledger has no policy at all. Where firms differ it takes the careful side. The words stand by the
 * kinds of claims that the Korean rules for advertising of financial products know.
 */
import type { ReasonCode } from '../../shared/wire/console/console.ts';
import type { ForbiddenWord, PolicySnapshot, WordException } from './policy.ts';

const clear = (text: string): WordException => ({ text, becomes: 'CLEAR' });
const review = (text: string): WordException => ({ text, becomes: 'REVIEW' });

interface More {
  exceptions?: WordException[];
  /** Found by its letters alone: its parts stand near each other in many harmless sentences. */
  lettersOnly?: true;
}

function word(
  id: string,
  text: string,
  severity: ForbiddenWord['severity'],
  reason: ReasonCode,
  { exceptions = [], lettersOnly }: More = {},
): ForbiddenWord {
  return { id, word: text, severity, reason, active: true, exceptions, ...(lettersOnly ? { apart: null } : {}) };
}

/** Several words of one kind. */
const words = (
  severity: ForbiddenWord['severity'],
  reason: ReasonCode,
  each: Readonly<Record<string, string>>,
  more: More = {},
): ForbiddenWord[] => Object.entries(each).map(([id, text]) => word(`word-${id}`, text, severity, reason, more));

/** Principal and loss: an investor bears the loss, and nobody may say or suggest otherwise. */
const LOSS = [
  // A denial of a guarantee still speaks of one: a person reads it, it is never clear.
  word('word-principal-guaranteed', '원금 보장', 'BLOCK', 'LOSS_COMPENSATION', {
    exceptions: [review('원금 보장되지 않'), review('원금이 보장되지 않')],
  }),
  ...words('BLOCK', 'LOSS_COMPENSATION', {
    'without-loss': '손실 없는',
    'without-damage': '손해 없는',
    'loss-made-good': '손실 보전',
    'loss-compensated': '손실 보상',
    'profit-guaranteed': '이익 보장',
    lossless: '무손실',
  }),
  ...words('REVIEW', 'LOSS_COMPENSATION', {
    'principal-preserved': '원금 보전',
    'principal-kept': '원금을 지켜',
    'principal-safe': '원금 안전',
    'principal-returned': '원금을 돌려',
    'principal-refunded': '원금 반환',
    'principal-got-back': '원금을 되돌려',
    'principal-protected': '원금 보호',
    'principal-broken': '원금이 깨지는',
    'principal-not-shrinking': '원금이 줄지 않',
    'investment-protected': '투자금 보호',
    'investment-guaranteed': '투자금 보장',
    'loss-worry': '손실 걱정',
    'damage-worry': '손해 걱정',
    'loss-impossible': '손실 볼 일',
    'damage-not-seen': '손해 보지 않',
    'loss-not-happening': '손실이 나지 않',
    'loss-not-occurring': '손실 발생하지 않',
    'loss-not-suffered': '손실 입지 않',
    'loss-filled': '손실을 메워',
    'loss-zero': '손실 제로',
    'loss-near-zero': '손실 0',
    'loss-rate-zero': '손실률 0%',
    'damage-zero': '손해 제로',
    'nothing-to-lose': '잃을 것 없는',
    'not-losing': '잃지 않는',
    'without-risk': '위험 없는',
    'without-risk-english': '리스크 없는',
  }),
  word('word-depositor-protection', '예금자 보호', 'REVIEW', 'LOSS_COMPENSATION', {
    exceptions: [clear('예금자보호법'), clear('예금자보호 한도'), clear('예금보험')],
  }),
  // The name of a benchmark rate (KOFR, SOFR), and nothing else that begins like it.
  word('word-no-risk', '무위험', 'BLOCK', 'GUARANTEED_RETURN', { exceptions: [clear('무위험 지표 금리')] }),
];

/** Guaranteed yield, target yield and absolute return. */
const YIELD = [
  word('word-guaranteed-return', '확정 수익', 'BLOCK', 'GUARANTEED_RETURN', { exceptions: [clear('불확정 수익')] }),
  word('word-return-guaranteed', '수익 보장', 'BLOCK', 'GUARANTEED_RETURN'),
  ...words('REVIEW', 'GUARANTEED_RETURN', {
    'fixed-interest': '확정 금리',
    'certain-interest': '확정 이자',
    'interest-guaranteed': '이자 보장',
    'fixed-return': '고정 수익',
    'absolute-return': '절대수익',
    'target-return': '목표수익',
    'return-promised': '수익 약속',
    'steady-return': '꾸준한 수익',
    'settled-return': '정해진 수익',
    'return-given': '수익을 안겨',
    'return-in-any-market': '어떤 시장에서도 수익',
    'unconditional-return': '무조건 수익',
    'regular-income': '따박따박',
    'regular-income-again': '꼬박꼬박',
    'like-a-salary': '월급처럼',
    'like-a-pension': '연금처럼',
    'second-salary': '제2의 월급',
    'as-good-as-a-salary': '월급 같은',
    'receive-a-salary': '월급을 받',
    'money-grows': '돈이 불어나',
    jackpot: '대박',
  }),
  ...words(
    'REVIEW',
    'GUARANTEED_RETURN',
    {
      'stable-return': '안정적 수익',
      'stable-return-again': '안정적인 수익',
      'return-is-stable': '수익이 안정적',
      'return-made-stable': '수익을 안정적',
      'return-rate-stable': '수익률이 안정적',
      'in-the-bag': '놓은 당상',
    },
    { lettersOnly: true },
  ),
  word('word-high-return', '고수익', 'REVIEW', 'GUARANTEED_RETURN', {
    exceptions: [clear('고수익 채권'), clear('고수익률 채권'), clear('고수익 회사채')],
  }),
];

/** Unfair comparison with what is protected: deposits, savings, government bonds. */
const COMPARISON = [
  word('word-safe-as-deposit', '예금만큼 안전', 'BLOCK', 'LOSS_COMPENSATION'),
  ...words('REVIEW', 'UNFAIR_COMPARISON', {
    'safe-as-savings': '적금만큼 안전',
    'safe-as-treasury': '국채만큼 안전',
    'higher-than-deposit': '예금보다 높은',
    'better-than-deposit': '예금보다 유리',
    'instead-of-deposit': '예금 대신',
    'instead-of-savings': '적금 대신',
    'deposit-substitute': '예금 대안',
    'than-at-a-bank': '은행에 넣',
  }),
  ...words(
    'REVIEW',
    'UNFAIR_COMPARISON',
    {
      'than-deposit': '예금보다',
      'than-savings': '적금보다',
      'than-interest': '이자보다',
      'than-deposit-rate': '예금 금리보다',
      'like-a-deposit': '예금처럼',
      'like-savings': '적금처럼',
      'same-as-deposit': '예금과 같',
      'as-deposit': '예금이나 다름',
    },
    { lettersOnly: true },
  ),
];

/** Superlatives and exaggeration: nothing says better than all others without a proof. */
const SUPERLATIVES = [
  word('word-best', '최고', 'REVIEW', 'EXAGGERATION', {
    exceptions: [clear('최고가'), clear('최고치'), clear('최고경영자'), clear('최고기술책임자'), clear('최고점')],
  }),
  ...words('REVIEW', 'EXAGGERATION', {
    'only-one-in-country': '국내 유일',
    'only-one-in-business': '업계 유일',
    'only-one-in-world': '세계 유일',
    'beyond-comparison': '비교할 수 없',
    'nothing-better': '이보다 좋은 상품',
    'most-excellent': '가장 뛰어난 수익',
    'highest-return': '가장 높은 수익',
    'first-in-return': '수익률 1위',
  }),
  ...words(
    'REVIEW',
    'EXAGGERATION',
    {
      'best-quality': '최상의',
      'best-choice': '최선의 선택',
      'only-one': '유일무이',
      'first-in-country': '국내 1위',
      'first-in-business': '업계 1위',
      'world-first': '세계 1위',
      'first-ever-in-country': '국내 최초',
      'first-ever-in-business': '업계 최초',
      'lowest-fee': '최저 보수',
      'lowest-commission': '최저 수수료',
      overwhelming: '압도적',
      unrivalled: '독보적',
      'without-match': '타의 추종',
      perfect: '완벽한',
      unbeaten: '불패',
      'without-precedent': '유례없',
      'proven-return': '검증된 수익',
    },
    { lettersOnly: true },
  ),
];

/** Solicitation: an explanation of a price asks nobody to act. */
const SOLICITATION = [
  word('word-buy-recommendation', '매수 추천', 'BLOCK', 'SOLICITATION'),
  // White space does not count (D15), so that fees (…매 수수료) hold the word across a space.
  word('word-buy', '매수', 'REVIEW', 'SOLICITATION', {
    exceptions: [
      clear('매수세'),
      clear('매수 수량'),
      clear('순매수'),
      clear('매매 수수료'),
      clear('판매 수수료'),
      clear('환매 수수료'),
      clear('공개매수'),
      clear('프로그램 매수'),
      clear('매수 우위'),
      clear('매수 잔량'),
      clear('매수 호가'),
    ],
  }),
  ...words('REVIEW', 'SOLICITATION', {
    'investment-recommendation': '투자 추천',
    'investment-advised': '투자 권유',
    'recommended-stock': '추천 종목',
    'do-not-miss': '놓치지 마',
    'not-to-be-missed': '놓치면 안',
    'do-not-hesitate': '망설이지 마',
    'invest-with-promise': '투자 유망',
  }),
  ...words(
    'REVIEW',
    'SOLICITATION',
    {
      recommending: '추천합니다',
      recommended: '추천드립니다',
      advising: '권합니다',
      'advising-politely': '권해 드립니다',
      'please-invest': '투자하세요',
      'please-invest-formally': '투자하십시오',
      'let-us-invest': '투자합시다',
      'wish-you-invest': '투자하시기 바랍니다',
      'better-invest': '투자하는 것이 좋',
      'please-buy': '사세요',
      'please-put-in': '담으세요',
      'please-collect': '모으세요',
      'please-join': '가입하세요',
      'please-join-formally': '가입하십시오',
      'please-start': '시작하세요',
      'please-grab': '잡으세요',
      hurry: '서두르',
      'chance-now': '지금이 기회',
      'last-chance': '마지막 기회',
      'right-time': '투자 적기',
      'good-time-to-buy': '매입 적기',
      'time-to-buy': '살 때입니다',
      'increase-share': '비중을 늘리세요',
      'widen-share': '비중 확대를 권',
      'time-to-widen-share': '비중을 확대할',
      'worth-holding': '담아 둘',
      'take-interest': '관심을 가지시기',
      'must-buy': '사야 할',
      'must-buy-politely': '사야 합니다',
    },
    { lettersOnly: true },
  ),
];

/** Certainty about what nobody knows. */
const CERTAINTY = [
  word('word-certain', '확실', 'REVIEW', 'ASSERTIVE', { exceptions: [clear('불확실')] }),
  ...words('REVIEW', 'ASSERTIVE', {
    'surely-safe': '절대 안전',
    'surely-no-damage': '절대 손해',
    'no-doubt': '의심의 여지 없',
    'safe-investment': '안전한 투자처',
  }),
  ...words(
    'REVIEW',
    'ASSERTIVE',
    {
      'without-fail': '반드시',
      'without-mistake': '틀림없',
      unconditional: '무조건',
      'guaranteed-by-me': '장담',
      'for-certain': '기필코',
      'one-hundred-percent': '100% 확률',
      obvious: '자명',
      'no-question': '두말할 나위',
      'surely-rises': '꼭 오',
      clearly: '분명합니다',
      never: '결코',
      'must-rise': '오를 수밖에',
      'cannot-but-rise': '오르지 않을 수 없',
    },
    { lettersOnly: true },
  ),
];

/** A forecast of what the price will do. */
const FORECAST = [
  word('word-surge-expected', '급등 예상', 'REVIEW', 'FORECAST'),
  ...words('REVIEW', 'FORECAST', { 'surge-imminent': '급등 임박', 'does-not-fall': '떨어지지 않' }),
  ...words(
    'REVIEW',
    'FORECAST',
    {
      'rise-expected': '상승이 예상',
      'rise-expected-short': '상승 예상',
      'rise-hoped': '상승이 기대',
      'will-rise': '상승할 것',
      'will-rise-outlook': '상승할 전망',
      'will-go-up': '오를 것',
      'will-go-up-outlook': '오를 전망',
      'will-go-up-surely': '오르게 됩니다',
      'will-surge': '급등할',
      'will-rebound': '반등할 것',
      'rebound-expected': '반등이 예상',
      'more-rise': '추가 상승 여력',
      'will-jump': '뛸 것',
      'will-double': '두 배로 뛸',
      'will-renew-high': '신고가를 경신할',
      'will-gain': '수익을 낼 것',
      'profit-expected': '수익이 기대',
      'profit-expected-short': '기대 수익',
    },
    { lettersOnly: true },
  ),
];

/** The notice that an AI made the text: a legal duty in Korea since January 2026, so no firm changes it. */
export const AI_NOTICE = '이 설명은 생성형 AI가 작성하고 당사의 심사 기준에 따라 제공됩니다.';

export const SEED_POLICY: PolicySnapshot = {
  words: [...LOSS, ...YIELD, ...COMPARISON, ...SUPERLATIVES, ...SOLICITATION, ...CERTAINTY, ...FORECAST],
  notices: [],
  criteria: {
    autoProvision: true,
    minSources: 2,
    minConfidence: 'MEDIUM',
    uncertainToReview: true,
    insidePasses: true,
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
