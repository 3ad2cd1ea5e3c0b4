/** Reads and writes a view's state in the address, which holds only differences from the plain view. */
import { isCalendarDate } from '../../../shared/time/kst.ts';

/** The longest text that the API takes for a search. */
const TEXT_LIMIT = 200;
/** The API accepts no larger page number. */
const LAST_PAGE = 100_000_000;

/** `?a=1&b=2`, without null and empty values. */
export function writeAddress(values: Readonly<Record<string, string | number | null>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== null && value !== '') params.set(name, String(value));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** One of the known words; null for any other, so that an old link still opens the view. */
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

/** Every parameter of an address that names a day. */
const DAYS = ['date', 'to', 'against', 'referenceDate'] as const;

/** The first text that stands in the place of a day and is none; null: the address can be read. */
export function unreadableDay(params: URLSearchParams): string | null {
  return (
    DAYS.map((name) => params.get(name)).find((text) => text !== null && text !== '' && !isCalendarDate(text)) ?? null
  );
}

export function readPage(text: string | null): number {
  const page = Number(text ?? '1');
  return Number.isSafeInteger(page) && page > 0 && page <= LAST_PAGE ? page : 1;
}

/** The first page is the plain one. */
export const writePage = (page: number): number | null => (page === 1 ? null : page);
