/**
 * The items of one ticker stand together, so that nobody decides an earlier snapshot without having the later ones
 * beside it. A ticker stands where the first of its items stands in the order that was chosen (with the longest wait
 * first, at its oldest wait), and its items keep that order: the keys walk the list as it is drawn, and nothing has to be
 * opened on the way.
 */
interface OfTicker {
  id: string;
  etf_ticker: string;
}

export function groupByTicker<T extends OfTicker>(items: readonly T[]): T[] {
  return [...byTicker(items).values()].flat();
}

/** `2/3` by id, for the items that have others of their ticker among these. */
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
