/** The second opinions requested from this user, as the program learns them. */
import type { ConsoleReport } from '../../shared/wire/console/program.ts';
import type { ReviewItem } from '../../shared/wire/console/console.ts';

type RequestedItem = Pick<ReviewItem, 'id' | 'etf_ticker' | 'etf_name' | 'opinion'>;

/**
 * Among the items with a requested opinion: the count of requests by others, and the latest one. Undefined: unknown.
 */
export function requestsOf(items: readonly RequestedItem[] | undefined): NonNullable<ConsoleReport['asked']> | null {
  if (items === undefined) return null;
  const byOthers = items.flatMap((item) =>
    item.opinion === null || item.opinion.mine || item.opinion.given !== null
      ? []
      : [{ id: item.id, name: `${item.etf_ticker} ${item.etf_name}`.slice(0, 200), at: item.opinion.at }],
  );
  const [last] = byOthers.toSorted((one, other) => (one.at < other.at ? 1 : -1));
  return { count: byOthers.length, newest: last === undefined ? null : { id: last.id, name: last.name } };
}
