/**
 * An endpoint: the schemas of its path, query and body, and its handler. The request is parsed after the checks of
 * session and policy, and before the handler runs (D6).
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SealingReader } from '../../../agent/ledger/accounts/sessions.ts';
import { isAccountAltered } from '../../../agent/ledger/audit/single-things.ts';
import type { LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import type { XLSX } from '../../../shared/wire/media.ts';
import { isBlank } from '../../../shared/wire/invisible.ts';
import { fieldErrors } from '../../../shared/service/http/envelope-plugin.ts';
import { ApiError, success, type FailureCode, type FieldError } from '../../../shared/wire/envelope.ts';
import type { Caller, ConsoleContext } from '../context/context.ts';

export interface Call<C, P, Q, B> {
  context: ConsoleContext;
  caller: C;
  path: P;
  query: Q;
  body: B;
  /** The version that the caller has read, from `If-Match` (D13); empty for any version. */
  expected: { expectedVersion?: number };
  request: FastifyRequest;
  reply: FastifyReply;
  /**
   * Queues `work` as one write. Session and role are checked again when it runs, because either may have changed, and
   * the account is held against the audit log (D199).
   *
   * @throws ApiError COMMON401, COMMON403; LedgerLockedError
   */
  write: ConsoleContext['write'];
  /**
   * Checks session and policy again, after the handler has waited.
   *
   * @returns the caller as they are now; null on the public surface
   * @throws ApiError COMMON401, COMMON403
   */
  confirm: (reader: SealingReader) => Caller | null;
}

/** A request that the policy has admitted, before its body is parsed. */
type Admitted = Pick<Call<Caller | null, never, never, never>, 'context' | 'caller' | 'request' | 'reply' | 'confirm'>;

interface Spec<C, P, Q, B, R> {
  /** Its purpose, for the API's own description. */
  summary: string;
  /** Default: no parameters. */
  path?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  body?: z.ZodType<B>;
  /** The longest body, in bytes, where it is another than that of the server. */
  mostBytes?: number;
  /** A field of the body whose absence has its own code (D5, D54). */
  missing?: { field: string; code: FailureCode };
  /**
   * A write to a versioned object: `If-Match` is compared with its version (D13). Other endpoints refuse the header.
   */
  ifMatch?: true;
  /** Further failure statuses, beside those implied by its schemas. */
  refuses?: readonly number[];
  /** The schema of `result`. Without it the answer has none, or is a stream. */
  result?: z.ZodType<R>;
  /** Other media types of the answer, beside the result or instead of it. */
  media?: readonly ('application/json' | 'application/zip' | 'text/csv' | 'text/event-stream' | typeof XLSX)[];
  /** The result's version field, which is also sent as `ETag` (D13). */
  etag?: 'version' | 'policyVersion';
  handle(call: Call<C, P, Q, B>): NoInfer<R> | Readable | Promise<NoInfer<R> | Readable>;
}

/** An endpoint's description of itself. */
export interface Described {
  summary: string;
  path: z.ZodType | null;
  query: z.ZodType | null;
  body: z.ZodType | null;
  ifMatch: boolean;
  refuses: readonly number[];
  result: z.ZodType | null;
  media: readonly string[];
  etag: boolean;
}

export interface Endpoint {
  access: 'public' | 'session';
  described: Described;
  mostBytes: number | undefined;
  run(admitted: Admitted): Promise<FastifyReply>;
}

const NOTHING = z.strictObject({});

/** An endpoint for callers with a session. */
export function endpoint<P = object, Q = object, B = object | undefined, R = void>(
  spec: Spec<Caller, P, Q, B, R>,
): Endpoint {
  return {
    access: 'session',
    described: describe(spec),
    mostBytes: spec.mostBytes,
    run: async ({ caller, ...admitted }) => {
      // The policy admitted the request, so there is a caller; without one nothing may run.
      if (caller === null) throw new ApiError('COMMON401');
      return answer(spec, { ...admitted, caller }, caller.member.id);
    },
  };
}

