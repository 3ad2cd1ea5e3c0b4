/** The findings of each screening, kept for good (D14, D16): a decision can always be shown with its grounds. */
import { sql } from 'kysely';
import type { RecordedCheck } from '../../screening/recorded.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { insertion, prepared, sqlite } from '../storage/query.ts';
import type { ScreeningTable } from '../storage/tables.ts';

/** The outcome of a screening, with all its findings. */
export interface Screened {
  outcome: 'AUTO_PUBLISHED' | 'PENDING_REVIEW' | 'BLOCKED';
  /** Null without an active policy, or where none is needed (v2). */
  policyVersion: number | null;
  /** Null where nothing was screened (v2): then no screening is recorded. */
  matcherVersion: string | null;
  checks: RecordedCheck[];
}

const insertScreening = insertion<Omit<ScreeningTable, 'id'>>('screening', [
  'explanation_id',
  'at',
  'outcome',
  'policy_version',
  'matcher_version',
  'checks',
]);

/** A cache of the JSON of results: passed results are the same objects again and again. */
const written = new WeakMap<RecordedCheck, string>();

function writtenOnce(check: RecordedCheck): string {
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

const lastScreening = prepared((explanationId: string) =>
  sqlite
    .selectFrom('screening')
    .select('checks')
    .where('explanation_id', '=', sql<string>`+${explanationId}`)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
);

/** The checks of the last screening of an explanation; empty without one. */
export function lastChecks(reader: LedgerReader, explanationId: string): RecordedCheck[] {
  const row = reader.first(lastScreening(explanationId));
  return row === undefined ? [] : readChecks(row.checks);
}

/** The checks of a recorded screening, from their JSON. */
export const readChecks = (checks: string): RecordedCheck[] => JSON.parse(checks) as RecordedCheck[];
