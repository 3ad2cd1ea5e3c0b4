/**
 * The calculations that the demo's texts stand on. Each builder computes its output from its
 * arguments, so that text, evidence and observed return cannot drift apart. Percentages carry two
 * decimals and percentage points the same, as they are written in the texts.
 */
import type { Lineage } from '../../publication/load.ts';

type Calculation = Lineage['calculations'][number];

/** A calculation before it belongs to a run: without its tool run, items and time of observation. */
export type CalculationDraft = Omit<Calculation, 'tool_run_id' | 'item_ids' | 'as_of'>;

/** Rounds half away from zero; the nudge undoes what binary fractions lose (1.005 is meant as 1.005). */
export function round(value: number, digits: number): number {
  const scale = 10 ** digits;
  const scaled = Math.abs(value) * scale;
  const rounded = Math.round(scaled + scaled * Number.EPSILON * 4) / scale;
  return value < 0 && rounded !== 0 ? -rounded : rounded;
}

export interface Constituent {
  name: string;
  weight_pct: number;
  return_pct: number;
}

const contributionOf = (part: Constituent): number => round((part.weight_pct * part.return_pct) / 100, 2);

/** One constituent's contribution to the fund's return, in percentage points. */
export function contribution(part: Constituent): CalculationDraft {
  return {
    title: '구성 종목 기여도',
    source: 'ETF 구성 종목·주식 시세',
    arguments: { ...part },
    output: { contribution_pp: contributionOf(part) },
    formula_latex: 'C_i = w_i \\times r_i',
    description: '전 거래일 종가 기준 편입 비중에 구성 종목의 수익률을 곱해 ETF 수익률에 대한 기여도(%p)를 구한다.',
  };
}

/**
 * The same for several constituents, with their sum. The sum adds the rounded values, so that it can be checked by eye.
 */
export function contributions(parts: Constituent[]): CalculationDraft {
  const each = parts.map((part) => ({ name: part.name, contribution_pp: contributionOf(part) }));
  return {
    title: '상위 구성 종목 기여도 합계',
    source: 'ETF 구성 종목·주식 시세',
    arguments: { constituents: parts.map((part) => ({ ...part })) },
    output: { contributions: each, sum_pp: round(sumOf(each.map((part) => part.contribution_pp)), 2) },
    formula_latex: 'C = \\sum_{i} w_i \\times r_i',
    description: '구성 종목별 기여도를 소수 둘째 자리까지 구한 뒤 더한다. 현금과 나머지 종목은 넣지 않는다.',
  };
}

/** The difference of the market price from the net asset value, in percent of the latter. */
export function premium(price: { price_krw: number; nav_krw: number }): CalculationDraft {
  return {
    title: '괴리율',
    source: 'ETF 시세·순자산가치',
    arguments: { ...price },
    output: { premium_pct: round((price.price_krw / price.nav_krw - 1) * 100, 2) },
    formula_latex: 'D = \\frac{P - NAV}{NAV} \\times 100',
    description: '시장가격이 주당 순자산가치(NAV)보다 얼마나 높거나 낮은지를 백분율로 나타낸다.',
  };
}

/** The fund's return above an index, in percentage points. */
export function excess(of: {
  etf_return_pct: number;
  benchmark: string;
  benchmark_return_pct: number;
}): CalculationDraft {
  return {
    title: '지수 대비 초과 수익률',
    source: 'ETF 시세·지수 시세',
    arguments: { ...of },
    output: { excess_pp: round(of.etf_return_pct - of.benchmark_return_pct, 2) },
    formula_latex: '\\alpha = r_{ETF} - r_{index}',
    description: '같은 구간에서 ETF 수익률과 지수 수익률의 차이(%p)를 구한다.',
  };
}

/** A foreign asset's return in won: both returns compound. */
export function wonReturn(of: { asset_return_pct: number; fx_return_pct: number }): CalculationDraft {
  return {
    title: '원화 환산 수익률',
    source: '해외 지수 시세·환율',
    arguments: { ...of },
    output: { krw_return_pct: round(((1 + of.asset_return_pct / 100) * (1 + of.fx_return_pct / 100) - 1) * 100, 2) },
    formula_latex: 'r_{KRW} = (1 + r_{asset})(1 + r_{FX}) - 1',
    description: '현지 통화 기준 수익률과 원화 대비 환율 변동률을 곱셈으로 합쳐 원화 기준 수익률을 구한다.',
  };
}

