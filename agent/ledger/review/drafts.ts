/**
 * Drafts: the text that a person is still writing about a waiting item (D17), one for each person and item. Another
 * person gets its words only by continuing it; from then on both are authors (`authors.ts`). A draft makes no version
 * of the item, so a colleague's writing never fails a decision.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { recordAction, type Actor } from '../audit/audit.ts';
import { authorsOf, isSameText, together } from './authors.ts';
import { authorOf, loggedAuthors, readAuthors, type Author } from '../audit/authors.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { insertion, prepared, sqlite } from '../storage/query.ts';
import {
  MoveNotAllowedError,
  UnknownExplanationError,
  VersionMismatchError,
  type Acknowledgement,
} from '../explanations/transitions.ts';
import type { PersonalDraftTable } from '../storage/review-tables.ts';
import { endHandOver } from './hand-overs.ts';
import { keepWaitingEdit, waitingEdit } from './waiting-edits.ts';

type Member = Extract<Actor, { kind: 'MEMBER' }>;

interface Writing {
  id: string;
  actor: Member;
  at: string;
  expectedVersion?: number;
  /** The version of the person's own draft that the window showed; 0: none. */
  draftVersion?: number;
}

export interface Draft extends Writing {
  /** Null removes the text. */
  text: string | null;
  /** Undefined leaves the comment as it is. */
  comment?: string | null;
}

/** A draft as it is kept. */
export interface StoredDraft {
  memberId: string;
  displayName: string;
  /** Null where only a comment is kept, or nothing any more. */
  text: string | null;
  comment: string | null;
  at: string;
  version: number;
  authors: Author[];
}

/** Another window of the same person has saved meanwhile (412). */
export class DraftMovedOnError extends Error {
  override name = 'DraftMovedOnError';
  readonly version: number;
  constructor(version: number) {
    super(`Your draft is at version ${version} now: you have written it elsewhere.`);
    this.version = version;
  }
}

/** This person has no draft to continue (404). */
export class UnknownDraftError extends Error {
  override name = 'UnknownDraftError';
  constructor() {
    super('This person keeps no draft of this item any more.');
  }
}

const keepDraft = insertion<PersonalDraftTable>(
  'personal_draft',
  ['explanation_id', 'author_id', 'author', 'text', 'comment', 'at', 'version', 'authors'],
  `ON CONFLICT (explanation_id, author_id) DO UPDATE SET author = excluded.author, text = excluded.text,
    comment = excluded.comment, at = excluded.at, version = excluded.version, authors = excluded.authors`,
);

const oneDraft = prepared((id: string, member: string) =>
  sqlite.selectFrom('personal_draft').selectAll().where('explanation_id', '=', id).where('author_id', '=', member),
);

function draftOf(reader: LedgerReader, id: string, memberId: string): StoredDraft | undefined {
  const row = reader.first(oneDraft(id, memberId));
  return row === undefined ? undefined : toDraft(row);
}

function toDraft({ author_id, author, text, comment, at, version, authors }: PersonalDraftTable): StoredDraft {
  return { memberId: author_id, displayName: author, text, comment, at, version, authors: readAuthors(authors) };
}

/** The draft's id for other people, from which the account cannot be derived (D70). */
export function draftId(id: string, memberId: string): string {
  return hash('sha256', `${id} ${memberId}`, 'base64url').slice(0, 22);
}

/** All drafts of items, by item; empty ones included. */
export function draftsOf(reader: LedgerReader, ids: readonly string[]): ReadonlyMap<string, readonly StoredDraft[]> {
  const rows = reader.all(
    sqlite.selectFrom('personal_draft').selectAll().where('explanation_id', 'in', ids).orderBy('at', 'desc'),
  );
  return new Map([...Map.groupBy(rows, (row) => row.explanation_id)].map(([id, of]) => [id, of.map(toDraft)]));
}

/**
 * Saves a person's draft. The same text again changes nothing and leaves no trace.
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError, DraftMovedOnError
 */
export function saveDraft(tx: LedgerTransaction, draft: Draft): void {
  const { id, actor, text } = draft;
  const { summary } = writable(tx, draft, 'draft');
  const before = ownDraft(tx, draft);
  const comment = draft.comment === undefined ? (before?.comment ?? null) : draft.comment;
  if (text === (before?.text ?? null) && comment === (before?.comment ?? null)) return;
  const me = authorOf(actor);
  // An author who begins from the received text uses no other author's words.
  const isBegunAnew = text === null || isSameText(text, summary);
  const authors = isBegunAnew
    ? [me]
    : together(
        [me],
        before === undefined || before.text === null ? [] : before.authors,
        authorsOf(tx, { id, me, text }),
      );
  write(tx, draft, { text, comment, authors, version: (before?.version ?? 0) + 1 });
  record(tx, draft, 'review.draft', {
    characters: text?.length ?? null,
    ...(authors.length > 1 ? loggedAuthors(authors) : {}),
  });
}

/**
 * Makes a colleague's draft one's own: the same words, and both have written them.
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError, DraftMovedOnError, UnknownDraftError
 */
