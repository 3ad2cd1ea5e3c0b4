/** The hash of a row of the audit log (D19), apart from the ledger: another program can check a row by it. */
import { hash } from 'node:crypto';
import type { ConsoleActionLogTable } from '../storage/tables.ts';

/** The first row whose content does not fit its hash, as a clause; null where all do. */
export function hashFault(rows: readonly ConsoleActionLogTable[]): string | null {
  const changed = rows.find((row) => !fitsHash(row));
  return changed === undefined ? null : `the content of row ${changed.seq} of the audit log does not fit its hash`;
}

export const fitsHash = (row: ConsoleActionLogTable): boolean => hashOf(row) === row.hash;

/** Covers all fields of the row, with the hash of the row before it. */
export function hashOf(row: Omit<ConsoleActionLogTable, 'hash'>): string {
  const fields = [
    row.seq,
    row.at,
    row.actor_id,
    row.actor,
    row.actor_role,
    row.action,
    row.target_type,
    row.target_id,
    row.detail,
    row.prev_hash,
    // A row that tells nothing of what it made has none of it in its hash; nor has one without an address.
    ...(row.made === null ? (row.source_address === null ? [] : [row.source_address]) : [row.source_address, row.made]),
  ];
  return hash('sha256', JSON.stringify(fields));
}
