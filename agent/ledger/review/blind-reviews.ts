/**
 * Blind reviews (D90, D91): a second person states their own decision on a drawn item without knowing the first one.
 * The explanation does not change; the agreement is counted and shown in the timeline.
 *
 * A hash of the explanation and the number of the decision in its history draws the items: it can be proved afterwards
 * that none was chosen by hand, and the number is unknown before the decision.
 *
 * A reviewer who looks the decision up while its review is open records that first (`blind_look`); a later opinion is
 * not blind and does not count. A person who worked on the item gives no opinion.
 */
import { sql } from 'kysely';
import { DECISIONS, type BlindReviewState, type Decision } from '../../../shared/wire/console/console.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { isInShare } from './share.ts';
import type { TransitionFeature } from '../explanations/transitions.ts';
import type { BlindReviewTable } from '../storage/review-tables.ts';

/** There is no such review (404). */
export class UnknownBlindReviewError extends Error {
  override name = 'UnknownBlindReviewError';
}

/** An opinion is on record already, or a later event has overtaken the decision (409). */
export class BlindReviewClosedError extends Error {
  override name = 'BlindReviewClosedError';
}

/** The caller has decided the item or worked on it; another person must review it (409). */
export class NotASecondPersonError extends Error {
  override name = 'NotASecondPersonError';
}

/** Whether a decision belongs to a share in percent: a larger share holds every smaller one. */
export function isDrawn(explanationId: string, moveId: number, share: number): boolean {
  return isInShare(`blind ${explanationId} ${moveId}`, share);
}

const shareNow = prepared(() =>
  sqlite
    .selectFrom('policy_in_force')
    .innerJoin('policy_version', 'policy_version.version', 'policy_in_force.version')
    .select(['policy_in_force.version', 'blind_share as share']),
);

/** A history that was lost on the disk is numbered from its beginning again: an existing review of a number stays. */
const keepReview = prepared(
  (drawn: { id: string; moveId: number; first: string; at: string; version: number; share: number }) => sql`
  INSERT INTO blind_review (move_id, explanation_id, first_id, drawn_at, policy_version, share, state)
  SELECT ${drawn.moveId}, ${drawn.id}, ${drawn.first}, ${drawn.at}, ${drawn.version}, ${drawn.share}, 'OPEN'
  WHERE NOT EXISTS (SELECT 1 FROM blind_review WHERE move_id = ${drawn.moveId})`,
);

/** Draws a person's new decision, or leaves it out. */
function drawDecision(
  tx: LedgerTransaction,
  { id, moveId, actor, at }: { id: string; moveId: number; actor: Actor; at: string },
): void {
  const now = tx.first(shareNow());
  if (now === undefined || actor.kind !== 'MEMBER' || !isDrawn(id, moveId, now.share)) return;
  tx.run(keepReview({ id, moveId, first: actor.id, at, ...now }));
}

const overtake = prepared((id: string) =>
  sqlite
    .updateTable('blind_review')
    .set({ state: 'OVERTAKEN' })
    .where('explanation_id', '=', id)
    .where('state', '=', sql.lit('OPEN')),
);

/** Ends the open review: a later event has changed the subject of the first decision. */
function overtakeBlindReview(tx: LedgerTransaction, explanationId: string): void {
  tx.run(overtake(explanationId));
}

/** A move ends the review of the decision before it, and a decision may be drawn itself. */
export const blindReviews: TransitionFeature = {
  before(tx, { id }) {
    overtakeBlindReview(tx, id);
    return undefined;
  },
  after(tx, { move, ...made }) {
    if (DECISIONS.some((decision) => decision === move)) drawDecision(tx, made);
  },
};

/** The history's record of the decision itself. */
interface FirstDecision {
  decision: Decision;
  actor: string;
  decidedAt: string;
  decidedReason: string | null;
  publishedSummary: string | null;
}
export type BlindReview = BlindReviewTable & FirstDecision;

/** A review whose decision was lost on the disk counts as absent. */
const IS_DECISION = sql<boolean>`decision.id = blind_review.move_id
    AND decision.explanation_id = blind_review.explanation_id AND decision.at = blind_review.drawn_at`;
const findReview = prepared(
  (moveId: number) => sql<BlindReview>`
  SELECT blind_review.*, decision.move AS decision, decision.actor, decision.at AS decidedAt,
    decision.reason AS decidedReason, decision.published_summary AS publishedSummary
  FROM blind_review JOIN state_history AS decision ON ${IS_DECISION} WHERE blind_review.move_id = ${moveId}`,
);

