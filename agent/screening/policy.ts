/**
 * A policy version (D16): a full snapshot, immutable once published. It determines what is screened for and how
 * findings are handled (D14). It holds everything that the console edits under "Compliance Policy", and no value comes
 * from the program itself.
 */
import { z } from 'zod';
import {
  CONFIDENCE_LEVELS,
  MOST_APART,
  LONGEST_REPLACEMENT,
  MOST_HOLD_SECONDS,
  MOST_REPLACEMENTS,
  REASON_CODES,
  SEVERITIES,
  TIME_OF_DAY,
} from '../../shared/wire/console/console.ts';
import { readReasonDigits } from '../../shared/wire/console/reason-digits.ts';
import { fold } from './letters/fold.ts';

const notBlank = (most: number): z.ZodString =>
  z
    .string()
    .max(most)
    .refine((text) => text.trim() !== '', 'must not be blank');

/** An expression with visible characters: spaces and invisible ones alone would match nowhere. */
const expression = z
  .string()
  .max(200)
  .refine((text) => fold(text).codes.length > 0, 'must hold at least one visible character');

/**
 * A longer expression inside which the word is legitimate. It counts only where it covers the hit. CLEAR drops the hit;
 * REVIEW keeps it as one for a person (원금 보장되지 않…).
 */
const wordExceptionSchema = z.strictObject({
  text: expression,
  becomes: z.enum(['CLEAR', 'REVIEW']),
});

const wordSchema = z.strictObject({
  /** Stable through all versions, so that hits can be followed over time. */
  id: z.string().min(1).max(100),
  word: expression,
  severity: z.enum(SEVERITIES),
  /** The reason code of the word: refusal forms suggest it. */
  reason: z.enum(REASON_CODES).optional(),
  /** A disabled word is kept and not searched for. */
  active: z.boolean(),
  exceptions: z.array(wordExceptionSchema).max(100),
  /** Most words with a meaning between two of its parts (D220); null: found by its letters alone. Absent: `USUALLY_APART`. */
  apart: z.int().min(0).max(MOST_APART).nullable().optional(),
  /** Phrases that a reviewer may put in the word's place (D213). Absent: none. */
  replacements: z.array(notBlank(LONGEST_REPLACEMENT)).min(1).max(MOST_REPLACEMENTS).optional(),
});

/** A required notice, in one of several wordings. */
const requiredNoticeSchema = z.strictObject({
  /** Stable through all versions. */
  id: z.string().min(1).max(100),
  /** The firm's name for it. */
  name: notBlank(100),
  severity: z.enum(SEVERITIES),
  active: z.boolean(),
  /** The text must hold one of these. */
  terms: z.array(expression).min(1).max(50),
  /** The notice is required only of a text with one of these; empty: of every text. */
  onlyWith: z.array(expression).max(50),
});

/** The reasons with a digit in every form, as `readReasonDigits` reads them (D237). */
export const reasonDigits = z
  .string()
  .refine((value) => readReasonDigits(value) !== null, 'must be up to nine different reason codes, apart by one space');

const criteriaSchema = z.strictObject({
  /** Off: no v1 text is exposed without a reviewer, regardless of the checks. */
  autoProvision: z.boolean(),
  /** Least number of distinct source events. */
  minSources: z.int().min(0).max(100),
  /** Lowest confidence that passes; HIGH is the strictest. */
  minConfidence: z.enum(CONFIDENCE_LEVELS),
  /** Whether an explanation of type UNCERTAIN always goes to a reviewer. */
  uncertainToReview: z.boolean(),
  /** Whether a return beyond ±100 % always goes to a reviewer (D226). */
  suspectToReview: z.boolean(),
  /** Whether an edited text, and a change of this policy, needs a second person. */
  fourEyes: z.boolean(),
  /** Whether a word that is surely part of other words (무위험 in 재무위험) needs no reviewer. */
  insidePasses: z.boolean(),
  /** The share of auto-provided texts that a person reviews afterwards, in percent. */
  sampleShare: z.int().min(0).max(100),
  /** The share of decisions that a second person reviews blindly, in percent. */
  blindShare: z.int().min(0).max(100),
  /** The hold of an approved text before any channel gets it, in whole seconds. */
  holdSeconds: z.int().min(0).max(MOST_HOLD_SECONDS),
  /** The time on the trade date at which a text expires, `HH:MM` in Korea; null: never. */
  expiresAt: z.string().regex(TIME_OF_DAY, 'must be a time of day, HH:MM').nullable(),
  /** Null: each form has its own. */
  reasonDigits: reasonDigits.nullable(),
});

const disclaimerSchema = z.strictObject({
  /** The notice that an AI wrote the text: a legal duty, so a field of its own that screens lock. */
  aiNotice: notBlank(2_000),
  /** The firm's own words after it. */
  text: notBlank(5_000),
});

export const policySnapshotSchema = z
  .strictObject({
    words: z.array(wordSchema).max(20_000),
    notices: z.array(requiredNoticeSchema).max(100),
    criteria: criteriaSchema,
    disclaimer: disclaimerSchema,
  })
  .refine((policy) => new Set(policy.words.map((word) => word.id)).size === policy.words.length, {
    path: ['words'],
    message: 'two forbidden words have the same id',
  })
  .refine((policy) => new Set(policy.notices.map((notice) => notice.id)).size === policy.notices.length, {
    path: ['notices'],
    message: 'two required notices have the same id',
  });

export type ForbiddenWord = z.infer<typeof wordSchema>;
export type WordException = z.infer<typeof wordExceptionSchema>;
export type RequiredNotice = z.infer<typeof requiredNoticeSchema>;
export type Criteria = z.infer<typeof criteriaSchema>;
export type PolicySnapshot = z.infer<typeof policySnapshotSchema>;

/** A snapshot with its number, from 1 without holes (D16). */
export interface PolicyVersion {
  version: number;
  snapshot: PolicySnapshot;
}

/** What decides about serving: of a policy with thousands of words it is read in a tenth of the time. */
export const policyOfServingSchema = z.object({
  criteria: z.object({ expiresAt: criteriaSchema.shape.expiresAt }),
  disclaimer: disclaimerSchema,
});

/** The disclaimer that accompanies every provided text (D20): the AI notice first, then the firm's words. */
export function disclaimerText(snapshot: Pick<PolicySnapshot, 'disclaimer'>): string {
  return `${snapshot.disclaimer.aiNotice} ${snapshot.disclaimer.text}`;
}
