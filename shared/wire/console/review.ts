/** The review queue (D12, D13, D56). */
import { z } from 'zod';
import { evidenceSchema, sourceEventSchema } from '../bundle.ts';
import { instant } from './common.ts';
import { EXPLANATION_STATUSES, OBSTACLES, TEXT_SOURCES } from './constants.ts';
import { explanationShape, stateChangeSchema } from './explanation.ts';
import { secondOpinionSchema } from './opinion.ts';
import { checkResultSchema, missingNoticeSchema, replacementsSchema, wordHitSchema } from './screening.ts';

/** A claim: a person who is looking at an item. It expires by itself. */
export const reviewClaimSchema = z.strictObject({
  displayName: z.string(),
  claimedAt: instant,
  expiresAt: instant,
  /** Whether the claim is the caller's own. */
  mine: z.boolean(),
});
export type ReviewClaim = z.infer<typeof reviewClaimSchema>;

/** `POST` and `DELETE /api/v1/review/items/{id}/claim`: the present claims, the caller's included. */
export const claimAnswerSchema = z.strictObject({ claims: z.array(reviewClaimSchema) });
export type ClaimAnswer = z.infer<typeof claimAnswerSchema>;

/** `PUT` and `DELETE /api/v1/review/items/{id}/postponement`. */
export const postponementAnswerSchema = z.strictObject({ postponedUntil: instant.nullable() });
export type PostponementAnswer = z.infer<typeof postponementAnswerSchema>;

/** A hand-over of an item to another reviewer (D236). */
const handedOverSchema = z.strictObject({
  by: z.string(),
  /** A display name; null: to any other reviewer. */
  to: z.string().nullable(),
  at: instant,
  /** Whether it is the caller's turn by it. */
  mine: z.boolean(),
});
export type HandedOver = z.infer<typeof handedOverSchema>;

/** `PUT` and `DELETE /api/v1/review/items/{id}/hand-over`; null: not handed over any more. */
export const handOverAnswerSchema = z.strictObject({ handedOver: handedOverSchema.nullable() });
export type HandOverAnswer = z.infer<typeof handOverAnswerSchema>;

/**
 * An edit with a first approval that waits for the second one, while the policy requires two people and the first may
 * still decide.
 */
const waitingEditSchema = z.strictObject({
  displayName: z.string(),
  at: instant,
  text: z.string(),
  /** Display names of its authors; `displayName` is the first approver's. */
  authors: z.array(z.string()),
  /** Whether the caller is its first approver or an author; then another reviewer must approve it. */
  mine: z.boolean(),
  /** Whether the caller is the first approver. */
  approvedByMe: z.boolean(),
});

/** The caller's own draft about an item. */
const ownDraftSchema = z.strictObject({
  /** Null if only a comment is saved, or nothing. */
  text: z.string().nullable(),
  comment: z.string().nullable(),
  /** The draft's version, sent back as `draftVersion`; the item's version is independent of it. */
  version: z.int(),
  at: instant,
  authors: z.array(z.string()),
  /** The hits in its text, and the required notices that it lacks, under the policy that is active now. */
  hits: z.array(wordHitSchema),
  missing: z.array(missingNoticeSchema),
});

/** A colleague's draft for an item, without its text: a reviewer gets the text only by taking the draft over. */
const colleagueDraftSchema = z.strictObject({
  /** Opaque id for taking it over. */
  id: z.string(),
  displayName: z.string(),
  at: instant,
  authors: z.array(z.string()),
});

/** A later snapshot of the same ticker, which decides whether this one is exposed after an approval. */
const laterSchema = z.strictObject({
  id: z.string(),
  status: z.enum(EXPLANATION_STATUSES),
  trade_date: z.iso.date(),
  explanation_as_of: instant,
  /**
   * The later one is exposed, so that this one is not, even when approved (D60). False: the later one still waits, and
   * will replace this one.
   */
  replaces: z.boolean(),
});

