/** The source of randomness. Tests give a seed. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
}

export const systemRandom: Random = { next: () => Math.random() };

/** The same numbers for the same words (mulberry32 over an FNV-1a hash). */
export function seededRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(seed)) state = Math.imul(state ^ byte, 0x01000193);
  return {
    next: () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    },
  };
}
