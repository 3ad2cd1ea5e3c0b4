/**
 * The one function that makes a move of an explanation, by the table beside it (D12). Intake, review, stop and every
 * other change of state use it, so that state, history and audit are always written together.
 *
 * The review takes part in moves, and this file does not depend on it: a move notifies its features
 * (`TransitionFeature`). `agent/ledger/transitions.ts` names the features; every caller moves through that file.
 */
import { sql } from 'kysely';
import type { ExplanationStatus, Move } from '../../../shared/wire/console/console.ts';
import { actorName, recordAction, type Actor } from '../audit/audit.ts';
import { loggedAuthors, type Author } from '../audit/authors.ts';
import type { LedgerTransaction } from '../storage/ledger.ts';
import { insertion, prepared, sqlite } from '../storage/query.ts';
import { activePolicyVersion } from '../policy/versions.ts';
import type { StateHistoryTable } from '../storage/tables.ts';
import type { Came } from '../serving/ahead.ts';
import { approvalBy, NO_APPROVAL, type Approval } from '../serving/approval.ts';
import { holdAfterMove } from '../serving/hold.ts';
import { servedOf } from '../serving/served.ts';
import { lastMoveOf, refuseOther, textDigest, textId } from './history-mismatch.ts';
import { positionOfAct, positionOfMove } from './position.ts';
import { provisionAfter } from './standing.ts';
import { screeningBlock } from './screening-blocks.ts';
import { isExposable, MOVE_TABLE, targetOf, type ScreenedOutcome } from './transition-table.ts';

export class UnknownExplanationError extends Error {
  override name = 'UnknownExplanationError';
  constructor(id: string) {
    super(`There is no explanation ${id}.`);
  }
}

/** Acts on a waiting item that do not change its state. */
type ItemAction = 'draft' | 'claim' | 'opinion' | 'postpone' | 'hand-over';

/** The state does not allow the move (409). */
export class MoveNotAllowedError extends Error {
  override name = 'MoveNotAllowedError';
  readonly move: Move | ItemAction;
  readonly status: ExplanationStatus;
  readonly version: number;
  constructor(move: Move | ItemAction, status: ExplanationStatus, version: number) {
    super(`${move} is not possible from ${status}.`);
    this.move = move;
    this.status = status;
    this.version = version;
  }
}

/** The object has moved on since the caller read it (412, or 409 where its state no longer allows the move). */
export class VersionMismatchError extends Error {
  override name = 'VersionMismatchError';
  readonly status: ExplanationStatus;
  readonly version: number;
  constructor(status: ExplanationStatus, version: number) {
    super(`The explanation is at version ${version} now, in state ${status}.`);
    this.status = status;
    this.version = version;
  }
}

/** The findings that a person accepted when they exposed a text (D14): part of the decision. */
export interface Acknowledgement {
  matcherVersion: string;
  /** Ids of the forbidden words that the text holds nevertheless. */
  wordsLetStand: readonly string[];
  /** Figures that no evidence supports (D221), as written; each once. */
  figuresLetStand: readonly string[];
}

export interface MoveRequest {
  id: string;
  move: Exclude<Move, 'receive'>;
  actor: Actor;
  /** ISO instant. */
  at: string;
  reason?: string | null;
  /** The cursor of the entry that causes a move of the program, and when it came. */
  cursor?: number;
  cameAt?: string;
  /** When the text came that `text-changed` lets out; absent: now. */
  came?: Came;
  /** The version that the caller read (`If-Match`); absent: any. */
  expectedVersion?: number;
  /** The text to expose from now on: for `approve-edited` and `correct`. */
  editedSummary?: string;
  comment?: string | null;
  /** The person who asked for a second opinion decides deliberately before it is given. */
  withoutOpinion?: boolean;
  /** The screening of the newly exposed text, for the moves by which a person exposes one. */
  acknowledgement?: Acknowledgement;
  /** Judges the text that the move exposes, by an error: after all that speaks against the move itself (D6). */
  assertText?(): void;
  /** Outcome, policy and record of the screening of the present text: for `text-changed` alone. */
  screened?: { outcome: ScreenedOutcome; policyVersion: number | null; screeningId: number | null };
  /**
   * No text was screened: its raw record was truncated. The history keeps the text that was exposed.
   */
  withoutText?: boolean;
}

export interface Moved {
  from: ExplanationStatus;
  to: ExplanationStatus;
  version: number;
}

