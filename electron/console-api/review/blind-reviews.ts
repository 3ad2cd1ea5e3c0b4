/**
 * Blind reviews of decisions. No answer here reveals the decision, its reason or author, or the later state of the
 * explanation, until a second opinion is on record. A reviewer may look the decision up elsewhere, because a reviewer
 * is responsible for exposed texts: the look is recorded first (`POST …/looks`), and the opinion then does not count.
 */
import { z } from 'zod';
import {
  blindReview,
  giveOpinion,
  hadAPart,
  isBlind,
  isTextChangedSince,
  listBlindReviews,
  noteLook,
  reviewsUnseen,
  underReview,
  UnknownBlindReviewError,
  type BlindReview as Row,
} from '../../../agent/ledger/review/blind-reviews.ts';
import { storedGrounds } from '../../../agent/ledger/explanations/items.ts';
import { storedExplanation, type StoredExplanation } from '../../../agent/ledger/explanations/explanations.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { UnknownExplanationError } from '../../../agent/ledger/explanations/transitions.ts';
import { lastChecks } from '../../../agent/ledger/explanations/screenings.ts';
import { withMessage } from '../../../agent/screening/sentences.ts';
import type { BlindReviewTable } from '../../../agent/ledger/storage/review-tables.ts';
import { isGranted } from '../../../shared/policy/matrix.ts';
import { DECISIONS, type BlindReview, type BlindReviewItem, type Page } from '../../../shared/wire/console/console.ts';
import {
  blindReviewItemSchema,
  blindReviewSchema,
  viewNotedSchema,
  type ViewNoted,
} from '../../../shared/wire/console/blind-review.ts';
import { pageOf } from '../../../shared/wire/console/common.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { actorOf, type Caller } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { idPath, LONGEST, paging, requiredWrittenText } from '../http/schemas.ts';

const STATES = ['OPEN', 'AGREED', 'DIFFERED'] as const;

export const blindReviewHandlers = {
  'GET /api/v1/review/blind-reviews': endpoint({
    summary: 'Decisions for blind review; for a reviewer, without their own',
    query: z.strictObject({ ...paging, state: z.enum(STATES).default('OPEN') }),
    result: pageOf(blindReviewItemSchema),
    handle: ({ query, caller, context }): Page<BlindReviewItem> => {
      const { state, page, size } = query;
      const isReviewer = isGranted('review.blind', caller.member.role);
      const notOf = isReviewer && state === 'OPEN' ? caller.member.id : null;
      return context.ledger.read((reader) => {
        const { rows, total } = listBlindReviews(reader, { state, notOf, page, size });
        return { items: rows.map((row) => itemOf(row, explanationOf(reader, row))), page, size, total };
      });
    },
  }),

  'GET /api/v1/review/blind-reviews/{id}': endpoint({
    summary: 'One blind review: the item before its decision; the decision only once the caller has given an opinion',
    path: idPath,
    result: blindReviewSchema,
    handle: ({ path, caller, context }): BlindReview =>
      context.ledger.read((reader) => detailOf(reader, blindReview(reader, path.id), caller)),
  }),

  'POST /api/v1/review/blind-reviews/{id}': endpoint({
    summary:
      "Record the caller's own decision and its reason; the explanation stays as it is, and the answer shows both decisions",
    path: idPath,
    body: z.strictObject({ outcome: z.enum(DECISIONS), reason: requiredWrittenText(LONGEST.reason) }),
    missing: { field: 'reason', code: 'REVIEW4001' },
    result: blindReviewSchema,
    handle: ({ path, body, caller, context, write }): Promise<BlindReview> => {
      return write((tx) => {
        const at = context.clock.now().toISOString();
        giveOpinion(tx, { id: path.id, ...body, actor: actorOf(caller), at });
        return detailOf(tx, blindReview(tx, path.id), caller);
      });
    },
  }),

  'POST /api/v1/review/items/{id}/looks': endpoint({
    summary: 'Record that the caller opens a decision that awaits their blind review, which no longer counts',
    path: idPath,
    result: viewNotedSchema,
    handle: ({ path, caller, context, write }): Promise<ViewNoted> => {
      return write((tx) => {
        const at = context.clock.now().toISOString();
        if (storedExplanation(tx, path.id) === undefined) throw new UnknownExplanationError(path.id);
        return { noted: noteLook(tx, { id: path.id, actor: actorOf(caller), at }) };
      });
    },
  }),
};

/** The explanations whose decision is hidden from the caller by default: a list leaves out fields that reveal it. */
export function unseenBy(
  reader: LedgerReader,
  { member }: Caller,
  ids: readonly string[],
): ReturnType<typeof reviewsUnseen> {
  return isGranted('review.blind', member.role) ? reviewsUnseen(reader, ids, member.id) : new Map();
}

/** Every explanation whose decision is hidden from the caller by default. */
export const allUnseenBy = (reader: LedgerReader, caller: Caller): string[] => [
  ...unseenBy(reader, caller, underReview(reader)).keys(),
];

/** Reading writes nothing: the look is recorded first, or refused. @throws ApiError REVIEW4096 naming the review */
export function refuseUnseen(reader: LedgerReader, caller: Caller, id: string): void {
  const review = unseenBy(reader, caller, [id]).get(id);
  if (review !== undefined) throw new ApiError('REVIEW4096', undefined, [{ path: 'review', message: String(review) }]);
}

function explanationOf(reader: LedgerReader, { explanation_id, move_id }: BlindReviewTable): StoredExplanation {
  const row = storedExplanation(reader, explanation_id);
  if (row === undefined) throw new UnknownBlindReviewError(`There is no blind review ${move_id}.`);
  return row;
}

function itemOf({ move_id, state, drawn_at }: BlindReviewTable, row: StoredExplanation): BlindReviewItem {
  if (state === 'OVERTAKEN') throw new UnknownBlindReviewError(`There is no blind review ${move_id}.`);
  return {
    id: String(move_id),
    state,
    drawnAt: drawn_at,
    etf_ticker: row.etf_ticker,
    etf_name: row.etf_name,
    market: row.market,
    trade_date: row.trade_date,
    explanation_as_of: row.explanation_as_of,
    explanation_type: row.explanation_type,
    confidence_level: row.confidence_level,
    observed_return: row.observed_return,
    receivedAt: row.received_at,
  };
}

/** @throws UnknownBlindReviewError */
function detailOf(reader: LedgerReader, review: Row, { member }: Caller): BlindReview {
  const row = explanationOf(reader, review);
  return {
    ...itemOf(review, row),
    content_as_of: row.content_as_of,
    item: isTextChangedSince(reader, review)
      ? null
      : { summary: row.summary, grounds: storedGrounds(row), checks: lastChecks(reader, row.id).map(withMessage) },
    hadAPart: review.first_id === member.id || hadAPart(reader, row.id, member.id),
    blind: isBlind(reader, review.move_id, member.id),
    told: bothDecisionsOf(review),
  };
}

function bothDecisionsOf(review: Row): BlindReview['told'] {
  const { outcome, reason, reviewer, reviewed_at: at, was_blind: wasBlind } = review;
  if (outcome === null || reason === null || reviewer === null || at === null) return null;
  return {
    explanationId: review.explanation_id,
    first: {
      displayName: review.actor,
      at: review.decidedAt,
      decision: review.decision,
      reason: review.decidedReason,
      published_summary: review.publishedSummary,
    },
    second: { displayName: reviewer, at, decision: outcome, reason, blind: wasBlind === 1 },
  };
}
