import { describe, expect, test } from 'vitest';
import { MATCHER_VERSION } from './matcher.ts';
import type { Criteria, PolicySnapshot, RequiredNotice } from './policy.ts';
import { createScreener, type Screening, type ScreeningInput } from './screen.ts';
import { messageOf } from './sentences.ts';
import { SEED_POLICY } from './seed/seed-policy.ts';

/** The five of D14; the seed policy requires no notice. */
const CHECKS = ['FORBIDDEN_WORDS', 'SOURCE_COUNT', 'CONFIDENCE', 'EXPLANATION_TYPE', 'SERVING_SCOPE'] as const;

const good: ScreeningInput = {
  summary: '반도체 업종 강세와 외국인 순매수로 1.8% 올랐습니다.',
  explanation_type: 'EVENT_SUPPORTED',
  confidence_level: 'HIGH',
  sourceEventIds: ['event-1', 'event-2'],
  observed_return: null,
  outOfScope: [],
};

function screenerWith(criteria: Partial<Criteria> = {}): ReturnType<typeof createScreener> {
  return createScreener({
    version: 7,
    snapshot: { ...SEED_POLICY, criteria: { ...SEED_POLICY.criteria, ...criteria } },
  });
}

const screenWith = (
  input: Partial<ScreeningInput>,
  criteria?: Partial<Criteria>,
): ReturnType<ReturnType<typeof createScreener>['screen']> => screenerWith(criteria).screen({ ...good, ...input });

test('a text that passes every check is exposed, and every check is on record in order', () => {
  const { outcome, checks, failures } = screenWith({});
  expect(outcome).toBe('AUTO_PUBLISHED');
  expect(checks.map((check) => check.check)).toEqual(CHECKS);
  for (const check of checks) {
    expect(check).toMatchObject({ verdict: 'PASS', hits: [], policyVersion: 7, matcherVersion: MATCHER_VERSION });
    expect(messageOf(check)).toMatch(/[가-힣].*\.$/);
  }
  expect(failures).toEqual([]);
});

