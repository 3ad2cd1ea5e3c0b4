/** Parts of the request schemas. Only query texts are coerced, because they have no types. */
import { z } from 'zod';
import type { ReceivedWithin } from '../../../agent/ledger/explanations/word-hits.ts';
import { fold, foldedText, isReordered } from '../../../agent/screening/letters/fold.ts';
import { isCalendarDate, kstDayEnd, kstMidnight } from '../../../shared/time/kst.ts';
import { SHORTEST_PASSWORD } from '../../../shared/service/accounts/password-rules.ts';
import { ACCOUNT_RULES } from '../../../shared/wire/account-rules.ts';
import { EXPLANATION_STATUSES } from '../../../shared/wire/console/console.ts';
import { checkOf, holdsUnread } from '../../../shared/wire/characters.ts';
import { holdsStrayControl, isBlank } from '../../../shared/wire/invisible.ts';

/** A text that can be stored and shown: whole characters, no control characters but tab and line ends. */
export function text(longest: number): z.ZodType<string, string> {
  return z
    .string()
    .max(longest, `must have at most ${longest} characters`)
    .refine((value) => value.isWellFormed(), 'must not contain half of a character (a lone surrogate)')
    .refine((value) => !holdsStrayControl(value), 'must not contain control characters');
}

/** For the description: a visible character. */
const SEEN = String.raw`\S`;
const NOT_BLANK = [(value: string): boolean => !isBlank(value), ACCOUNT_RULES.BLANK] as const;

export function requiredText(longest: number): z.ZodType<string, string> {
  return text(longest)
    .refine(...NOT_BLANK)
    .meta({ minLength: 1, pattern: SEEN });
}

/** A text that a person writes for others to read, such as a reason or a note: nothing that no reader sees (D198). */
export function writtenText(longest: number): z.ZodType<string, string> {
  const short = z.string().max(longest, `must have at most ${longest} characters`);
  return short.check(checkOf('text'));
}

export function requiredWrittenText(longest: number): z.ZodType<string, string> {
  return writtenText(longest)
    .refine(...NOT_BLANK)
    .meta({ minLength: 1, pattern: SEEN });
}

/** A customer's text in work: its screening names each fault in it, so a draft with one is kept. */
export function customerText(longest: number): z.ZodType<string, string> {
  return text(longest).refine(
    (value) => !isReordered(value),
    'must not contain characters that turn the order of the writing around (U+202A to U+202E, U+2066 to U+2069)',
  );
}

export function requiredCustomerText(longest: number): z.ZodType<string, string> {
  return customerText(longest)
    .refine(...NOT_BLANK)
    .meta({ minLength: 1, pattern: SEEN });
}

/** Lengths in UTF-16 units. */
export const LONGEST = {
  reason: 2_000,
  comment: 2_000,
  note: 2_000,
  summary: 10_000,
  search: 200,
  displayName: 100,
  sector: 100,
  username: 200,
  password: 1_000,
} as const;

/** Ids of words whose REVIEW hits the reviewer acknowledges. */
export const acknowledgedWords = z.array(z.string().max(100)).max(200).optional();

/** Figures without evidence that the reviewer acknowledges, as written in the text (D221). */
export const acknowledgedFigures = z
  .array(z.string().max(LONGEST.summary))
  .max(LONGEST.summary / 2)
  .optional();

/** The `{id}` of a path. Ids are opaque: any text is accepted, few exist. */
export const idPath = z.strictObject({ id: requiredText(LONGEST.search) });

/** Number of a policy version. */
export const versionNumber = wholeNumber(1, 1_000_000_000);

/** The `{version}` of a path. */
export const versionPath = z.strictObject({ version: versionNumber });

