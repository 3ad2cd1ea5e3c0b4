/**
 * Korean time. The machine's time zone never matters (D2): Korea has had no daylight saving since 1988, so the offset
 * is the constant +09:00 and no zone database is needed.
 */
const KST_OFFSET_MS = 9 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The calendar date in Korea at an instant, `YYYY-MM-DD`. */
export function kstDate(at: Date): string {
  return new Date(at.getTime() + KST_OFFSET_MS).toISOString().slice(0, 10);
}

/** Days since 1970 in Korea. */
export const kstDayNumber = (at: Date): number => Math.floor((at.getTime() + KST_OFFSET_MS) / DAY_MS);

/** When a calendar date begins in Korea. */
export function kstMidnight(date: string): Date {
  return new Date(`${date}T00:00:00+09:00`);
}

/** When a calendar date ends in Korea: the first instant that is no longer of it. */
export function kstDayEnd(date: string): Date {
  return new Date(kstMidnight(date).getTime() + DAY_MS);
}

/** The wall-clock time in Korea at an instant, `YYYY-MM-DD HH:MM:SS`. */
export function kstDateTime(at: Date): string {
  return new Date(at.getTime() + KST_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}

/** The minute in Korea at an instant, `YYYY-MM-DDTHH:MM`. */
export function kstMinute(at: Date): string {
  return new Date(at.getTime() + KST_OFFSET_MS).toISOString().slice(0, 16);
}

/** The instant of a wall-clock time (`HH:MM`) of a calendar date in Korea. */
export function kstInstant(date: string, time: string): Date {
  return new Date(`${date}T${time}:00+09:00`);
}

/** An instant with the Korean offset, `YYYY-MM-DDTHH:MM:SS+09:00`. */
export function kstOffsetTimestamp(at: Date): string {
  return `${new Date(at.getTime() + KST_OFFSET_MS).toISOString().slice(0, 19)}+09:00`;
}

/** Whether a text is an existing date, `YYYY-MM-DD`. There was no year 0, and databases refuse it. */
export function isCalendarDate(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8));
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(Number(text.slice(0, 4)), month);
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
