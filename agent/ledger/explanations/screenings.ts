/**
 * The findings of each screening, kept for good (D14, D16): a decision can always be shown with what it rested on.
 *
 * Written out: each item that a list shows asks it.
 */
import type { CheckResult, WordHit } from '../../../shared/wire/console/console.ts';
import { insertion, statement, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';
import type { ScreeningTable } from '../storage/tables.ts';

/** Where a screening ended, with everything that it looked at. */
export interface Screened {
  outcome: 'AUTO_PUBLISHED' | 'PENDING_REVIEW' | 'BLOCKED';
  /** Null where no policy was active, or where none is needed (v2). */
  policyVersion: number | null;
  /** Null where nothing was screened (v2): then no screening is put on record at all. */
  matcherVersion: string | null;
  checks: CheckResult[];
}

const insertScreening = insertion<Omit<ScreeningTable, 'id'>>('screening', [
  'explanation_id',
  'at',
  'outcome',
  'policy_version',
  'matcher_version',
  'checks',
]);

/** The JSON of results: those that pass are the same ones again and again. */
const written = new WeakMap<CheckResult, string>();

function writtenOnce(check: CheckResult): string {
  const known = written.get(check);
  if (known !== undefined) return known;
  const text = JSON.stringify(check);
  written.set(check, text);
  return text;
}

/** Returns the number of the record, null where nothing was screened. */
export function recordScreening(
  tx: LedgerTransaction,
  explanationId: string,
  at: string,
  screened: Screened,
): number | null {
  if (screened.matcherVersion === null) return null;
  return tx.insert(
    insertScreening({
      explanation_id: explanationId,
      at,
      outcome: screened.outcome,
      policy_version: screened.policyVersion,
      matcher_version: screened.matcherVersion,
      checks: `[${screened.checks.map(writtenOnce).join(',')}]`,
    }),
  );
}

type StoredHit = Omit<WordHit, 'exception' | 'isExact'> & Partial<Pick<WordHit, 'exception' | 'isExact'>>;
type StoredCheck = Omit<CheckResult, 'code' | 'parameters' | 'hits'> &
  Partial<Pick<CheckResult, 'code' | 'parameters'>> & { hits: StoredHit[] };

/** A record of a time without codes has the sentence alone; it is never changed, so it is read as it is. */
function asCheckResult(stored: StoredCheck): CheckResult {
  return {
    code: null,
    parameters: {},
    ...stored,
    hits: stored.hits.map((hit) => ({ exception: null, isExact: hit.matched === hit.word, ...hit })),
  };
}

const lastScreening = statement<[explanationId: string], Pick<ScreeningTable, 'checks'>>(
  'SELECT checks FROM screening WHERE explanation_id = +? ORDER BY id DESC LIMIT 1',
);

/** The checks of the last screening of an explanation; empty when none was made. */
export function lastChecks(reader: LedgerReader, explanationId: string): CheckResult[] {
  const row = reader.first(lastScreening(explanationId));
  return row === undefined ? [] : (JSON.parse(row.checks) as StoredCheck[]).map(asCheckResult);
}
