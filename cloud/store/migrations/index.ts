import type { Migration } from './migrate.ts';
import { baseline } from './0025-baseline.ts';
import { applied } from './0026-applied.ts';
import { issuedAt } from './0027-issued-at.ts';
import { runUpdates } from './0028-run-updates.ts';
import { entryOnce } from './0029-entry-once.ts';

/** All migrations in their order. A released one is never edited: a change comes as a new file. */
export const MIGRATIONS: readonly Migration[] = [baseline, applied, issuedAt, runUpdates, entryOnce];

/** The schema version that this program needs. */
export const STORE_VERSION = baseline.version + MIGRATIONS.length - 1;
