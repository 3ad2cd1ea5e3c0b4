/**
 * Migrates a ledger to the present schema: forward only, one step per transaction, so that a failed step leaves the
 * result of the one before. `PRAGMA user_version` holds the number of the last step.
 */
import type { Database } from 'better-sqlite3';
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { LedgerDamagedError, LedgerTooNewError, LedgerUnreleasedError } from './errors.ts';
import * as baseline from './migrations/0043-baseline.ts';
import * as servingFacts from './migrations/0044-serving-facts.ts';
import * as auditBlocks from './migrations/0045-audit-blocks.ts';
import * as inspectionRequests from './migrations/0046-inspection-requests.ts';
import * as servedPeriods from './migrations/0047-served-periods.ts';
import * as auditGroups from './migrations/0048-audit-groups.ts';
import * as explanationPlaces from './migrations/0049-explanation-places.ts';
import * as rowsOfServing from './migrations/0050-rows-of-serving.ts';
import * as made from './migrations/0051-made.ts';
import * as noAttempts from './migrations/0052-no-attempts.ts';
import * as blocksLookedAt from './migrations/0053-blocks-looked-at.ts';
import * as approvals from './migrations/0054-approvals.ts';
import * as foldedSearch from './migrations/0055-folded-search.ts';
import * as policyStart from './migrations/0056-policy-start.ts';
import * as postponedItems from './migrations/0057-postponed-items.ts';
import * as waits from './migrations/0058-waits.ts';
import * as suspectReturns from './migrations/0059-suspect-returns.ts';
import * as exclusions from './migrations/0060-exclusions.ts';
import * as handedOverItems from './migrations/0061-handed-over-items.ts';
import * as sessionProofs from './migrations/0062-session-proofs.ts';

/** The version of a new file. Lower ones were builds that were never released. */
export const BASELINE = 43;

/**
 * One step per version; the first creates the schema. A released step is never edited: a change comes as a new file.
 */
export const STEPS: readonly string[] = [
  ...[baseline.sql, servingFacts.sql, auditBlocks.sql, inspectionRequests.sql],
  ...[servedPeriods.sql, auditGroups.sql, explanationPlaces.sql, rowsOfServing.sql, made.sql],
  ...[noAttempts.sql, blocksLookedAt.sql, approvals.sql, foldedSearch.sql, policyStart.sql],
  ...[postponedItems.sql, waits.sql, suspectReturns.sql, exclusions.sql],
  handedOverItems.sql,
  sessionProofs.sql,
];

const newest = (steps: readonly string[]): number => BASELINE + steps.length - 1;

/** The schema version that this program writes. */
export const LEDGER_VERSION = newest(STEPS);

/**
 * Refuses a file of an unknown version. Only reads the file.
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
 * Runs the missing steps. Foreign keys must be off in `db`, because a step may recreate a table that others refer to;
 * they are checked after each step.
 *
 * @param progress told the steps, as the stage `MIGRATED_STAGE`
 * @throws LedgerTooNewError, LedgerUnreleasedError, LedgerDamagedError, StoppedError between two steps
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
