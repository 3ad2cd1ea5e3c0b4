/**
 * Remembers each screen's view: the menu leads back to it with its filters, on the day in view. The whole console has one
 * day in view, which is part of the address of every screen about a day. Pure.
 */

import { readDay } from './address.ts';

/** A screen of the menu. */
export interface ViewedScreen {
  href: string;
  /** The parameter of its address for the day; absent where the screen has none. */
  day?: 'date' | 'to';
}

export interface LeftViews {
  /** The day in view; null: the current day. */
  day: string | null;
  /** The query of each screen's address, without the day. */
  queries: Readonly<Record<string, string>>;
}

export const NO_VIEWS: LeftViews = { day: null, queries: {} };

/** The views after a visit to a screen. @param today the day that is left out of addresses */
export function viewed(left: LeftViews, { href, day }: ViewedScreen, query: string, today: string): LeftViews {
  const params = new URLSearchParams(query);
  const named = day === undefined ? null : params.get(day);
  if (day !== undefined) params.delete(day);
  const next = {
    // A day that cannot be read is said once, and does not go from screen to screen.
    day: day === undefined ? left.day : named === today || readDay(named) === null ? null : named,
    queries: { ...left.queries, [href]: params.toString() },
  };
  return next.day === left.day && next.queries[href] === left.queries[href] ? left : next;
}

/** The query with which the menu leads to a screen; empty for the plain view. */
export function queryTo(left: LeftViews, { href, day }: ViewedScreen): string {
  const params = new URLSearchParams(left.queries[href] ?? '');
  if (day !== undefined && left.day !== null) params.set(day, left.day);
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** Reads a stored value; the plain views where it is invalid. */
export function readViews(text: string | null): LeftViews {
  try {
    const { day, queries } = JSON.parse(text ?? '') as Partial<Record<keyof LeftViews, unknown>>;
    if (typeof queries !== 'object' || queries === null) return NO_VIEWS;
    const kept = Object.entries(queries).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { day: typeof day === 'string' ? day : null, queries: Object.fromEntries(kept) };
  } catch {
    return NO_VIEWS;
  }
}