export function takeDraftOver(tx: LedgerTransaction, taking: Writing & { from: string }): void {
  const { id, actor, from } = taking;
  writable(tx, taking, 'draft');
  const before = ownDraft(tx, taking);
  const theirs = draftsOf(tx, [id])
    .get(id)
    ?.find(({ memberId }) => memberId !== actor.id && draftId(id, memberId) === from);
  if (theirs === undefined || theirs.text === null) throw new UnknownDraftError();
  const authors = together(theirs.authors, [authorOf(actor)]);
  const { text } = theirs;
  write(tx, taking, { text, comment: before?.comment ?? null, authors, version: (before?.version ?? 0) + 1 });
  record(tx, taking, 'review.draft-taken-over', {
    takenFrom: theirs.displayName,
    characters: text.length,
    ...loggedAuthors(authors),
  });
}

/** @throws DraftMovedOnError */
function ownDraft(tx: LedgerTransaction, { id, actor, draftVersion }: Writing): StoredDraft | undefined {
  const before = draftOf(tx, id, actor.id);
  const version = before?.version ?? 0;
  if (draftVersion !== undefined && draftVersion !== version) throw new DraftMovedOnError(version);
  return before;
}

function write(
  tx: LedgerTransaction,
  { id, actor, at }: Writing,
  { authors, ...kept }: Pick<StoredDraft, 'text' | 'comment' | 'version' | 'authors'>,
): void {
  const row = { explanation_id: id, author_id: actor.id, author: actor.displayName, at };
  tx.run(keepDraft({ ...row, ...kept, authors: JSON.stringify(authors) }));
}

function record(
  tx: LedgerTransaction,
  { id, actor, at }: Writing,
  action: string,
  detail: Record<string, unknown>,
): void {
  recordAction(tx, { at, actor, action, targetType: 'explanation', targetId: id, detail });
}

const emptyDraft = prepared((id: string, member: string, at: string) =>
  sqlite
    .updateTable('personal_draft')
    .set({ text: null, comment: null, at, version: sql`version + 1`, authors: '[]' })
    .where('explanation_id', '=', id)
    .where('author_id', '=', member),
);

/** Empties the draft of a person who has sent the text. */
export function spendDraft(tx: LedgerTransaction, { id, actor, at }: { id: string; actor: Member; at: string }): void {
  tx.run(emptyDraft(id, actor.id, at));
}

/** The comment of a person who gives none with a decision: that of their draft, or of the edit that they approve. */
export function savedComment(
  reader: LedgerReader,
  { id, actor, text }: { id: string; actor: Member; text?: string | undefined },
): string | null {
  const own = draftOf(reader, id, actor.id)?.comment ?? null;
  const waiting = waitingEdit(reader, id);
  return own ?? (waiting !== undefined && waiting.text === text ? waiting.comment : null);
}

/** An edited text that a person approves while the policy requires a second approval. */
export interface FirstApproval {
  id: string;
  actor: Member;
  at: string;
  text: string;
  comment: string | null;
  expectedVersion?: number;
  acknowledgement: Acknowledgement;
  /** As in a move: judges the text once the approval itself may be given. */
  assertText?(): void;
}

const keepVersion = prepared((id: string, version: number) =>
  sqlite.replaceInto('version_beside_moves').values({ explanation_id: id, version }),
);

/**
 * Lets an edited text wait for the second person. It is no move (D12): the item stays in review, with a new version. A
 * waiting text is replaced, together with its approval.
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError, and what `assertText` throws
 */
export function letEditWait(tx: LedgerTransaction, approval: FirstApproval): void {
  const { id, actor, at, text, comment, acknowledgement } = approval;
  const version = writable(tx, approval, 'approve-edited').version + 1;
  approval.assertText?.();
  const authors = authorsOf(tx, { id, me: authorOf(actor), text });
  tx.run(sqlite.updateTable('explanation').set({ version }).where('id', '=', id));
  tx.run(keepVersion(id, version));
  endHandOver(tx, id);
  const said = { explanation_id: id, text, author_id: actor.id, author: actor.displayName, at, comment };
  keepWaitingEdit(tx, { ...said, authors: JSON.stringify(authors) });
  record(tx, approval, 'review.edit-waits', {
    edited_summary: text,
    reason: comment,
    ...loggedAuthors(authors),
    ...acknowledgement,
  });
}

/** The item in its present state, if people may write about it now. */
function writable(
  tx: LedgerTransaction,
  { id, expectedVersion }: { id: string; expectedVersion?: number },
  by: 'draft' | 'approve-edited',
) {
  const now = tx.first(sqlite.selectFrom('explanation').select(['status', 'version', 'summary']).where('id', '=', id));
  if (now === undefined) throw new UnknownExplanationError(id);
  if (now.status !== 'PENDING_REVIEW') throw new MoveNotAllowedError(by, now.status, now.version);
  if (expectedVersion !== undefined && expectedVersion !== now.version) {
    throw new VersionMismatchError(now.status, now.version);
  }
  return now;
}
