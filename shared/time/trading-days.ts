/**
 * The days on which the Korean exchange is closed, as far as a calendar can tell: weekends, public holidays with their
 * substitute days, Labour Day and the last weekday of the year. Days declared at short notice (an election, a bridge
 * day) are not known here; they are single days.
 */
import { kstDate, kstMidnight } from './kst.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The number of whole trading days, by the Korean calendar, between two instants. */
export function tradingDaysBetween(from: Date, to: Date): number {
  let days = 0;
  const end = kstMidnight(kstDate(to)).getTime();
  for (let day = kstMidnight(kstDate(from)).getTime() + DAY_MS; day < end; day += DAY_MS)
    if (isTradingDay(kstDate(new Date(day)))) days += 1;
  return days;
}

/** Whether the exchange is open on a date, `YYYY-MM-DD`. */
export function isTradingDay(date: string): boolean {
  return !isWeekend(date) && !closedDaysOf(Number(date.slice(0, 4))).has(date);
}

/** Public holidays by the solar calendar, and whether one on a weekend gets a substitute day. */
const SOLAR: readonly (readonly [monthDay: string, isReplaced: boolean])[] = [
  ['01-01', false],
  ['03-01', true],
  ['05-01', false],
  ['05-05', true],
  ['06-06', false],
  ['07-17', true],
  ['08-15', true],
  ['10-03', true],
  ['10-09', true],
  ['12-25', true],
];
/** By the lunar calendar: New Year and Chuseok with the days around them, Buddha's birthday. */
const LUNAR: readonly (readonly [monthDay: string, around: readonly number[]])[] = [
  ['1/1', [-1, 0, 1]],
  ['4/8', [0]],
  ['8/15', [-1, 0, 1]],
];

const known = new Map<number, ReadonlySet<string>>();

function closedDaysOf(year: number): ReadonlySet<string> {
  const made = known.get(year) ?? closedDays(year);
  known.set(year, made);
  return made;
}

function closedDays(year: number): Set<string> {
  const closed = new Set<string>();
  const toReplace: string[] = [];
  const close = (date: string, isReplaced: boolean): void => {
    if (isReplaced && closed.has(date)) toReplace.push(date);
    closed.add(date);
  };
  for (const [monthDay, isReplaced] of SOLAR) {
    const date = `${year}-${monthDay}`;
    close(date, isReplaced);
    if (isReplaced && isWeekend(date)) toReplace.push(date);
  }
  for (const [monthDay, around] of LUNAR) {
    for (const days of around) {
      const date = shifted(lunarDate(year, monthDay), days);
      close(date, true);
      // For holidays of several days only a Sunday gets a substitute day.
      if (weekdayOf(date) === 0 || (around.length === 1 && isWeekend(date))) toReplace.push(date);
    }
  }
  for (const date of toReplace.toSorted()) {
    let other = shifted(date, 1);
    while (isWeekend(other) || closed.has(other)) other = shifted(other, 1);
    closed.add(other);
  }
  let last = `${year}-12-31`;
  while (isWeekend(last)) last = shifted(last, -1);
  return closed.add(last);
}

/** Made at its first use: it takes longer than most modules take to load. */
let dangi: Intl.DateTimeFormat | undefined;

/**
 * The date of a lunar month and day in the lunar year that begins in a solar year. A leap month has another name and
 * never matches.
 */
function lunarDate(year: number, monthDay: string): string {
  dangi ??= new Intl.DateTimeFormat('en-u-ca-dangi', { timeZone: 'Asia/Seoul', month: 'numeric', day: 'numeric' });
  // The lunar year never begins before 20 January.
  for (let date = `${year}-01-20`; ; date = shifted(date, 1))
    if (dangi.format(kstMidnight(date)) === monthDay) return date;
}

function shifted(date: string, days: number): string {
  return kstDate(new Date(kstMidnight(date).getTime() + days * DAY_MS));
}

/** 0 is Sunday. */
function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay();
}

function isWeekend(date: string): boolean {
  return weekdayOf(date) % 6 === 0;
}
