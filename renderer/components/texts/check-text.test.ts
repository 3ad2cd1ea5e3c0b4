import { describe, expect, test } from 'vitest';
import { compiledI18n } from '../../../shared/ui/i18n/compiled-messages.ts';
import { LANGUAGES, type Language } from '../../../shared/ui/i18n/languages.ts';
import type { Text } from '../../../shared/ui/i18n/use-text.ts';
import { CHECK_CODES, type CheckResult, type WordHit } from '../../../shared/wire/console/console.ts';
import { catalogues } from '../../i18n/catalogues.ts';
import type { MessageId } from '../../i18n/use-text.ts';
import { checkText, hitText } from './check-text.ts';

function textOf(language: Language): Text<MessageId> {
  const i18n = compiledI18n(catalogues, language);
  return (id, values) => i18n._(id, values);
}
const [ko, en] = [textOf('ko'), textOf('en')];

const parameters: CheckResult['parameters'] = {
  words: '“매수”',
  notices: '“AI 작성”',
  count: 6,
  hits: 120,
  kept: 100,
  least: 2,
  level: 'LOW',
  type: 'EVENT_SUPPORTED',
  market: 'KRX',
  sector: '은행',
  ratio: 13.912,
};

/** What each finding says with `parameters`: its own sentence, and no other's. */
const SAID: Readonly<Record<(typeof CHECK_CODES)[number], Readonly<Record<Language, string>>>> = {
  NO_POLICY: {
    ko: '적용 중인 정책이 없어 검사하지 못했습니다.',
    en: 'Not checked: no policy is in force.',
  },
  CHECK_FAILED: {
    ko: '검사 중 오류가 발생하여 심사 대상으로 분류했습니다.',
    en: 'The check failed, so the text needs a review.',
  },
  WORDS_NONE: {
    ko: '금지어가 검출되지 않았습니다.',
    en: 'No forbidden words found.',
  },
  WORDS_BLOCK: {
    ko: '차단 금지어 “매수” 외 1개에 해당하는 표현이 있어 차단합니다. 전체 120곳 중 100곳만 기록되었습니다.',
    en: 'Blocked: contains “매수” and 1 more. Only 100 of 120 occurrences are on record.',
  },
  WORDS_REVIEW: {
    ko: '심사 금지어 “매수” 외 1개에 해당하는 표현이 있어 심사가 필요합니다. 전체 120곳 중 100곳만 기록되었습니다.',
    en: 'Needs review: contains “매수” and 1 more. Only 100 of 120 occurrences are on record.',
  },
  TEXT_REORDERED: {
    ko: '글자 표시 순서를 바꾸는 제어 문자가 있어 심사가 필요합니다.',
    en: 'Needs review: control characters change the order in which the text is read.',
  },
  TEXT_BLANK: {
    ko: '본문이 비어 있어 심사가 필요합니다.',
    en: 'Needs review: the text is empty.',
  },
  TEXT_UNFIT: {
    ko: '본문을 그대로 제공할 수 없어 심사가 필요합니다.',
    en: 'Needs review: the text cannot be given to readers as it is.',
  },
  SOURCES_ENOUGH: {
    ko: '서로 다른 출처가 6건으로, 기준 2건을 충족합니다.',
    en: '6 distinct sources; the minimum is 2.',
  },
  SOURCES_FEW: {
    ko: '서로 다른 출처가 6건으로, 기준 2건에 미치지 못합니다.',
    en: 'Only 6 distinct sources; the minimum is 2.',
  },
  CONFIDENCE_MISSING: {
    ko: '신뢰도가 표시되어 있지 않아 심사가 필요합니다.',
    en: 'No confidence level is given: needs review.',
  },
  CONFIDENCE_ENOUGH: {
    ko: '신뢰도 낮음: 기준 2 이상을 충족합니다.',
    en: 'Confidence Low meets the minimum of 2.',
  },
  CONFIDENCE_LOW: {
    ko: '신뢰도 낮음: 기준 2 이상을 충족하지 못합니다.',
    en: 'Confidence Low is below the minimum of 2.',
  },
  TYPE_MISSING: {
    ko: '설명 유형이 표시되어 있지 않아 심사가 필요합니다.',
    en: 'No explanation type is given: needs review.',
  },
  TYPE_KNOWN: {
    ko: '설명 유형 “사건 근거 있음”: 원인이 확인된 설명입니다.',
    en: 'Type “Supported by events”: the cause is confirmed.',
  },
  TYPE_UNCERTAIN_REVIEW: {
    ko: '원인이 확인되지 않은 설명이어서 심사가 필요합니다.',
    en: 'The cause is unconfirmed: needs review.',
  },
  TYPE_UNCERTAIN_ALLOWED: {
    ko: '원인이 확인되지 않은 설명이지만 정책이 심사를 요구하지 않습니다.',
    en: 'The cause is unconfirmed, but the policy does not require a review for that.',
  },
  SCOPE_INSIDE: {
    ko: '제공 범위에 포함됩니다.',
    en: 'Within the serving scope.',
  },
  SCOPE_OUTSIDE: {
    ko: '시장 KRX는 제공 범위가 아닙니다. 업종 은행은 제공 범위가 아닙니다.',
    en: 'Market KRX is outside the serving scope. Sector 은행 is outside the serving scope.',
  },
  NOTICES_PRESENT: {
    ko: '필수 문구가 모두 있습니다.',
    en: 'Every required notice is present.',
  },
  NOTICES_NOT_NEEDED: {
    ko: '필수 문구 적용 대상이 아닙니다.',
    en: 'No notice is required in this text.',
  },
  NOTICES_BLOCK: {
    ko: '필수 문구 “AI 작성” 외 1개 누락으로 차단합니다.',
    en: 'Blocked: required notice “AI 작성” and 1 more is missing.',
  },
  NOTICES_REVIEW: {
    ko: '필수 문구 “AI 작성” 외 1개 누락으로 심사가 필요합니다.',
    en: 'Review needed: required notice “AI 작성” and 1 more is missing.',
  },
  RETURN_USUAL: {
    ko: '관측 수익률이 ±100% 안에 있거나 측정되지 않았습니다.',
    en: 'The observed return is within ±100 %, or was not measured.',
  },
  RETURN_SUSPECT: {
    ko: '관측 수익률 1,391.2%: ±100%를 넘어 단위 오류가 의심되므로 심사가 필요합니다.',
    en: 'Needs review: the observed return of 1,391.2% is beyond ±100 %; its unit may be wrong.',
  },
};

