/**
 * Brings a ledger to the present schema: forward only, one step a transaction, so that a step that
 * fails leaves the step before it. `PRAGMA user_version` counts the steps.
 */
import type { Database } from 'better-sqlite3';
import { LedgerDamagedError, LedgerTooNewError } from './errors.ts';
import * as ledger from './migrations/0001-ledger.ts';
import * as search from './migrations/0002-search.ts';
import * as console from './migrations/0003-console.ts';
import * as terms from './migrations/0004-search-terms.ts';
import * as wordHits from './migrations/0005-word-hits.ts';
import * as standstill from './migrations/0006-standstill.ts';
import * as drafts from './migrations/0007-drafts.ts';
import * as counted from './migrations/0008-counted-together.ts';
import * as searchEnds from './migrations/0009-search-ends.ts';
import * as noReplacing from './migrations/0010-no-replacing.ts';
import * as screenedText from './migrations/0011-screened-text.ts';
import * as boundedLists from './migrations/0012-bounded-lists.ts';
import * as review from './migrations/0013-review.ts';
import * as singleSignOn from './migrations/0014-single-sign-on.ts';
import * as waitingEdits from './migrations/0015-waiting-edits.ts';
import * as proposals from './migrations/0016-policy-proposals.ts';
import * as samples from './migrations/0017-samples.ts';
import * as served from './migrations/0018-served.ts';
import * as archive from './migrations/0019-archive.ts';
import * as dismissed from './migrations/0020-dismissed-hits.ts';
import * as heldTickers from './migrations/0021-held-tickers.ts';
import * as statistics from './migrations/0022-statistics.ts';
import * as blindReviews from './migrations/0023-blind-reviews.ts';
import * as release from './migrations/0024-release.ts';
import * as accountActions from './migrations/0025-account-actions.ts';
import * as opinions from './migrations/0026-second-opinions.ts';
import * as requiredNotice from './migrations/0027-required-notice.ts';
import * as sessionClaims from './migrations/0028-session-claims.ts';
import * as auditPeople from './migrations/0029-audit-people.ts';
import * as statement from './migrations/0030-statement.ts';
import * as whoseWords from './migrations/0031-whose-words.ts';
import * as undoneWaits from './migrations/0032-undone-waits.ts';
import * as candidate from './migrations/0033-candidate.ts';
import * as reviewTarget from './migrations/0034-review-target.ts';
import * as attempts from './migrations/0035-attempts.ts';
import * as savedViews from './migrations/0036-saved-views.ts';
import * as ownPassword from './migrations/0037-own-password.ts';
import * as secondFactor from './migrations/0038-second-factor.ts';
import * as sourceAddress from './migrations/0039-source-address.ts';

/** One per version, the first one makes the file. */
export const STEPS: readonly string[] = [
  ledger.sql,
  search.sql,
  console.sql,
  terms.sql,
  wordHits.sql,
  standstill.sql,
  drafts.sql,
  counted.sql,
  searchEnds.sql,
  noReplacing.sql,
  screenedText.sql,
  boundedLists.sql,
  review.sql,
  singleSignOn.sql,
  waitingEdits.sql,
  proposals.sql,
  samples.sql,
  served.sql,
  archive.sql,
  dismissed.sql,
  heldTickers.sql,
  statistics.sql,
  blindReviews.sql,
  release.sql,
  accountActions.sql,
  opinions.sql,
  requiredNotice.sql,
  sessionClaims.sql,
  auditPeople.sql,
  statement.sql,
  whoseWords.sql,
  undoneWaits.sql,
  candidate.sql,
  reviewTarget.sql,
  attempts.sql,
  savedViews.sql,
  ownPassword.sql,
  secondFactor.sql,
  sourceAddress.sql,
];

/** The schema version that this program writes. */
export const LEDGER_VERSION = STEPS.length;

/** @throws LedgerTooNewError when a newer program wrote the file. Only reads, so that nothing of it is changed. */
export function refuseNewer(db: Database, file: string): void {
  const found = schemaVersion(db);
  if (found > LEDGER_VERSION) throw new LedgerTooNewError(file, found, LEDGER_VERSION);
}

/**
 * Foreign keys must be off in `db`: a step may make a table anew that others refer to. They are looked
 * at when the step is done.
 *
 * @throws LedgerTooNewError, LedgerDamagedError
 */
export function migrate(db: Database, file: string): void {
  // The version is read again inside the write lock: two processes may start at the same moment.
  while (schemaVersion(db) !== LEDGER_VERSION) {
    db.transaction(() => {
      refuseNewer(db, file);
      const from = schemaVersion(db);
      const step = STEPS[from];
      if (step === undefined) return;
      db.exec(step);
      if (db.prepare('PRAGMA foreign_key_check').get() !== undefined)
        throw new LedgerDamagedError(
          file,
          `rows refer to what is not there, found on the way to schema version ${from + 1}`,
        );
      db.pragma(`user_version = ${from + 1}`);
    }).immediate();
  }
}

/** 0 in a file without a table. */
export function schemaVersion(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}
