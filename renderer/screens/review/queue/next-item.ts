/** Which item of the queue comes after a decision. */
import { afterDecision, type Place } from './neighbours.ts';
import type { OfTicker } from './ticker-groups.ts';

export interface Waiting extends OfTicker {
  /** Since when it has waited, as an instant in UTC. */
  waitingSince: string;
}

export interface QueuePlace extends Place {
  /** The ticker of the open item; null without one. */
  ticker: string | null;
}

/**
 * The item after a decision: the first of the same ticker, and after its last one the item that waits longest. An item
 * above, which the reviewer has opened and left undecided, does not come again before the others; without others it does. In
 * another order than `oldestFirst` the next ticker of the list follows. Null for an empty queue.
 *
 * @param items as rendered
 * @param opened ids that were open since the list was loaded
 */
export function nextToDecide(
  items: readonly Waiting[],
  place: QueuePlace,
  { opened, oldestFirst }: { opened: ReadonlySet<string>; oldestFirst: boolean },
): string | null {
  const left = items.filter(({ id }) => id !== place.id);
  // Whoever looks ahead and comes back has passed nothing.
  const above = new Set(items.slice(0, place.index).map(({ id }) => id));
  const unopened = left.filter(({ id }) => !opened.has(id) || !above.has(id));
  const ofTicker = unopened.find(({ etf_ticker: ticker }) => ticker === place.ticker);
  if (ofTicker !== undefined) return ofTicker.id;
  if (!oldestFirst)
    return afterDecision(
      items.map(({ id }) => id),
      place,
    );
  const [first, ...others] = unopened.length > 0 ? unopened : left;
  if (first === undefined) return null;
  return others.reduce((oldest, item) => (item.waitingSince < oldest.waitingSince ? item : oldest), first).id;
}
