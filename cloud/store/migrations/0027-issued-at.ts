/** Entries tell when they were issued (D235): the function that gives them has another text, and so another name. */
import { CREATE_BUNDLE_ENTRIES } from '../../entries/bundle-entries.ts';
import type { Migration } from './migrate.ts';

export const issuedAt: Migration = {
  version: 27,
  name: 'issued-at',
  oldestProgram: 25,
  statements: [CREATE_BUNDLE_ENTRIES],
};
