/** The steps of the schema in their order. A released one is never edited: a change comes as a new file. */
import { sql as baseline } from './0063-baseline.ts';

/** The version that the first step makes, which is the whole schema. */
export const BASELINE = 63;

/** One step per version. */
export const STEPS: readonly string[] = [baseline];
