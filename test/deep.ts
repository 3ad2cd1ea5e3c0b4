/** What `npm run test:deep` runs beside `npm test`. */

/** Set to 1 by `npm run test:deep`. */
export const DEEP = 'CAUSEWAY_TEST_DEEP';
export const isDeep = process.env[DEEP] === '1';

export interface DeepFile {
  /** Whether the whole file is deep; otherwise its `deepTest`s, and `npm test` runs the rest. */
  whole: boolean;
  /** Tests of `npm test` that break on the same ordinary faults: a file and the name of a test in it. */
  standIns: (readonly [file: string, test: string])[];
}

/** Whole files and single tests. A count that `runs` makes small is not listed: the small count stands in for the full one. */
export const DEEP_FILES: Readonly<Record<string, DeepFile>> = {};
