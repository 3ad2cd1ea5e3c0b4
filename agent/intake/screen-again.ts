/** Screens the present text of an explanation that is there already: another one came, or one that nobody had screened. */
import type { NewEntry } from '../../shared/wire/bundle.ts';
import { rescreened } from '../ledger/explanations.ts';
import { isDecidedOnRecord } from '../ledger/journal.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { applyMove } from '../ledger/moves.ts';
import type { VendorFields } from '../ledger/tables.ts';
import type { ScreenEntry } from './screening.ts';

/**
 * Whether nobody has screened what came: another text, or one of v2 that comes as one of v1 now, which no check has seen
 * (D14). The other way round nothing is looked at: a text that a check or a person kept back does not go on show because
 * it is called v2 now.
 */
export function isUnread(fields: Read, known: Read): boolean {
  return fields.summary !== known.summary || (known.analysis_engine === 'v2' && fields.analysis_engine !== 'v2');
}

type Read = Pick<VendorFields, 'summary' | 'analysis_engine'>;

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
