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
    const { begins, ends } = workingDay(day);
    ms += Math.max(0, Math.min(ends, to.getTime()) - Math.max(begins, from.getTime()));
  }
  return ms;
}

/** What began before it has lasted longer than this working time by `to`; what began later has not. */
export function beforeWorkingMs(to: Date, ms: number): Date {
  let left = ms;
  const last = kstMidnight(kstDate(to)).getTime();
  for (let at = 0; at < MOST_DAYS; at += 1) {
    const { begins, ends } = workingDay(last - at * DAY_MS);
    const until = Math.min(ends, to.getTime());
    if (until - begins > left) return new Date(until - left);
    left -= Math.max(0, until - begins);
  }
  return new Date(last - MOST_DAYS * DAY_MS);
}

/** Begin and end of the working hours of a Korean day, in ms since 1970; the same where the exchange is closed. */
function workingDay(midnight: number): { begins: number; ends: number } {
  const date = kstDate(new Date(midnight));
  if (!isTradingDay(date)) return { begins: midnight, ends: midnight };
  return {
    begins: kstInstant(date, WORKING_DAY.begins).getTime(),
    ends: kstInstant(date, WORKING_DAY.ends).getTime(),
  };
}
