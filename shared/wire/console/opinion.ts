/** Second opinions about an item in review. */
import { z } from 'zod';
import { instant } from './common.ts';
import { OPINIONS, SPLITS } from './constants.ts';

/** Another reviewer's decision, and the reason. */
const givenOpinionSchema = z.strictObject({
  opinion: z.enum(OPINIONS),
  text: z.string(),
  displayName: z.string(),
  at: instant,
});

/** A request for a second opinion, addressed to every other reviewer, and its outcome. */
export const secondOpinionSchema = z.strictObject({
  /** Opaque; used in paths. */
  id: z.string(),
  question: z.string(),
  displayName: z.string(),
  at: instant,
  /** Whether the caller asked; then another reviewer must give the opinion. */
  mine: z.boolean(),
  /** Null until a reviewer has given it. */
  given: givenOpinionSchema.nullable(),
});
export type SecondOpinion = z.infer<typeof secondOpinionSchema>;

/** The answer to asking, giving and withdrawing: the present opinion; null if none is requested any more. */
export const opinionAnswerSchema = z.strictObject({ opinion: secondOpinionSchema.nullable() });
export type OpinionAnswer = z.infer<typeof opinionAnswerSchema>;

/** `GET /api/v1/review/splits`: how many items each split of the caller's queue has. */
export const splitCountsSchema = z.record(z.enum(['ALL', ...SPLITS]), z.int());
export type SplitCounts = z.infer<typeof splitCountsSchema>;
