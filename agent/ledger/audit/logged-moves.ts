/**
 * The moves of an explanation as the state history and as the audit log tell them. Both are written together, so a
 * difference means that one of them was changed past the program (D156).
 */
import { isDeepStrictEqual } from 'node:util';
import type { ConsoleActionLogTable, StateHistoryTable } from '../storage/tables.ts';
import { loggedAuthors, type Author } from './authors.ts';

type Row = Pick<ConsoleActionLogTable, 'action' | 'at' | 'actor' | 'actor_id'>;

/** What a row says of its move. */
export const moveOfRow = ({ action, at, actor, actor_id: actorId }: Row, detail: Record<string, unknown>) => ({
  ...{ action, at, actor, actorId },
  from: detail['from'] ?? null,
  to: detail['to'] ?? null,
  reason: detail['reason'] ?? null,
  policyVersion: detail['policyVersion'] ?? null,
  text: detail['published_summary'] ?? null,
  heldUntil: detail['heldUntil'] ?? null,
  duringHold: detail['duringHold'] === true,
  position: detail['position'] ?? null,
  approvalNumber: detail['approvalNumber'] ?? null,
  validUntil: detail['validUntil'] ?? null,
  authors: detail['authors'] ?? [],
  authorIds: detail['authorIds'] ?? [],
});

type Decides = 'published_summary' | 'held_until' | 'during_hold' | 'position' | 'approval_number' | 'valid_until';
type Move = Pick<StateHistoryTable, 'move' | 'at' | 'actor' | 'to_status' | 'reason' | 'policy_version' | Decides>;

/** The same of a move that decides about what is exposed, but for who made it and from which state. */
export const fieldsOfMove = (move: Move) => ({
  action: `explanation.${move.move}`,
  at: move.at,
  actor: move.actor,
  to: move.to_status,
  reason: move.reason,
  policyVersion: move.policy_version,
  text: move.published_summary,
  heldUntil: move.held_until,
  duringHold: move.during_hold === 1,
  position: move.position,
  approvalNumber: move.approval_number,
  validUntil: move.valid_until,
});

export type WholeMove = Move & Pick<StateHistoryTable, 'actor_id' | 'from_status'>;

/** The same of a whole row of the history. */
export const moveOfHistory = (move: WholeMove, authors: readonly Author[]) => ({
  ...fieldsOfMove(move),
  actorId: move.actor_id,
  from: move.from_status,
  ...loggedAuthors(authors),
});

/**
 * What does not fit between the moves of an explanation and their rows, both whole and in their order, as a clause; null
 * where all does.
 */
export function moveFault(
  id: string,
  history: readonly (WholeMove & { authors: readonly Author[] })[],
  rows: readonly ConsoleActionLogTable[],
): string | null {
  for (let index = 0; index < Math.max(history.length, rows.length); index += 1) {
    const fault = pairFault(id, history[index], rows[index]);
    if (fault !== null) return fault;
  }
  return null;
}

/** The same of one move and its row, where either may be missing. */
export function pairFault(
  id: string,
  move: (WholeMove & { authors: readonly Author[] }) | undefined,
  row: (Row & Pick<ConsoleActionLogTable, 'seq' | 'detail'>) | undefined,
): string | null {
  if (move === undefined)
    return row === undefined ? null : `the history of ${id} lacks the move of row ${row.seq} of the audit log`;
  if (row === undefined) return `the audit log has no row of the ${move.move} of ${id} at ${move.at}`;
  const detail = objectIn(row.detail);
  return detail !== null && isDeepStrictEqual(moveOfRow(row, detail), moveOfHistory(move, move.authors))
    ? null
    : `row ${row.seq} of the audit log does not say what the history says of the ${move.move} of ${id} at ${move.at}`;
}

type Step = Pick<ConsoleActionLogTable, 'seq' | 'action' | 'actor_role' | 'detail'>;

/**
 * Where the rows of an explanation's moves do not continue each other, as a clause: each begins in the state in which the
 * one before it has ended. A restore makes only people's moves again (D139), and what did not fit before a rebuild is on
 * record (D199).
 */
export function gapFault(
  id: string,
  rows: readonly Step[],
  isMadeAgain: (row: number) => boolean = () => false,
): string | null {
  let state: unknown = null;
  const onRecord = rows.findLast(({ action }) => action === 'ledger.rebuild')?.seq ?? 0;
  for (const { seq, action, actor_role, detail } of rows.filter((row) => row.action.startsWith('explanation.'))) {
    const { from, to } = objectIn(detail) ?? {};
    const mayLack = seq < onRecord || (actor_role !== 'SYSTEM' && isMadeAgain(seq));
    const isLost = state === null && action === 'explanation.invalidate';
    if ((from ?? null) !== state && !mayLack && !isLost)
      return `a row of the audit log is missing before row ${seq}: a move of ${id}`;
    state = to;
  }
  return null;
}

/** Whether some of these rows tell of a restore or a rebuild. */
export const isMended = (rows: readonly Pick<ConsoleActionLogTable, 'action'>[]): boolean =>
  rows.some(({ action }) => /^ledger\.(?:restore|rebuild)$/.test(action));

/** Null: the text is no JSON of an object. */
export function objectIn(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
