/** What a reviewer is still writing about an item that waits (D17). Nobody outside the review ever sees it. */
import { recordAction, type Actor } from './audit.ts';
import { sqlite, statement, type LedgerTransaction } from './ledger.ts';
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

/** In the journal too, from which the row can be made again (`journal.ts`). */
const keepDraft = statement<[{ id: string; edited_summary: string | null; comment: string | null; version: number }]>(`
  INSERT OR REPLACE INTO review_draft (explanation_id, after_move, edited_summary, comment, version)
  SELECT @id, max(id), @edited_summary, @comment, @version FROM state_history WHERE explanation_id = @id`);

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
  const written = { edited_summary: draft.text, comment, version: now.version + 1 };
  tx.run(sqlite.updateTable('explanation').set(written).where('id', '=', draft.id));
  tx.run(keepDraft({ id: draft.id, ...written }));
  recordAction(tx, {
    at: draft.at,
    actor: draft.actor,
    action: 'review.draft',
    targetType: 'explanation',
    targetId: draft.id,
    detail: { characters: draft.text?.length ?? null },
  });
}
