/** The review queue (D12, D13, D56). */
import { z } from 'zod';
import { evidenceSchema, sourceEventSchema } from '../bundle.ts';
import { instant } from './common.ts';
import { EXPLANATION_STATUSES, OBSTACLES, TEXT_SOURCES } from './constants.ts';
import { explanationShape, stateChangeSchema } from './explanation.ts';
import { secondOpinionSchema } from './opinion.ts';
import { checkResultSchema, missingNoticeSchema, wordHitSchema } from './screening.ts';

/** A person who is looking at an item; it runs out by itself. */
export const reviewClaimSchema = z.strictObject({
  displayName: z.string(),
  claimedAt: instant,
  expiresAt: instant,
  /** Whether it is the caller's own. */
  mine: z.boolean(),
});
export type ReviewClaim = z.infer<typeof reviewClaimSchema>;

/** `POST` and `DELETE /api/v1/review/items/{id}/claim`: who is looking now, the caller included. */
export const claimAnswerSchema = z.strictObject({ claims: z.array(reviewClaimSchema) });
export type ClaimAnswer = z.infer<typeof claimAnswerSchema>;

/**
 * An edited text that one person has approved and a second one has to: while the policy wants two, and the first may
 * decide.
 */
const waitingEditSchema = z.strictObject({
  displayName: z.string(),
  at: instant,
  text: z.string(),
  /** Display names of everybody who has written a part of it; `displayName` is of the person who approved it first. */
  authors: z.array(z.string()),
  /** Whether the caller has approved it or written a part of it: then somebody else must approve it. */
  mine: z.boolean(),
  /** Whether the caller is the person who approved it first. */
  approvedByMe: z.boolean(),
});

/** The caller's own draft about an item. */
const ownDraftSchema = z.strictObject({
  /** Null where nothing but a comment is kept, or nothing any more. */
  text: z.string().nullable(),
  comment: z.string().nullable(),
  /** Its own, sent back as `draftVersion`; the item's version does not change with it. */
  version: z.int(),
  at: instant,
  authors: z.array(z.string()),
  /** The hits in its text, and the required notices that it lacks, under the policy that is active now. */
  hits: z.array(wordHitSchema),
  missing: z.array(missingNoticeSchema),
});

/** That a colleague is writing about an item. Its words are given to nobody who does not go on with them. */
const colleagueDraftSchema = z.strictObject({
  /** Opaque; by this one goes on with it. */
  id: z.string(),
  displayName: z.string(),
  at: instant,
  authors: z.array(z.string()),
});

/** A later snapshot of the same ticker, which decides whether this one is shown once it is approved. */
const laterSchema = z.strictObject({
  id: z.string(),
  status: z.enum(EXPLANATION_STATUSES),
  trade_date: z.iso.date(),
  explanation_as_of: instant,
  /**
   * It is on show: the earlier one is not shown, approved or not (D60). Else it still waits itself, and will replace
   * it.
   */
  replaces: z.boolean(),
});

const itemShape = {
  ...explanationShape,
  /** Null where no later one is exposed or waits. */
  later: laterSchema.nullable(),
  /** Failed checks of the last screening: why it waits. */
  reasons: z.array(checkResultSchema.omit({ policyVersion: true, matcherVersion: true })),
  /** The caller's own draft; else the edit that waits for a second person; else the last exposed edit. */
  edited_summary: z.string().nullable(),
  /** The one that was written with `edited_summary`, or the last decision's. */
  comment: z.string().nullable(),
  /** Since when it has been in this state. */
  waitingSince: instant,
  /** Everybody who is looking at it now, each once, the first who came first. */
  claims: z.array(reviewClaimSchema),
  /** Null where none waits. */
  waitingEdit: waitingEditSchema.nullable(),
  /** The one that is asked for or was given about the item as it stands now. */
  opinion: secondOpinionSchema.nullable(),
};
export const reviewItemSchema = z.strictObject(itemShape);
export type ReviewItem = z.infer<typeof reviewItemSchema>;

/** A hit that a reviewer has found to be none. */
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
  colleagueDrafts: z.array(colleagueDraftSchema),
  explanation_run_id: z.string(),
  release_bundle_version: z.string().nullable(),
  policyVersion: z.int().nullable(),
  /** An approved text that no channel gets yet: until when, and how many ms that is from this answer on. */
  held: z.strictObject({ until: instant, leftMs: z.int() }).nullable(),
  /** The grounds of the text: source events, and the evidence as stored, in snake_case (sync protocol 2.9). */
  grounds: z.strictObject({ source_events: z.array(sourceEventSchema), evidences: z.array(evidenceSchema) }),
  /** Hits that a reviewer has dismissed. */
  dismissed: z.array(dismissedHitSchema),
  /** Every check of the last screening, passed ones included. */
  checks: z.array(checkResultSchema),
  /** The hits in the texts under the policy that is active now: approving them would have to pass these. */
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
