/**
 * Groups the items of one ticker, so that a reviewer decides an earlier snapshot with the later ones beside it. A
 * ticker takes the place of its first item in the chosen order (with the longest wait first, its oldest wait), and its
 * items keep that order: the keys walk the list as rendered, and nothing has to be expanded.
 */
interface OfTicker {
  id: string;
  etf_ticker: string;
}

export function groupByTicker<T extends OfTicker>(items: readonly T[]): T[] {
  return [...byTicker(items).values()].flat();
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