describe('a check that does not pass', () => {
  test.each<[string, Partial<ScreeningInput>, Partial<Criteria>, (typeof CHECKS)[number]]>([
    ['a word to review', { summary: '반드시 올랐습니다.' }, {}, 'FORBIDDEN_WORDS'],
    ['too few sources', { sourceEventIds: ['event-1'] }, {}, 'SOURCE_COUNT'],
    ['one source told twice', { sourceEventIds: ['event-1', 'event-1'] }, {}, 'SOURCE_COUNT'],
    ['no source', { sourceEventIds: [] }, { minSources: 1 }, 'SOURCE_COUNT'],
    ['low confidence', { confidence_level: 'LOW' }, {}, 'CONFIDENCE'],
    ['medium where high is asked', { confidence_level: 'MEDIUM' }, { minConfidence: 'HIGH' }, 'CONFIDENCE'],
    ['no confidence', { confidence_level: null }, { minConfidence: 'LOW' }, 'CONFIDENCE'],
    ['an unconfirmed cause', { explanation_type: 'UNCERTAIN' }, {}, 'EXPLANATION_TYPE'],
    ['no type', { explanation_type: null }, { uncertainToReview: false }, 'EXPLANATION_TYPE'],
    ['outside the scope', { outOfScope: [{ type: 'MARKET', key: 'KRX' }] }, {}, 'SERVING_SCOPE'],
  ])('%s sends it to review, with the others still on record', (_, input, criteria, failed) => {
    const { outcome, checks } = screenWith(input, criteria);
    expect(outcome).toBe('PENDING_REVIEW');
    expect(checks.map((check) => check.verdict)).toEqual(CHECKS.map((check) => (check === failed ? 'REVIEW' : 'PASS')));
  });

  test.each<[string, Partial<ScreeningInput>, Partial<Criteria>]>([
    ['just enough sources', { sourceEventIds: ['a', 'b'] }, { minSources: 2 }],
    ['no source where none is asked', { sourceEventIds: [] }, { minSources: 0 }],
    ['just enough confidence', { confidence_level: 'MEDIUM' }, { minConfidence: 'MEDIUM' }],
    ['low confidence where low is enough', { confidence_level: 'LOW' }, { minConfidence: 'LOW' }],
    ['an unconfirmed cause where the policy lets it', { explanation_type: 'UNCERTAIN' }, { uncertainToReview: false }],
    ['a type that is not known here', { explanation_type: 'SECTOR_DRIVEN' }, {}],
  ])('but not %s', (_, input, criteria) => {
    expect(screenWith(input, criteria).outcome).toBe('AUTO_PUBLISHED');
  });

  test.each<[number | null, Screening['outcome'], string | undefined]>([
    [1.0001, 'PENDING_REVIEW', 'RETURN_SUSPECT'],
    [-13.912, 'PENDING_REVIEW', 'RETURN_SUSPECT'],
    [1, 'AUTO_PUBLISHED', 'RETURN_USUAL'],
    [null, 'AUTO_PUBLISHED', 'RETURN_USUAL'],
  ])('a return of %s is judged where the policy asks for it, and else by nobody', (observed_return, outcome, code) => {
    const asked = screenWith({ observed_return }, { suspectToReview: true });
    expect([asked.outcome, asked.checks.map((check) => check.check).at(-1), asked.checks.at(-1)?.code]).toEqual([
      outcome,
      'OBSERVED_RETURN',
      code,
    ]);
    expect(asked.checks).toHaveLength(CHECKS.length + 1);
    const notAsked = screenWith({ observed_return });
    expect([notAsked.outcome, notAsked.checks.length]).toEqual(['AUTO_PUBLISHED', CHECKS.length]);
  });

  test.each(['\u202A', '\u202B', '\u202D', '\u202E', '\u2066', '\u2068'])(
    'a text whose display a control character (%j) reorders goes to review: a reader sees other words than the search',
    (turning) => {
      const { outcome, checks } = screenWith({ summary: `오늘 ${turning}익수 정확\u202C 상품이 올랐습니다.` });
      expect(outcome).toBe('PENDING_REVIEW');
      expect(checks[0]).toMatchObject({ verdict: 'REVIEW', code: 'TEXT_REORDERED', hits: [] });
    },
  );

  test.each(['', ' \n', '\u200b\u3164\u00ad'])('an invisible text (%j) goes to review', (summary) => {
    const { outcome, checks } = screenWith({ summary });
    expect([outcome, checks[0]?.code]).toEqual(['PENDING_REVIEW', 'TEXT_BLANK']);
  });

  test.each(['\u001b[2J', '\u0007', '\u0085', '\u{e0041}', '\ufffd', '\u200b', '\ue000'])(
    'a text with characters that no reader sees or reads (%j) goes to review',
    (sign) => {
      const { outcome, checks } = screenWith({ summary: `오늘 지수가 ${sign}올랐습니다.` });
      expect([outcome, checks[0]?.code]).toEqual(['PENDING_REVIEW', 'TEXT_UNFIT']);
      expect(screenWith({ summary: `오늘 ${sign}확정 수익` }).outcome).toBe('BLOCKED');
    },
  );

  test('a text of several lines with emoji is fit', () => {
    expect(screenWith({ summary: '오늘 지수가\r\n\t올랐습니다. 👩\u200d🚀❤\ufe0f' }).outcome).toBe('AUTO_PUBLISHED');
  });

  test('a blocking word blocks, with any results of the other checks', () => {
    for (const input of [
      {},
      { sourceEventIds: [], confidence_level: null, outOfScope: [{ type: 'SECTOR' as const, key: '은행' }] },
    ]) {
      const { outcome, checks } = screenWith({ ...input, summary: '확정 수익을 준다. 반드시 올랐습니다.' });
      expect(outcome).toBe('BLOCKED');
      expect(checks).toHaveLength(CHECKS.length);
      expect(checks[0]).toMatchObject({ verdict: 'BLOCK', hits: [{ word: '확정 수익' }, { word: '반드시' }] });
    }
  });

  test('a blocking word found only loosely goes to review', () => {
    expect(screenWith({ summary: '확★정★수★익' }).outcome).toBe('PENDING_REVIEW');
  });
});

