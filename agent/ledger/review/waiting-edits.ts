/**
 * Four eyes, where the policy requires them: an edited text that one person has approved waits here until a second one
 * approves the very same text. The second person has written no part of it (`authors.ts`). Another text, and any move,
 * ends the wait. It also ends when the first approver is no longer an active Compliance Reviewer: the next approval is
 * the first then.
 */
import { sql } from 'kysely';
import type { Move } from '../../../shared/wire/console/console.ts';
import type { Actor } from '../audit/audit.ts';
import { authorOf, readAuthors, type Author } from '../audit/authors.ts';
import { authorsOf } from './authors.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import {
  asksSecondPerson,
  isActiveReviewer,
  needsSecondPerson,
  SecondPersonNeededError,
} from '../policy/second-person.ts';
import { recordSameRegistrar } from '../accounts/same-registrar.ts';
import { HistoryMismatchError } from '../explanations/history-mismatch.ts';
import type { Transition, TransitionFeature } from '../explanations/transitions.ts';
import type { WaitingEditTable } from '../storage/review-tables.ts';

export interface WaitingEdit {
  text: string;
  /** The id of the first approver. */
  firstId: string;
  first: string;
  at: string;
  comment: string | null;
  /** All authors of a part of it. */
  authors: Author[];
}

const rowsOf = (reader: LedgerReader, ids: readonly string[]): WaitingEditTable[] =>
  reader.all(sqlite.selectFrom('waiting_edit').selectAll().where('explanation_id', 'in', ids));

/** The edits that wait, by explanation. */
function waitingEdits(reader: LedgerReader, ids: readonly string[]): ReadonlyMap<string, WaitingEdit> {
  const rows = rowsOf(reader, ids);
  return new Map(
    rows.map(({ explanation_id, author_id, author, authors, ...row }) => [
      explanation_id,
      {
        firstId: author_id,
        first: author,
        authors: readAuthors(authors),
        text: row.text,
        at: row.at,
        comment: row.comment,
      },
    ]),
  );
}

/**
 * The edits that validly wait for a second person: while the policy requires two, and the first approver may decide.
 */
export function editsForSecond(reader: LedgerReader, ids: readonly string[]): ReadonlyMap<string, WaitingEdit> {
  if (!needsSecondPerson(reader)) return new Map();
  return new Map([...waitingEdits(reader, ids)].filter(([, { firstId }]) => isActiveReviewer(reader, firstId)));
}

export function waitingEdit(reader: LedgerReader, id: string): WaitingEdit | undefined {
  return waitingEdits(reader, [id]).get(id);
}

/** Replaces one that waits already. */
export function keepWaitingEdit(tx: LedgerTransaction, row: WaitingEditTable): void {
  dropWaitingEdit(tx, row.explanation_id);
  tx.run(sqlite.insertInto('waiting_edit').values(row));
}

const dropEdit = prepared((id: string) => sqlite.deleteFrom('waiting_edit').where('explanation_id', '=', id));

export function dropWaitingEdit(tx: LedgerTransaction, id: string): void {
  tx.run(dropEdit(id));
}

type LoggedEdit = Omit<WaitingEditTable, 'authors'> & { names: string | null; ids: string | null };

const loggedEdits = ({ which = sql``, mayHaveMoved = sql`` } = {}) => sql<LoggedEdit>`
  SELECT said.target_id AS explanation_id, said.detail ->> '$.edited_summary' AS text,
    said.actor_id AS author_id, said.actor AS author, said.at, said.detail ->> '$.reason' AS comment,
    said.detail -> '$.authors' AS names, said.detail -> '$.authorIds' AS ids
  FROM console_action_log AS said JOIN explanation ON explanation.id = said.target_id
  WHERE ${which} said.action = 'review.edit-waits' AND said.actor_role IS NOT 'SYSTEM' AND json_valid(said.detail)
    AND explanation.status = 'PENDING_REVIEW'
    AND NOT EXISTS (SELECT 1 FROM console_action_log AS later
      WHERE later.target_id = said.target_id AND later.actor_role IS NOT 'SYSTEM' AND later.seq > said.seq
        AND (later.action IN ('review.edit-waits', 'review.edit-voided') OR later.action GLOB 'explanation.*'))
    AND NOT (${mayHaveMoved} EXISTS (SELECT 1 FROM console_action_log AS later
      WHERE later.seq > said.seq AND later.target_id = said.target_id AND later.action GLOB 'explanation.*'))`;
const allLoggedEdits = prepared(() => loggedEdits());
/** The history is asked first: a move of the program is found only among all that came after the edit. */
const loggedEditOf = prepared((id: string) =>
  loggedEdits({
    which: sql`said.target_id = ${id} AND`,
    mayHaveMoved: sql`EXISTS (SELECT 1 FROM state_history WHERE explanation_id = said.target_id AND at >= said.at) AND`,
  }),
);

