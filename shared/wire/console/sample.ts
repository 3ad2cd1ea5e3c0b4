/** Samples of texts provided or blocked without a review. */
import { z } from 'zod';
import { instant } from './common.ts';
import { SAMPLE_KINDS, SAMPLE_OUTCOMES } from './constants.ts';

export const sampleSchema = z.strictObject({
  kind: z.enum(SAMPLE_KINDS),
  sampledAt: instant,
  /** The policy in force at that time, and its share in percent. */
  policyVersion: z.int(),
  share: z.int(),
  outcome: z.enum(SAMPLE_OUTCOMES),
  /** Display name; null until a reviewer has checked it. */
  seenBy: z.string().nullable(),
  seenAt: instant.nullable(),
});
export type Sample = z.infer<typeof sampleSchema>;

/** `GET /api/v1/review/samples/counts`. */
export const sampleCountsSchema = z.record(z.enum(SAMPLE_OUTCOMES), z.int());
export type SampleCounts = z.infer<typeof sampleCountsSchema>;
