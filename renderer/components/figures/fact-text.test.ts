import { describe, expect, test } from 'vitest';
import { compiledI18n } from '../../../shared/ui/i18n/compiled-messages.ts';
import { fromStored } from '../../../shared/evidence/evidence.ts';
import type { Language } from '../../../shared/ui/i18n/languages.ts';
import type { Text } from '../../../shared/ui/i18n/use-text.ts';
import { catalogues } from '../../i18n/catalogues.ts';
import type { MessageId } from '../../i18n/use-text.ts';
import { factText, labelText } from './fact-text.ts';
import { factsOf, type Measured } from '../../../shared/evidence/facts.ts';

function textOf(language: Language): Text<MessageId> {
  const i18n = compiledI18n(catalogues, language);
  return (id, values) => i18n._(id, values);
}
const [ko, en] = [textOf('ko'), textOf('en')];

const MEASURED: Measured = {
  observed_return: 0.0305,
  trade_date: '2026-11-20',
  explanation_as_of: '2026-11-20T06:30:00.000Z',
  content_as_of: null,
};

const calculation = (output: Record<string, unknown>): Parameters<typeof fromStored>[0] => ({
  kind: 'CALCULATION',
  title: '계산',
  source: '시세',
  published_at: null,
  as_of: null,
  tool_run_id: 't',
  item_ids: [],
  arguments: {},
  output,
  formula_latex: null,
  description: '',
});

/** Every fact of one stored value, in words. */
function said(text: Text<MessageId>, output: Record<string, unknown>): string[] {
  const facts = factsOf({ ...MEASURED, observed_return: null }, [fromStored(calculation(output))]);
  return facts.filter(({ evidence }) => evidence !== null).map((fact) => factText(text, fact));
}

test('a stored name gives the unit of a bare value', () => {
  expect(['contribution_pp', 'average_20d_100m_krw', 'SK하이닉스', 'close'].map((name) => labelText(ko, name))).toEqual(
    ['기여도 (%p)', '20일 평균 (100M KRW)', 'SK하이닉스', '종가'],
  );
});

test('the facts at the head of the explanation are named as there', () => {
  const [measured, day, , clock] = factsOf(MEASURED, []);
  expect([measured, day, clock].map((fact) => fact && factText(ko, fact))).toEqual([
    '측정 수익률 +3.05%',
    '거래일 2026-11-20',
    '설명 생성 시각 2026-11-20 15:30 KST',
  ]);
  expect(measured && factText(en, measured)).toBe('Measured return +3.05%');
});

describe('a stored value', () => {
  test.each<[Record<string, unknown>, string, string]>([
    [{ contribution_pp: 0.9 }, '계산: 기여도 0.9%p', '계산: contribution 0.9%p'],
    [{ etfReturnPct: -1.5 }, '계산: ETF 수익률 −1.5%', '계산: ETF return −1.5%'],
    [{ krw_return_pct: 2 }, '계산: 원화 수익률 2%', '계산: KRW return 2%'],
    [{ yield_change_bp: 7 }, '계산: 금리 변동 7bp', '계산: yield change 7bp'],
    [{ turnover_100m_krw: 12_000.4 }, '계산: 거래대금 12,000.4억 원', '계산: turnover KRW 12,000.4 × 100 million'],
    [{ previous_close_krw: 35_000 }, '계산: 전일 종가 35,000원', '계산: previous close KRW 35,000'],
    // A field without a translation stays readable as it is stored.
    [{ hit_ratio: 0.5 }, '계산: hit +50.00%', '계산: hit +50.00%'],
    [{ frobs: 3 }, '계산: frobs 3', '계산: frobs 3'],
  ])('%o is said by its name, its unit and its value', (output, korean, english) => {
    expect(said(ko, output)).toContain(korean);
    expect(said(en, output)).toContain(english);
  });

  test("of a list names its subject and the list's length", () => {
    const output = { contributions: [{ name: 'SK하이닉스', contribution_pp: 0.9 }] };
    expect(said(ko, output)).toEqual(['계산: 기여도 1개', '계산: SK하이닉스 기여도 0.9%p']);
    expect(said(ko, { average_20d_100m_krw: 5 })).toContain('계산: 20일 평균 5억 원');
  });
});

test('a headline is quoted as a headline', () => {
  const title = fromStored({ kind: 'NEWS', title: '6척 수주', source: 'X', published_at: '2026-11-19T01:00:00.000Z' });
  const [fact] = factsOf({ ...MEASURED, observed_return: null }, [title]).filter(({ isHeadline }) => isHeadline);
  expect(fact && factText(ko, fact)).toBe('기사·공시 제목 “6척 수주”');
});
