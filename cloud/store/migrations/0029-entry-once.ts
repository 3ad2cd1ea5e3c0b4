/** Tenants that waited for one entry have it assembled once (D223): the function that gives entries has another text, and so another name. */
import { CREATE_BUNDLE_ENTRIES } from '../../entries/bundle-entries.ts';
import type { Migration } from './migrate.ts';

export const entryOnce: Migration = {
  version: 29,
  name: 'entry-once',
  oldestProgram: 25,
  statements: [CREATE_BUNDLE_ENTRIES],
};
