/**
 * A policy version (D16): a full snapshot, immutable once published. It decides what is
 * screened for and what is done with the findings (D14). Everything that the console edits under
 * "Compliance Policy" stands in here, and nothing is ever taken from the program itself.
 */
import { z } from 'zod';
import {
  CONFIDENCE_LEVELS,
  MOST_HOLD_SECONDS,
  REASON_CODES,
  SEVERITIES,
  TIME_OF_DAY,
} from '../../shared/wire/console/console.ts';
import { fold } from './fold.ts';

const notBlank = (most: number): z.ZodString =>
  z
    .string()
    .max(most)
    .refine((text) => text.trim() !== '', 'must not be blank');

/** Something that can be looked for: spaces and invisible characters alone would be found nowhere. */
const expression = z
  .string()
  .max(200)
  .refine((text) => fold(text).codes.length > 0, 'must hold at least one visible character');

/**
 * A longer expression inside which the word is legitimate. It counts only where it covers the hit.
 * CLEAR drops the hit; REVIEW keeps it, but as one that a person looks at (원금 보장되지 않…).
 */
const wordExceptionSchema = z.strictObject({
  text: expression,
  becomes: z.enum(['CLEAR', 'REVIEW']),
});

const wordSchema = z.strictObject({
  /** Stays the same through all versions, so that hits can be followed over time. */
  id: z.string().min(1).max(100),
  word: expression,
  severity: z.enum(SEVERITIES),
  /** The reason of the taxonomy that it stands for: forms of a refusal begin with it. Earlier versions do not say. */
  reason: z.enum(REASON_CODES).optional(),
  /** A word that is switched off is kept and not looked for. */
  active: z.boolean(),
  exceptions: z.array(wordExceptionSchema).max(100),
});

/** A notice that a text must hold, in one of several wordings. */
const requiredNoticeSchema = z.strictObject({
  /** Stays the same through all versions. */
  id: z.string().min(1).max(100),
  /** The firm's name for it. */
  name: notBlank(100),
  severity: z.enum(SEVERITIES),
  active: z.boolean(),
  /** One of these must stand in the text. */
  terms: z.array(expression).min(1).max(50),
  /** Asked only of a text in which one of these stands; empty: of every text. */
  onlyWith: z.array(expression).max(50),
});

const criteriaSchema = z.strictObject({
  /** Off: nothing of v1 is provided without a reviewer, whatever the checks say. */
  autoProvision: z.boolean(),
  /** Least number of distinct source events. */
  minSources: z.int().min(0).max(100),
  /** Lowest confidence that passes; HIGH is the strictest. */
  minConfidence: z.enum(CONFIDENCE_LEVELS),
  /** Whether an explanation of type UNCERTAIN always goes to a reviewer. */
  uncertainToReview: z.boolean(),
  /**
   * Whether a text that a person has edited, and a change of this policy, needs a second person. Earlier versions do
   * not say.
   */
  fourEyes: z.boolean().default(false),
  /** How much of what is provided without a review is looked at afterwards, in percent. Earlier versions do not say. */
  sampleShare: z.int().min(0).max(100).default(0),
  /** How much of what people decide a second one looks at blindly, in percent. Earlier versions do not say. */
  blindShare: z.int().min(0).max(100).default(0),
  /**
   * For how long what a person approves is held before any channel gets it, in whole seconds. Earlier versions do not
   * say.
   */
  holdSeconds: z.int().min(0).max(MOST_HOLD_SECONDS).default(0),
  /** When a text expires on its trade date, `HH:MM` in Korea; null: it does not. Earlier versions do not say. */
  expiresAt: z.string().regex(TIME_OF_DAY, 'must be a time of day, HH:MM').nullable().default(null),
});

const disclaimerSchema = z.strictObject({
  /** The notice that an AI wrote the text: a legal duty, so a part of its own that screens lock. */
  aiNotice: notBlank(2_000),
  /** The firm's own words after it. */
  text: notBlank(5_000),
});

export const policySnapshotSchema = z
  .strictObject({
    words: z.array(wordSchema).max(20_000),
    /** Earlier versions do not say. */
    notices: z.array(requiredNoticeSchema).max(100).default([]),
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

/** The disclaimer as it goes out beside every provided text (D20): AI notice first, then the firm's words. */
export function disclaimerText(snapshot: PolicySnapshot): string {
  return `${snapshot.disclaimer.aiNotice} ${snapshot.disclaimer.text}`;
}
