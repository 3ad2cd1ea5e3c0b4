import { describe, expect, test } from 'vitest';
import { REASON_CODES } from '../../shared/wire/console/console.ts';
import { disclaimerText, policyOfServingSchema, policySnapshotSchema } from './policy.ts';
import { SEED_POLICY } from './seed/seed-policy.ts';

const [first, ...others] = SEED_POLICY.words;
const withWords = (words: unknown[]): unknown => ({ ...SEED_POLICY, words });

test('the seed policy fits the schema and survives JSON unchanged', () => {
  expect(policySnapshotSchema.parse(JSON.parse(JSON.stringify(SEED_POLICY)))).toEqual(SEED_POLICY);
});

test('the disclaimer is the AI notice and then the words of the firm', () => {
  expect(disclaimerText(SEED_POLICY)).toBe(
    '이 설명은 생성형 AI가 작성하고 당사의 심사 기준에 따라 제공됩니다. 투자 권유가 아니며, 원금 손실이 발생할 수 있고 예금자보호 대상이 아닙니다. 과거의 수익이 미래의 수익을 보장하지 않으며 투자 결과는 투자자 본인에게 귀속됩니다.',
  );
});

describe('refused', () => {
  test.each<[string, unknown]>([
    ['a word that nobody could see', withWords([{ ...first, word: ' \u200b\u3164' }])],
    [
      'an exception that nobody could see',
      withWords([{ ...first, exceptions: [{ text: '\u00ad', becomes: 'CLEAR' }] }]),
    ],
    ['two words of one id', withWords([first, { ...others[0], id: first?.id }])],
    ['a severity that does not exist', withWords([{ ...first, severity: 'WARN' }])],
    ['a field that does not exist', { ...SEED_POLICY, extra: 1 }],
    ['a blank disclaimer', { ...SEED_POLICY, disclaimer: { ...SEED_POLICY.disclaimer, aiNotice: ' ' } }],
    ['a negative number of sources', { ...SEED_POLICY, criteria: { ...SEED_POLICY.criteria, minSources: -1 } }],
  ])('%s', (_, snapshot) => {
    expect(policySnapshotSchema.safeParse(snapshot).success).toBe(false);
  });
});

