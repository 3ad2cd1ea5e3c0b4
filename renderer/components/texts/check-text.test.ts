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
  count: 6,
  hits: 120,
  kept: 100,
  least: 2,
  level: 'LOW',
  type: 'EVENT_SUPPORTED',
  market: 'KRX',
  sector: '은행',
};

describe('a finding', () => {
  test.for(CHECK_CODES.flatMap((code) => LANGUAGES.map((language) => [code, language] as const)))(
    '%s has a sentence in %s, with every value in its place',
    ([code, language]) => {
      const said = checkText(textOf(language), { code, parameters, message: 'never shown' });
      expect(said).not.toMatch(/check\.|[{}]|undefined|NaN|never shown/);
      expect(said.length).toBeGreaterThan(5);
      expect(/[가-힣]/u.test(said.replace('매수', '').replace('은행', ''))).toBe(language === 'ko');
    },
  );
  test('of an old record keeps its own sentence', () => {
    expect(checkText(en, { code: null, parameters: {}, message: '옛 문장' })).toBe('옛 문장');
  });
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
    expect(hitText(en, { ...hit, isExact: false })).toContain('are ignored when matching');
    expect(hitText(en, { ...hit, pass: 'loose' })).toContain('punctuation and symbols were ignored');
    expect(hitText(ko, { ...hit, exception: '원금 보장되지 않' })).toBe(
      '금지어 “원금 보장”의 예외 표현 “원금 보장되지 않”에 해당하지만 심사자 확인이 필요합니다.',
    );
  });
});
