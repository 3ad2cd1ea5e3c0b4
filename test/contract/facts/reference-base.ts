/** Helpers of the whole reference: days in Korea, instants and order, worked out without the server's code. */
import type { RunRow } from './ledger.ts';

/** A day and a time in Korea, from the zone database. */
const seoul = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Seoul', dateStyle: 'short' });
export const dayOf = (at: string): string => seoul.format(new Date(at));
export const instant = (at: string | null): string | null => (at === null ? null : new Date(at).toISOString());
/** Compares by bytes of UTF-8, which is by code point. */
export const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export const runDay = (run: RunRow): string => run.trading_date ?? dayOf(run.created_at);

/** The last by these texts, one after the other. */
export function lastBy<T>(rows: readonly T[], ...keys: ((row: T) => string)[]): T | undefined {
  return rows
    .toSorted((a, b) => {
      for (const key of keys) {
        const order = compare(key(a), key(b));
        if (order !== 0) return order;
      }
      return 0;
    })
    .at(-1);
}
