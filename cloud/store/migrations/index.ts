import type { Migration } from './migrate.ts';
import { baseline } from './0016-baseline.ts';
import { retentionDefault } from './0017-retention-default.ts';
import { bundleEntries } from './0018-bundle-entries.ts';
import { bundlesTogether } from './0019-bundles-together.ts';
import { entryChanges } from './0020-entry-changes.ts';
import { instrumentNames } from './0021-instrument-names.ts';
import { rhythm } from './0022-rhythm.ts';
import { units } from './0023-units.ts';
import { connected } from './0024-connected.ts';

/** All migrations in their order. A released one is never edited: a change comes as a new file. */
export const MIGRATIONS: readonly Migration[] = [
  baseline,
  retentionDefault,
  bundleEntries,
  bundlesTogether,
  entryChanges,
  instrumentNames,
  rhythm,
  units,
  connected,
];

/** The schema version that this program needs. */
export const STORE_VERSION = baseline.version + MIGRATIONS.length - 1;
