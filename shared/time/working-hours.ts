/**
 * Working time in Korea: 09:00 to 18:00 KST on days on which the exchange is open (`trading-days.ts`). Review targets
 * are measured in it, so that a night or a holiday makes no item late.
 */
import { kstDate, kstInstant, kstMidnight } from './kst.ts';
import { isTradingDay } from './trading-days.ts';

export const WORKING_DAY = { begins: '09:00', ends: '18:00' } as const;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer waits are computed for their first days only: no target is so long. */
const MOST_DAYS = 366;

/** The working time between two instants, in ms; 0 unless the second is later. */
export function workingMsBetween(from: Date, to: Date): number {
  let ms = 0;
  const first = kstMidnight(kstDate(from)).getTime();
  for (let at = 0; at < MOST_DAYS; at += 1) {
    const day = first + at * DAY_MS;
    if (day >= to.getTime()) break;
    const date = kstDate(new Date(day));
    if (!isTradingDay(date)) continue;
    const begins = Math.max(kstInstant(date, WORKING_DAY.begins).getTime(), from.getTime());
    const ends = Math.min(kstInstant(date, WORKING_DAY.ends).getTime(), to.getTime());
    ms += Math.max(0, ends - begins);
  }
  return ms;
}
