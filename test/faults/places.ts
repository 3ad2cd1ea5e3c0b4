import { runs } from '../support/runs.ts';
import type { Seeded } from '../support/seeded.ts';

/** Every place from 0 to below the length in the deep suite; in `npm test` one of each 24, and the last. */
export function placesIn(length: number, random: Seeded): number[] {
  const step = runs(24, 1);
  const places = new Set([length - 1]);
  for (let from = 0; from < length; from += step) places.add(Math.min(from + random.below(step), length - 1));
  return [...places].toSorted((a, b) => a - b);
}
