/**
 * Deaths of the process while it applies (out of memory, a fault of the machine): no exception tells of them. So each
 * batch is announced in the ledger before it is applied. A process that finds the announcement of another one goes on
 * entry by entry, for as many as a batch has, and the entry at which two of them ended is set aside.
 */
import { randomUUID } from 'node:crypto';
import { readAttempt, writeAttempt, type Attempt } from '../../ledger/inbox/apply-attempts.ts';
import { isLedgerFault } from '../../ledger/storage/errors.ts';
import type { Ledger, LedgerReader, LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { recordApplyFault } from '../../ledger/inbox/sync-state.ts';

/** The name of this process for the next one. */
export const THIS_PROCESS: string = randomUUID();

/** So many processes that ended at one entry set it aside. */
const MOST_ENDED = 2;

/** The code of the sync status while what another process ended at is applied. */
const PROCESS_ENDED = 'PROCESS_ENDED';

/** Why such an entry is on record as rejected. */
export const SET_ASIDE_REASON = `The program ended ${MOST_ENDED} times while it applied this entry alone: it is set aside. Tell the vendor; "intake replay" tries it again after an update.`;

export interface Plan extends Attempt {
  by: string;
  /** Another process ended here. */
  hasEnded: boolean;
}

/** The entries to try after the applied cursor; a process that stops in good order leaves nothing that counts. */
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

/** Whether the entry is to be set aside instead of applied. */
export const isDeadly = ({ ended }: Plan): boolean => ended >= MOST_ENDED;

/** Announces what is about to be applied, in a transaction of its own. */
export function announce(tx: LedgerTransaction, { hasEnded, ...attempt }: Plan, at: string): void {
  writeAttempt(tx, attempt);
  if (!hasEnded) return;
  const message =
    `The program ended while it applied the entries after cursor ${attempt.after}. They are applied one by one; ` +
    'an entry at which it ends twice is set aside.';
  recordApplyFault(tx, { at, code: PROCESS_ENDED, message });
}

/** Says that it went well, in the transaction that has applied it. @param cursor the applied cursor now */
export function conclude(tx: LedgerTransaction, { singly }: Plan, cursor: number): void {
  writeAttempt(tx, singly > 1 ? { after: cursor, by: null, singly: singly - 1, ended: 0 } : null);
}

/** Takes an announcement back after an error, as far as the ledger can be written. */
export function retract(ledger: Pick<Ledger, 'write'>, { after, singly, ended }: Plan): void {
  try {
    ledger.write((tx) => writeAttempt(tx, { after, by: null, singly, ended }));
  } catch (error) {
    // The error before it is the one to tell; at worst the next process goes entry by entry for nothing.
    if (!isLedgerFault(error)) throw error;
  }
}