/** The expected return of a leveraged or inverse fund, and the deviation from it. */
export function leverage(of: {
  multiple: number;
  underlying_return_pct: number;
  etf_return_pct: number;
}): CalculationDraft {
  const expected = round(of.multiple * of.underlying_return_pct, 2);
  return {
    title: '배수 추적 수익률',
    source: 'ETF 시세·기초지수 시세',
    arguments: { ...of },
    output: { expected_return_pct: expected, gap_pp: round(of.etf_return_pct - expected, 2) },
    formula_latex: 'r_{exp} = m \\times r_{index}',
    description: '기초지수의 일간 수익률에 목표 배수를 곱한 값과 실제 수익률의 차이(%p)를 구한다.',
  };
}

/** The multiple of the usual trading value. */
export function turnover(of: { turnover_100m_krw: number; average_20d_100m_krw: number }): CalculationDraft {
  return {
    title: '거래대금 배율',
    source: 'ETF 시세',
    arguments: { ...of },
    output: { multiple: round(of.turnover_100m_krw / of.average_20d_100m_krw, 1) },
    formula_latex: 'M = \\frac{V_t}{\\overline{V}_{20}}',
    description: '해당 구간의 거래대금을 최근 20거래일 평균 거래대금으로 나눈다.',
  };
}

/** The effect of a change of yield on a bond fund's price, in percent, to first order. */
export function rateEffect(of: { duration_years: number; yield_change_bp: number }): CalculationDraft {
  return {
    title: '금리 변동의 가격 효과',
    source: '채권 금리·ETF 듀레이션',
    arguments: { ...of },
    output: { price_effect_pct: round((-of.duration_years * of.yield_change_bp) / 100, 2) },
    formula_latex: '\\frac{\\Delta P}{P} \\approx -D \\times \\Delta y',
    description: '듀레이션에 금리 변동폭을 곱해 가격 변동률을 1차로 근사한다. 볼록성과 이자 수익은 넣지 않는다.',
  };
}

/** Net purchases of foreigners and institutions together, in units of 100 million won. */
export function netBuying(of: {
  market: string;
  foreign_100m_krw: number;
  institution_100m_krw: number;
}): CalculationDraft {
  return {
    title: '외국인·기관 순매수 합계',
    source: '투자자별 매매 동향',
    arguments: { ...of },
    output: { sum_100m_krw: of.foreign_100m_krw + of.institution_100m_krw },
    formula_latex: 'N = N_{foreign} + N_{institution}',
    description: '외국인과 기관의 순매수 금액(억 원)을 더한다. 음수는 순매도를 뜻한다.',
  };
}

function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The name of an output among a result's measured values, and the divisor to its unit there. */
const MEASURED: Record<string, readonly [name: string, divisor: number]> = {
  contribution_pp: ['contribution', 100],
  sum_pp: ['contribution_sum', 100],
  premium_pct: ['nav_premium', 100],
  excess_pp: ['excess_return', 100],
  krw_return_pct: ['krw_return', 100],
  expected_return_pct: ['expected_return', 100],
  gap_pp: ['tracking_gap', 100],
  multiple: ['turnover_multiple', 1],
  price_effect_pct: ['rate_effect', 100],
  sum_100m_krw: ['net_buying_100m_krw', 1],
  effect_pct: ['distribution_effect', 100],
};

/** What is no ratio. */
const UNITS: Readonly<Record<string, string>> = { turnover_multiple: 'TIMES', net_buying_100m_krw: '100M_KRW' };

/** The units of measured values. */
export const unitsOf = (values: Readonly<Record<string, number>>): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map((name) => [name, UNITS[name] ?? 'RATIO']));

/** The measured values behind a text: returns as ratios (D28). */
export function measuredValues(
  observedReturn: number,
  calculations: readonly Pick<Calculation, 'output'>[],
): Record<string, number> {
  const values: Record<string, number> = { observed_return: observedReturn };
  for (const { output } of calculations) {
    for (const [key, value] of Object.entries(output)) {
      const measured = MEASURED[key];
      if (measured !== undefined && typeof value === 'number') values[measured[0]] = round(value / measured[1], 6);
    }
  }
  return values;
}
