/**
 * After a restore no approval number is given a second time (D211). The series go on after those of the ledger that is
 * replaced, where that one goes on from the backup. Without it a whole decision journal has brought every number back; without
 * either the numbers are closed until a person has said where they go on.
 */
import { commandActor, goesOnFrom } from '../../ledger/audit/audit.ts';
import { closeNumbers, goOnAfter, seriesIn } from '../../ledger/serving/approval.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import type { Position } from './backup.ts';

export type KnownNumbers = ReturnType<typeof seriesIn>;

/** Null: no ledger is there that tells all numbers, or it is damaged where they are. */
export function numbersSince({ actions, actionsHash }: Position, present: Ledger | null): KnownNumbers | null {
  try {
    const isLater = present !== null && goesOnFrom(present, { seq: actions, hash: actionsHash });
    return isLater ? seriesIn(present) : null;
  } catch {
    return null;
  }
}

/**
 * @param known those of the ledger that is replaced
 * @param isWhole whether a journal has brought every later decision back
 * @returns whether no number is given for the time being
 */
export function settleNumbers(
  ledger: Ledger,
  { known, isWhole, now }: { known: KnownNumbers | null; isWhole: boolean; now: Date },
): boolean {
  return ledger.write((tx) => {
    if (known !== null) goOnAfter(tx, known.series);
    const isKnown = known === null ? isWhole : known.closedAt === null;
    return isKnown ? seriesIn(tx).closedAt !== null : closeNumbers(tx, commandActor(), now.toISOString());
  });
}
