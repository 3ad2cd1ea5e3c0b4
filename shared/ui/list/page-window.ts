/** Which pages of a long list the visible rows need, and how far a row has moved when the list changes. */

/** Rows of a page; the most that the APIs give at once (D11). */
export const WINDOW_PAGE = 100;

/** Rows in view, both included, counted from 0. */
export interface RowRange {
  first: number;
  last: number;
}

/** Pages, counted from 1, that hold a range; at least the first, which carries the total. */
export function pagesOf({ first, last }: RowRange): number[] {
  const from = Math.floor(Math.max(0, first) / WINDOW_PAGE) + 1;
  const to = Math.floor(Math.max(0, first, last) / WINDOW_PAGE) + 1;
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** The row that the user is reading: its id and index. */
export interface Anchor {
  id: string;
  index: number;
}

/**
 * By how many rows the anchor has moved; 0 if it is not loaded. New rows above push it down, and the view follows by as
 * much to stay in place.
 */
export function shiftOf(anchor: Anchor | null, ids: ReadonlyMap<number, string>): number {
  if (anchor === null || ids.get(anchor.index) === anchor.id) return 0;
  for (const [index, id] of ids) if (id === anchor.id) return index - anchor.index;
  return 0;
}
