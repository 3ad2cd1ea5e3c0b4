/** Review statistics over a span of Korean days. A number without measurements is null, never 0. */
import { z } from 'zod';
import { instant } from './common.ts';
import { DECISIONS, SAMPLE_OUTCOMES } from './constants.ts';

/** Quantiles are interpolated between measured times. */
const timesSchema = z.strictObject({
  medianMs: z.int().nullable(),
  /** The 90th percentile. */
  p90Ms: z.int().nullable(),
  /** Number of measurements. */
  measured: z.int(),
});
export type MeasuredTimes = z.infer<typeof timesSchema>;

const countsShape = {
  /** Decisions of reviewers, by kind. */
  decided: z.strictObject({ approved: z.int(), approvedEdited: z.int(), rejected: z.int(), blocked: z.int() }),
  /**
   * Decisions of these that a person has reversed since: approved, then stopped or sent back to review; refused, then
   * approved with the same text.
   */
  reversed: z.int(),
  /**
   * Texts published without a review, and how many of them a person has stopped or sent to review since; texts that the
   * screening blocked, and how many of them a person has unblocked since.
   */
  automatic: z.strictObject({ provided: z.int(), reversed: z.int(), blocked: z.int(), unblocked: z.int() }),
};
const figuresShape = {
  ...countsShape,
  /** From the arrival of an item in review to its decision. */
  waiting: timesSchema,
  /** From the decider's claim to the decision. */
  handling: timesSchema,
};
const figuresSchema = z.strictObject(figuresShape);
export type ReviewFigures = z.infer<typeof figuresSchema>;

const dayShape = { day: z.iso.date(), ...figuresShape };

/** An action that a person has reversed. */
const reversalSchema = z.strictObject({
  id: z.string(),
  etf_ticker: z.string(),
  etf_name: z.string(),
  /** The reversed action: a decision, or a provision or a block without a review. */
  decision: z.enum(['approve', 'approve-edited', 'reject', 'block', 'automatic', 'automatic-block']),
  decidedAt: instant,
  takenBackBy: z.enum(['stop', 'move-to-review', 'approve', 'approve-edited', 'unblock']),
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
  /**
   * The same by the policy in force, newest first; null: no active policy, or a text of v2, which no policy screens.
   */
  policies: z.array(z.strictObject({ policyVersion: z.int().nullable(), ...countsShape })),
  /** Samples drawn on these days, by outcome: of texts that were exposed, and of texts that were blocked. */
  samples: z.record(z.enum(SAMPLE_OUTCOMES), z.int()),
  blockSamples: z.record(z.enum(SAMPLE_OUTCOMES), z.int()),
  /**
   * Decisions of these days that were drawn for a blind review: those waiting for one, those overtaken by a later
   * event, and those whose reviewer had seen the decision. For the rest, which alone count, the first decision and the
   * second reviewer's.
   */
  blind: z.strictObject({
    open: z.int(),
    overtaken: z.int(),
    notBlind: z.int(),
    agreed: z.int(),
    differed: z.int(),
    pairs: z.array(z.strictObject({ first: z.enum(DECISIONS), second: z.enum(DECISIONS), count: z.int() })),
  }),
  /** The latest reversals, newest first. */
  reversals: z.array(reversalSchema),
});
export type ReviewStatistics = z.infer<typeof reviewStatisticsSchema>;
