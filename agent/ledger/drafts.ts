/** What a reviewer is still writing about an item that waits (D17). Nobody outside the review ever sees it. */
import { recordAction, type Actor } from './audit.ts';
import { sqlite, type LedgerTransaction } from './ledger.ts';
import { MoveNotAllowedError, UnknownExplanationError, VersionMismatchError } from './moves.ts';

export interface Draft {
  id: string;
  actor: Actor;
  at: string;
  /** Null takes the draft away. */
  text: string | null;
  /** Undefined leaves the comment as it is. */
  comment?: string | null;
  expectedVersion?: number;
}

/**
 * Keeps a draft beside its item. The same again changes nothing and leaves no trace.
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError
 */
export function saveDraft(tx: LedgerTransaction, draft: Draft): void {
  const now = tx.first(
    sqlite
      .selectFrom('explanation')
      .select(['status', 'version', 'edited_summary', 'comment'])
      .where('id', '=', draft.id),
  );
  if (now === undefined) throw new UnknownExplanationError(draft.id);
  if (now.status !== 'PENDING_REVIEW') throw new MoveNotAllowedError('draft', now.status, now.version);
  if (draft.expectedVersion !== undefined && draft.expectedVersion !== now.version) {
    throw new VersionMismatchError(now.status, now.version);
  }
  const comment = draft.comment === undefined ? now.comment : draft.comment;
  if (draft.text === now.edited_summary && comment === now.comment) return;
  tx.run(
    sqlite
      .updateTable('explanation')
      .set({ edited_summary: draft.text, comment, version: now.version + 1 })
      .where('id', '=', draft.id),
  );
  recordAction(tx, {
    at: draft.at,
    actor: draft.actor,
    action: 'review.draft',
    targetType: 'explanation',
    targetId: draft.id,
    detail: { characters: draft.text?.length ?? null },
  });
}
