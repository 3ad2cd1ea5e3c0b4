import type { Migration } from './migrate.ts';
import { baseline } from './0030-baseline.ts';

/** All migrations in their order. A released one is never edited: a change comes as a new file. */
export const MIGRATIONS: readonly Migration[] = [baseline];

/** The schema version that this program needs. */
export const STORE_VERSION = baseline.version + MIGRATIONS.length - 1;