/** The review, which must not have been overtaken. @throws UnknownBlindReviewError */
export function blindReview(reader: LedgerReader, id: string): BlindReview {
  const row = /^[1-9]\d{0,14}$/.test(id) ? reader.first(findReview(Number(id))) : undefined;
  if (row === undefined || row.state === 'OVERTAKEN')
    throw new UnknownBlindReviewError(`There is no blind review ${id}.`);
  return row;
}

/** Claims, looks, postponements and hand-overs: none is work on the item. */
const NO_WORK = sql`'review.claim', 'review.claim-released', 'review.looked', 'review.postpone', 'review.resume',
  'review.handed-over', 'review.taken'`;

interface Listed {
  state: Exclude<BlindReviewState, 'OVERTAKEN'>;
  /** Leaves out what this member cannot review blindly, having decided or worked on it; null: leaves out none. */
  notOf: string | null;
  page: number;
  size: number;
}

/** Open reviews with the longest wait first, the others newest first (index `blind_review_by_state`). */
export function listBlindReviews(
  reader: LedgerReader,
  { state, notOf, page, size }: Listed,
): { rows: BlindReviewTable[]; total: number } {
  let query = sqlite
    .selectFrom('blind_review')
    .innerJoin('state_history as decision', (join) => join.on(IS_DECISION))
    .where('state', '=', state);
  if (notOf !== null)
    query = query.where('first_id', '!=', notOf).where(
      sql<boolean>`NOT EXISTS (SELECT seq FROM console_action_log WHERE target_id = blind_review.explanation_id
        AND actor_role IS NOT 'SYSTEM' AND actor_id = ${notOf} AND action NOT IN (${NO_WORK}))`,
    );
  const order = state === 'OPEN' ? 'asc' : 'desc';
  const rows = reader.all(
    query
      .selectAll('blind_review')
      .orderBy('drawn_at', order)
      .orderBy('move_id', order)
      .limit(size)
      .offset((page - 1) * size),
  );
  const counted = reader.first(query.select((eb) => eb.fn.countAll<number>().as('n')));
  return { rows, total: counted?.n ?? 0 };
}

const partOf = prepared(
  (id: string, member: string) => sql`
  SELECT seq FROM console_action_log INDEXED BY console_action_of_people_by_target
  WHERE target_id = ${id} AND actor_role IS NOT 'SYSTEM' AND actor_id = ${member} AND action NOT IN (${NO_WORK}) LIMIT 1`,
);

/** Whether a member has worked on an explanation, and so cannot be its second person. */
export function hadAPart(reader: LedgerReader, explanationId: string, memberId: string): boolean {
  return reader.first(partOf(explanationId, memberId)) !== undefined;
}

/** A recorded look, or a role given since the draw: the former role may have seen the decision without a recorded look. */
const looked = prepared(
  (move: number, member: string) => sql`
  SELECT at FROM blind_look WHERE move_id = ${move} AND member_id = ${member}
  UNION ALL SELECT role.at FROM console_action_log AS role INDEXED BY console_action_of_people_by_target
  JOIN blind_review ON blind_review.move_id = ${move} AND role.at >= blind_review.drawn_at
  WHERE role.target_id = ${member} AND role.target_type = 'member' AND role.action = 'member.role'`,
);

/** Whether this program has not shown the decision to a member. */
export function isBlind(reader: LedgerReader, moveId: number, memberId: string): boolean {
  return reader.first(looked(moveId, memberId)) === undefined;
}

/** Every detail and list asks this. The unique index of open reviews answers it, one look-up an explanation. */
const openOfOthers = prepared(
  (ids: string, member: string) => sql<Pick<BlindReviewTable, 'explanation_id' | 'move_id'>>`
  SELECT explanation_id, move_id FROM blind_review INDEXED BY blind_review_open
  WHERE explanation_id IN (SELECT value FROM json_each(${ids})) AND state = 'OPEN' AND first_id <> ${member}`,
);

/** The explanations with an open review. */
export const underReview = (reader: LedgerReader): string[] =>
  reader
    .all(sqlite.selectFrom('blind_review').select('explanation_id').where('state', '=', 'OPEN'))
    .map(({ explanation_id }) => explanation_id);

