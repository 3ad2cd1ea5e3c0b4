/** The review queue (D12, D13, D56). */
import { z } from 'zod';
import { evidenceSchema, sourceEventSchema } from '../bundle.ts';
import { instant } from './common.ts';
import { explanationShape, stateChangeSchema } from './explanation.ts';
import { secondOpinionSchema } from './opinion.ts';
import { checkResultSchema, wordHitSchema } from './screening.ts';

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

/** An edited text that one person has approved and a second one has to: while the policy wants two, and the first may decide. */
const waitingEditSchema = z.strictObject({
  displayName: z.string(),
  at: instant,
  /** Whether it is the caller's own: then somebody else must approve it. */
  mine: z.boolean(),
});

const itemShape = {
  ...explanationShape,
  /** Failed checks of the last screening: why it waits. */
  reasons: z.array(checkResultSchema.omit({ policyVersion: true, matcherVersion: true })),
  edited_summary: z.string().nullable(),
  comment: z.string().nullable(),
  /** Since when it has been in this state. */
  waitingSince: instant,
  /** Everybody who is looking at it now, each once, the first who came first. */
  claims: z.array(reviewClaimSchema),
  /** Its text is `edited_summary`; null where none waits. */
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
  explanation_run_id: z.string(),
  release_bundle_version: z.string().nullable(),
  policyVersion: z.int().nullable(),
  /** An approved text that no channel gets yet: until when, and how many ms that is from this answer on. */
  held: z.strictObject({ until: instant, leftMs: z.int() }).nullable(),
  /** What the text stands on: source events, and the evidence as stored, in snake_case (document 3). */
  grounds: z.strictObject({ source_events: z.array(sourceEventSchema), evidences: z.array(evidenceSchema) }),
  /** Hits that a reviewer has dismissed. */
  dismissed: z.array(dismissedHitSchema),
  /** Every check of the last screening, passed ones included. */
  checks: z.array(checkResultSchema),
  /** What the texts hit under the policy that is active now: what approving them would have to pass. */
  hitsNow: z.strictObject({
    policyVersion: z.int().nullable(),
    matcherVersion: z.string(),
    summary: z.array(wordHitSchema),
    /** Null where there is no edited text. */
    edited_summary: z.array(wordHitSchema).nullable(),
  }),
  history: z.array(stateChangeSchema),
});
export type ReviewDetail = z.infer<typeof reviewDetailSchema>;
