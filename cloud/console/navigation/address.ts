/** A view's state as it stands in the address: all of it, and only what differs from the plain view. */
import { isCalendarDate } from '../../../shared/time/kst.ts';

/** The longest text that the API takes for a search. */
const TEXT_LIMIT = 200;
/** Beyond it the API takes no page for one. */
const LAST_PAGE = 100_000_000;

/** `?a=1&b=2`, without what is null or empty. */
export function writeAddress(values: Readonly<Record<string, string | number | null>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== null && value !== '') params.set(name, String(value));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** One of some words; null for any other, so that an old link still opens the view. */
export function readWord<Word extends string>(text: string | null, words: readonly Word[]): Word | null {
  return words.find((word) => word === text) ?? null;
}

export function readText(text: string | null): string {
  return (text ?? '').trim().slice(0, TEXT_LIMIT);
}

/** A day that exists; null for anything else. */
export function readDay(text: string | null): string | null {
  return text !== null && isCalendarDate(text) ? text : null;
}

export function readPage(text: string | null): number {
  const page = Number(text ?? '1');
  return Number.isSafeInteger(page) && page > 0 && page <= LAST_PAGE ? page : 1;
}

/** The first page is the plain one. */
export const writePage = (page: number): number | null => (page === 1 ? null : page);
