/**
 * Sends requests to our APIs and reads their envelope (D4). The caller passes `fetch`: this module does no I/O itself.
 */
import { FAILURES, type FailureCode, type FieldError } from '../../wire/envelope.ts';

/** The API answered, and refused. `code` is one of D5; `status` its HTTP status. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly status: number;
  readonly code: FailureCode;
  readonly fieldErrors: readonly FieldError[];
  /** Finds the request in the log (D7); null where the answer had none. */
  readonly requestId: string | null;
  constructor(answer: {
    status: number;
    code: FailureCode;
    message: string;
    fieldErrors: readonly FieldError[];
    requestId: string | null;
  }) {
    super(answer.message);
    this.status = answer.status;
    this.code = answer.code;
    this.fieldErrors = answer.fieldErrors;
    this.requestId = answer.requestId;
  }
}

/** No answer: the API is down or cannot be reached. */
export class UnreachableError extends Error {
  override name: string = 'UnreachableError';
}

/** No complete answer within the time limit of a request. */
export class SilentError extends UnreachableError {
  override name = 'SilentError';
}

/**
 * A change whose answer is missing. `at`: when that was known, in ms; a later successful read shows that the API answers
 * again.
 */
export class UnansweredChangeError extends Error {
  readonly at: number = Date.now();
}

/** The change was not sent: the API did not answer the probe before it. */
export class NotSentError extends UnansweredChangeError {
  override name = 'NotSentError';
}

/** The change was sent and has no answer: it may or may not have been made. */
export class AnswerLostError extends UnansweredChangeError {
  override name = 'AnswerLostError';
}

/** The answer is no envelope: another server answers at this address. */
export class UnreadableAnswerError extends Error {
  override name = 'UnreadableAnswerError';
  readonly status: number;
  readonly requestId: string | null;
  constructor(status: number, requestId: string | null) {
    super(`The answer with status ${status} is no envelope.`);
    this.status = status;
    this.requestId = requestId;
  }
}

export type QueryValue = string | number | undefined;

export interface RequestOptions {
  query?: Readonly<Record<string, QueryValue>>;
  body?: unknown;
  /** The version that the caller has read; sent as `If-Match` (D13). */
  version?: number;
  signal?: AbortSignal;
  /** The request continues after the page has closed. */
  keepalive?: true;
  /** A request other than GET that changes nothing. */
  isRead?: boolean;
  /** How long it may take, in ms; absent for `ANSWER_MS`. */
  limitMs?: number;
}

/** Time limit of an answer, in ms: the longest that a user waits. */
export const ANSWER_MS = 10_000;
/** The limit for large reads: previews, statistics, whole files. */
export const LONG_ANSWER_MS = 120_000;
/** Limit of the probe before a change, in ms. */
const PROBE_MS = 5_000;

