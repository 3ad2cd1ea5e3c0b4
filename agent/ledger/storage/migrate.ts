/**
 * Migrates a ledger to the present schema: forward only, one step per transaction, so that a failed step leaves the
 * result of the one before. `PRAGMA user_version` holds the number of the last step.
 */
import type { Database } from 'better-sqlite3';
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { LedgerDamagedError, LedgerTooNewError } from './errors.ts';
import { BASELINE, STEPS } from './migrations/index.ts';

const newest = (steps: readonly string[]): number => BASELINE + steps.length - 1;

/** The schema version that this program writes. */
export const LEDGER_VERSION = newest(STEPS);

/**
 * Refuses a file of an unknown version. Only reads the file.
 *
 * @throws LedgerTooNewError when a newer program wrote it
 * @throws LedgerDamagedError where no release has the version
 */
export function refuseUnknown(db: Database, file: string, known = LEDGER_VERSION): void {
  const found = schemaVersion(db);
  if (found > known) throw new LedgerTooNewError(file, found, known);
  if (found !== 0 && found < BASELINE)
    throw new LedgerDamagedError(file, `no release of Causeway has its schema version ${found}`);
}

/**
 * Runs the missing steps. Foreign keys must be off in `db`, because a step may recreate a table that others refer to;
 * they are checked after each step.
 *
 * @param progress told the steps, as the stage `MIGRATED_STAGE`
 * @throws LedgerTooNewError, LedgerDamagedError, StoppedError between two steps
 */
export function migrate(db: Database, file: string, steps = STEPS, progress: Progress = UNTOLD): void {
  // The version is read again inside the write lock: two processes may start at the same moment.
  for (let done = 0; schemaVersion(db) !== newest(steps); done += 1) {
    progress.at(MIGRATED_STAGE, done);
    db.transaction(() => {
      refuseUnknown(db, file, newest(steps));
      const to = Math.max(schemaVersion(db) + 1, BASELINE);
      const step = steps[to - BASELINE];
      if (step === undefined) return;
      db.exec(step);
      if (db.prepare('PRAGMA foreign_key_check').get() !== undefined)
        throw new LedgerDamagedError(
          file,
          `some rows refer to missing rows, found while migrating to schema version ${to}`,
        );
      db.pragma(`user_version = ${to}`);
    }).immediate();
  }
}

/** The stage in which the steps run. */
export const MIGRATED_STAGE = 'steps of the schema';

/** 0 in a file without a table. */
export function schemaVersion(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}