/** Names that the history reserves for the program and for commands, in any spelling. */
const RESERVED = /^(?:system$|command\()/;

/** Letters of other alphabets look like Latin ones (`а`, `ο`); Hangul, Chinese and Japanese ones do not. */
const BESIDE_LATIN = /^[\P{L}\p{Script=Latin}\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]*$/u;

/** A person's name in history and log. */
export const displayName = requiredText(LONGEST.displayName)
  .refine((name) => name === name.trim(), ACCOUNT_RULES.NAME_ENDS)
  .refine((name) => !holdsUnread(name), ACCOUNT_RULES.NAME_INVISIBLE)
  .refine((name) => !/\p{Script=Latin}/u.test(name) || BESIDE_LATIN.test(name), ACCOUNT_RULES.NAME_MIXED)
  .refine((name) => !RESERVED.test(foldedText(fold(name))), ACCOUNT_RULES.NAME_RESERVED);

/** The tenant's own name for a sector, normalised: names that look the same are the same, and are excluded together. */
export const sectorName = requiredText(LONGEST.sector)
  .transform((name) => name.trim().normalize('NFC'))
  .refine((name) => !holdsUnread(name), 'must not contain invisible characters')
  .transform((name) => name.replaceAll(/\s+/g, ' '));

/** Only letters that look like no others, so that no two accounts can be confused. */
export const newUsername = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,98}[A-Za-z0-9])?$/, ACCOUNT_RULES.USERNAME_FORM);

/** A new password; `refuseGuessable` has the further rules. */
export const newPassword = text(LONGEST.password)
  .refine((value) => value.length >= SHORTEST_PASSWORD, ACCOUNT_RULES.PASSWORD_SHORT)
  .refine(...NOT_BLANK)
  .meta({ minLength: SHORTEST_PASSWORD });

/** A number in a query or path, which hold only texts. */
export function wholeNumber(least: number, most: number): z.ZodType<number, string> {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .string(message)
    .regex(/^(0|[1-9]\d{0,9})$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message)
    .meta({ type: 'integer', minimum: least, maximum: most });
}

function wholeNumberOr(otherwise: number, least: number, most: number): z.ZodType<number, string | undefined> {
  return wholeNumber(least, most)
    .default(otherwise)
    .meta({ type: 'integer', minimum: least, maximum: most, default: otherwise });
}

export const date = z
  .string()
  .refine(isCalendarDate, 'must be a date as YYYY-MM-DD')
  .meta({ type: 'string', format: 'date' });

/** Korean days on which explanations came in, both inclusive. */
export const receivedDays = { receivedFrom: date.optional(), receivedTo: date.optional() };

/** The same as instants, from the first on and before the second. */
export function receivedWithin({
  receivedFrom,
  receivedTo,
}: {
  receivedFrom?: string | undefined;
  receivedTo?: string | undefined;
}): ReceivedWithin {
  return {
    ...(receivedFrom === undefined ? {} : { receivedFrom: kstMidnight(receivedFrom).toISOString() }),
    ...(receivedTo === undefined ? {} : { receivedBefore: kstDayEnd(receivedTo).toISOString() }),
  };
}

/** D11. The last allowed page keeps the offset exact. */
export const paging = { page: wholeNumberOr(1, 1, 1_000_000), size: wholeNumberOr(20, 1, 100) };

/** An empty search finds everything, like an absent one. */
export const search = text(LONGEST.search)
  .transform((value) => (value === '' ? undefined : value))
  .meta({ type: 'string', maxLength: LONGEST.search })
  .optional();

/** `kind=A&kind=B` and `kind=A,B` are equal. */
export function listOf<const T extends readonly [string, ...string[]]>(words: T) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((value) => [value].flat().flatMap((part) => part.split(',')))
    .pipe(z.array(z.enum(words)).min(1).max(100))
    .meta({ type: 'array', items: { type: 'string', enum: words }, minItems: 1, maxItems: 100 });
}

export const statuses = listOf(EXPLANATION_STATUSES);

/** `true` or `false` in a query. */
export const switchedOn = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .meta({ type: 'boolean' });

export function switchedOnOr(otherwise: boolean) {
  return switchedOn.default(otherwise).meta({ type: 'boolean', default: otherwise });
}

/** An instant in a query, with any offset; the ledger compares in UTC (D2). */
export const instant = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value).toISOString())
  // Years beyond four digits do not compare as texts.
  .refine((value) => /^\d{4}-/.test(value), 'must lie in the years 0000 to 9999')
  .meta({ type: 'string', format: 'date-time' });
