/**
 * Trading days and hours of the Korea Exchange, as far as a demo needs them: weekends and holidays with a fixed date.
 * Holidays of the lunar calendar, substitute holidays and election days are unknown here; for those the demo invents a
 * trading day.
 */
import { isCalendarDate, kstDate, kstDateTime } from '../../../shared/time/kst.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Month and day of the fixed holidays; 1 May and 31 December are days off of the exchange alone. */
const FIXED_HOLIDAYS = new Set([
  '01-01',
  '03-01',
  '05-01',
  '05-05',
  '06-06',
  '07-17',
  '08-15',
  '10-03',
  '10-09',
  '12-25',
  '12-31',
]);

/** From here on an intraday price exists: the opening auction is over. */
const FIRST_PRICE = '09:05:00';
/** The closing auction: the last price of the day. */
export const CLOSE = '15:30:00';
/** When the engine's runs over a day, window backfills included, are finished. */
const DAY_TOLD = '16:40:00';

/** The date `days` later, `YYYY-MM-DD`. */
export function addDays(date: string, days: number): string {
  if (!isCalendarDate(date)) throw new RangeError(`"${date}" is no date that exists`);
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Whole days from one date to another; negative for an earlier one. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

export function isTradingDay(date: string): boolean {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return weekday !== 0 && weekday !== 6 && !FIXED_HOLIDAYS.has(date.slice(5));
}

/** The trading day itself, or the last one before it. */
export function tradingDayUpTo(date: string): string {
  let day = date;
  while (!isTradingDay(day)) day = addDays(day, -1);
  return day;
}

/** The last `count` trading days with finished runs of the engine, oldest first. */
export function finishedTradingDays(now: Date, count: number): string[] {
  const today = kstDate(now);
  const through = kstDateTime(now).slice(11) >= DAY_TOLD;
  const days: string[] = [];
  for (
    let day = tradingDayUpTo(through ? today : addDays(today, -1));
    days.length < count;
    day = tradingDayUpTo(addDays(day, -1))
  ) {
    days.unshift(day);
  }
  return days;
}

/** When the firm's people have gone home. */
const DAY_DONE = '17:30:00';

/**
 * The trading day that a demo's past ends with, and how long ago the moment was that it plays now: nothing while the firm works.
 * Otherwise the last trading day is replayed, so that its end is now.
 */
export function playedDay(now: Date): { date: string; shiftMs: number } {
  const today = kstDate(now);
  const time = kstDateTime(now).slice(11);
  if (isTradingDay(today) && time >= FIRST_PRICE && time < DAY_DONE) return { date: today, shiftMs: 0 };
  const date = tradingDayUpTo(time >= DAY_DONE ? today : addDays(today, -1));
  return { date, shiftMs: now.getTime() - Date.parse(`${date}T${DAY_DONE}+09:00`) };
}

/** The session that a firing at this moment is about. */
export interface Session {
  tradeDate: string;
  /** Whether the exchange is trading at this moment. */
  open: boolean;
  /** The newest price: the minute before while open, else the close of the trade date. */
  pricedAt: Date;
}

export function sessionAt(now: Date): Session {
  const today = kstDate(now);
  const time = kstDateTime(now).slice(11);
  const begun = isTradingDay(today) && time >= FIRST_PRICE;
  const tradeDate = begun ? today : tradingDayUpTo(addDays(today, -1));
  if (begun && time < CLOSE) {
    return { tradeDate, open: true, pricedAt: new Date(Math.floor(now.getTime() / 60_000) * 60_000 - 60_000) };
  }
  return { tradeDate, open: false, pricedAt: new Date(`${tradeDate}T${CLOSE}+09:00`) };
}