describe('the bounds of the schema', () => {
  const word = { id: 'w', word: '말', severity: 'BLOCK', active: true, exceptions: [] };
  const notice = { id: 'n', name: '고지', severity: 'REVIEW', active: true, terms: ['말'], onlyWith: [] };
  const fits = (policy: object): boolean => policySnapshotSchema.safeParse({ ...SEED_POLICY, ...policy }).success;
  const withWord = (more: object): boolean => fits({ words: [{ ...word, ...more }] });
  const withNotice = (more: object): boolean => fits({ notices: [{ ...notice, ...more }] });
  const withCriteria = (more: object): boolean => fits({ criteria: { ...SEED_POLICY.criteria, ...more } });
  const withDisclaimer = (more: object): boolean => fits({ disclaimer: { ...SEED_POLICY.disclaimer, ...more } });
  const many = (count: number, one: object): object[] =>
    Array.from({ length: count }, (_, id) => ({ ...one, id: `${id}` }));
  const times = (count: number): string => '가'.repeat(count);
  const exception = { text: '긴 말', becomes: 'CLEAR' };

  test.each<[string, (size: number) => boolean, least: number, most: number]>([
    ['an id of a word', (size) => withWord({ id: times(size) }), 1, 100],
    ['a word', (size) => withWord({ word: times(size) }), 1, 200],
    ['exceptions', (size) => withWord({ exceptions: Array.from({ length: size }, () => exception) }), 0, 100],
    ['an id of a notice', (size) => withNotice({ id: times(size) }), 1, 100],
    ['a name', (size) => withNotice({ name: times(size) }), 1, 100],
    ['terms', (size) => withNotice({ terms: Array.from({ length: size }, () => '말') }), 1, 50],
    ['conditions', (size) => withNotice({ onlyWith: Array.from({ length: size }, () => '말') }), 0, 50],
    ['notices', (size) => fits({ notices: many(size, notice) }), 0, 100],
    ['words', (size) => fits({ words: many(size, word) }), 0, 20_000],
    ['the notice of the disclaimer', (size) => withDisclaimer({ aiNotice: times(size) }), 1, 2_000],
    ['the text of the disclaimer', (size) => withDisclaimer({ text: times(size) }), 1, 5_000],
    ['sources', (minSources) => withCriteria({ minSources }), 0, 100],
    ['the share of samples', (sampleShare) => withCriteria({ sampleShare }), 0, 100],
    ['the share of blind reviews', (blindShare) => withCriteria({ blindShare }), 0, 100],
    ['the seconds on hold', (holdSeconds) => withCriteria({ holdSeconds }), 0, 60],
  ])('%s', (_, fitsWith, least, most) => {
    expect([least, most].map(fitsWith)).toEqual([true, true]);
    expect(fitsWith(most + 1)).toBe(false);
    // A number may be below; the length of a text cannot be less than nothing.
    if (least > 0) expect(fitsWith(least - 1)).toBe(false);
  });

  test('shares and seconds are whole numbers from nothing', () => {
    for (const name of ['minSources', 'sampleShare', 'blindShare', 'holdSeconds'])
      expect([name, withCriteria({ [name]: -1 }), withCriteria({ [name]: 0.5 })]).toEqual([name, false, false]);
  });

  test('a severity, an effect, a confidence and a time are of those that there are', () => {
    expect(withWord({ word: 'x' })).toBe(true);
    expect(['BLOCK', 'REVIEW'].map((severity) => withWord({ severity }))).toEqual([true, true]);
    expect(
      ['CLEAR', 'REVIEW', 'BLOCK'].map((becomes) => withWord({ exceptions: [{ ...exception, becomes }] })),
    ).toEqual([true, true, false]);
    expect(['HIGH', 'MEDIUM', 'LOW', ''].map((minConfidence) => withCriteria({ minConfidence }))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(['15:30', null, '24:00'].map((expiresAt) => withCriteria({ expiresAt }))).toEqual([true, true, false]);
    const digits = ['FORECAST OTHER', null, '', 'FORECAST FORECAST', 'NONE', 'FORECAST  OTHER'];
    const fitting = digits.map((reasonDigits) => withCriteria({ reasonDigits }));
    expect(fitting).toEqual([true, true, false, false, false, false]);
    expect([9, 10].map((n) => withCriteria({ reasonDigits: REASON_CODES.slice(0, n).join(' ') }))).toEqual([
      true,
      false,
    ]);
  });

  test('each field must be there, but for the reason of a word', () => {
    const optional = (whole: Readonly<Record<string, unknown>>, fitsWith: (more: object) => boolean): string[] =>
      Object.keys(whole).filter((name) => fitsWith({ [name]: undefined }));
    expect(optional(SEED_POLICY, fits)).toEqual([]);
    expect(optional({ ...word, reason: 'ASSERTIVE' }, withWord)).toEqual(['reason']);
    expect(optional(notice, withNotice)).toEqual([]);
    expect(optional(SEED_POLICY.disclaimer, withDisclaimer)).toEqual([]);
    expect(optional(SEED_POLICY.criteria, withCriteria)).toEqual([]);
  });

  test('no object takes a field that it does not have, and two notices differ in their ids', () => {
    const extra = { extra: 1 };
    expect([withWord(extra), withNotice(extra), withCriteria(extra), withDisclaimer(extra), fits(extra)]).toEqual(
      Array.from({ length: 5 }, () => false),
    );
    expect(withWord({ exceptions: [{ ...exception, extra: 1 }] })).toBe(false);
    expect([fits({ notices: [notice, notice] }), fits({ notices: many(2, notice) })]).toEqual([false, true]);
    expect([withNotice({ name: ' ' }), withNotice({ terms: ['\u200b'] }), withNotice({ onlyWith: [' '] })]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('the fault of two equal ids names the list that holds them', () => {
    const faultOf = (policy: object): unknown =>
      policySnapshotSchema.safeParse({ ...SEED_POLICY, ...policy }).error?.issues.map(({ path }) => path);
    expect([faultOf({ words: [word, word] }), faultOf({ notices: [notice, notice] })]).toEqual([
      [['words']],
      [['notices']],
    ]);
  });
});

test('serving reads the time of expiry and the disclaimer alone', () => {
  const { disclaimer } = SEED_POLICY;
  const read = policyOfServingSchema.parse({
    ...SEED_POLICY,
    criteria: { ...SEED_POLICY.criteria, expiresAt: '15:30' },
  });
  expect(read).toEqual({ criteria: { expiresAt: '15:30' }, disclaimer });
});
