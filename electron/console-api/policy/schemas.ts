/** Request schemas of policy changes; the same parts for a change and its dry run. */
import { z } from 'zod';
import { fold } from '../../../agent/screening/letters/fold.ts';
import { reasonDigits, type ForbiddenWord, type RequiredNotice } from '../../../agent/screening/policy.ts';
import {
  CONFIDENCE_LEVELS,
  MOST_APART,
  LONGEST_REPLACEMENT,
  MOST_HOLD_SECONDS,
  MOST_REPLACEMENTS,
  REASON_CODES,
  SEVERITIES,
  TIME_OF_DAY,
} from '../../../shared/wire/console/console.ts';
import { unreadIn } from '../../../shared/wire/characters.ts';
import { seenOf } from '../../../shared/wire/invisible.ts';
import { LONGEST, requiredText, requiredWrittenText } from '../http/schemas.ts';

/** Spaces and invisible characters alone would match nothing. */
const expression = requiredText(200)
  .refine((value) => value === value.trim(), 'must not begin or end with white space')
  .refine((value) => fold(value).codes.length > 0, 'must hold at least one visible character')
  // The screening skips invisible characters; with any other character that it does not read, a word would match nowhere.
  .refine(
    (value) => unreadIn('text', seenOf(value)) === null,
    'must not hold a character which no reader sees or reads',
  );

/** A sign alone (`?`) is no wording: it is left over from the form's notation. */
const wording = expression.refine((value) => /[\p{L}\p{N}]/u.test(value), 'must hold a letter or a digit');

const isDistinct = (texts: readonly string[]): boolean =>
  new Set(texts.map((one) => fold(one).codes.join(','))).size === texts.length;
const NOT_TWICE = 'must not hold the same expression twice';

const exceptions = z
  .array(z.strictObject({ text: wording, becomes: z.enum(['CLEAR', 'REVIEW']) }))
  .max(100)
  .refine((all) => isDistinct(all.map(({ text }) => text)), NOT_TWICE);

const apart = z.int().min(0).max(MOST_APART).nullable().optional();

/** Put into a text that customers read, letter for letter. */
const replacements = z
  .array(
    requiredWrittenText(LONGEST_REPLACEMENT).refine(
      (value) => value === value.trim(),
      'must not begin or end with white space',
    ),
  )
  .max(MOST_REPLACEMENTS)
  .refine((all) => new Set(all).size === all.length, 'must not hold the same phrase twice');

export const newWord = z.strictObject({
  word: expression,
  severity: z.enum(SEVERITIES),
  reason: z.enum(REASON_CODES).optional(),
  exceptions: exceptions.optional(),
  apart,
  replacements: replacements.optional(),
});

export const wordChange = z.strictObject({
  severity: z.enum(SEVERITIES).optional(),
  reason: z.enum(REASON_CODES).optional(),
  exceptions: exceptions.optional(),
  apart,
  replacements: replacements.optional(),
});

export const newNotice = z.strictObject({
  name: requiredText(100),
  severity: z.enum(SEVERITIES),
  active: z.boolean(),
  terms: z.array(wording).min(1).max(50).refine(isDistinct, NOT_TWICE),
  onlyWith: z.array(wording).max(50).refine(isDistinct, NOT_TWICE),
});

export function noticeOf(
  { name, severity, active, terms, onlyWith }: z.infer<typeof newNotice>,
  id: string,
): RequiredNotice {
  return { id, name, severity, active, terms, onlyWith };
}

export function wordOf(
  { word, severity, reason, exceptions = [], apart, replacements: offered = [] }: z.infer<typeof newWord>,
  id: string,
): ForbiddenWord {
  return {
    id,
    word,
    severity,
    ...(reason === undefined ? {} : { reason }),
    active: true,
    exceptions,
    ...(apart === undefined ? {} : { apart }),
    ...(offered.length === 0 ? {} : { replacements: offered }),
  };
}

export const criteriaChange = z
  .strictObject({
    autoProvision: z.boolean().optional(),
    minSources: z.int().min(0).max(100).optional(),
    minConfidence: z.enum(CONFIDENCE_LEVELS).optional(),
    uncertainToReview: z.boolean().optional(),
    suspectToReview: z.boolean().optional(),
    insidePasses: z.boolean().optional(),
    fourEyes: z.boolean().optional(),
    sampleShare: z.int().min(0).max(100).optional(),
    blindShare: z.int().min(0).max(100).optional(),
    holdSeconds: z.int().min(0).max(MOST_HOLD_SECONDS).optional(),
    expiresAt: z.string().regex(TIME_OF_DAY, 'must be a time of day, HH:MM').nullable().optional(),
    reasonDigits: reasonDigits.max(LONGEST.reason).nullable().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'must name at least one criterion');

/** The whole disclaimer, or only the firm's part: the AI notice is locked and precedes it. */
export const disclaimerChange = z.strictObject({ disclaimer: requiredWrittenText(5_000) });
