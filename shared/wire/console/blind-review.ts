/** Blind reviews: a second reviewer's decision on an item, given without knowing the first. */
import { z } from 'zod';
import { evidenceSchema, sourceEventSchema } from '../bundle.ts';
import { instant } from './common.ts';
import { DECISIONS } from './constants.ts';
import { explanationShape } from './explanation.ts';
import { checkResultSchema } from './screening.ts';

/** Without the explanation's id, state and version, because its page would reveal the first decision. */
const { etf_ticker, etf_name, market, trade_date, explanation_as_of } = explanationShape;
const { explanation_type, confidence_level, observed_return, receivedAt } = explanationShape;

const itemShape = {
  /** Id of the review. */
  id: z.string(),
  state: z.enum(['OPEN', 'AGREED', 'DIFFERED']),
  drawnAt: instant,
  etf_ticker,
  etf_name,
  market,
  trade_date,
  explanation_as_of,
  explanation_type,
  confidence_level,
  observed_return,
  receivedAt,
};
export const blindReviewItemSchema = z.strictObject(itemShape);
export type BlindReviewItem = z.infer<typeof blindReviewItemSchema>;

const opinionShape = { displayName: z.string(), at: instant, decision: z.enum(DECISIONS) };

/** Both decisions, once both are given. */
const bothDecisionsSchema = z.strictObject({
  /** The explanation's id. */
  explanationId: z.string(),
  first: z.strictObject({
    ...opinionShape,
    reason: z.string().nullable(),
    /** The text that the decision exposed; null for none. */
    published_summary: z.string().nullable(),
  }),
  second: z.strictObject({
    ...opinionShape,
    reason: z.string(),
    /** Whether this reviewer had not seen the first decision; only then does the review count. */
    blind: z.boolean(),
  }),
});

/** `GET` and `POST /api/v1/review/blind-reviews/{id}`. */
export const blindReviewSchema = z.strictObject({
  ...itemShape,
  content_as_of: z.string().nullable(),
  /** The text that was decided; null if the vendor has changed it since. */
  item: z
    .strictObject({
      /** The text as received. */
      summary: z.string(),
      grounds: z.strictObject({ source_events: z.array(sourceEventSchema), evidences: z.array(evidenceSchema) }),
      /** Every check of its screening. */
      checks: z.array(checkResultSchema),
    })
    .nullable(),
  /** Whether the caller took part in the item, so that another reviewer must give the opinion. */
  hadAPart: z.boolean(),
  /** Whether the caller has not seen the decision while the review was open: only then does the opinion count. */
  blind: z.boolean(),
  /** Null until a reviewer has given an opinion. */
  told: bothDecisionsSchema.nullable(),
});
export type BlindReview = z.infer<typeof blindReviewSchema>;

/** `POST /api/v1/review/items/{id}/looks`: false where no blind review of the item awaits the caller. */
export const viewNotedSchema = z.strictObject({ noted: z.boolean() });
export type ViewNoted = z.infer<typeof viewNotedSchema>;
