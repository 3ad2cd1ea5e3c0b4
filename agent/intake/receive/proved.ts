/** Whether a raw bundle that waits to be applied is the vendor's (D199). */
import { readCursors, type RawBundle } from '../../ledger/inbox/raw-bundles.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import { isSignedBy, keptStatementFault, type Verification } from './statement.ts';

/** Whether the vendor has sent a bundle that waits to be applied. */
export type IsProved = (raw: RawBundle) => boolean;

/**
 * By its kept statement, which a key at hand must have signed: what waits is named by no row of the audit log yet (D199).
 * Without a verification key nothing can be said, and each one counts.
 */
export function provedBy(reader: LedgerReader, verification: Pick<Verification, 'keys'> | null): IsProved {
  if (verification === null) return () => true;
  return (raw) => {
    const keys = verification.keys();
    const { tenantId } = readCursors(reader);
    const { statement } = raw;
    return (
      statement !== null &&
      isSignedBy(statement, keys) &&
      keptStatementFault(statement, { ...raw, tenantId }, keys) === null
    );
  };
}
