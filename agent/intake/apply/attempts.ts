/**
 * Finds the entry that crashes the process (out of memory, a machine fault) without an exception. Each batch is
 * announced in the ledger before it is applied. A process that finds another process's announcement applies that batch
 * entry by entry, and rejects an entry at which two processes crashed.
 */
import { randomUUID } from 'node:crypto';
import { readAttempt, writeAttempt, type Attempt } from '../../ledger/inbox/apply-attempts.ts';
import { isLedgerFault } from '../../ledger/storage/errors.ts';
import type { Ledger, LedgerReader, LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { recordApplyFault } from '../../ledger/inbox/sync-state.ts';

/** The name of this process for the next one. */
export const THIS_PROCESS: string = randomUUID();

/** An entry is rejected after this many processes crashed at it. */
const MOST_ENDED = 2;

/** The code of the sync status while a batch is applied at which another process ended. */
const PROCESS_ENDED = 'PROCESS_ENDED';

/** The reason on record of such an entry. */
export const POISON_REASON = `The program ended ${MOST_ENDED} times while it applied this entry alone: it is rejected. Tell the vendor; "intake replay" tries it again after an update.`;

export interface Plan extends Attempt {
  by: string;
  /** Another process ended here. */
  hasEnded: boolean;
}

/** The entries to try after the applied cursor. A process that stops in good order leaves no announcement. */
export function planAttempt(reader: LedgerReader, after: number, by: string, batch: number): Plan {
  const last = readAttempt(reader);
  if (last === null || last.after !== after) return { after, by, singly: 0, ended: 0, hasEnded: false };
  const { singly, ended } = last;
  const hasEnded = last.by !== null && last.by !== by;
  if (!hasEnded) return { after, by, singly, ended, hasEnded };
  return singly === 0
    ? { after, by, singly: batch, ended: 0, hasEnded }
    : { after, by, singly, ended: ended + 1, hasEnded };
}

/** Whether the entry is rejected instead of applied. */
export const isPoison = ({ ended }: Plan): boolean => ended >= MOST_ENDED;

/** Announces the entries that are about to be applied, in a transaction of its own. */
export function announce(tx: LedgerTransaction, { hasEnded, ...attempt }: Plan, at: string): void {
  writeAttempt(tx, attempt);
  if (!hasEnded) return;
  const message =
    `The program ended while it applied the entries after cursor ${attempt.after}. They are applied one by one; ` +
    'an entry at which it ends twice is rejected.';
  recordApplyFault(tx, { at, code: PROCESS_ENDED, message });
}

/** Ends the attempt, in the transaction that has applied it. @param cursor the applied cursor now */
export function conclude(tx: LedgerTransaction, { singly }: Plan, cursor: number): void {
  writeAttempt(tx, singly > 1 ? { after: cursor, by: null, singly: singly - 1, ended: 0 } : null);
}

/** Withdraws the announcement after an error, where the ledger can be written. */
export function retract(ledger: Pick<Ledger, 'write'>, { after, singly, ended }: Plan): void {
  try {
    ledger.write((tx) => writeAttempt(tx, { after, by: null, singly, ended }));
  } catch (error) {
    // The caller reports the first error. At worst the next process applies this batch entry by entry without need.
    if (!isLedgerFault(error)) throw error;
  }
}
