/**
 * Asking an API of ours and reading its envelope (D4). The `fetch` is handed in: this module does no
 * I/O of its own.
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

/** No answer came: the API is down, or the way to it is cut. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}

/**
 * A change that was asked for and has no answer. `at`: when that was known, in ms; what is read later tells whether the
 * API answers again.
 */
export class UnansweredChangeError extends Error {
  readonly at: number = Date.now();
}

/** The change has not left this window: the API did not answer when it was asked whether it is there. */
export class NotSentError extends UnansweredChangeError {
  override name = 'NotSentError';
}

/** The change was sent, and no answer came: whether it was made is not known. */
export class AnswerLostError extends UnansweredChangeError {
  override name = 'AnswerLostError';
}

/** An answer came that is no envelope: something else answers at this address. */
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
  /** It goes on when the page is gone. */
  keepalive?: true;
  /** Changes nothing although it is no GET. */
  isRead?: boolean;
}

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;
export type Requester = (method: string, path: string, options?: RequestOptions) => Promise<unknown>;

/**
 * Same origin and with the session's cookie, which scripts cannot read. Gives `result`; undefined where there is none.
 * Once an answer has failed to come, a change is sent only after `probe` was answered: so it is known not to be sent.
 *
 * @param probe a path that can be read at any time; any answer to it will do
 */
export function createRequester(fetch: Fetch, probe: string): Requester {
  let isSilent = false;
  const ask: Fetch = async (input, init) => {
    try {
      const response = await fetch(input, { credentials: 'same-origin', cache: 'no-store', ...init });
      isSilent = false;
      return response;
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      isSilent = true;
      throw new UnreachableError('No answer came.', { cause });
    }
  };
  const change: Fetch = async (input, init) => {
    if (isSilent) {
      await ask(probe, { method: 'GET', headers: { accept: 'application/json' } }).catch((cause: unknown) => {
        throw new NotSentError('The API does not answer.', { cause });
      });
    }
    return ask(input, init).catch((cause: unknown) => {
      throw cause instanceof UnreachableError ? new AnswerLostError('No answer came.', { cause }) : cause;
    });
  };
  return async (method, path, options = {}) => {
    const headers = new Headers({ accept: 'application/json' });
    if (options.body !== undefined) headers.set('content-type', 'application/json');
    if (options.version !== undefined) headers.set('if-match', `"${options.version}"`);
    const isRead = method === 'GET' || options.isRead === true;
    return readEnvelope(
      await (isRead ? ask : change)(path + queryString(options.query), {
        method,
        headers,
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
        ...(options.keepalive === undefined ? {} : { keepalive: true }),
      }),
    );
  };
}

/** Fetches an answer as a file of a type that the API offers beside JSON. */
export type Downloader = (path: string, query: Readonly<Record<string, QueryValue>>, type: string) => Promise<Blob>;

/** Failures are envelopes as everywhere. */
export function createDownloader(fetch: Fetch): Downloader {
  return async (path, query, type) => {
    let response: Response;
    try {
      response = await fetch(path + queryString(query), {
        method: 'GET',
        headers: { accept: type },
        credentials: 'same-origin',
        cache: 'no-store',
      });
    } catch (cause) {
      throw new UnreachableError('No answer came.', { cause });
    }
    if (response.ok && response.headers.get('content-type')?.startsWith(type) === true) return response.blob();
    await readEnvelope(response);
    throw new UnreadableAnswerError(response.status, response.headers.get('x-request-id'));
  };
}

/** `?a=1&b=2`, without what is undefined or empty. */
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

/** Whether the session is gone. A login that is refused is no lost session. */
export function isSessionLost(error: unknown): boolean {
  return (
    error instanceof ApiProblem && error.status === 401 && !['AUTH4011', 'AUTH4012', 'AUTH4013'].includes(error.code)
  );
}

/**
 * Whether somebody else was faster: the object is not as the caller read it, or no longer allows what
 * was asked (D13). The answer then tells its present state; a 409 without it refuses for another reason.
 */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false;
  return error.status === 412 || (error.status === 409 && error.fieldErrors.some(({ path }) => path === 'status'));
}

/** What an API says about one place of the request or of the object. */
export function messagesAbout(error: unknown, place: string): string[] {
  if (!(error instanceof ApiProblem)) return [];
  return error.fieldErrors.filter(({ path }) => path === place).map(({ message }) => message);
}

const ACKNOWLEDGED = 'body.acknowledgedWords.';

/** The words of a text that a person must say to have looked at before it can be shown. */
export function wordsToLookAt(error: unknown): { id: string; message: string }[] {
  if (!(error instanceof ApiProblem)) return [];
  return error.fieldErrors
    .filter(({ path }) => path.startsWith(ACKNOWLEDGED))
    .map(({ path, message }) => ({ id: path.slice(ACKNOWLEDGED.length), message }));
}
