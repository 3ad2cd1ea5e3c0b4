/**
 * The moves of an explanation as the state history and as the audit log tell them. Both are written together, so a
 * difference means that one of them was changed past the program (D156).
 */
import { isDeepStrictEqual } from 'node:util';
import type { LedgerReader } from '../storage/ledger.ts';
import type { ConsoleActionLogTable, StateHistoryTable } from '../storage/tables.ts';
import { authorsTold, type Author } from './authors.ts';
import { isMove, rowsOfExplanation } from './rows-about.ts';

type Row = Pick<ConsoleActionLogTable, 'action' | 'at' | 'actor' | 'actor_id'>;

/** What a row says of its move. */
export const toldByRow = ({ action, at, actor, actor_id: actorId }: Row, detail: Record<string, unknown>) => ({
  ...{ action, at, actor, actorId },
  from: detail['from'] ?? null,
  to: detail['to'] ?? null,
  reason: detail['reason'] ?? null,
  policyVersion: detail['policyVersion'] ?? null,
  text: detail['published_summary'] ?? null,
  heldUntil: detail['heldUntil'] ?? null,
  duringHold: detail['duringHold'] === true,
  liftedTo: detail['liftedTo'] ?? null,
  lift: detail['lift'] ?? null,
  authors: detail['authors'] ?? [],
  authorIds: detail['authorIds'] ?? [],
});

type Decides = 'published_summary' | 'held_until' | 'during_hold' | 'lifted_to' | 'lift';
type Move = Pick<StateHistoryTable, 'move' | 'at' | 'actor' | 'to_status' | 'reason' | 'policy_version' | Decides>;

/** The same of a move that decides about what is shown, but for who made it and from which state. */
export const toldByMove = (move: Move) => ({
  action: `explanation.${move.move}`,
  at: move.at,
  actor: move.actor,
  to: move.to_status,
  reason: move.reason,
  policyVersion: move.policy_version,
  text: move.published_summary,
  heldUntil: move.held_until,
  duringHold: move.during_hold === 1,
  liftedTo: move.lifted_to,
  lift: move.lift,
});

export type WholeMove = Move & Pick<StateHistoryTable, 'actor_id' | 'from_status'>;

/** The same of a whole row of the history. */
export const toldByHistory = (move: WholeMove, authors: readonly Author[]) => ({
  ...toldByMove(move),
  actorId: move.actor_id,
  from: move.from_status,
  ...authorsTold(authors),
});

/** Whether the audit log has a row for each of these moves, which are all of the explanation, and no further one. */
export function areOnRecord(
  reader: LedgerReader,
  id: string,
  history: readonly (WholeMove & { authors: readonly Author[] })[],
): boolean {
  const rows = rowsOfExplanation(reader, id, history).filter(isMove);
  return (
    rows.length === history.length &&
    history.every((move, index) => {
      const row = rows[index];
      const detail = row === undefined ? null : objectIn(row.detail);
      return (
        row !== undefined &&
        detail !== null &&
        isDeepStrictEqual(toldByRow(row, detail), toldByHistory(move, move.authors))
      );
    })
  );
}

/** Null: the text is no JSON of an object. */
export function objectIn(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
