/** Times as the screens write them: Korean time, to which the caller adds the zone. */
import { isCalendarDate, kstDate, kstDateTime } from '../../time/kst.ts';

/** `2026-11-20 15:30`, or with seconds; null for a text that is no instant. */
export function kstText(instant: string, precision: 'minute' | 'second' = 'minute'): string | null {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return null;
  const text = kstDateTime(at);
  return precision === 'second' ? text : text.slice(0, 16);
}

/** As above, without the date if it lies on the day of `now`: `15:30`, else `11-20 15:30`, else with the year. */
export function kstShort(instant: string, now: Date): string | null {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return null;
  const text = kstDateTime(at).slice(0, 16);
  if (kstDate(at) === kstDate(now)) return text.slice(11);
  return text.slice(0, 4) === kstDate(now).slice(0, 4) ? text.slice(5) : text;
}

/** A day without its year if that is the year of `today`: `11-20`. */
export function shortDay(day: string, today: string): string {
  return day.slice(0, 4) === today.slice(0, 4) ? day.slice(5) : day;
}

/**
 * The time of a calculation (sync protocol 2.9): a date stays as it is, a timestamp is shown in Korean time, and an
 * unknown time stays unknown.
 */
export function asOfText(asOf: string | null | undefined): { text: string; zoned: boolean } | null {
  if (asOf === null || asOf === undefined || asOf === '') return null;
  if (isCalendarDate(asOf)) return { text: asOf, zoned: false };
  const text = kstText(asOf, 'second');
  return text === null ? { text: asOf, zoned: false } : { text, zoned: true };
}

export type Duration =
  | { unit: 'underMinute' }
  | { unit: 'minutes'; minutes: number }
  | { unit: 'hours'; hours: number; minutes: number }
  | { unit: 'days'; days: number; hours: number };

/** The time between two instants in its two largest units; never negative, because two machines' clocks may differ. */
export function durationBetween(from: Date, to: Date): Duration {
  const minutes = Math.max(0, Math.floor((to.getTime() - from.getTime()) / 60_000));
  if (minutes < 1) return { unit: 'underMinute' };
  if (minutes < 60) return { unit: 'minutes', minutes };
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return { unit: 'hours', hours, minutes: minutes % 60 };
  return { unit: 'days', days: Math.floor(hours / 24), hours: hours % 24 };
}
