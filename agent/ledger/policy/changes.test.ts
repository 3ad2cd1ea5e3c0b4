/** Changes of a policy: what each makes of a snapshot, what it refuses, and the differences on record. */
import { describe, expect, test } from 'vitest';
import type { ForbiddenWord, PolicySnapshot, RequiredNotice } from '../../screening/policy.ts';
import { AI_NOTICE, SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import {
  differences,
  noticeOf,
  PolicyChangeError,
  UnknownNoticeError,
  UnknownWordError,
  withChangedWord,
  withCriteria,
  withDisclaimer,
  withNotice,
  withToggledWord,
  withWord,
  WordExistsError,
} from './changes.ts';

const word = (id: string, text: string, more: Partial<ForbiddenWord> = {}): ForbiddenWord => ({
  id,
  word: text,
  severity: 'REVIEW',
  active: true,
  exceptions: [],
  ...more,
});
const notice = (id: string, name: string): RequiredNotice => ({
  id,
  name,
  severity: 'REVIEW',
  active: true,
  terms: ['손실'],
  onlyWith: [],
});
const policy: PolicySnapshot = {
  ...SEED_POLICY,
  words: [word('a', '매수'), word('b', '확정 수익', { active: false, reason: 'ASSERTIVE' })],
  notices: [notice('n', '고지')],
};
const idsOf = ({ words }: PolicySnapshot): string[] => words.map(({ id }) => id);

describe('words', () => {
  test('a new one comes last; one that is the same after folding is refused, switched off or not', () => {
    expect(idsOf(withWord(policy, word('c', '무위험')))).toEqual(['a', 'b', 'c']);
    expect(() => withWord(policy, word('c', '매 수'))).toThrow('The word “매수” is registered already.');
    expect(() => withWord(policy, word('c', '확정수익'))).toThrow(
      'The word “확정 수익” is registered already and switched off.',
    );
    expect(() => withWord(policy, word('c', '매수'))).toThrow(
      expect.objectContaining({ name: 'WordExistsError', word: policy.words[0] }),
    );
  });

  test('is switched off and on again', () => {
    const off = withToggledWord(policy, 'a');
    expect(off.words).toEqual([{ ...policy.words[0], active: false }, policy.words[1]]);
    expect(withToggledWord(off, 'a')).toEqual(policy);
    expect(() => withToggledWord(policy, 'z')).toThrow(UnknownWordError);
  });

  test('is not switched on beside an equal one in use', () => {
    const twins = { ...policy, words: [word('a', '매수'), word('b', '매 수', { active: false }), word('c', '무위험')] };
    expect(() => withToggledWord(twins, 'b')).toThrow(WordExistsError);
    // Switching off, a twin out of use and other words do not matter.
    expect(withToggledWord(twins, 'a').words[0]?.active).toBe(false);
    expect(withToggledWord(withToggledWord(twins, 'a'), 'b').words[1]?.active).toBe(true);
    const both = { ...policy, words: [word('a', '매수'), word('b', '매 수')] };
    expect(withToggledWord(both, 'b').words.map(({ active }) => active)).toEqual([true, false]);
  });

  test('changes in what is given alone', () => {
    const exceptions = [{ text: '매수세', becomes: 'CLEAR' as const }];
    const of = (change: object, id = 'a') => withChangedWord(policy, id, change).words.find((one) => one.id === id);
    expect(of({})).toStrictEqual(policy.words[0]);
    expect(of({ severity: 'BLOCK' })).toStrictEqual({ ...policy.words[0], severity: 'BLOCK' });
    expect(of({ exceptions })).toStrictEqual({ ...policy.words[0], exceptions });
    expect(of({ reason: 'FORECAST' })).toStrictEqual({ ...policy.words[0], reason: 'FORECAST' });
    expect(of({ severity: 'BLOCK' }, 'b')).toStrictEqual({ ...policy.words[1], severity: 'BLOCK' });
    expect(of({ reason: 'FORECAST' }, 'b')?.reason).toBe('FORECAST');
    expect(withChangedWord(policy, 'b', { severity: 'BLOCK' }).words[0]).toBe(policy.words[0]);
    expect(() => withChangedWord(policy, 'z', {})).toThrow(UnknownWordError);
  });
});

test('a notice is replaced by its id, or comes last', () => {
  const two = withNotice(policy, notice('m', '또'));
  expect(two.notices.map(({ id }) => id)).toEqual(['n', 'm']);
  expect(withNotice(two, notice('n', '다른 이름')).notices).toEqual([notice('n', '다른 이름'), notice('m', '또')]);
  expect([noticeOf(two, 'm').name, noticeOf(two, 'n').name]).toEqual(['또', '고지']);
  expect(() => noticeOf(two, 'z')).toThrow(UnknownNoticeError);
});

describe('criteria', () => {
  const { criteria } = policy;
  const others = {
    autoProvision: false,
    minSources: 0,
    minConfidence: 'LOW',
    uncertainToReview: false,
    suspectToReview: true,
    insidePasses: false,
    fourEyes: true,
    sampleShare: 0,
    blindShare: 7,
    holdSeconds: 9,
    expiresAt: '15:30',
    reasonDigits: 'FORECAST OTHER',
  } as const;

  test.each(Object.entries(others))('%s changes alone, and is on record', (criterion, to) => {
    const after = withCriteria(policy, { [criterion]: to });
    expect(after).toStrictEqual({ ...policy, criteria: { ...criteria, [criterion]: to } });
    expect(differences(policy, after)).toEqual([
      { kind: 'CRITERION', criterion, from: criteria[criterion as keyof typeof criteria], to },
    ]);
    // What is not given stays, also where it is not what a policy begins with.
    expect(withCriteria(after, {})).toStrictEqual(after);
  });

  test('the time of expiry can be taken away', () => {
    expect(withCriteria(withCriteria(policy, { expiresAt: '15:30' }), { expiresAt: null })).toStrictEqual(policy);
  });
});

describe('the disclaimer', () => {
  const of = (text: string) => withDisclaimer(policy, text).disclaimer;

  test('keeps the notice of an AI before the words of the firm, given with it or without', () => {
    const expected = { aiNotice: AI_NOTICE, text: '새 문구' };
    expect([of(' 새 문구 '), of(`${AI_NOTICE} 새 문구`), of(` ${AI_NOTICE}새 문구`)]).toEqual([
      expected,
      expected,
      expected,
    ]);
    const own = { ...policy, disclaimer: { aiNotice: '다른 고지', text: '문구' } };
    expect(withDisclaimer(own, '다른 고지 새 문구').disclaimer).toEqual({ aiNotice: '다른 고지', text: '새 문구' });
    expect(withDisclaimer(policy, '새 문구')).toStrictEqual({ ...policy, disclaimer: expected });
  });

  test('needs words of the firm', () => {
    expect(() => of(` ${AI_NOTICE} `)).toThrow(PolicyChangeError);
    expect(() => of(' ')).toThrow('needs the firm’s own wording');
  });

  test('makes the first policy, which exposes nothing by itself', () => {
    expect(withDisclaimer(undefined, '문구')).toStrictEqual({
      words: [],
      notices: [],
      criteria: {
        autoProvision: false,
        minSources: 2,
        minConfidence: 'MEDIUM',
        uncertainToReview: true,
        suspectToReview: false,
        insidePasses: true,
        fourEyes: false,
        sampleShare: 0,
        blindShare: 0,
        holdSeconds: 0,
        expiresAt: null,
        reasonDigits: null,
      },
      disclaimer: { aiNotice: AI_NOTICE, text: '문구' },
    });
  });
});

describe('differences', () => {
  const treated = { severity: 'REVIEW', exceptions: [] };

  test('of the first policy is the number of its words, and of none is none', () => {
    expect(differences(undefined, policy)).toEqual([{ kind: 'FIRST', words: 2 }]);
    expect(differences(policy, structuredClone(policy))).toEqual([]);
  });

  test('of words', () => {
    expect(differences(policy, withWord(policy, word('c', '무위험')))).toStrictEqual([
      { kind: 'WORD_ADDED', wordId: 'c', word: '무위험', ...treated },
    ]);
    expect(differences(withWord(policy, word('c', '무위험')), policy)).toStrictEqual([
      { kind: 'WORD_REMOVED', wordId: 'c', word: '무위험', ...treated },
    ]);
    expect(differences(policy, withToggledWord(policy, 'a'))).toStrictEqual([
      { kind: 'WORD_SWITCHED_OFF', wordId: 'a', word: '매수', ...treated },
    ]);
    const reasoned = { wordId: 'b', word: '확정 수익', ...treated, reason: 'ASSERTIVE' };
    expect(differences(policy, withToggledWord(policy, 'b'))).toStrictEqual([
      { kind: 'WORD_SWITCHED_ON', ...reasoned },
    ]);
    expect(
      differences(policy, withChangedWord(withToggledWord(policy, 'b'), 'b', { severity: 'BLOCK' })),
    ).toStrictEqual([
      { kind: 'WORD_CHANGED', ...reasoned, severity: 'BLOCK', from: { ...treated, reason: 'ASSERTIVE' } },
      { kind: 'WORD_SWITCHED_ON', ...reasoned, severity: 'BLOCK' },
    ]);
    expect(differences(policy, withChangedWord(policy, 'a', { reason: 'FORECAST' }))).toStrictEqual([
      { kind: 'WORD_CHANGED', wordId: 'a', word: '매수', ...treated, reason: 'FORECAST', from: treated },
    ]);
  });

  test('of notices', () => {
    const other = notice('n', '다른 이름');
    expect(differences(policy, withNotice(policy, other))).toEqual([
      { kind: 'NOTICE', from: policy.notices[0], to: other },
    ]);
    const more = withNotice(policy, notice('m', '또'));
    expect(differences(policy, more)).toEqual([{ kind: 'NOTICE', from: null, to: notice('m', '또') }]);
    expect(differences(more, policy)).toEqual([{ kind: 'NOTICE', from: notice('m', '또'), to: null }]);
  });

  test('of the disclaimer, with the notice of an AI, and all kinds in one order', () => {
    const whole = `${SEED_POLICY.disclaimer.aiNotice} ${SEED_POLICY.disclaimer.text}`;
    const after = withDisclaimer(policy, '새 문구');
    expect(differences(policy, after)).toEqual([{ kind: 'DISCLAIMER', from: whole, to: `${AI_NOTICE} 새 문구` }]);
    const all = withCriteria(withNotice(withToggledWord(after, 'a'), notice('m', '또')), { minSources: 9 });
    expect(differences(policy, all).map(({ kind }) => kind)).toEqual([
      'WORD_SWITCHED_OFF',
      'NOTICE',
      'CRITERION',
      'DISCLAIMER',
    ]);
  });
});
