/** The function of the bundles for several pulls at once (D178). The one of before served one pull alone. */
import { CREATE_BUNDLE_ENTRIES } from '../../entries/bundle-entries.ts';
import type { Migration } from './migrate.ts';

export const bundlesTogether: Migration = {
  version: 19,
  name: 'bundles-together',
  // A store that was made at this version has the function of the program before it no more.
  statements: [CREATE_BUNDLE_ENTRIES],
};
