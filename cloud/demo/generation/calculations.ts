/**
 * The calculations that the demo's texts stand on. Each builder computes its output from its
 * arguments, so that text, evidence and observed return cannot drift apart. Percentages carry two
 * decimals and percentage points the same, as they are written in the texts.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Lineage } from '../../publication/load.ts';
import { readLines } from './reader.ts';

type Calculation = Lineage['calculations'][number];

/** A calculation before it belongs to a run: without its tool run, items and time of observation. */
export type CalculationDraft = Omit<Calculation, 'tool_run_id' | 'item_ids' | 'as_of'>;

const wordsSchema = z.strictObject({
  kind: z.string(),
  title: z.string(),
  source: z.string(),
  formula_latex: z.string(),
  description: z.string(),
});

/** Rounds half away from zero; the nudge undoes what binary fractions lose (1.005 is meant as 1.005). */
export function round(value: number, digits: number): number {
  const scale = 10 ** digits;
  const scaled = Math.abs(value) * scale;
  const rounded = Math.round(scaled + scaled * Number.EPSILON * 4) / scale;
  return value < 0 && rounded !== 0 ? -rounded : rounded;
}

type Constituent = { name: string; weight_pct: number; return_pct: number };

const WORDS = new Map(
  readLines('calculations.jsonl', readFileSync(new URL('../calculations.jsonl', import.meta.url), 'utf8'), (line) => {
    const { kind: name, ...words } = wordsSchema.parse(line);
    return [name, words] as const;
  }),
);

/** Makes the calculations of a kind: each with its words, and its output from its arguments. */
function kind<Given extends Calculation['arguments']>(
  name: string,
  output: (given: Given) => Calculation['output'],
): (given: Given) => CalculationDraft {
  const words = WORDS.get(name);
  if (words === undefined) throw new RangeError(`calculations.jsonl has no ${name}`);
  return (given) => ({ ...words, arguments: given, output: output(given) });
}

const contributionOf = (part: Constituent): number => round((part.weight_pct * part.return_pct) / 100, 2);

/** One constituent's contribution to the fund's return, in percentage points. */
export const contribution = kind<Constituent>('contribution', (part) => ({ contribution_pp: contributionOf(part) }));

/**
 * The same for several constituents, with their sum. The sum adds the rounded values, so that it can be checked by eye.
 */
export const contributions = kind<{ constituents: Constituent[] }>('contributions', ({ constituents }) => {
  const each = constituents.map((part) => ({ name: part.name, contribution_pp: contributionOf(part) }));
  const sum = each.reduce((total, { contribution_pp }) => total + contribution_pp, 0);
  return { contributions: each, sum_pp: round(sum, 2) };
});

/** The difference of the market price from the net asset value, in percent of the latter. */
export const premium = kind<{ price_krw: number; nav_krw: number }>('premium', ({ price_krw, nav_krw }) => ({
  premium_pct: round((price_krw / nav_krw - 1) * 100, 2),
}));

/** The fund's return above an index, in percentage points. */
export const excess = kind<{ etf_return_pct: number; benchmark: string; benchmark_return_pct: number }>(
  'excess',
  (given) => ({ excess_pp: round(given.etf_return_pct - given.benchmark_return_pct, 2) }),
);

/** A foreign asset's return in won: both returns compound. */
export const wonReturn = kind<{ asset_return_pct: number; fx_return_pct: number }>('wonReturn', (given) => ({
  krw_return_pct: round(((1 + given.asset_return_pct / 100) * (1 + given.fx_return_pct / 100) - 1) * 100, 2),
}));

/** The expected return of a leveraged or inverse fund, and the deviation from it. */
export const leverage = kind<{ multiple: number; underlying_return_pct: number; etf_return_pct: number }>(
  'leverage',
  ({ multiple, underlying_return_pct, etf_return_pct }) => {
    const expected = round(multiple * underlying_return_pct, 2);
    return { expected_return_pct: expected, gap_pp: round(etf_return_pct - expected, 2) };
  },
);

/** The multiple of the usual trading value. */
export const turnover = kind<{ turnover_100m_krw: number; average_20d_100m_krw: number }>('turnover', (given) => ({
  multiple: round(given.turnover_100m_krw / given.average_20d_100m_krw, 1),
}));

/** The effect of a change of yield on a bond fund's price, in percent, to first order. */
export const rateEffect = kind<{ duration_years: number; yield_change_bp: number }>('rateEffect', (given) => ({
  price_effect_pct: round((-given.duration_years * given.yield_change_bp) / 100, 2),
}));

/** Net purchases of foreigners and institutions together, in units of 100 million won. */
export const netBuying = kind<{ market: string; foreign_100m_krw: number; institution_100m_krw: number }>(
  'netBuying',
  (given) => ({ sum_100m_krw: given.foreign_100m_krw + given.institution_100m_krw }),
);

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
