/** Which pages of a long list must be at hand for the rows in view, and where a row is after the list has moved. */

/** Rows of a page; the most that the APIs give at once (D11). */
export const WINDOW_PAGE = 100;

/** Rows in view, both included, counted from 0. */
export interface RowRange {
  first: number;
  last: number;
}

/** Pages, counted from 1, that hold a range; at least the first, which tells how many rows there are. */
export function pagesOf({ first, last }: RowRange): number[] {
  const from = Math.floor(Math.max(0, first) / WINDOW_PAGE) + 1;
  const to = Math.floor(Math.max(0, first, last) / WINDOW_PAGE) + 1;
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** A row that somebody looks at: which, and at what place it stood. */
export interface Anchor {
  id: string;
  index: number;
}

/**
 * By how many rows the anchor has moved, 0 where it is not among the rows at hand. New rows above push it
 * down; to stay in place the view must follow by as much.
 */
export function shiftOf(anchor: Anchor | null, ids: ReadonlyMap<number, string>): number {
  if (anchor === null || ids.get(anchor.index) === anchor.id) return 0;
  for (const [index, id] of ids) if (id === anchor.id) return index - anchor.index;
  return 0;
}
