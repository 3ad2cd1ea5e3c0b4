/** Second opinions about an item in review. */
import { z } from 'zod';
import { instant } from './common.ts';
import { AWAITED, OPINIONS } from './constants.ts';

/** Another reviewer's decision, and the reason. */
const givenOpinionSchema = z.strictObject({
  opinion: z.enum(OPINIONS),
  text: z.string(),
  displayName: z.string(),
  at: instant,
});

/** The request for one, of every other reviewer, and what came of it. */
export const secondOpinionSchema = z.strictObject({
  /** Opaque; what paths take. */
  id: z.string(),
  question: z.string(),
  displayName: z.string(),
  at: instant,
  /** Whether the caller has asked: then another reviewer must give it. */
  mine: z.boolean(),
  /** Null while nobody has given it. */
  given: givenOpinionSchema.nullable(),
});
export type SecondOpinion = z.infer<typeof secondOpinionSchema>;

/** The answer of asking, giving and withdrawing: the opinion as it is now; null where none is asked for any more. */
export const opinionAnswerSchema = z.strictObject({ opinion: secondOpinionSchema.nullable() });
export type OpinionAnswer = z.infer<typeof opinionAnswerSchema>;

/** `GET /api/v1/review/awaited`: how many items wait for another person, by what for. */
export const awaitedCountsSchema = z.record(z.enum(AWAITED), z.int());
export type AwaitedCounts = z.infer<typeof awaitedCountsSchema>;
