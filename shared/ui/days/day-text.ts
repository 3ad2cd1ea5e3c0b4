/** Days of the calendar as a language writes them, and read back as people type them. */
import { isCalendarDate } from '../../time/kst.ts';
import type { Language } from '../i18n/languages.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const LOCALES: Readonly<Record<Language, string>> = { ko: 'ko-KR', en: 'en-GB' };

const at = (day: string): Date => new Date(`${day}T00:00:00Z`);
const iso = (date: Date): string => date.toISOString().slice(0, 10);
const format = (language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(LOCALES[language], { timeZone: 'UTC', ...options });

/** `2026. 11. 20.` or `20 Nov 2026`. */
export function dayText(day: string, language: Language): string {
  return format(language, { year: 'numeric', month: language === 'ko' ? '2-digit' : 'short', day: '2-digit' }).format(
    at(day),
  );
}

/** `2026년 11월 20일 금요일`, for a button that shows the number alone. */
export function dayName(day: string, language: Language): string {
  return format(language, { dateStyle: 'full' }).format(at(day));
}

/** `2026년 11월` or `November 2026`. */
export function monthText(day: string, language: Language): string {
  return format(language, { year: 'numeric', month: 'long' }).format(at(day));
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * The day that a user typed, year first or with the month in letters; null for an invalid day, or one whose day and
 * month could be confused.
 */
export function readDay(typed: string): string | null {
  const english = /^(\d{1,2})\s*([a-z]{3,9})\.?,?\s+(\d{4})$|^([a-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})$/i.exec(
    typed.trim(),
  );
  if (english !== null) {
    const month = MONTHS.indexOf((english[2] ?? english[4] ?? '').slice(0, 3).toLowerCase()) + 1;
    return existing(english[3] ?? english[6], month, english[1] ?? english[5]);
  }
  const numbers =
    /^(\d{4})(\d{2})(\d{2})$/.exec(typed.trim()) ??
    /^(\d{4})[^\da-z]+(\d{1,2})[^\da-z]+(\d{1,2})[^\da-z]*$/i.exec(typed.trim());
  return numbers === null ? null : existing(numbers[1], Number(numbers[2]), numbers[3]);
}

function existing(year: string | undefined, month: number, day: string | undefined): string | null {
  const text = `${year}-${String(month).padStart(2, '0')}-${(day ?? '').padStart(2, '0')}`;
  return isCalendarDate(text) ? text : null;
}

export function stepDays(day: string, days: number): string {
  return iso(new Date(at(day).getTime() + days * DAY_MS));
}

/** The same day of another month, or that month's last day. */
export function stepMonths(day: string, months: number): string {
  const date = at(`${day.slice(0, 7)}-01`);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = at(iso(date));
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(Number(day.slice(8)), last.getUTCDate()));
  return iso(date);
}

/** The weeks of a day's month, Sunday first; days of the months beside it are null. */
export function weeksOf(day: string): (string | null)[][] {
  const first = `${day.slice(0, 7)}-01`;
  const start = stepDays(first, -at(first).getUTCDay());
  const weeks = Array.from({ length: 6 }, (_week, week) =>
    Array.from({ length: 7 }, (_day, index) => {
      const one = stepDays(start, week * 7 + index);
      return one.slice(0, 7) === day.slice(0, 7) ? one : null;
    }),
  );
  return weeks.filter((week) => week.some((one) => one !== null));
}

/** The days of a week, Sunday first, by their first letter and by their name. */
export function weekdays(language: Language): { short: string; name: string }[] {
  const sunday = '2026-11-22';
  return Array.from({ length: 7 }, (_day, index) => {
    const date = at(stepDays(sunday, index));
    return {
      short: format(language, { weekday: 'narrow' }).format(date),
      name: format(language, { weekday: 'long' }).format(date),
    };
  });
}