/** A feature's additions to the records of a move. */
export interface TransitionNotes {
  /** All authors of the text that the move exposes. */
  authors?: readonly Author[] | undefined;
  /** Fields of the audit row. */
  detail?: Readonly<Record<string, unknown>>;
  /** Writes the rows that follow the move's own row in the audit log. */
  recordFollowing?(): void;
}

/** A move that is about to be made, or has just been made. */
export interface Transition {
  id: string;
  move: Move;
  actor: Actor;
  at: string;
  editedSummary?: string;
  withoutOpinion?: boolean;
}

/** A part of the ledger that takes part in moves, in the transaction of the move. */
export interface TransitionFeature {
  /** Runs before anything is written. May refuse the move by an error. */
  before?(tx: LedgerTransaction, transition: Transition): TransitionNotes | undefined;
  /** Runs after row, history and audit are written; `moveId` is the number of the history's row. */
  after?(
    tx: LedgerTransaction,
    transition: Transition & { to: ExplanationStatus; moveId: number; screeningId?: number | null },
  ): void;
}

/** The objections of all features before a move. */
function notesBefore(
  tx: LedgerTransaction,
  features: readonly TransitionFeature[],
  transition: Transition,
): TransitionNotes[] {
  return features.flatMap((feature) => feature.before?.(tx, transition) ?? []);
}

/** The three ways in which the history grows, with the features that take part in each. */
export interface Transitions {
  applyMove(tx: LedgerTransaction, request: MoveRequest): Moved;
  recordReceived(tx: LedgerTransaction, received: Received): void;
  recordFoundWithdrawn(tx: LedgerTransaction, found: FoundWithdrawn): void;
}

export function transitionsWith(features: readonly TransitionFeature[]): Transitions {
  return {
    applyMove: (tx, request) => applyMove(tx, features, request),
    recordReceived: (tx, received) => recordReceived(tx, features, received),
    recordFoundWithdrawn: (tx, found) => recordFoundWithdrawn(tx, features, found),
  };
}

/**
 * Makes one move, with its history and audit rows, in the caller's transaction.
 *
 * The state is checked before the version: the second of two decisions is refused as decided (409), for any version
 * that it was made against (D13).
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError, HistoryMismatchError, a feature's refusal, and
 * what `assertText` throws
 */
function applyMove(tx: LedgerTransaction, features: readonly TransitionFeature[], request: MoveRequest): Moved {
  const now = tx.first(
    sqlite
      .selectFrom('explanation')
      .select(['status', 'version', 'summary', 'published_summary', 'policy_version', 'held_until', 'published_before'])
      .select(['stated_position', 'ended_position', 'trade_date', 'explanation_as_of'])
      .select(['approval_number', 'valid_until', 'analysis_engine'])
      .where('id', '=', request.id),
  );
  if (now === undefined) throw new UnknownExplanationError(request.id);
  const rule = MOVE_TABLE[request.move];
  const isOpen = rule.only === undefined || screeningBlock(tx, request.id) !== undefined;
  if (!rule.from.includes(now.status) || !isOpen) throw new MoveNotAllowedError(request.move, now.status, now.version);
  if (request.expectedVersion !== undefined && request.expectedVersion !== now.version) {
    throw new VersionMismatchError(now.status, now.version);
  }

  const to = targetOf(rule, now.status, request);
  const endsExposure = isExposable(now.status) && !isExposable(to);
  const last = lastMoveOf(tx, request.id);
  if (rule.human && !endsExposure) refuseOther(tx, request.id, now, last);

  const notes = notesBefore(tx, features, request);
  const screenedUnder = request.screened === undefined ? now.policy_version : request.screened.policyVersion;
  const texts = textsAfter(request, to, now.summary);
  // A hold that nobody has told must not make a text that was exposed one that never was.
  const { held_until } = last ?? now;
  const { exposed, ...hold } = holdAfterMove(tx, { ...request, isLetOut: isExposable(to) }, { ...now, held_until });
  const version = now.version + 1;
  const place = rule.human ? positionOfAct(tx, request.id) : positionOfMove(tx, request.cursor);
  // A change that is applied after a person's act takes nothing off before it, or an earlier text would come back (D60).
  const isAfterAll = request.move !== 'invalidate' && last !== undefined && last.position > place;
  const position = isAfterAll ? last.position : place;
  const approval = approvalBy(tx, request, { ...now, held_until: hold.held_until });
  const { stated_position, ended_position, approval_number, valid_until } = provisionAfter(now, {
    ...hold,
    ...approval,
    position,
    move: request.move,
    to_status: to,
    published_summary: texts.published_summary ?? null,
  });
  request.assertText?.();
  tx.run(
    sqlite
      .updateTable('explanation')
      .set({
        status: to,
        version,
        policy_version: screenedUnder,
        ...(to === now.status ? {} : { status_since: sinceOf(tx, request, hold) }),
        ...(rule.human ? { decided: 1 } : {}),
        published_summary: exposed,
        held_until: hold.held_until,
        published_before: hold.published_before,
        ...texts,
        stated_position,
        ended_position,
        approval_number,
        valid_until,
        ...(request.comment === undefined ? {} : { comment: request.comment }),
      })
      .where('id', '=', request.id),
  );
  recordChange(tx, features, {
    ...request,
    from: now.status,
    to,
    notes,
    position,
    // A person decides under the present policy, also where the text was screened under an earlier one.
    policyVersion: rule.human ? activePolicyVersion(tx) : screenedUnder,
    bundleId: request.came?.bundleId,
    publishedSummary: texts.published_summary ?? (request.withoutText === true ? (exposed ?? undefined) : undefined),
    hold,
    approval,
    ...(request.screened === undefined || request.withoutText === true
      ? {}
      : { text: now.summary, screeningId: request.screened.screeningId }),
  });
  return { from: now.status, to, version };
}

