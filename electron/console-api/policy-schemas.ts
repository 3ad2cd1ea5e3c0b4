/** How changes of the policy are read from requests; the same pieces for a change and for its dry run. */
import { z } from 'zod';
import { fold } from '../../agent/screening/fold.ts';
import type { ForbiddenWord } from '../../agent/screening/policy.ts';
import {
  CONFIDENCE_LEVELS,
  MOST_HOLD_SECONDS,
  REASON_CODES,
  SEVERITIES,
  TIME_OF_DAY,
} from '../../shared/wire/console.ts';
import { requiredText } from './schemas.ts';

/** Spaces and invisible characters alone would be found nowhere. */
const expression = requiredText(200)
  .refine((value) => value === value.trim(), 'must not begin or end with white space')
  .refine((value) => fold(value).codes.length > 0, 'must hold at least one visible character');

export const newWord = z.strictObject({
  word: expression,
  severity: z.enum(SEVERITIES),
  reason: z.enum(REASON_CODES).optional(),
  exceptions: z
    .array(z.strictObject({ text: expression, becomes: z.enum(['CLEAR', 'REVIEW']) }))
    .max(100)
    .optional(),
});

export function wordOf(
  { word, severity, reason, exceptions = [] }: z.infer<typeof newWord>,
  id: string,
): ForbiddenWord {
  return { id, word, severity, ...(reason === undefined ? {} : { reason }), active: true, exceptions };
}

export const criteriaChange = z
  .strictObject({
    autoProvision: z.boolean().optional(),
    minSources: z.int().min(0).max(100).optional(),
    minConfidence: z.enum(CONFIDENCE_LEVELS).optional(),
    uncertainToReview: z.boolean().optional(),
    fourEyes: z.boolean().optional(),
    sampleShare: z.int().min(0).max(100).optional(),
    blindShare: z.int().min(0).max(100).optional(),
    holdSeconds: z.int().min(0).max(MOST_HOLD_SECONDS).optional(),
    expiresAt: z.string().regex(TIME_OF_DAY, 'must be a time of day, HH:MM').nullable().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'must name at least one criterion');

/** The whole disclaimer, or the firm's words of it alone: the notice of an AI is locked and stands before them. */
export const disclaimerChange = z.strictObject({ disclaimer: requiredText(5_000) });