describe('a finding', () => {
  test.for(CHECK_CODES.flatMap((code) => LANGUAGES.map((language) => [code, language] as const)))(
    '%s says its own sentence in %s, with every value in its place',
    ([code, language]) => {
      const said = checkText(textOf(language), { code, parameters, message: 'never shown' });
      expect(said).toBe(SAID[code][language]);
    },
  );
  test("names levels and outside scopes in the screen's language", () => {
    const low = { code: 'CONFIDENCE_LOW', parameters: { level: 'LOW', least: 'MEDIUM' }, message: '' } as const;
    expect(checkText(ko, low)).toBe('신뢰도 낮음: 기준 보통 이상을 충족하지 못합니다.');
    expect(checkText(en, low)).toBe('Confidence Low is below the minimum of Medium.');
    expect(checkText(en, { code: 'SCOPE_OUTSIDE', parameters: { market: 'KRX', sector: 'Banks' }, message: '' })).toBe(
      'Market KRX is outside the serving scope. Sector Banks is outside the serving scope.',
    );
    expect(checkText(ko, { code: 'SCOPE_OUTSIDE', parameters: { market: 'KRX', sector: '은행' }, message: '' })).toBe(
      '시장 KRX는 제공 범위가 아닙니다. 업종 은행은 제공 범위가 아닙니다.',
    );
    expect(checkText(en, { code: 'WORDS_REVIEW', parameters, message: '' })).toBe(
      'Needs review: contains “매수” and 1 more. Only 100 of 120 occurrences are on record.',
    );
  });
});

