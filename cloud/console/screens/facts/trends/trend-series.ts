/** The series that a chart draws: a value a day, null where nothing was measured. */
export interface SeriesPoint {
  date: string;
  value: number | null;
}

/** The middle half of the measured values, and their median. */
export interface Usual {
  low: number;
  middle: number;
  high: number;
}

/** Every day from the first point to the last; a day without a point was not measured. */
export function everyDay(points: readonly SeriesPoint[]): SeriesPoint[] {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [];
  const values = new Map(points.map(({ date, value }) => [date, value]));
  const series: SeriesPoint[] = [];
  for (let date = first.date; date <= last.date; date = dayAfter(date))
    series.push({ date, value: values.get(date) ?? null });
  return series;
}

/** Quartiles of the values before the last day; null without a usual value. */
export function usualOf(series: readonly SeriesPoint[]): Usual | null {
  const measured = series
    .slice(0, -1)
    .flatMap(({ value }) => (value === null ? [] : [value]))
    .toSorted((a, b) => a - b);
  if (measured.length === 0) return null;
  /** Interpolates between the two neighbouring values. */
  const at = (share: number): number => {
    const place = share * (measured.length - 1);
    const [low = 0, high = 0] = [measured[Math.floor(place)], measured[Math.ceil(place)]];
    return low + (high - low) * (place - Math.floor(place));
  };
  return { low: at(0.25), middle: at(0.5), high: at(0.75) };
}

/** Stretches of measured days, with their places in the series. A stretch of one is a dot. */
export function stretchesOf(series: readonly SeriesPoint[]): { index: number; value: number }[][] {
  const stretches: { index: number; value: number }[][] = [];
  let current: { index: number; value: number }[] = [];
  for (const [index, { value }] of series.entries()) {
    if (value === null) {
      current = [];
      continue;
    }
    if (current.length === 0) stretches.push(current);
    current.push({ index, value });
  }
  return stretches;
}

function dayAfter(date: string): string {
  const at = new Date(`${date}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + 1);
  return at.toISOString().slice(0, 10);
}
