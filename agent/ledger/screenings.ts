/** What each screening found, kept for good (D14, D16): a decision can always be shown with what it rested on. */
import type { CheckResult } from '../../shared/wire/console.ts';
import { sqlite, type LedgerReader, type LedgerTransaction } from './ledger.ts';

/** Where a screening ended, with everything that it looked at. */
export interface Screened {
  outcome: 'AUTO_PUBLISHED' | 'PENDING_REVIEW' | 'BLOCKED';
  /** Null where no policy was active, or where none is needed (v2). */
  policyVersion: number | null;
  /** Null where nothing was screened (v2): then no screening is put on record at all. */
  matcherVersion: string | null;
  checks: CheckResult[];
}

export function recordScreening(tx: LedgerTransaction, explanationId: string, at: string, screened: Screened): void {
  if (screened.matcherVersion === null) return;
  tx.run(
    sqlite.insertInto('screening').values({
      explanation_id: explanationId,
      at,
      outcome: screened.outcome,
      policy_version: screened.policyVersion,
      matcher_version: screened.matcherVersion,
      checks: JSON.stringify(screened.checks),
    }),
  );
}

/** The checks of the last screening of an explanation; empty when none was made. */
export function lastChecks(reader: LedgerReader, explanationId: string): CheckResult[] {
  const row = reader.first(
    sqlite
      .selectFrom('screening')
      .select('checks')
      .where('explanation_id', '=', explanationId)
      .orderBy('id', 'desc')
      .limit(1),
  );
  return row === undefined ? [] : (JSON.parse(row.checks) as CheckResult[]);
}
