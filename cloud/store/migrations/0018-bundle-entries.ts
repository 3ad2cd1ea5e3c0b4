/** The function that gives the entries of a bundle (`entries/bundle-entries.ts`). */
import { CREATE_BUNDLE_ENTRIES } from '../../entries/bundle-entries.ts';
import type { Migration } from './migrate.ts';

export const bundleEntries: Migration = {
  version: 18,
  name: 'bundle-entries',
  // The program before it has a statement of its own.
  oldestProgram: 16,
  statements: [CREATE_BUNDLE_ENTRIES],
};