test('with auto-provision off nothing is exposed, though all checks passed; a block stays a block', () => {
  const { outcome, checks } = screenWith({}, { autoProvision: false });
  expect(outcome).toBe('PENDING_REVIEW');
  expect(checks.every((check) => check.verdict === 'PASS')).toBe(true);
  expect(screenWith({ summary: '무위험' }, { autoProvision: false }).outcome).toBe('BLOCKED');
});

test('without a policy everything waits and nothing is recorded as passed', () => {
  const screener = createScreener(null);
  const { outcome, checks } = screener.screen(good);
  expect(outcome).toBe('PENDING_REVIEW');
  expect(checks.map((check) => check.check)).toEqual(CHECKS);
  for (const check of checks) expect(check).toMatchObject({ verdict: 'REVIEW', policyVersion: null });
  expect(screener.policyVersion).toBeNull();
  expect(screener.findWords('확정 수익')).toEqual([]);
});

describe('a breakdown inside the screening', () => {
  /** A policy with unreadable words, as from a damaged ledger. */
  const broken = {
    ...SEED_POLICY,
    get words(): PolicySnapshot['words'] {
      throw new Error('the words are damaged');
    },
  };

  test('never exposes: the check is not passed, the rest still runs, and the cause is reported', () => {
    const { outcome, checks, failures } = createScreener({ version: 3, snapshot: broken }).screen(good);
    expect(outcome).toBe('PENDING_REVIEW');
    expect(checks.map((check) => check.verdict)).toEqual(['REVIEW', 'PASS', 'PASS', 'PASS', 'PASS']);
    expect(failures.map((failure) => failure.message)).toEqual(['the words are damaged']);
  });

  test('is thrown to callers of findWords', () => {
    expect(() => createScreener({ version: 3, snapshot: broken }).findWords('무위험')).toThrow('damaged');
  });
  test('excessive hits are not collected: a person reviews the text', () => {
    const nested = Array.from({ length: 12 }, (_, index) => ({
      ...{ id: `w${index}`, word: '가'.repeat(index + 1), severity: 'BLOCK' as const, active: true, exceptions: [] },
    }));
    const screener = createScreener({ version: 3, snapshot: { ...SEED_POLICY, words: nested } });
    const { outcome, failures } = screener.screen({ ...good, summary: '가'.repeat(20_000) });
    expect({ outcome, names: failures.map(({ name }) => name) }).toEqual({
      outcome: 'PENDING_REVIEW',
      names: ['TooManyHitsError'],
    });
  });
});

test('of very many hits the blocking ones are kept first, and the message gives their number', () => {
  const { outcome, checks } = screenWith({ summary: `${'반드시. '.repeat(5_000)}무위험` });
  expect(outcome).toBe('BLOCKED');
  expect(checks[0]?.hits).toHaveLength(100);
  expect(checks[0]?.hits[0]?.word).toBe('무위험');
  expect(checks.map(messageOf)[0]).toContain('5001');
});

test('findWords uses the same words as the screening', () => {
  expect(screenerWith().findWords('무위험')).toMatchObject([{ word: '무위험', severity: 'BLOCK' }]);
});

test('a notice of the firm is no finding where it stands letter for letter, and only there', () => {
  const term = '이 상품은 확실한 수익을 주지 않습니다.';
  const notice: RequiredNotice = {
    id: 'n',
    name: '고지',
    severity: 'REVIEW',
    active: true,
    terms: [term],
    onlyWith: [],
  };
  const screener = createScreener({ version: 1, snapshot: { ...SEED_POLICY, notices: [notice] } });
  expect(screener.findWords(`지수가 올랐습니다. ${term}`)).toEqual([]);
  expect(screener.findWords(`지수가 올랐습니다. ${SEED_POLICY.disclaimer.text}`)).toEqual([]);
  expect(screener.findWords(term.replace('이 상품은', '이  상품은'))).not.toEqual([]);
  expect(screener.findWordsOfNotice(term)).not.toEqual([]);
});
