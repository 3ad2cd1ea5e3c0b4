/**
 * Screens the present text of an explanation that is there already: another one came, or one that nobody had screened.
 *
 * Written out: it runs for every entry that comes in that changes a text.
 */
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import { recordAction } from '../../ledger/audit/audit.ts';
import { rescreened } from '../../ledger/explanations/explanations.ts';
import { isDecidedOnRecord } from '../../ledger/explanations/history.ts';
import { statement, type LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import type { Screened } from '../../ledger/explanations/screenings.ts';
import type { VendorFields } from '../../ledger/storage/tables.ts';
import { waitingEdit } from '../../ledger/review/waiting-edits.ts';
import type { ScreenEntry } from './screening.ts';

/**
 * Whether nobody has screened what came: another text, or one of v2 that comes as one of v1 now, which no check has
 * seen (D14). The other way round nothing is looked at: a text that a check or a person kept back does not go on show
 * because it is called v2 now.
 */
export function isUnread(fields: Read, known: Read): boolean {
  return fields.summary !== known.summary || (known.analysis_engine === 'v2' && fields.analysis_engine !== 'v2');
}

type Read = Pick<VendorFields, 'summary' | 'analysis_engine'>;

/** `reason` is for the history. The row holds the entry's fields already. */
export function rescreen(
  tx: LedgerTransaction,
  entry: NewEntry,
  { id, decided }: { id: string; decided: boolean },
  { at, reason, screenEntry }: { at: string; reason: string; screenEntry: ScreenEntry },
): void {
  const screened = rescreened(tx, id, at, screenEntry(tx, entry).screened);
  tellVoided(tx, id, at);
  applyMove(tx, {
    id,
    move: 'text-changed',
    actor: { kind: 'SYSTEM' },
    at,
    reason,
    // A person's decision was about another text: a person decides again, whatever the screening says. So it is where
    // the audit log alone knows of the decision.
    screened: {
      ...screened,
      outcome:
        decided || isDecidedOnRecord(tx, id) ? 'PENDING_REVIEW' : outcomeAfter(stoodAt(tx, id), screened.outcome),
    },
  });
}

/**
 * Only a person lets out a text that was held back (D12): another text leaves in review what waits there, and brings
 * there at most what the screening had blocked.
 */
function outcomeAfter(before: ExplanationStatus | undefined, outcome: Screened['outcome']): Screened['outcome'] {
  if (before === 'PENDING_REVIEW') return before;
  return before === 'BLOCKED' && outcome === 'AUTO_PUBLISHED' ? 'PENDING_REVIEW' : outcome;
}

const lastMove = statement<[id: string], { status: ExplanationStatus }>(`
  SELECT
    CASE WHEN move = 'text-changed' AND to_status = 'BLOCKED' AND text_sha256 IS NULL THEN from_status ELSE to_status END AS status
  FROM state_history WHERE explanation_id = +? ORDER BY id DESC LIMIT 1`);

/**
 * Its state by the history; where its raw record was truncated (`truncate.ts`), the state before that.
 */
function stoodAt(tx: LedgerTransaction, id: string): ExplanationStatus | undefined {
  return tx.first(lastMove(id))?.status;
}

/**
 * The first approval of an edited text (four eyes) was given beside another text of the vendor's: it ends, on record.
 */
function tellVoided(tx: LedgerTransaction, id: string, at: string): void {
  const waiting = waitingEdit(tx, id);
  if (waiting === undefined) return;
  recordAction(tx, {
    at,
    actor: { kind: 'SYSTEM' },
    action: 'review.edit-voided',
    targetType: 'explanation',
    targetId: id,
    detail: { characters: waiting.text.length, firstApprovedBy: waiting.first, firstApprovedById: waiting.firstId },
  });
}