/** An endpoint without a session: the login. */
export function publicEndpoint<P = object, Q = object, B = object | undefined, R = void>(
  spec: Spec<null, P, Q, B, R>,
): Endpoint {
  return {
    access: 'public',
    described: describe(spec),
    mostBytes: spec.mostBytes,
    run: async (admitted) => answer(spec, { ...admitted, caller: null }),
  };
}

function describe<C, P, Q, B, R>(spec: Spec<C, P, Q, B, R>): Described {
  const {
    summary,
    path = null,
    query = null,
    body = null,
    ifMatch = false,
    refuses = [],
    result = null,
    media = [],
    etag,
  } = spec;
  return { summary, path, query, body, ifMatch, refuses, result, media, etag: etag !== undefined };
}

async function answer<C, P, Q, B, R>(
  spec: Spec<C, P, Q, B, R>,
  asked: Omit<Admitted, 'caller'> & { caller: C },
  person?: string,
): Promise<FastifyReply> {
  const parts = read(spec, asked.request);
  const write: ConsoleContext['write'] = (work) =>
    asked.context.write((tx: LedgerTransaction) => {
      const caller = asked.confirm(tx);
      // The next login says why.
      if (caller !== null && isAccountAltered(tx, caller.member.id)) throw new ApiError('COMMON401');
      return work(tx);
    }, person);
  const result: unknown = await spec.handle({ ...asked, ...parts, write });
  if (result instanceof Readable) return asked.reply.send(result);
  if (spec.etag !== undefined) tag(asked.reply, (result as Record<string, unknown>)[spec.etag]);
  return asked.reply.send(success(result));
}

/** Sets the `ETag` to the answer's version; none for an object without a version. */
function tag(reply: FastifyReply, version: unknown): void {
  if (typeof version === 'number') void reply.header('etag', `"${version}"`);
}

function read<P, Q, B>(
  spec: Omit<Spec<never, P, Q, B, never>, 'handle' | 'result'>,
  request: FastifyRequest,
): Pick<Call<never, P, Q, B>, 'path' | 'query' | 'body' | 'expected'> {
  const path = (spec.path ?? NOTHING).safeParse(request.params);
  const query = (spec.query ?? NOTHING).safeParse({ ...(request.query as object) });
  const body = (spec.body ?? NOTHING.optional()).safeParse(request.body);
  const match = readMatch(request, spec.ifMatch === true);
  if (path.success && query.success && body.success && 'expected' in match) {
    return { path: path.data as P, query: query.data as Q, body: body.data as B, expected: match.expected };
  }
  const errors: FieldError[] = [
    ...(path.success ? [] : fieldErrors(path.error, 'path')),
    ...(query.success ? [] : fieldErrors(query.error, 'query')),
    ...(body.success ? [] : fieldErrors(body.error, 'body')),
    ...('expected' in match ? [] : [{ path: 'header.if-match', message: match.fault }]),
  ];
  const isMissing =
    path.success && query.success && spec.missing !== undefined && lacks(request.body, spec.missing.field);
  throw new ApiError(isMissing && spec.missing !== undefined ? spec.missing.code : 'COMMON400', undefined, errors);
}

/** A text is missing when it is absent, not a text, or blank (D54). A body that is not an object is invalid. */
function lacks(body: unknown, field: string): boolean {
  if (body === undefined) return true;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const value: unknown = Object.hasOwn(body, field) ? (body as Record<string, unknown>)[field] : undefined;
  return typeof value !== 'string' || isBlank(value);
}

const VERSION = /^"([1-9]\d{0,14})"$/;

/** Reads `If-Match` of a write. A value that cannot be compared with a version is refused, never ignored. */
function readMatch(
  request: FastifyRequest,
  hasVersion: boolean,
): Pick<Call<never, never, never, never>, 'expected'> | { fault: string } {
  const header = request.headers['if-match']?.trim();
  if (header === undefined || header === '*' || request.method === 'GET') return { expected: {} };
  if (!hasVersion) return { fault: 'must be absent: nothing that has a version is changed here' };
  const version = VERSION.exec(header)?.[1];
  return version === undefined
    ? { fault: 'must be one version in quotes, such as "3"' }
    : { expected: { expectedVersion: Number(version) } };
}
