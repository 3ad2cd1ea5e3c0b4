/**
 * How much of the suites runs: `npm test` holds each promise once, `npm run test:deep` runs the same files with their
 * full counts and those that only it has (`test/deep.ts`). Both take a new seed each time.
 */
import { test } from 'vitest';
import { isDeep } from './depth.ts';
import { Seeded } from './seeded.ts';

/** How often a property is tried, a process killed, a step repeated. */
export const runs = (quick: number, deep: number): number => (isDeep ? deep : quick);

/** A test of `npm run test:deep` alone. `test/deep.ts` names the test of `npm test` that stands in for it. */
export const deepTest = isDeep ? test : test.skip;

const SEED = 'CAUSEWAY_TEST_SEED';

/**
 * A seed of 31 bits, new at each run, and printed: `CAUSEWAY_TEST_SEED=N npm test -- SUITE FILE` runs a file with the
 * seed N again. Properties of fast-check print their own.
 */
export function newSeed(): number {
  const asked = process.env[SEED];
  const seed = asked === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(asked);
  if (!Number.isSafeInteger(seed)) throw new Error(`${SEED} is not a whole number: ${asked}`);
  console.log(`${SEED}=${seed}`);
  return seed;
}

/**
 * Rows that stand for one another, in their order: all of them in the deep suite, so many of them in `npm test`, others
 * each time.
 */
export function some<T>(quick: number, rows: readonly T[]): T[] {
  if (isDeep || quick >= rows.length) return [...rows];
  const chosen = new Set(new Seeded(newSeed()).shuffled([...rows.keys()]).slice(0, quick));
  return rows.filter((_, index) => chosen.has(index));
}

/** Whether the caller asked for one seed, so that a file which walks many seeds runs this one alone. */
export const isSeedAsked = process.env[SEED] !== undefined;
