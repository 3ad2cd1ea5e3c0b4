/** Tells a story of `stories.jsonl` about one fund at one minute: figures by the market, and the text around them. */
import {
  contribution,
  contributions,
  excess,
  leverage,
  netBuying,
  premium,
  rateEffect,
  round,
  turnover,
  wonReturn,
  type CalculationDraft,
} from './calculations.ts';
import { SESSION, shareOf, type Market } from './market.ts';
import type { Instrument, Story } from './reader.ts';

/** What a story says at one minute. */
export interface StoryMoment {
  instrument: Instrument;
  story: Story;
  date: string;
  minute: number;
  /** The fund's return in percent, two decimals, never 0. */
  move: number;
  calculation: CalculationDraft;
  /** Signed numbers of the text by their names in braces. */
  values: ReadonlyMap<string, number>;
}

/** @returns null where the market has not moved as the story says */
export function tellStory(
  { instrument, story, date, minute }: Pick<StoryMoment, 'instrument' | 'story' | 'date' | 'minute'>,
  market: Market,
): StoryMoment | null {
  const of = (name: string, at = minute): number => market.change(name, date, at);
  /** From -1 to 1, for what differs by fund and minute. */
  const noise = (words: string): number => 2 * shareOf(`${date} ${minute} ${instrument.ticker} ${words}`) - 1;
  const { calc, group } = story;
  const own = round(of(calc.index ?? group) * followed(instrument, story), 2);
  const { move, calculation, named } = figuresOf();
  if (calculation === null || move === 0 || (story.dir !== undefined && (story.dir === 'up') !== move > 0)) return null;
  const [c = 0, c2 = 0] = Object.values(calculation.output).filter((value) => typeof value === 'number');
  const values = new Map(Object.entries({ ...named, move, c, c2 }));
  return { instrument, story, date, minute, move, calculation, values };

  function figuresOf(): { move: number; calculation: CalculationDraft | null; named: Record<string, number> } {
    if (calc.parts !== undefined) {
      // Funds of one story hold about the same.
      const weightOf = (name: string, weight: number): number =>
        story.tickers.length === 1 ? weight : round(weight * (0.9 + 0.2 * shareOf(`${instrument.ticker} ${name}`)), 1);
      const constituents = Object.entries(calc.parts).map(([name, weight]) => ({
        name,
        weight_pct: weightOf(name, weight),
        return_pct: of(name),
      }));
      const [first] = constituents;
      const calculation =
        constituents.length === 1 && first !== undefined ? contribution(first) : contributions({ constituents });
      const rest = 1 - constituents.reduce((sum, { weight_pct }) => sum + weight_pct, 0) / 100;
      const known = Number(calculation.output['contribution_pp'] ?? calculation.output['sum_pp']);
      const named = Object.fromEntries(constituents.map(({ name, return_pct }) => [name, return_pct]));
      return { move: round(known + rest * of(group) * 0.8, 2), calculation, named };
    }
    if (calc.won !== undefined) {
      const [asset, fx] = calc.won;
      const calculation = wonReturn({ asset_return_pct: of(asset), fx_return_pct: of(fx) });
      const move = Number(calculation.output['krw_return_pct']);
      return { move, calculation, named: { [asset]: of(asset), [fx]: of(fx) } };
    }
    if (calc.excess !== undefined) {
      const other = of(calc.excess);
      const move = calc.excess === calc.index ? round(other + noise('tracking') * 0.06, 2) : own;
      const calculation = excess({ etf_return_pct: move, benchmark: calc.excess, benchmark_return_pct: other });
      return { move, calculation, named: { [calc.excess]: other } };
    }
    if (calc.leverage !== undefined && calc.index !== undefined) {
      const multiple = calc.leverage;
      const move = round(multiple * own + noise('tracking') * 0.05, 2);
      const calculation = leverage({ multiple, underlying_return_pct: own, etf_return_pct: move });
      return { move, calculation, named: { [calc.index]: own } };
    }
    if (calc.rate !== undefined) {
      const bp = round(own, 1);
      const calculation = rateEffect({ duration_years: calc.rate, yield_change_bp: bp });
      return { move: Number(calculation.output['price_effect_pct']), calculation, named: { bp } };
    }
    if (calc.netBuying !== undefined) {
      const bought = (size: number, n: number): number =>
        Math.round(own * size * (0.7 + 0.6 * shareOf(`${date} buyer ${n}`)));
      // What the shipped week tells of the whole day grows with the move.
      const told = market.toldOn(date).bought;
      const close = of(calc.index ?? group, SESSION);
      const grown = (sum: number): number => Math.round((sum * own) / close);
      const [foreign, institution] =
        told === null ? [bought(2_600, 0), bought(1_300, 1)] : [grown(told[0]), grown(told[1])];
      const sums = { foreign_100m_krw: foreign, institution_100m_krw: institution };
      return {
        move: own,
        // The story is that both bought, or both sold.
        calculation: foreign * own > 0 && institution * own > 0 ? netBuying({ market: calc.netBuying, ...sums }) : null,
        named: { foreign, institution },
      };
    }
    if (calc.turnover !== undefined) {
      // It grows through the day; the story is told when it is above the usual one of a whole day.
      const traded = calc.turnover * (1.6 + 1.6 * shareOf(`${date} ${instrument.ticker} turnover`));
      const soFar = round(traded * (0.15 + (0.85 * minute) / SESSION), 1);
      const calculation = turnover({ turnover_100m_krw: soFar, average_20d_100m_krw: calc.turnover });
      const multiple = Number(calculation.output['multiple']);
      return { move: own, calculation: multiple < 1.2 ? null : calculation, named: { multiple } };
    }
    const grown = market.level(calc.index ?? group, date, followed(instrument, story));
    const nav = Math.round((calc.premium ?? 0) * grown * (1 + own / 100));
    const price = nav + Math.sign(own) * Math.max(1, Math.round(nav * 0.0006 * (1 + 0.5 * noise('premium'))));
    return { move: own, calculation: premium({ price_krw: price, nav_krw: nav }), named: { price, nav } };
  }
}

