/**
 * The views as they were left: the menu leads back to each screen with its filters, and to the day that is in view. One
 * day is in view in the whole console; it stands in the address of every screen that is about a day. Pure.
 */

/** A screen of the menu. */
export interface ViewedScreen {
  href: string;
  /** The parameter of its address that names the day; absent where it is about no day. */
  day?: 'date' | 'to';
}

export interface LeftViews {
  /** The day in view; null: today, whichever day that is. */
  day: string | null;
  /** The query of each screen's address, without the day. */
  queries: Readonly<Record<string, string>>;
}

export const NO_VIEWS: LeftViews = { day: null, queries: {} };

/** After a look at a screen. @param today the day that needs no mention */
export function viewed(left: LeftViews, { href, day }: ViewedScreen, query: string, today: string): LeftViews {
  const params = new URLSearchParams(query);
  const named = day === undefined ? null : params.get(day);
  if (day !== undefined) params.delete(day);
  const next = {
    day: day === undefined ? left.day : named === today ? null : named,
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

/** Reads what `JSON.stringify` has kept; the plain views where it is anything else. */
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
