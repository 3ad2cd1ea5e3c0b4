/**
 * Second opinions: a reviewer asks the others about an item in review, and one of them states a decision with a reason.
 * The item and its version stay unchanged, so that text in progress elsewhere still fits. Every other reviewer is
 * asked: only the Tenant Admin may see the list of reviewers (console API 1).
 */
import { sql, type Selectable } from 'kysely';
import type { Opinion, SecondOpinion } from '../../../shared/wire/console/console.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { MoveNotAllowedError, UnknownExplanationError, VersionMismatchError } from '../explanations/transitions.ts';
import { endHandOver } from './hand-overs.ts';
import { openOpinion } from './open-opinions.ts';
import type { SecondOpinionTable } from '../storage/review-tables.ts';

/** There is no such request for an opinion (404). */
export class UnknownOpinionError extends Error {
  override name = 'UnknownOpinionError';
  constructor(id: string) {
    super(`There is no request ${id} for a second opinion.`);
  }
}

/** The request's state does not allow this, or not to this person (409). */
export class OpinionStateError extends Error {
  override name = 'OpinionStateError';
}

/** A row as it is read. */
type OpinionRow = Selectable<SecondOpinionTable>;

type Reviewer = Extract<Actor, { kind: 'MEMBER' }>;

export interface OpinionRequest {
  /** The id of the explanation. */
  id: string;
  question: string;
  actor: Reviewer;
  at: string;
  expectedVersion?: number;
}

const ask = prepared(
  ({ id, actor, at, question }: OpinionRequest) => sql`
  INSERT INTO second_opinion (explanation_id, after_move, asked_by_id, asked_by, asked_at, question, outcome)
  SELECT ${id}, coalesce(max(id), 0), ${actor.id}, ${actor.displayName}, ${at}, ${question}, 'OPEN'
  FROM state_history WHERE explanation_id = ${id}`,
);

/** @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError, OpinionStateError */
export function askOpinion(tx: LedgerTransaction, request: OpinionRequest): void {
  const { id, question, actor, at, expectedVersion } = request;
  const now = tx.first(sqlite.selectFrom('explanation').select(['status', 'version']).where('id', '=', id));
  if (now === undefined) throw new UnknownExplanationError(id);
  if (now.status !== 'PENDING_REVIEW') throw new MoveNotAllowedError('opinion', now.status, now.version);
  if (expectedVersion !== undefined && expectedVersion !== now.version) {
    throw new VersionMismatchError(now.status, now.version);
  }
  if (openOpinion(tx, id) !== undefined) {
    throw new OpinionStateError(
      'A second opinion is requested already: wait for its answer, or have its author withdraw the request.',
    );
  }
  endHandOver(tx, id);
  tx.run(ask(request));
  record(tx, 'review.opinion-asked', { explanationId: id, actor, at, detail: { question } });
}

export interface OpinionEnd {
  /** The id of the request, as in a path. */
  opinionId: string;
  actor: Reviewer;
  at: string;
}

/** Returns the explanation's id. @throws UnknownOpinionError, OpinionStateError */
export function giveOpinion(
  tx: LedgerTransaction,
  { opinionId, opinion, answer, actor, at }: OpinionEnd & { opinion: Opinion; answer: string },
): string {
  const { id, explanation_id, asked_by_id } = openRequest(tx, opinionId);
  if (asked_by_id === actor.id) {
    throw new OpinionStateError('You have asked for this opinion yourself: another reviewer must give it.');
  }
  end(tx, id, { outcome: 'GIVEN', opinion, answer, actor, at });
  const detail = { opinionId: id, opinion, answer };
  record(tx, 'review.opinion-given', { explanationId: explanation_id, actor, at, detail });
  return explanation_id;
}

/**
 * Withdraws the request of its author. Returns the explanation's id.
 *
 * @throws UnknownOpinionError, OpinionStateError
 */
export function withdrawOpinion(tx: LedgerTransaction, { opinionId, actor, at }: OpinionEnd): string {
  const { id, explanation_id, asked_by_id } = openRequest(tx, opinionId);
  if (asked_by_id !== actor.id) {
    throw new OpinionStateError(
      'Another reviewer asked for this opinion, and only they may withdraw the request: answer it, or leave it open.',
    );
  }
  end(tx, id, { outcome: 'WITHDRAWN', actor, at });
  record(tx, 'review.opinion-withdrawn', { explanationId: explanation_id, actor, at, detail: { opinionId: id } });
  return explanation_id;
}

function openRequest(tx: LedgerTransaction, opinionId: string): OpinionRow {
  // Only our own numbers name a request.
  const id = /^[1-9]\d{0,14}$/.test(opinionId) ? Number(opinionId) : 0;
  const row = tx.first(sqlite.selectFrom('second_opinion').selectAll().where('id', '=', id));
  if (row === undefined) throw new UnknownOpinionError(opinionId);
  if (row.outcome !== 'OPEN') throw new OpinionStateError(ENDED[row.outcome]);
  return row;
}

const ENDED = {
  GIVEN: 'This second opinion has been given already.',
  WITHDRAWN: 'The request for this second opinion has been withdrawn.',
  OVERTAKEN: 'The item has been decided, or has changed, before this second opinion was given.',
} as const;

function end(
  tx: LedgerTransaction,
  id: number,
  ending: { outcome: 'GIVEN' | 'WITHDRAWN'; opinion?: Opinion; answer?: string; actor: Reviewer; at: string },
): void {
  const { outcome, opinion = null, answer = null, actor, at } = ending;
  const ended = { ended_by_id: actor.id, ended_by: actor.displayName, ended_at: at };
  tx.run(
    sqlite
      .updateTable('second_opinion')
      .set({ outcome, opinion, answer, ...ended })
      .where('id', '=', id),
  );
}

function record(
  tx: LedgerTransaction,
  action: `review.opinion-${'asked' | 'given' | 'withdrawn'}`,
  { explanationId, ...told }: { explanationId: string; actor: Reviewer; at: string; detail: Record<string, unknown> },
): void {
  recordAction(tx, { ...told, action, targetType: 'explanation', targetId: explanationId });
}

const present = prepared(
  (ids: string) => sql<OpinionRow>`
  SELECT * FROM second_opinion WHERE explanation_id IN (SELECT value FROM json_each(+${ids}))
    AND (outcome = 'OPEN' OR outcome = 'GIVEN' AND after_move = (
      SELECT max(id) FROM state_history WHERE state_history.explanation_id = second_opinion.explanation_id))
  ORDER BY id`,
);

/** The last opinion that was requested or given about each present item, as this person may see it. */
export function opinionsFor(
  reader: LedgerReader,
  ids: readonly string[],
  memberId: string,
): ReadonlyMap<string, SecondOpinion> {
  return new Map(
    reader
      .all(present(JSON.stringify(ids)))
      .map((row) => [row.explanation_id, { ...told(row), mine: row.asked_by_id === memberId }]),
  );
}

function told(row: OpinionRow): Omit<SecondOpinion, 'mine'> {
  const { id, asked_by, asked_at, question, opinion, answer, ended_by, ended_at } = row;
  const given =
    opinion === null || answer === null || ended_by === null || ended_at === null
      ? null
      : { opinion, text: answer, displayName: ended_by, at: ended_at };
  return { id: String(id), question, displayName: asked_by, at: asked_at, given };
}