/** How far a fund goes with its group; with an index it goes along. */
const followed = ({ ticker }: Instrument, { calc }: Story): number =>
  calc.index === undefined ? 0.85 + shareOf(ticker) * 0.3 : 1;

/** Fills a template: `{NAME}`, `{-NAME}` with its sign, `{NAME?up|down}`, `{name:은}` with the fitting particle. */
export function filled(template: string, { instrument, values, calculation }: StoryMoment, when: string): string {
  return template.replaceAll(/\{([^{}]+)\}/g, (whole, inner: string) => {
    const choice = /^(.+)\?(.*)\|(.*)$/.exec(inner);
    if (choice !== null) return (valueOf(choice[1] ?? '') > 0 ? choice[2] : choice[3]) ?? '';
    const [name = '', particle] = inner.split(':');
    if (name === 'when') return when;
    if (name === 'name') return `${instrument.name}${particle === undefined ? '' : fitting(instrument.name, particle)}`;
    const bare = name.startsWith('-') ? name.slice(1) : name;
    return `${bare !== name && valueOf(bare) < 0 ? '-' : ''}${written(bare, valueOf(bare))}`;
  });

  function valueOf(name: string): number {
    const value = values.get(name);
    if (value === undefined) throw new RangeError(`a story of ${instrument.ticker} names {${name}}, which it has not`);
    return value;
  }

  function written(name: string, value: number): string {
    const size = Math.abs(value);
    if (['foreign', 'institution', 'price', 'nav'].includes(name)) return grouped(size);
    if (['bp', 'multiple'].includes(name)) return size.toFixed(1);
    if (name === 'c' && 'sum_100m_krw' in calculation.output) return grouped(size);
    const isPoints =
      /^c2?$/.test(name) &&
      (Object.keys(calculation.output).filter(isOutput)[name === 'c' ? 0 : 1] ?? '').endsWith('_pp');
    return `${size.toFixed(2)}%${isPoints ? 'p' : ''}`;
  }

  function isOutput(key: string): boolean {
    return typeof calculation.output[key] === 'number';
  }
}

/** "3,412": whole numbers in groups of three. */
export const grouped = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');

/** Whether the last sound of digits and Latin letters as Koreans read them is a consonant. */
const CLOSED = '013678LMNR';
const PAIRS: Readonly<Record<string, readonly [closed: string, open: string]>> = {
  은: ['은', '는'],
  이: ['이', '가'],
  을: ['을', '를'],
};

/** The form of a particle that fits a name. */
export function fitting(name: string, particle: string): string {
  const last =
    name
      .replaceAll(/\(.*\)|[+&]/g, '')
      .at(-1)
      ?.toUpperCase() ?? '';
  const isClosed = /[가-힣]/.test(last) ? ((last.codePointAt(0) ?? 0) - 0xac00) % 28 > 0 : CLOSED.includes(last);
  const pair = PAIRS[particle];
  if (pair === undefined) throw new RangeError(`no particle "${particle}" is known`);
  return pair[isClosed ? 0 : 1];
}
