/** Pieces of the schemas by which requests are read. Nothing is coerced but query texts, which have no types. */
import { z } from 'zod';
import { isCalendarDate } from '../../shared/time/kst.ts';
import { EXPLANATION_STATUSES } from '../../shared/wire/console.ts';

/** Whether nothing of a text can be seen: white space and invisible characters alone are no text. */
export function isBlank(value: string): boolean {
  return /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*$/u.test(value);
}

/** Control characters other than tab and line ends. NUL cuts texts off in places that we do not control. */
const CONTROL = /[\p{Cc}--[\t\n\r]]/v;

/** A text that can be kept and shown: whole characters, no control characters but tab and line ends. */
export function text(longest: number): z.ZodType<string, string> {
  return z
    .string()
    .max(longest, `must have at most ${longest} characters`)
    .refine((value) => value.isWellFormed(), 'must not contain half of a character (a lone surrogate)')
    .refine((value) => !CONTROL.test(value), 'must not contain control characters');
}

export function requiredText(longest: number): z.ZodType<string, string> {
  return text(longest).refine((value) => !isBlank(value), 'must not be blank');
}

/** Lengths in UTF-16 units. */
export const LONGEST = {
  reason: 2_000,
  comment: 2_000,
  summary: 10_000,
  search: 200,
  displayName: 100,
  username: 200,
  password: 1_000,
} as const;

/** Ids of words whose REVIEW hits the person has looked at. */
export const acknowledgedWords = z.array(z.string().max(100)).max(200).optional();

/** The `{id}` of a path. Ids are opaque: any text can be asked for, few exist. */
export const idPath = z.strictObject({ id: requiredText(LONGEST.search) });

function wholeNumber(least: number, most: number): z.ZodType<number, string> {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .string(message)
    .regex(/^(0|[1-9]\d{0,9})$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);
}

export const date = z.string().refine(isCalendarDate, 'must be a date as YYYY-MM-DD');

/** D11. The last page that can be asked for keeps the offset exact. */
export const paging = { page: wholeNumber(1, 1_000_000).default(1), size: wholeNumber(1, 100).default(20) };

/** An empty search finds everything, as one that is absent. */
export const search = text(LONGEST.search)
  .transform((value) => (value === '' ? undefined : value))
  .optional();

/** `status=A&status=B` and `status=A,B` say the same. */
export const statuses = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat().flatMap((part) => part.split(',')))
  .pipe(z.array(z.enum(EXPLANATION_STATUSES)).min(1).max(100));
