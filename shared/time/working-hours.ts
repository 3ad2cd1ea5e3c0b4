/**
 * Working time in Korea: 09:00 to 18:00 KST on the days on which the exchange is open (`trading-days.ts`). The time that an
 * item waits for its review is held against a target in it, so that a night or a holiday makes nobody late.
 */
import { kstDate, kstInstant, kstMidnight } from './kst.ts';
import { isTradingDay } from './trading-days.ts';

export const WORKING_DAY = { begins: '09:00', ends: '18:00' } as const;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Only the first days of a longer wait are computed: no target is so long. */
const MOST_DAYS = 366;

/** How much working time lies between two instants, in ms; none where the second is not later. */
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
