/** The series that a chart draws: a value a day, null where nothing was measured. */
export interface SeriesPoint {
  date: string;
  value: number | null;
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

/** The median of what was measured before the last day; null: there is no usual value. */
export function usualValue(series: readonly SeriesPoint[]): number | null {
  const measured = series
    .slice(0, -1)
    .flatMap(({ value }) => (value === null ? [] : [value]))
    .toSorted((a, b) => a - b);
  const [low, high] = [measured[Math.ceil(measured.length / 2) - 1], measured[Math.floor(measured.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
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
