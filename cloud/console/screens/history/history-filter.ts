/** The days and lanes of the run history in view, kept in the address. */
import { readDay, readText, readWord, writeAddress } from '../../navigation/address.ts';

export const DAY_COUNTS = [7, 14, 31] as const;
export type DayCount = (typeof DAY_COUNTS)[number];
const DEFAULT_DAYS: DayCount = 14;

export interface HistoryFilter {
  /** The last day; null for today. */
  to: string | null;
  days: DayCount;
  lane: string;
}

export function readHistoryFilter(params: URLSearchParams): HistoryFilter {
  const days = readWord(params.get('days'), DAY_COUNTS.map(String));
  return {
    to: readDay(params.get('to')),
    days: DAY_COUNTS.find((count) => String(count) === days) ?? DEFAULT_DAYS,
    lane: readText(params.get('lane')),
  };
}

export function writeHistoryFilter({ to, days, lane }: HistoryFilter): string {
  return writeAddress({ to, days: days === DEFAULT_DAYS ? null : days, lane });
}