/** The open reviews, by explanation, on which this member may still give an opinion without knowing the decision. */
export function reviewsUnseen(
  reader: LedgerReader,
  ids: readonly string[],
  memberId: string,
): ReadonlyMap<string, number> {
  if (ids.length === 0) return new Map();
  const open = reader.all(openOfOthers(JSON.stringify(ids), memberId));
  return new Map(
    open
      .filter(
        ({ move_id, explanation_id: id }) => isBlind(reader, move_id, memberId) && !hadAPart(reader, id, memberId),
      )
      .map(({ explanation_id, move_id }) => [explanation_id, move_id]),
  );
}

/**
 * Records that a member is about to see the decision on an explanation while its review is open.
 *
 * @returns false where no review awaits a blind opinion of this member; nothing is recorded then
 */
export function noteLook(
  tx: LedgerTransaction,
  { id, actor, at }: { id: string; actor: Extract<Actor, { kind: 'MEMBER' }>; at: string },
): boolean {
  const move_id = reviewsUnseen(tx, [id], actor.id).get(id);
  if (move_id === undefined) return false;
  tx.run(sqlite.insertInto('blind_look').values({ move_id, member_id: actor.id, at }));
  const detail = { review: move_id };
  recordAction(tx, { at, actor, action: 'review.looked', targetType: 'explanation', targetId: id, detail });
  return true;
}

/**
 * Records a second person's own decision. It is no move: the explanation stays as it is.
 *
 * @throws UnknownBlindReviewError, BlindReviewClosedError, NotASecondPersonError
 */
export function giveOpinion(
  tx: LedgerTransaction,
  opinion: { id: string; outcome: Decision; reason: string; actor: Extract<Actor, { kind: 'MEMBER' }>; at: string },
): void {
  const { outcome, reason, actor, at } = opinion;
  const { move_id, explanation_id, first_id, state, decision } = blindReview(tx, opinion.id);
  if (state !== 'OPEN') throw new BlindReviewClosedError('Another reviewer has already reviewed this decision.');
  if (first_id === actor.id || hadAPart(tx, explanation_id, actor.id))
    throw new NotASecondPersonError('You have worked on this item yourself: another reviewer must review it.');
  const agrees = outcome === decision;
  const was_blind = isBlind(tx, move_id, actor.id) ? 1 : 0;
  tx.run(
    sqlite
      .updateTable('blind_review')
      .set({
        state: agrees ? 'AGREED' : 'DIFFERED',
        outcome,
        reason,
        reviewer_id: actor.id,
        reviewer: actor.displayName,
        reviewed_at: at,
        was_blind,
      })
      .where('move_id', '=', move_id),
  );
  recordAction(tx, {
    at,
    actor,
    action: agrees ? 'review.blind-agreed' : 'review.blind-differed',
    targetType: 'explanation',
    targetId: explanation_id,
    detail: { review: move_id, decision, outcome, reason, blind: was_blind === 1 },
  });
}

const changedSince = prepared(({ explanation_id, move_id }: BlindReviewTable) =>
  sqlite
    .selectFrom('state_history')
    .select('id')
    .where('explanation_id', '=', explanation_id)
    .where('id', '>', move_id)
    .where('move', '=', 'text-changed'),
);

/** Whether the vendor has changed the text since the decision. */
export function isTextChangedSince(reader: LedgerReader, review: BlindReviewTable): boolean {
  return reader.first(changedSince(review)) !== undefined;
}

const opinionsWithin = prepared(
  ({ from, before }: { from: string; before: string }) => sql<BlindCount>`
  SELECT blind_review.state, decision.move AS decision, blind_review.outcome, blind_review.was_blind AS wasBlind,
    count(*) AS n
  FROM blind_review INDEXED BY blind_review_by_state JOIN state_history AS decision ON ${IS_DECISION}
  WHERE blind_review.state IN ('OPEN', 'AGREED', 'DIFFERED', 'OVERTAKEN')
    AND blind_review.drawn_at >= ${from} AND blind_review.drawn_at < ${before}
  GROUP BY 1, 2, 3, 4`,
);

export interface BlindCount {
  state: BlindReviewState;
  decision: Decision;
  outcome: Decision | null;
  wasBlind: number | null;
  n: number;
}

/** Decisions drawn between two instants (the second excluded), by the outcome of their reviews. */
export function blindCounts(reader: LedgerReader, within: { from: string; before: string }): BlindCount[] {
  return reader.all(opinionsWithin(within));
}
