/** Values over time by what they measure, and how much each has grown: pure. */

import { quantile } from '../chaos/growth.ts';

/** The median of the second quarter against that of the last. */
export interface Growth {
  what: string;
  unit: string;
  samples: number;
  /** The medians of the four quarters: growth that comes to an end shows in them. */
  quarters: readonly number[];
  most: number;
  /** Share by which it has grown; below 0 where it fell. */
  share: number;
  isTooMuch: boolean;
}

/** The most that anything may grow from the second to the last quarter. */
export const MOST_GROWTH = 0.05;
/** Fewer samples say nothing: a process that began near the end. */
const ENOUGH = 24;

interface Series {
  unit: string;
  /** A difference below this is no growth, in the unit: a file more, a page more. */
  grain: number;
  values: number[];
}

export class AllSeries {
  readonly #all = new Map<string, Series>();

  /** @param grain a difference up to this is no growth */
  take(what: string, unit: string, grain: number, value: number): void {
    const series = this.#all.get(what) ?? { unit, grain, values: [] };
    series.values.push(value);
    this.#all.set(what, series);
  }

  growth(): Growth[] {
    return [...this.#all]
      .filter(([, { values }]) => values.length >= ENOUGH)
      .map(([what, { unit, grain, values }]) => {
        const length = values.length / 4;
        const quarters = [0, 1, 2, 3].map((at) =>
          quantile(values.slice(Math.floor(at * length), Math.floor((at + 1) * length)), 0.5),
        );
        const [, from = 0, , to = 0] = quarters;
        const share = to === from ? 0 : (to - from) / Math.max(from, grain);
        const isTooMuch = to - from > grain && share > MOST_GROWTH;
        return { what, unit, samples: values.length, quarters, most: Math.max(...values), share, isTooMuch };
      });
  }
}

/** The report, a line for each. */
export function growthTable(rows: readonly Growth[]): string {
  const cells = rows.map(({ what, unit, quarters, most, share, isTooMuch }) => [
    what,
    ...quarters.map((each) => `${each.toFixed(1)} ${unit}`),
    `${most.toFixed(1)} ${unit}`,
    `${(share * 100).toFixed(1)} %`,
    isTooMuch ? 'GREW' : '',
  ]);
  const table = [['what', 'first quarter', 'second', 'third', 'last', 'most', 'growth', ''], ...cells];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
