/**
 * Brings a ledger to the present schema: forward only, one step a transaction, so that a step that
 * fails leaves the step before it. `PRAGMA user_version` tells the step that the file has reached.
 */
import type { Database } from 'better-sqlite3';
import { LedgerDamagedError, LedgerTooNewError, LedgerUnreleasedError } from './errors.ts';
import * as baseline from './migrations/0040-baseline.ts';
import * as liftedPlaces from './migrations/0041-lifted-places.ts';
import * as decisionOutbox from './migrations/0042-decision-outbox.ts';
import * as servingFacts from './migrations/0043-serving-facts.ts';

/** The version of a new file. Lower ones were builds that were never released. */
export const BASELINE = 40;

/** One per version, the first one makes the file. A released one is never edited: a change comes as a new file. */
export const STEPS: readonly string[] = [baseline.sql, liftedPlaces.sql, decisionOutbox.sql, servingFacts.sql];

const newest = (steps: readonly string[]): number => BASELINE + steps.length - 1;

/** The schema version that this program writes. */
export const LEDGER_VERSION = newest(STEPS);

/**
 * Only reads, so that nothing of the file is changed.
 *
 * @throws LedgerTooNewError when a newer program wrote it
 * @throws LedgerUnreleasedError when a build from before the baseline wrote it
 */
export function refuseUnknown(db: Database, file: string, known = LEDGER_VERSION): void {
  const found = schemaVersion(db);
  if (found > known) throw new LedgerTooNewError(file, found, known);
  if (found !== 0 && found < BASELINE) throw new LedgerUnreleasedError(file, found);
}

/**
 * Foreign keys must be off in `db`: a step may make a table anew that others refer to. They are looked
 * at when the step is done.
 *
 * @throws LedgerTooNewError, LedgerUnreleasedError, LedgerDamagedError
 */
export function migrate(db: Database, file: string, steps = STEPS): void {
  // The version is read again inside the write lock: two processes may start at the same moment.
  while (schemaVersion(db) !== newest(steps)) {
    db.transaction(() => {
      refuseUnknown(db, file, newest(steps));
      const to = Math.max(schemaVersion(db) + 1, BASELINE);
      const step = steps[to - BASELINE];
      if (step === undefined) return;
      db.exec(step);
      if (db.prepare('PRAGMA foreign_key_check').get() !== undefined)
        throw new LedgerDamagedError(file, `rows refer to what is not there, found on the way to schema version ${to}`);
      db.pragma(`user_version = ${to}`);
    }).immediate();
  }
}

/** 0 in a file without a table. */
export function schemaVersion(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}
