/** Screens the present text of a known explanation: the vendor has changed it, or no screening of it is on record. */
import { sql } from 'kysely';
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import type { Came } from '../../ledger/serving/ahead.ts';
import { recordAction } from '../../ledger/audit/audit.ts';
import { rescreened, type KnownExplanation } from '../../ledger/explanations/explanations.ts';
import { isDecidedOnRecord } from '../../ledger/explanations/history.ts';
import type { LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { prepared } from '../../ledger/storage/query.ts';
import { applyMove } from '../../ledger/transitions.ts';
import type { Screened } from '../../ledger/explanations/screenings.ts';
import { waitingEdit } from '../../ledger/review/waiting-edits.ts';
import type { VendorFields } from '../../ledger/storage/vendor-fields.ts';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import type { ScreenEntry } from './screening.ts';

/**
 * Whether the new text is unscreened: another text, or the text of a v2 analysis, which no check has seen (D14), now
 * sent as v1. The opposite change, from v1 to v2, never exposes a text that a check or a person held back.
 */
export function isUnread(fields: Read, known: Read): boolean {
  return fields.summary !== known.summary || (known.analysis_engine === 'v2' && fields.analysis_engine !== 'v2');
}

type Read = Pick<VendorFields, 'summary' | 'analysis_engine'>;

export const SENT_AGAIN = '격리된 기록을 공급사가 다시 보내어 다시 심사하였습니다. (sent again by the vendor)';

const TEXT_CHANGED = '공급사가 본문을 변경하여 다시 심사하였습니다. (text changed by the vendor)';
const TEXT_CHANGED_AFTER_DECISION =
  '결정 이후 공급사가 본문을 변경하여 재심사로 보냅니다. (text changed by the vendor after a decision)';

/** The history's sentence about a text that the vendor has changed. */
export function changed({ decided }: KnownExplanation): { reason: string } {
  return { reason: decided ? TEXT_CHANGED_AFTER_DECISION : TEXT_CHANGED };
}

interface Rescreening {
  at: string;
  came: Came;
  cursor?: number;
  reason: string;
  screenEntry: ScreenEntry;
}

/**
 * `reason` is for the history. The row holds the entry's fields already.
 *
 * @param cursor of the entry that brings the text now; absent: no entry does
 * @param came the reception of the entry
 */
export function rescreen(
  tx: LedgerTransaction,
  entry: NewEntry,
  { id, decided }: { id: string; decided: boolean },
  { at, came, cursor, reason, screenEntry }: Rescreening,
): void {
  const screened = rescreened(tx, id, at, screenEntry(tx, entry).screened);
  tellVoided(tx, id, at);
  applyMove(tx, {
    id,
    move: 'text-changed',
    actor: { kind: 'SYSTEM' },
    at,
    came,
    ...(cursor === undefined ? {} : { cursor, cameAt: came.at }),
    reason,
    // A person decided about another text, so a person decides again regardless of the screening. The same holds where
    // only the audit log records the decision.
    screened: {
      ...screened,
      outcome:
        decided || isDecidedOnRecord(tx, id) ? 'PENDING_REVIEW' : outcomeAfter(stoodAt(tx, id), screened.outcome),
    },
  });
}

/**
 * Only a person exposes a text that was held back (D12): with another text an explanation in review stays there, and
 * one that the screening had blocked reaches review at most.
 */
function outcomeAfter(before: ExplanationStatus | undefined, outcome: Screened['outcome']): Screened['outcome'] {
  if (before === 'PENDING_REVIEW') return before;
  return before === 'BLOCKED' && outcome === 'AUTO_PUBLISHED' ? 'PENDING_REVIEW' : outcome;
}

const lastMove = prepared(
  (id: string) => sql<{ status: ExplanationStatus }>`
  SELECT
    CASE WHEN move = 'text-changed' AND to_status = 'BLOCKED' AND text_sha256 IS NULL THEN from_status ELSE to_status END AS status
  FROM state_history WHERE explanation_id = +${id} ORDER BY id DESC LIMIT 1`,
);

/**
 * Its state by the history; where its raw record was truncated (`truncate.ts`), the state before that.
 */
function stoodAt(tx: LedgerTransaction, id: string): ExplanationStatus | undefined {
  return tx.first(lastMove(id))?.status;
}

/** The first approval of an edited text (four eyes) was given beside another vendor text: it ends, on record. */
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
