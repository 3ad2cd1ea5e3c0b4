/**
 * The firm's pattern of approval numbers (심사필 번호, D211): a line of text with one running number and, if it wants them,
 * parts of the Korean date, as `준법감시인 심사필 제{YYYY}-{SEQ:5}호`. Server and screen read it by this module.
 */
import { flawOf } from './characters.ts';

export const LONGEST_PATTERN = 100;
/** The longest validity of an approval, in days. */
export const MOST_VALID_DAYS = 3_650;
/** The highest running number. */
export const HIGHEST_NUMBER = 999_999_999;

const PART = /\{([^{}]*)\}/g;
const SEQ = /^SEQ(?::([1-9]))?$/;

/** Parts of the date, from `YYYY-MM-DD`. */
const DATE_PARTS: Readonly<Record<string, (day: string) => string>> = {
  YYYY: (day) => day.slice(0, 4),
  YY: (day) => day.slice(2, 4),
  MM: (day) => day.slice(5, 7),
};

export type PatternFault = 'TOO_LONG' | 'CHARACTERS' | 'PART' | 'MONTH_ALONE' | 'NO_NUMBER' | 'MORE_NUMBERS';

/** Why a text is no pattern; null where it is one. */
export function patternFault(pattern: string): PatternFault | null {
  if (pattern.length > LONGEST_PATTERN) return 'TOO_LONG';
  if (flawOf('name', pattern) !== null) return 'CHARACTERS';
  const parts = [...pattern.matchAll(PART)].map(([, name = '']) => name);
  const isKnown = (name: string): boolean => SEQ.test(name) || Object.hasOwn(DATE_PARTS, name);
  if (/[{}]/.test(pattern.replaceAll(PART, '')) || !parts.every(isKnown)) return 'PART';
  // The same month of another year is no other series without it.
  if (parts.includes('MM') && !parts.some((name) => name.startsWith('YY'))) return 'MONTH_ALONE';
  const numbers = parts.filter((name) => SEQ.test(name)).length;
  if (numbers === 1) return null;
  return numbers === 0 ? 'NO_NUMBER' : 'MORE_NUMBERS';
}

const withDate = (pattern: string, day: string): string =>
  pattern.replaceAll(PART, (part, name: string) => DATE_PARTS[name]?.(day) ?? part);

/** The series that the numbers of a day (`YYYY-MM-DD` in Korea) belong to: other digits are no other series. */
export const seriesOf = (pattern: string, day: string): string =>
  withDate(pattern, day).replace(PART, (part, name: string) => (SEQ.test(name) ? '{SEQ}' : part));

/** The approval number with this running number. */
export const approvalNumber = (pattern: string, day: string, running: number): string =>
  withDate(pattern, day).replace(PART, (_, name: string) =>
    String(running).padStart(Number(SEQ.exec(name)?.[1] ?? 1), '0'),
  );
