/** Marks for the days of a chart: days without trading, and failed runs. Pure. */
import type { RunGrid } from '../../../../../shared/wire/operator/operator.ts';

export interface DayMark {
  /** False for a weekend, and for a day with runs that were skipped for it. */
  isTrading: boolean;
  /** Null: the runs of this day were not read. */
  runs: { total: number; blocked: number; missed: number } | null;
}

const NOT_TRADING = 'NON_TRADING_DAY';

/** @param lanes of the run history, as far back as it was read; undefined before the first answer */
export function dayMarksOf(dates: readonly string[], lanes: RunGrid['lanes'] | undefined): Map<string, DayMark> {
  const days = Map.groupBy(lanes?.flatMap((lane) => lane.days) ?? [], ({ date }) => date);
  return new Map(
    dates.map((date) => {
      const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
      const found = days.get(date);
      const runs = found?.flatMap((day) => day.runs) ?? [];
      const isTrading = weekday !== 0 && weekday !== 6 && !runs.some(({ skipReason }) => skipReason === NOT_TRADING);
      const counted = {
        total: runs.length,
        blocked: runs.filter(({ state }) => state === 'BLOCKED').length,
        missed: found?.reduce((sum, { planningGaps }) => sum + planningGaps.length, 0) ?? 0,
      };
      return [date, { isTrading, runs: found === undefined ? null : counted }];
    }),
  );
}