describe('what makes a text unfit for readers', () => {
  const unfit = {
    CHARACTERS: 'U+FFFD (3-4)',
    MARKUP: '“<b>” (0-3)',
    PLACEHOLDER: '“{{” (5-7)',
    GARBLED: '“ì›ê” (8-11)',
    FOREIGN: '“All is well.” (20-32)',
    ASSISTANT: '“죄송하지만” (40-45)',
  };
  test('stands behind the sentence with its place', () => {
    expect(checkText(ko, { code: 'TEXT_UNFIT', parameters: unfit, message: '' })).toBe(
      '본문을 그대로 제공할 수 없어 심사가 필요합니다. 보이지 않거나 읽을 수 없는 문자 U+FFFD (3-4) · 마크업 “<b>” (0-3) · ' +
        '채워지지 않은 자리 표시 “{{” (5-7) · 깨진 글자 “ì›ê” (8-11) · 외국어 문장 “All is well.” (20-32) · AI 대화 문구 “죄송하지만” (40-45)',
    );
    expect(checkText(en, { code: 'TEXT_UNFIT', parameters: unfit, message: '' })).toBe(
      'Needs review: the text cannot be given to readers as it is. Character that a reader cannot see or read: U+FFFD (3-4) · ' +
        'Markup: “<b>” (0-3) · Unfilled placeholder: “{{” (5-7) · Broken letters: “ì›ê” (8-11) · Foreign language: “All is well.” (20-32) · ' +
        'Phrase of an AI assistant: “죄송하지만” (40-45)',
    );
  });
  test('is told beside words and reordered letters too', () => {
    const { MARKUP } = unfit;
    const words = { words: '“매수”', count: 1, hits: 1, kept: 1, MARKUP };
    expect(checkText(en, { code: 'WORDS_REVIEW', parameters: words, message: '' })).toBe(
      'Needs review: contains “매수”. Markup: “<b>” (0-3)',
    );
    expect(checkText(en, { code: 'TEXT_REORDERED', parameters: { MARKUP }, message: '' })).toBe(
      'Needs review: control characters change the order in which the text is read. Markup: “<b>” (0-3)',
    );
  });
});

describe('a hit', () => {
  const hit: WordHit = {
    wordId: 'w',
    word: '원금 보장',
    severity: 'BLOCK',
    start: 0,
    end: 5,
    matched: '원금 보장',
    pass: 'strict',
    exception: null,
    isExact: true,
    why: '',
  };
  test('names its word, and how it was found if that is not obvious', () => {
    expect(hitText(en, hit)).toBe('Matches the forbidden word “원금 보장”.');
    expect(hitText(ko, hit)).toBe('금지어 “원금 보장”에 해당합니다.');
    expect(hitText(en, { ...hit, isExact: false })).toContain('are ignored when matching');
    expect(hitText(ko, { ...hit, isExact: false })).toContain('차이는 무시하고 비교했습니다.');
    expect(hitText(en, { ...hit, pass: 'loose' })).toContain('punctuation and symbols were ignored');
    expect(hitText(ko, { ...hit, pass: 'loose' })).toContain('문장 부호와 기호를 제외하고 비교한 결과입니다.');
    const read = { ...hit, isExact: false, matched: '元金保障' };
    expect(hitText(en, { ...read, reading: 'HANJA' })).toBe(
      'Matches the forbidden word “원금 보장”. Chinese characters are matched by their Korean reading.',
    );
    expect(hitText(ko, { ...read, reading: 'PAGE' })).toBe(
      '금지어 “원금 보장”에 해당합니다. 마크업을 해석하여 화면에 표시되는 대로 비교했습니다.',
    );
    expect(hitText(en, { ...hit, reading: 'SOURCE' })).toBe(
      'Matches the forbidden word “원금 보장”. Found only in the source of the markup, so a reviewer must check it.',
    );
    expect(hitText(ko, { ...hit, exception: '원금 보장되지 않' })).toBe(
      '금지어 “원금 보장”의 예외 표현 “원금 보장되지 않”에 해당하지만 심사자 확인이 필요합니다.',
    );
  });
});
