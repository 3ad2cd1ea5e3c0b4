/** Where chance comes from. Tests give a seed. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
}

export const systemRandom: Random = { next: () => Math.random() };
