/** Four eyes: where the active policy requires it, a second person has to approve what one person has written. */
import { sql } from 'kysely';
import { policyFaults } from '../audit/single-things.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';

/** The policy requires two people for this act (409). */
export class SecondPersonNeededError extends Error {
  override name = 'SecondPersonNeededError';
}

const newestFourEyes = prepared(
  () => sql<{ version: number; fourEyes: number | null }>`
  SELECT version, json_extract(snapshot, '$.criteria.fourEyes') AS fourEyes
  FROM policy_in_force JOIN policy_version USING (version)`,
);

/** Whether the active policy requires a second person. */
export function needsSecondPerson(reader: LedgerReader): boolean {
  return reader.first(newestFourEyes())?.fourEyes === 1;
}

/**
 * Whether an act needs a second person: a policy that was altered past the program does not say that one is enough, also
 * where it is put back afterwards (D199).
 */
export function asksSecondPerson(tx: LedgerTransaction): boolean {
  const policy = tx.first(newestFourEyes());
  if (policy === undefined) return false;
  return policy.fourEyes === 1 || policyFaults(tx, tx.changes.key, policy.version).length > 0;
}

const activeReviewer = prepared(
  (id: string) => sql`SELECT 1 FROM member WHERE id = ${id} AND active = 1 AND role = 'COMPLIANCE_REVIEWER'`,
);

/** Whether a member may decide at this moment: the first approval of a former reviewer does not count. */
export function isActiveReviewer(reader: LedgerReader, memberId: string): boolean {
  return reader.first(activeReviewer(memberId)) !== undefined;
}