const enteredReview = prepared(
  (id: string) => sql<{ at: string }>`
  SELECT at FROM state_history WHERE explanation_id = ${id} AND to_status = 'PENDING_REVIEW'
    AND from_status IS NOT 'PENDING_REVIEW' AND NOT (move = 'move-to-review' AND during_hold = 1) ORDER BY id DESC LIMIT 1`,
);

/** Whether a move undoes an approval that was still on hold. */
export function isUndo({ move, during_hold }: Pick<StateHistoryTable, 'move' | 'during_hold'>): boolean {
  return move === 'move-to-review' && during_hold === 1;
}

/** The start of the state that a move brings an explanation to. An undo continues the wait before it. */
function sinceOf(
  tx: LedgerTransaction,
  { id, move, at }: MoveRequest,
  { during_hold }: Pick<StateHistoryTable, 'during_hold'>,
): string {
  return isUndo({ move, during_hold }) ? (tx.first(enteredReview(id))?.at ?? at) : at;
}

/** A newly received explanation. */
export interface Received {
  id: string;
  at: string;
  to: ExplanationStatus;
  reason: string | null;
  policyVersion: number | null;
  /** The entry, and the record of its screening, if any. */
  text: string;
  screeningId: number | null;
  /** The text, where it is exposed at once. */
  publishedSummary: string | undefined;
  position: string;
  /** It lies ahead. */
  heldUntil: string | null;
  /** That of the entry with this text. */
  bundleId?: string | undefined;
}

/** The history and audit rows of an explanation that has just come in; its row was inserted by the caller. */
function recordReceived(tx: LedgerTransaction, features: readonly TransitionFeature[], received: Received): void {
  const hold = { held_until: received.heldUntil, during_hold: 0 };
  recordChange(tx, features, { ...received, hold, move: 'receive', actor: { kind: 'SYSTEM' }, from: null });
}

export interface FoundWithdrawn {
  id: string;
  from: ExplanationStatus;
  at: string;
  reason: string;
  policyVersion: number | null;
  /** That of the withdrawing entry; undefined where there is none. */
  cursor: number | undefined;
}

/**
 * Records the withdrawal of an explanation whose row is withdrawn while its history is not: no withdrawn text may
 * return, even where the row was wrong.
 */
function recordFoundWithdrawn(
  tx: LedgerTransaction,
  features: readonly TransitionFeature[],
  found: FoundWithdrawn,
): void {
  const transition = { ...found, move: 'invalidate', actor: { kind: 'SYSTEM' } } as const;
  const notes = notesBefore(tx, features, transition);
  recordChange(tx, features, { ...transition, notes, to: 'INVALIDATED', position: positionOfMove(tx, found.cursor) });
}