/** The waiting edits by the audit log: of items that no move has changed since. */
export const loggedWaitingEdits = (reader: LedgerReader): WaitingEditTable[] =>
  reader.all(allLoggedEdits()).map(toWaitingEdit);

function toWaitingEdit({ names, ids, ...edit }: LoggedEdit): WaitingEditTable {
  const said = JSON.parse(names ?? '[]') as string[];
  const authors: Author[] = (JSON.parse(ids ?? '[]') as string[]).map((id, index) => ({ id, name: said[index] ?? id }));
  return { ...edit, authors: JSON.stringify(authors) };
}

/** Whether an edit waits as the audit log says. */
export const isAsLogged = (said: WaitingEditTable | undefined, row: WaitingEditTable | undefined): boolean =>
  (['text', 'author_id', 'comment', 'authors'] as const).every((name) => said?.[name] === row?.[name]);

/** Whether a person has no part in an edit so far: neither approved nor wrote any of it. */
export function isSecondPerson({ firstId, authors }: WaitingEdit, memberId: string): boolean {
  return firstId !== memberId && !authors.some(({ id }) => id === memberId);
}

/**
 * The edit that waits with this very text, where its first approval counts.
 *
 * @throws HistoryMismatchError where no row of the audit log tells of that approval
 */
function approvedBefore(reader: LedgerReader, id: string, text: string | undefined): WaitingEdit | undefined {
  const waiting = waitingEdit(reader, id);
  if (waiting?.text !== text || !isActiveReviewer(reader, waiting?.firstId ?? '')) return undefined;
  const [said] = reader.all(loggedEditOf(id)).map(toWaitingEdit);
  if (!isAsLogged(said, rowsOf(reader, [id])[0])) throw new HistoryMismatchError(id, 'The first approval of the edit');
  return waiting;
}

/**
 * Whether this person, approving this text, would be the first of two.
 *
 * @throws HistoryMismatchError; SecondPersonNeededError where the person has approved it already, or has written a part of it
 */
export function isFirstOfTwo(
  tx: LedgerTransaction,
  { id, actor, text }: { id: string; actor: { id: string }; text: string },
): boolean {
  if (!asksSecondPerson(tx)) return false;
  const waiting = approvedBefore(tx, id, text);
  if (waiting === undefined) return true;
  if (isSecondPerson(waiting, actor.id)) return false;
  throw new SecondPersonNeededError(
    waiting.firstId === actor.id
      ? 'You have approved this text yourself: another reviewer must approve it too.'
      : 'You have written a part of this text: another reviewer must approve it.',
  );
}

/**
 * The edit that this move approves a second time; undefined where none is needed. `correct` would expose a text that
 * one person has written, so it is refused while the policy requires two.
 *
 * @throws SecondPersonNeededError, HistoryMismatchError
 */
function secondOf(
  tx: LedgerTransaction,
  { id, move, actor, editedSummary }: { id: string; move: Move; actor: Actor; editedSummary?: string },
): WaitingEdit | undefined {
  if (move !== 'approve-edited' && move !== 'correct') return undefined;
  if (!asksSecondPerson(tx)) return undefined;
  if (move === 'correct') {
    throw new SecondPersonNeededError(
      'The policy requires a second person for an edited text: move it to review, and edit it there.',
    );
  }
  const waiting = approvedBefore(tx, id, editedSummary);
  if (waiting === undefined || actor.kind !== 'MEMBER' || !isSecondPerson(waiting, actor.id)) {
    throw new SecondPersonNeededError('The policy requires a second person to approve this text.');
  }
  return waiting;
}

/** All authors of the text that a move exposes; undefined where no person wrote it. */
function authorsAfter(reader: LedgerReader, { id, move, actor, editedSummary }: Transition): Author[] | undefined {
  if (move !== 'approve-edited' && move !== 'correct') return undefined;
  if (actor.kind !== 'MEMBER' || editedSummary === undefined) return undefined;
  return authorsOf(reader, { id, me: authorOf(actor), text: editedSummary });
}

/** Four eyes in a move: names the authors of the text, and ends the wait of any edit. */
export const fourEyes: TransitionFeature = {
  before(tx, transition) {
    const first = secondOf(tx, transition);
    const authors = first?.authors ?? authorsAfter(tx, transition);
    dropWaitingEdit(tx, transition.id);
    if (first === undefined) return { authors };
    const { id: targetId, actor, at } = transition;
    const act = { action: 'review', actor, at, targetType: 'explanation', targetId } as const;
    return {
      authors,
      detail: { firstApprovedBy: first.first, firstApprovedById: first.firstId },
      recordFollowing: () => recordSameRegistrar(tx, act, { id: first.firstId, name: first.first }),
    };
  },
};
