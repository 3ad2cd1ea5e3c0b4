/**
 * The entries that the Intake is about to apply, so that after a crash the next process knows the place
 * (`../../intake/apply/attempts.ts`).
 *
 * Written out: it runs before every batch that is applied.
 */
import { statement, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';

export interface Attempt {
  /** The applied cursor when it was begun. */
  after: number;
  /** The process that began it; null: the last entry is applied, and no further one has begun. */
  by: string | null;
  /** The number of entries still to be applied one by one; 0: a whole batch. */
  singly: number;
  /** The number of processes that crashed at the entry after `after` while it was applied alone. */
  ended: number;
}

const attemptNow = statement<[], { [Key in keyof Attempt]: Attempt[Key] | null }>(`
  SELECT attempt_after AS after, attempt_by AS by, attempt_singly AS singly, attempt_ended AS ended
  FROM sync_state WHERE id = 1`);

export function readAttempt(reader: LedgerReader): Attempt | null {
  const { after = null, by = null, singly, ended } = reader.first(attemptNow()) ?? {};
  return after === null ? null : { after, by, singly: singly ?? 0, ended: ended ?? 0 };
}

const setAttempt = statement<[attempt: { [Key in keyof Attempt]: Attempt[Key] | null }]>(`
  UPDATE sync_state SET attempt_after = @after, attempt_by = @by, attempt_singly = @singly, attempt_ended = @ended
  WHERE id = 1`);

export function writeAttempt(tx: LedgerTransaction, attempt: Attempt | null): void {
  tx.run(setAttempt(attempt ?? { after: null, by: null, singly: 0, ended: 0 }));
}