const itemShape = {
  ...explanationShape,
  /** Null where no later one is exposed or waits. */
  later: laterSchema.nullable(),
  /** Failed checks of the last screening, the reason of the wait. */
  reasons: z.array(checkResultSchema.omit({ policyVersion: true, matcherVersion: true })),
  /** The caller's own draft; else the edit that waits for a second person; else the last exposed edit. */
  edited_summary: z.string().nullable(),
  /** The comment saved with `edited_summary`, or that of the last decision. */
  comment: z.string().nullable(),
  /** The start of its present state. */
  waitingSince: instant,
  /** Everyone with a claim on it now, each once, in order of arrival. */
  claims: z.array(reviewClaimSchema),
  /** Until when the caller has put it off; null for an item that waits for the caller too (D222). */
  postponedUntil: instant.nullable(),
  /** Null where nobody has handed it over, or its recipient may not decide any more. */
  handedOver: handedOverSchema.nullable(),
  /** Null where none waits. */
  waitingEdit: waitingEditSchema.nullable(),
  /** The opinion that is requested or was given on the item in its present state. */
  opinion: secondOpinionSchema.nullable(),
};
export const reviewItemSchema = z.strictObject(itemShape);
export type ReviewItem = z.infer<typeof reviewItemSchema>;

/** A hit that a reviewer has marked as false. */
export const dismissedHitSchema = z.strictObject({
  wordId: z.string(),
  reason: z.string(),
  displayName: z.string(),
  at: instant,
});
export type DismissedHit = z.infer<typeof dismissedHitSchema>;

export const reviewDetailSchema = z.strictObject({
  ...itemShape,
  etf_instrument_id: z.string(),
  content_as_of: z.string().nullable(),
  published_summary: z.string().nullable(),
  /** The provision API's decision now, and its obstacle (D60). */
  exposed: z.boolean(),
  obstacle: z.enum(OBSTACLES).nullable(),
  /** The text that an approval is about: a waiting edit, else an edit that was exposed, else the received text. */
  underReview: z.strictObject({
    source: z.enum(TEXT_SOURCES),
    text: z.string(),
    authors: z.array(z.string()),
    hits: z.array(wordHitSchema),
    missing: z.array(missingNoticeSchema),
  }),
  draft: ownDraftSchema.nullable(),
  /** What the active policy offers in the place of hits in the text under review, the received one and the draft. */
  replacements: z.array(replacementsSchema),
  colleagueDrafts: z.array(colleagueDraftSchema),
  explanation_run_id: z.string(),
  release_bundle_version: z.string().nullable(),
  policyVersion: z.int().nullable(),
  /** The hold of an approved text: its end, and the ms that are left from this answer on. */
  held: z.strictObject({ until: instant, leftMs: z.int() }).nullable(),
  /** The grounds of the text: source events, and the evidence as stored, in snake_case (sync protocol 2.9). */
  grounds: z.strictObject({ source_events: z.array(sourceEventSchema), evidences: z.array(evidenceSchema) }),
  /** Hits that a reviewer has dismissed. */
  dismissed: z.array(dismissedHitSchema),
  /** Every check of the last screening, passed ones included. */
  checks: z.array(checkResultSchema),
  /** The hits in the texts under the active policy, which an approval would have to acknowledge. */
  hitsNow: z.strictObject({
    policyVersion: z.int().nullable(),
    matcherVersion: z.string(),
    summary: z.array(wordHitSchema),
    /** Null where there is no edited text. */
    edited_summary: z.array(wordHitSchema).nullable(),
    /** The required notices that each of them lacks. */
    missing: z.strictObject({
      summary: z.array(missingNoticeSchema),
      edited_summary: z.array(missingNoticeSchema).nullable(),
    }),
  }),
  history: z.array(stateChangeSchema),
});
export type ReviewDetail = z.infer<typeof reviewDetailSchema>;
