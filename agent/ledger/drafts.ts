/** What a reviewer is still writing about an item that waits (D17). Nobody outside the review ever sees it. */
import { recordAction, type Actor } from './audit.ts';
import { sqlite, statement, type LedgerReader, type LedgerTransaction } from './ledger.ts';
import { MoveNotAllowedError, UnknownExplanationError, VersionMismatchError, type LookedAt } from './moves.ts';
import { dropWaitingEdit, keepWaitingEdit, waitingEdit } from './waiting-edits.ts';

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
 * Keeps a draft beside its item. The same again changes nothing and leaves no trace. Another text than the one
 * that waits for a second person takes the first approval away.
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError
 */
export function saveDraft(tx: LedgerTransaction, draft: Draft): void {
  const now = writable(tx, draft, 'draft');
  const comment = draft.comment === undefined ? now.comment : draft.comment;
  if (draft.text === now.edited_summary && comment === now.comment) return;
  write(tx, draft.id, { edited_summary: draft.text, comment, version: now.version + 1 });
  const waiting = waitingEdit(tx, draft.id);
  const voids = waiting !== undefined && waiting.text !== draft.text;
  if (voids) dropWaitingEdit(tx, draft.id);
  recordAction(tx, {
    at: draft.at,
    actor: draft.actor,
    action: voids ? 'review.edit-voided' : 'review.draft',
    targetType: 'explanation',
    targetId: draft.id,
    detail: { characters: draft.text?.length ?? null, ...(voids ? { editedBy: waiting.author } : {}) },
  });
}

const commentOf = statement<[id: string], { comment: string | null }>(`
  SELECT comment FROM review_draft WHERE explanation_id = +? AND NOT EXISTS (
    SELECT 1 FROM state_history
    WHERE state_history.explanation_id = review_draft.explanation_id
      AND state_history.id > review_draft.after_move AND state_history.move <> 'text-changed')`);

/** The comment that was saved with a draft and belongs to no decision yet. */
export function savedComment(reader: LedgerReader, id: string): string | null {
  return reader.first(commentOf(id))?.comment ?? null;
}

/** An edited text that a person approves where the policy wants a second one to approve it as well. */
export interface FirstApproval {
  id: string;
  actor: Extract<Actor, { kind: 'MEMBER' }>;
  at: string;
  text: string;
  comment: string | null;
  expectedVersion?: number;
  looked: LookedAt;
}

/**
 * Lets an edited text wait for the second person. It is no move (D12): the item stays in review, with a new version.
 * A text that waits already is replaced, and with it the approval that it had.
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError
 */
export function letEditWait(tx: LedgerTransaction, approval: FirstApproval): void {
  const { id, actor, at, text, comment, looked } = approval;
  const now = writable(tx, approval, 'approve-edited');
  write(tx, id, { edited_summary: text, comment, version: now.version + 1 });
  keepWaitingEdit(tx, { explanation_id: id, text, author_id: actor.id, author: actor.displayName, at });
  const detail = { edited_summary: text, reason: comment, ...looked };
  recordAction(tx, { at, actor, action: 'review.edit-waits', targetType: 'explanation', targetId: id, detail });
}

/** The item as it is, where something may be written about it now. */
function writable(
  tx: LedgerTransaction,
  { id, expectedVersion }: { id: string; expectedVersion?: number },
  by: 'draft' | 'approve-edited',
) {
  const now = tx.first(
    sqlite.selectFrom('explanation').select(['status', 'version', 'edited_summary', 'comment']).where('id', '=', id),
  );
  if (now === undefined) throw new UnknownExplanationError(id);
  if (now.status !== 'PENDING_REVIEW') throw new MoveNotAllowedError(by, now.status, now.version);
  if (expectedVersion !== undefined && expectedVersion !== now.version) {
    throw new VersionMismatchError(now.status, now.version);
  }
  return now;
}

function write(
  tx: LedgerTransaction,
  id: string,
  written: { edited_summary: string | null; comment: string | null; version: number },
): void {
  tx.run(sqlite.updateTable('explanation').set(written).where('id', '=', id));
  tx.run(keepDraft({ id, ...written }));
}
