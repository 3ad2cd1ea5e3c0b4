/** `count` of the items, the same for the same seed, in their order. */
export function sampleOf<Item>(items: readonly Item[], count: number, seed: number): Item[] {
  const random = mulberry(seed);
  return items
    .map((item, place) => ({ item, place, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .slice(0, count)
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
