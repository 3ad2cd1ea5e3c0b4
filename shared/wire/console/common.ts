/** Pieces that the answers of several subjects share. */
import { z } from 'zod';

/** ISO 8601 in UTC with milliseconds (D2). */
export const instant = z.iso.datetime({ precision: 3 }).meta({ type: 'string', format: 'date-time' });

/** D11. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({ items: z.array(item), page: z.int(), size: z.int(), total: z.int() });
}

export interface Page<T> {
  items: T[];
  page: number;
  size: number;
  total: number;
}

/** A page of search results: a search with very many hits stops counting. */
export function foundPageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({
    items: z.array(item),
    page: z.int(),
    size: z.int(),
    total: z.int(),
    /** Whether there are more than `total`. */
    more: z.boolean(),
  });
}

export interface FoundPage<T> extends Page<T> {
  more: boolean;
}
