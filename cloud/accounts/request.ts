/** Reads requests of the operator API: nothing is coerced but query texts, which have no types. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OperatorRouteKey } from '../../shared/policy/operator-routes.ts';
import { fieldErrors } from '../../shared/service/http/envelope-plugin.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import { checkOf, holdsUnread } from '../../shared/wire/characters.ts';
import { isBlank, isStorableText } from '../../shared/wire/invisible.ts';
import type { Db } from '../store/open.ts';
import type { Principal } from './accounts.ts';

/**
 * Confirms, within the write, that the operator may still write: the session may have ended while the body arrived, or
 * during a wait for the store. @throws ApiError COMMON401
 */
export type Confirm = (db: Db) => Promise<unknown>;

export type Handler = (
  request: FastifyRequest,
  reply: FastifyReply,
  principal: Principal | null,
  confirm: Confirm,
) => Promise<unknown>;
export type Handlers = Record<OperatorRouteKey, Handler>;

/** Reads one part of a request. @throws ApiError COMMON400 that names each place, `body.name` */
export function read<T>(part: 'body' | 'path' | 'query', schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new ApiError('COMMON400', undefined, fieldErrors(parsed.error, part));
  return parsed.data;
}

/** The session's owner, on a route that needs a session. */
export function known(principal: Principal | null): Principal {
  if (principal === null) throw new Error('a route that needs a session was called without one');
  return principal;
}

/** A normalised text: composed, so that the same letters are the same text, and trimmed. */
export function text(longest: number): z.ZodType<string, string> {
  return z
    .string('must be a text')
    .refine(isStorableText, 'must not contain control characters or half of a character')
    .transform((value) => value.normalize('NFC').trim())
    .refine((value) => value.length <= longest, `must have at most ${longest} characters`)
    .meta({ type: 'string', maxLength: longest });
}

export function requiredText(longest: number): z.ZodType<string, string> {
  return text(longest)
    .refine((value) => !isBlank(value), 'must not be blank')
    .meta({ type: 'string', minLength: 1, maxLength: longest, pattern: String.raw`\S` });
}

/** A text of several lines that a person writes for others to read. */
export function writtenText(longest: number): z.ZodType<string, string> {
  return text(longest).check(checkOf('text'));
}

/** A text of one line. */
export function line(longest: number): z.ZodType<string, string> {
  return requiredText(longest).check(checkOf('title'));
}

/** A name that distinguishes people. */
export function shownName(longest: number): z.ZodType<string, string> {
  return requiredText(longest).refine(
    (value) => isBlank(value) || !holdsUnread(value),
    'must not contain invisible characters',
  );
}

/** A count in a query. */
export function wholeNumber(most: number): z.ZodType<number, string> {
  const message = `must be a whole number from 1 to ${most}`;
  return z
    .string(message)
    .regex(/^[1-9]\d{0,8}$/, message)
    .transform(Number)
    .refine((value) => value <= most, message)
    .meta({ type: 'integer', minimum: 1, maximum: most });
}

export function wholeNumberOr(otherwise: number, most: number): z.ZodType<number, string | undefined> {
  return wholeNumber(most).default(otherwise).meta({ type: 'integer', minimum: 1, maximum: most, default: otherwise });
}

/** D11. */
export const paging = {
  page: wholeNumberOr(1, 100_000_000),
  size: wholeNumberOr(20, 100),
};

/** Longest text that is searched for, in UTF-16 units. */
const SEARCH_LIMIT = 200;

/** An empty search is treated like an absent one. */
export const search = text(SEARCH_LIMIT)
  .transform((value) => (value === '' ? null : value))
  .default(null)
  .meta({ type: 'string', maxLength: SEARCH_LIMIT });
