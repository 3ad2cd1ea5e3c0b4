/**
 * Groups the items of one ticker, so that a reviewer decides an earlier snapshot with the later ones beside it. The keys
 * walk the list as rendered, and nothing has to be expanded.
 */
export interface OfTicker {
  id: string;
  etf_ticker: string;
}

/**
 * The tickers in their places. A ticker with items keeps the place that it has, whichever of them is its first now; a
 * new one stands before the first ticker that the chosen order puts after it.
 *
 * @param kept the places before; empty for a list that is loaded anew
 * @param items in the chosen order
 */
export function placesOf(kept: readonly string[], items: readonly OfTicker[]): readonly string[] {
  const ranks = new Map([...byTicker(items).keys()].map((ticker, rank) => [ticker, rank]));
  const places = kept.filter((ticker) => ranks.has(ticker));
  const placed = new Set(places);
  if (placed.size === 0) return [...ranks.keys()];
  for (const [ticker, rank] of ranks) {
    if (placed.has(ticker)) continue;
    const at = places.findIndex((other) => (ranks.get(other) ?? 0) > rank);
    places.splice(at === -1 ? places.length : at, 0, ticker);
  }
  return places;
}

/** The items by the places of their tickers; the items of one ticker stay in the chosen order. */
export function groupByTicker<T extends OfTicker>(places: readonly string[], items: readonly T[]): T[] {
  const groups = byTicker(items);
  return places.flatMap((ticker) => groups.get(ticker) ?? []);
}

/** `2/3` by id, for items with others of their ticker in the list. */
export function placesOfTickers(items: readonly OfTicker[]): ReadonlyMap<string, string> {
  const groups = [...byTicker(items).values()].filter((group) => group.length > 1);
  return new Map(groups.flatMap((group) => group.map(({ id }, at) => [id, `${at + 1}/${group.length}`] as const)));
}

function byTicker<T extends OfTicker>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.etf_ticker);
    if (group === undefined) groups.set(item.etf_ticker, [item]);
    else group.push(item);
  }
  return groups;
}
