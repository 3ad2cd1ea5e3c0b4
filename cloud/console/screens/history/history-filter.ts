/** The days and lanes of the run history in view, kept in the address. */
import { readDay, readText, readWord, writeAddress } from '../../navigation/address.ts';

export const DAY_COUNTS = [1, 7, 14, 31] as const;
export type DayCount = (typeof DAY_COUNTS)[number];
const DEFAULT_DAYS: DayCount = 14;
const FAILED = 'failed';

export interface HistoryFilter {
  /** The last day; null for today. */
  to: string | null;
  days: DayCount;
  lane: string;
  /** Only slots that need attention: open failures, and slots without a run. */
  onlyFailed: boolean;
}

export function readHistoryFilter(params: URLSearchParams): HistoryFilter {
  const days = readWord(params.get('days'), DAY_COUNTS.map(String));
  return {
    to: readDay(params.get('to')),
    days: DAY_COUNTS.find((count) => String(count) === days) ?? DEFAULT_DAYS,
    lane: readText(params.get('lane')),
    onlyFailed: params.get('only') === FAILED,
  };
}

export function writeHistoryFilter({ to, days, lane, onlyFailed }: HistoryFilter): string {
  return writeAddress({ to, days: days === DEFAULT_DAYS ? null : days, lane, only: onlyFailed ? FAILED : null });
}
