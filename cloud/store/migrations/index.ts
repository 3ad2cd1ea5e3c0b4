import type { Migration } from './migrate.ts';
import { baseline } from './0012-baseline.ts';
import { withdrawalsByCursor } from './0013-withdrawals-by-cursor.ts';
import { entryText } from './0014-entry-text.ts';
import { operatorSecondFactor } from './0015-operator-second-factor.ts';

/** All migrations in their order. A released one is never edited: a change comes as a new file. */
export const MIGRATIONS: readonly Migration[] = [baseline, withdrawalsByCursor, entryText, operatorSecondFactor];

/** The schema version that this program needs. */
export const STORE_VERSION = baseline.version + MIGRATIONS.length - 1;
