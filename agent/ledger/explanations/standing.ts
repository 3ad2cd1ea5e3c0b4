/**
 * Derives from the history alone what is exposed after each move (D36); the row of `explanation` holds the same
 * values. `history.ts` derives the fields of the review.
 */
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { NO_APPROVAL, type Approval } from '../serving/approval.ts';
import type { StateHistoryTable } from '../storage/tables.ts';
import { isHuman, isExposable } from './transition-table.ts';

/** The columns of a move that decide what is exposed after it. */
export type ProvisionMove = Pick<
  StateHistoryTable,
  'move' | 'to_status' | 'published_summary' | 'held_until' | 'during_hold' | 'position' | keyof Approval
>;

/** The columns of `explanation` by these names. */
export interface Provision extends Approval {
  status: ExplanationStatus;
  published_summary: string | null;
  held_until: string | null;
  published_before: string | null;
  stated_position: string;
  ended_position: string | null;
}

/** @param firstText the received text, for a history that does not hold it */
export function provisionAtFirst(first: ProvisionMove, firstText: string | null): Provision {
  return {
    status: first.to_status,
    published_summary: isExposable(first.to_status) ? (first.published_summary ?? firstText) : null,
    held_until: isHuman(first.move) ? null : first.held_until,
    published_before: null,
    stated_position: first.position,
    ended_position: null,
    ...NO_APPROVAL,
  };
}

export function provisionAfter(before: Provision, move: ProvisionMove): Provision {
  // A text whose approval was undone during its hold has not been exposed.
  const exposed = move.during_hold === 1 ? before.published_before : before.published_summary;
  return {
    status: move.to_status,
    published_summary: move.published_summary ?? exposed,
    held_until: move.held_until,
    published_before: move.held_until === null ? null : exposed,
    stated_position:
      isExposable(move.to_status) && !isExposable(before.status) ? move.position : before.stated_position,
    ended_position: endedAfter(before, move),
    ...approvalAfter(before, move),
  };
}

/** An approval ends with the provision of its text: the next one has a number of its own. */
function approvalAfter(before: Approval, move: ProvisionMove): Approval {
  if (!isExposable(move.to_status)) return NO_APPROVAL;
  const { approval_number, valid_until } = move.published_summary === null ? before : move;
  return { approval_number, valid_until };
}

/**
 * Where it was taken off. A further reason to keep it off counts where it stands earlier in the order, whichever came
 * first: a text that came after either of them is a new statement.
 */
function endedAfter({ status, ended_position: ended }: Provision, move: ProvisionMove): string | null {
  const isTakenOff = isExposable(status) && move.during_hold === 0;
  // The vendor has dated an exposed text ahead.
  if (isExposable(move.to_status)) return isTakenOff && move.held_until !== null ? move.position : ended;
  if (isTakenOff) return move.position;
  return ended === null || ended < move.position ? ended : move.position;
}

/**
 * The moves after the first. Where the record of the reception is lost, the first move may be a decision and counts as
 * one.
 */
export function movesAfterFirst<M extends ProvisionMove>(moves: readonly M[]): readonly M[] {
  const [first] = moves;
  return first !== undefined && isHuman(first.move) ? moves : moves.slice(1);
}

/** Undefined: there is no move. */
export function provisionOf(moves: readonly ProvisionMove[]): Provision | undefined {
  const [first] = moves;
  if (first === undefined) return undefined;
  return movesAfterFirst(moves).reduce(provisionAfter, provisionAtFirst(first, null));
}
