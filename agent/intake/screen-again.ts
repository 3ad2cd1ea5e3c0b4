/** Screens the present text of an explanation that is there already: another one came, or one that nobody had screened. */
import type { NewEntry } from '../../shared/wire/bundle.ts';
import { rescreened } from '../ledger/explanations.ts';
import { isDecidedOnRecord } from '../ledger/journal.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { applyMove } from '../ledger/moves.ts';
import type { ScreenEntry } from './screening.ts';

/** `reason` is for the history. The row holds the entry's fields already. */
export function screenAgain(
  tx: LedgerTransaction,
  entry: NewEntry,
  { id, decided }: { id: string; decided: boolean },
  { at, reason, screenEntry }: { at: string; reason: string; screenEntry: ScreenEntry },
): void {
  const screened = rescreened(tx, id, at, screenEntry(tx, entry).screened);
  applyMove(tx, {
    id,
    move: 'text-changed',
    actor: { kind: 'SYSTEM' },
    at,
    reason,
    // What a person decided was about another text: a person decides again, whatever the screening says. So it is where
    // the audit log alone knows of the decision.
    screened: decided || isDecidedOnRecord(tx, id) ? { ...screened, outcome: 'PENDING_REVIEW' } : screened,
  });
}
