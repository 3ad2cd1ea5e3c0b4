/** How the review goes, over a span of Korean days. A number that nothing was measured for is null, never 0. */
import { z } from 'zod';
import { instant } from './common.ts';
import { DECISIONS, SAMPLE_OUTCOMES } from './constants.ts';

/** A quantile lies between two measured times where it falls between them. */
const timesSchema = z.strictObject({
  medianMs: z.int().nullable(),
  /** Nine in ten took at most so long. */
  p90Ms: z.int().nullable(),
  /** How many were measured. */
  measured: z.int(),
});
export type MeasuredTimes = z.infer<typeof timesSchema>;

const countsShape = {
  /** Decisions of people, by what was decided. */
  decided: z.strictObject({ approved: z.int(), approvedEdited: z.int(), rejected: z.int(), blocked: z.int() }),
  /**
   * Of these, how many a person has taken back since: approved, and then stopped or sent back to review; refused, and
   * then approved with the same text after all.
   */
  reversed: z.int(),
  /** Texts that went out without a review, and how many of them a person has stopped or sent to review since. */
  automatic: z.strictObject({ provided: z.int(), reversed: z.int() }),
};
const figuresShape = {
  ...countsShape,
  /** From when an item came into review until it was decided. */
  waiting: timesSchema,
  /** From when the decider took the item until they decided it. */
  handling: timesSchema,
};
const figuresSchema = z.strictObject(figuresShape);
export type ReviewFigures = z.infer<typeof figuresSchema>;

const dayShape = { day: z.iso.date(), ...figuresShape };

/** Something that a person has taken back. */
const reversalSchema = z.strictObject({
  id: z.string(),
  etf_ticker: z.string(),
  etf_name: z.string(),
  /** Acts that were taken back: a decision, or a provision without a review. */
  decision: z.enum(['approve', 'approve-edited', 'reject', 'block', 'automatic']),
  decidedAt: instant,
  takenBackBy: z.enum(['stop', 'move-to-review', 'approve', 'approve-edited']),
  takenBackAt: instant,
});
export type Reversal = z.infer<typeof reversalSchema>;

/** `GET /api/v1/review/statistics`. */
export const reviewStatisticsSchema = z.strictObject({
  from: z.iso.date(),
  to: z.iso.date(),
  total: figuresSchema,
  /** Every day of the span, oldest first. */
  days: z.array(z.strictObject(dayShape)),
  /** The same by the policy that was in force, newest first; null: none was, or a text of v2, which none looks at. */
  policies: z.array(z.strictObject({ policyVersion: z.int().nullable(), ...countsShape })),
  /** Samples that were drawn on these days, by what a look at them ended in. */
  samples: z.record(z.enum(SAMPLE_OUTCOMES), z.int()),
  /**
   * Decisions of these days that were drawn for a blind review: those that wait for one, that something else became
   * of before, and that were reviewed by somebody who had been shown the decision. Of the others, which alone count,
   * what was decided first and what the second person would have decided.
   */
  blind: z.strictObject({
    open: z.int(),
    overtaken: z.int(),
    notBlind: z.int(),
    agreed: z.int(),
    differed: z.int(),
    pairs: z.array(z.strictObject({ first: z.enum(DECISIONS), second: z.enum(DECISIONS), count: z.int() })),
  }),
  /** The latest of what was taken back, newest first. */
  reversals: z.array(reversalSchema),
});
export type ReviewStatistics = z.infer<typeof reviewStatisticsSchema>;