/** The texts after the move. A text that was exposed stays on record after its exposure. */
function textsAfter(
  request: MoveRequest,
  to: ExplanationStatus,
  received: string,
): { published_summary?: string; edited_summary?: string | null } {
  switch (request.move) {
    case 'approve':
      return { published_summary: received, edited_summary: null };
    case 'approve-edited':
    case 'correct':
      if (request.editedSummary === undefined) throw new TypeError(`${request.move} needs a text`);
      return { published_summary: request.editedSummary, edited_summary: request.editedSummary };
    case 'text-changed':
      return to === 'AUTO_PUBLISHED' ? { published_summary: received, edited_summary: null } : {};
    case 'reject':
    case 'block':
    case 'move-to-review':
    case 'unblock':
    case 'stop':
    case 'invalidate':
      return {};
  }
}

const insertHistory = insertion<Omit<StateHistoryTable, 'id'>>('state_history', [
  'explanation_id',
  'move',
  'from_status',
  'to_status',
  'actor_id',
  'actor',
  'at',
  'reason',
  'policy_version',
  'published_summary',
  'text_sha256',
  'screening_id',
  'held_until',
  'during_hold',
  'authors',
  'position',
  'approval_number',
  'valid_until',
]);

function recordChange(
  tx: LedgerTransaction,
  features: readonly TransitionFeature[],
  change: {
    id: string;
    move: Move;
    actor: Actor;
    at: string;
    from: ExplanationStatus | null;
    to: ExplanationStatus;
    reason?: string | null;
    policyVersion: number | null;
    /** The newly exposed text, where the move sets one: the audit log must hold the texts that customers saw. */
    publishedSummary?: string | undefined;
    acknowledgement?: Acknowledgement;
    /** The vendor's text that was screened, or accepted as v2, and its record. */
    text?: string;
    screeningId?: number | null;
    /** The hold of an approved text after the move; absent without one before and after. */
    hold?: Pick<StateHistoryTable, 'held_until' | 'during_hold'>;
    position: string;
    bundleId?: string | undefined;
    /** Absent where no person lets a text out. */
    approval?: Approval;
    notes?: readonly TransitionNotes[];
  },
): void {
  const heldUntil = change.hold?.held_until ?? null;
  const { notes = [], approval = NO_APPROVAL } = change;
  const authors = notes.find((note) => note.authors !== undefined)?.authors;
  const digest = change.text === undefined ? null : textDigest(change.text);
  const moveId = tx.insert(
    insertHistory({
      explanation_id: change.id,
      move: change.move,
      from_status: change.from,
      to_status: change.to,
      actor_id: change.actor.kind === 'MEMBER' ? change.actor.id : null,
      actor: actorName(change.actor),
      at: change.at,
      reason: change.reason ?? null,
      policy_version: change.policyVersion,
      published_summary: change.publishedSummary ?? null,
      text_sha256: digest,
      screening_id: change.screeningId ?? null,
      held_until: heldUntil,
      during_hold: change.hold?.during_hold ?? 0,
      authors: authors === undefined ? null : JSON.stringify(authors),
      position: change.position,
      ...approval,
    }),
  );
  recordAction(tx, {
    at: change.at,
    actor: change.actor,
    action: `explanation.${change.move}`,
    targetType: 'explanation',
    targetId: change.id,
    detail: {
      from: change.from,
      to: change.to,
      reason: change.reason ?? null,
      policyVersion: change.policyVersion,
      ...(change.publishedSummary === undefined ? {} : { published_summary: change.publishedSummary }),
      ...change.acknowledgement,
      ...(heldUntil === null ? {} : { heldUntil }),
      ...(change.hold?.during_hold === 1 ? { duringHold: true } : {}),
      position: change.position,
      ...(change.bundleId === undefined ? {} : { bundleId: change.bundleId }),
      ...(digest === null ? {} : { textId: textId(digest) }),
      ...(approval.approval_number === null ? {} : { approvalNumber: approval.approval_number }),
      ...(approval.valid_until === null ? {} : { validUntil: approval.valid_until }),
      // How often each channel had been served it by then; later counts may include a new exposure.
      ...(change.move === 'stop' ? { served: servedOf(tx, change.id) } : {}),
      ...(authors === undefined ? {} : loggedAuthors(authors)),
      ...Object.fromEntries(notes.flatMap(({ detail = {} }) => Object.entries(detail))),
    },
  });
  for (const note of notes) note.recordFollowing?.();
  for (const feature of features) feature.after?.(tx, { ...change, moveId });
}