/** Runs `work` with a signal that aborts it after `ms`; it then fails with `SilentError`. */
async function within<T>(
  ms: number,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ms);
  try {
    return await run(outer === undefined ? limit.signal : AbortSignal.any([outer, limit.signal]));
  } catch (cause) {
    if (limit.signal.aborted && outer?.aborted !== true)
      throw new SilentError(`No answer came within ${ms} ms.`, { cause });
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;
export type Requester = (method: string, path: string, options?: RequestOptions) => Promise<unknown>;

/**
 * Sends requests to the same origin with the session's cookie, which scripts cannot read. Returns `result`, or
 * undefined. After a missing answer a change is sent only once `probe` has been answered, so that an unsent change is
 * known as such.
 *
 * @param probe a path that can be read at any time; any answer to it counts
 */
export function createRequester(fetch: Fetch, probe: string): Requester {
  let isSilent = false;
  async function ask<T>(
    input: string,
    init: RequestInit & { limitMs: number; outer?: AbortSignal | undefined },
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { limitMs, outer, ...rest } = init;
    try {
      const answer = await within(limitMs, outer, async (signal) => {
        const response = await fetch(input, { credentials: 'same-origin', cache: 'no-store', ...rest, signal }).catch(
          (cause: unknown) => {
            throw signal.aborted ? cause : new UnreachableError('No answer came.', { cause });
          },
        );
        return read(response);
      });
      isSilent = false;
      return answer;
    } catch (error) {
      if (error instanceof UnreachableError) isSilent = true;
      throw error;
    }
  }
  const change: typeof ask = async (input, init, read) => {
    // Nobody is left to send the request of a closed page after the probe.
    if (isSilent && init.keepalive !== true) {
      const headers = { accept: 'application/json' };
      await ask(probe, { method: 'GET', headers, limitMs: PROBE_MS }, (response) => response.text()).catch(
        (cause: unknown) => {
          throw new NotSentError('The API does not answer.', { cause });
        },
      );
    }
    return ask(input, init, read).catch((cause: unknown) => {
      throw cause instanceof UnreachableError ? new AnswerLostError('No answer came.', { cause }) : cause;
    });
  };
  return async (method, path, options = {}) => {
    const headers = new Headers({ accept: 'application/json' });
    if (options.body !== undefined) headers.set('content-type', 'application/json');
    if (options.version !== undefined) headers.set('if-match', `"${options.version}"`);
    const isRead = method === 'GET' || options.isRead === true;
    return (isRead ? ask : change)(
      path + queryString(options.query),
      {
        method,
        headers,
        limitMs: options.limitMs ?? ANSWER_MS,
        outer: options.signal,
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        ...(options.keepalive === undefined ? {} : { keepalive: true }),
      },
      readEnvelope,
    );
  };
}

/** Fetches an answer as a file of a type that the API offers beside JSON. */
export type Downloader = (
  path: string,
  query: Readonly<Record<string, QueryValue>>,
  type: string,
  /** The body of a file that is made by a POST. */
  body?: object,
) => Promise<Blob>;

/** Failures arrive in the envelope, as from every route. */
export function createDownloader(fetch: Fetch): Downloader {
  return (path, query, type, body) =>
    within(LONG_ANSWER_MS, undefined, async (signal) => {
      let response: Response;
      try {
        response = await fetch(path + queryString(query), {
          method: body === undefined ? 'GET' : 'POST',
          headers: { accept: type, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          credentials: 'same-origin',
          cache: 'no-store',
          signal,
        });
      } catch (cause) {
        throw new UnreachableError('No answer came.', { cause });
      }
      if (response.ok && response.headers.get('content-type')?.startsWith(type) === true) return response.blob();
      await readEnvelope(response);
      throw new UnreadableAnswerError(response.status, response.headers.get('x-request-id'));
    });
}

/** `?a=1&b=2`, without undefined and empty values. */
export function queryString(query: Readonly<Record<string, QueryValue>> = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

async function readEnvelope(response: Response): Promise<unknown> {
  const requestId = response.headers.get('x-request-id');
  let body: unknown;
  try {
    body = await response.json();
  } catch {
    throw new UnreadableAnswerError(response.status, requestId);
  }
  if (!isRecord(body) || typeof body['code'] !== 'string' || typeof body['message'] !== 'string') {
    throw new UnreadableAnswerError(response.status, requestId);
  }
  if (body['isSuccess'] === true && response.ok) return body['result'];
  if (body['isSuccess'] !== false || !isFailureCode(body['code']))
    throw new UnreadableAnswerError(response.status, requestId);
  throw new ApiProblem({
    status: response.status,
    code: body['code'],
    message: body['message'],
    fieldErrors: fieldErrorsOf(body['errors']),
    requestId,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURES, code);
}

function fieldErrorsOf(errors: unknown): FieldError[] {
  if (!Array.isArray(errors)) return [];
  return errors.filter(
    (one: unknown): one is FieldError =>
      isRecord(one) && typeof one['path'] === 'string' && typeof one['message'] === 'string',
  );
}

/** Whether the session is gone. A refused login is not a lost session. */
export function isSessionLost(error: unknown): boolean {
  return (
    error instanceof ApiProblem && error.status === 401 && !['AUTH4011', 'AUTH4012', 'AUTH4013'].includes(error.code)
  );
}

/**
 * Whether another user was faster: the object has changed since the caller read it, or no longer allows the action
 * (D13). The answer then carries its present state; a 409 without it has another reason.
 */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false;
  return error.status === 412 || (error.status === 409 && error.fieldErrors.some(({ path }) => path === 'status'));
}

/** The API's remark on one place of the request or of the object. */
export function messagesAbout(error: unknown, place: string): string[] {
  if (!(error instanceof ApiProblem)) return [];
  return error.fieldErrors.filter(({ path }) => path === place).map(({ message }) => message);
}

/**
 * The findings that a reviewer must acknowledge before the text can be exposed: words and notices by their ids, figures
 * without evidence as written (D221).
 */
export function toAcknowledge(error: unknown, what: 'Words' | 'Figures'): string[] {
  if (!(error instanceof ApiProblem)) return [];
  const place = `body.acknowledged${what}.`;
  return error.fieldErrors.filter(({ path }) => path.startsWith(place)).map(({ path }) => path.slice(place.length));
}
