/** The findings of a screening (D14, D15). */
import { z } from 'zod';
import { CHECK_CODES, CHECKS, REASON_CODES, SEVERITIES, VERDICTS } from './constants.ts';

/** One place where a forbidden word stands. */
export const wordHitSchema = z.strictObject({
  wordId: z.string(),
  /** The word as the policy has it. */
  word: z.string(),
  severity: z.enum(SEVERITIES),
  /** The reason of the taxonomy that the policy's word stands for, if it has one. */
  reason: z.enum(REASON_CODES).optional(),
  /** UTF-16 positions in the text as it was received, end exclusive. */
  start: z.int(),
  end: z.int(),
  /** The original text between them. */
  matched: z.string(),
  /**
   * Which pass found it: `strict` folds as D15 says; `loose` also drops punctuation; `morphemes` finds the parts of the word in
   * one clause, in any order (D220).
   */
  pass: z.enum(['strict', 'loose', 'morphemes']),
  /**
   * What grammar says of it, and why it leads to review: `INSIDE` it is part of other words, `TURNED` its meaning is turned by
   * `turnedBy`, `UNREAD` the sentence is too long to be analysed.
   */
  grammar: z.enum(['INSIDE', 'TURNED', 'UNREAD']).optional(),
  turnedBy: z.string().optional(),
  /**
   * How its letters were read, where not as they are: `HANJA` Chinese characters in Korean, `PAGE` as a browser shows the
   * markup, `SOURCE` only in the source of the markup.
   */
  reading: z.enum(['HANJA', 'PAGE', 'SOURCE']).optional(),
  /** The exception of the word that matched and needs a reviewer; null if the word itself matched. */
  exception: z.string().nullable(),
  /** Whether the text contains the word literally; otherwise folding found it. */
  isExact: z.boolean(),
  /** Why it counts: a sentence for the reviewer, in Korean. Screens build theirs from the fields above. */
  why: z.string(),
});
export type WordHit = z.infer<typeof wordHitSchema>;

/** The phrases that the policy offers in the place of a word's hits (D213). */
export const replacementsSchema = z.strictObject({ wordId: z.string(), phrases: z.array(z.string()) });
export type Replacements = z.infer<typeof replacementsSchema>;

/** A required notice that a text lacks. */
export const missingNoticeSchema = z.strictObject({
  noticeId: z.string(),
  name: z.string(),
  /** Its severity for this text. */
  severity: z.enum(SEVERITIES),
  /** The accepted wordings. */
  terms: z.array(z.string()),
});
export type MissingNotice = z.infer<typeof missingNoticeSchema>;

export const checkResultSchema = z.strictObject({
  check: z.enum(CHECKS),
  verdict: z.enum(VERDICTS),
  /** The finding's code. */
  code: z.enum(CHECK_CODES),
  parameters: z.record(z.string(), z.union([z.string(), z.number()])),
  /** The same as a sentence for the reviewer, in Korean. Screens build theirs from code and parameters. */
  message: z.string(),
  hits: z.array(wordHitSchema),
  policyVersion: z.int().nullable(),
  matcherVersion: z.string(),
});
export type CheckResult = z.infer<typeof checkResultSchema>;
