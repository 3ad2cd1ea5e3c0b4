import { describe, expect, test } from 'vitest';
import { disclaimerText, policySnapshotSchema } from './policy.ts';
import { SEED_POLICY } from './seed-policy.ts';

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
