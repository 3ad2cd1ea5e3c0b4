/** Blind reviews: what a second person would have decided, without being told what was. */
import { z } from 'zod';
import { evidenceSchema, sourceEventSchema } from '../bundle.ts';
import { instant } from './common.ts';
import { DECISIONS } from './constants.ts';
import { explanationShape } from './explanation.ts';
import { checkResultSchema } from './screening.ts';

/** Neither the state of the explanation, nor its id, under which it can be looked up, nor its version. */
const { etf_ticker, etf_name, market, trade_date, explanation_as_of } = explanationShape;
const { explanation_type, confidence_level, observed_return, receivedAt } = explanationShape;

const itemShape = {
  /** Of the review. */
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

/** Both opinions, once both are given. */
const toldSchema = z.strictObject({
  /** The explanation's id. */
  explanationId: z.string(),
  first: z.strictObject({
    ...opinionShape,
    reason: z.string().nullable(),
    /** The text that it exposed; null where it exposed none. */
    published_summary: z.string().nullable(),
  }),
  second: z.strictObject({
    ...opinionShape,
    reason: z.string(),
    /** Whether this person had not been shown the decision; only then it counts. */
    blind: z.boolean(),
  }),
});

/** `GET` and `POST /api/v1/review/blind-reviews/{id}`. */
export const blindReviewSchema = z.strictObject({
  ...itemShape,
  content_as_of: z.string().nullable(),
  /** The text that the decision was about; null where the vendor has changed it since. */
  item: z
    .strictObject({
      /** The text as received. */
      summary: z.string(),
      grounds: z.strictObject({ source_events: z.array(sourceEventSchema), evidences: z.array(evidenceSchema) }),
      /** Every check of its screening. */
      checks: z.array(checkResultSchema),
    })
    .nullable(),
  /** Whether the caller had a part in the item, so that somebody else must say what they think. */
  hadAPart: z.boolean(),
  /** Whether the caller has not been shown the decision while it was open: only then an opinion counts. */
  blind: z.boolean(),
  /** Null while nobody has given an opinion. */
  told: toldSchema.nullable(),
});
export type BlindReview = z.infer<typeof blindReviewSchema>;

/** `POST /api/v1/review/items/{id}/looks`: false where no blind review of the item awaits the caller. */
export const lookNotedSchema = z.strictObject({ noted: z.boolean() });
export type LookNoted = z.infer<typeof lookNotedSchema>;
