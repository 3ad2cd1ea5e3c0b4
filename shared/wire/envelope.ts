/** The envelope of every answer of all three APIs (D4) and its codes (D5). */
export interface Success<T> {
  isSuccess: true;
  code: 'COMMON200';
  message: string;
  result?: T;
}

export interface FieldError {
  /** Path within the request: `body.reason`, `query.after`. */
  path: string;
  message: string;
  /** Where the remark is on a text: the finding, for a screen to describe in its own language (D65). */
  finding?: Finding;
}

/** A forbidden word with the form that the text has, or a notice that it lacks with the accepted wordings. */
export type Finding =
  | { kind: 'WORD'; matched: string; word: string }
  | { kind: 'NOTICE'; name: string; terms: readonly string[] };

export interface Failure {
  isSuccess: false;
  code: FailureCode;
  message: string;
  errors?: FieldError[];
}

export type Envelope<T> = Success<T> | Failure;

/** Each failure code with its HTTP status and default message (D5). */
export const FAILURES = {
  COMMON400: { status: 400, message: 'The request cannot be read, or one of its values is not valid.' },
  COMMON401: { status: 401, message: 'Log in first: there is no session, or it has expired.' },
  COMMON403: { status: 403, message: 'Your role may not do this, or there is no such surface.' },
  COMMON404: { status: 404, message: 'There is no such object.' },
  COMMON408: { status: 408, message: 'The request took too long to arrive.' },
  COMMON409: { status: 409, message: 'The state of the object does not allow this.' },
  COMMON412: { status: 412, message: 'The object has changed since you read it: read it again.' },
  COMMON413: { status: 413, message: 'The request body is too large.' },
  COMMON415: { status: 415, message: 'The media type of the request body is not supported.' },
  COMMON417: { status: 417, message: 'Only the expectation 100-continue is supported.' },
  COMMON429: { status: 429, message: 'Too many requests: wait and try again.' },
  COMMON431: { status: 431, message: 'The head of the request is too large.' },
  COMMON500: { status: 500, message: 'Something went wrong on our side; the request id finds it in the log.' },
  COMMON503: { status: 503, message: 'Not ready yet: try again shortly.' },
  AUTH4011: { status: 401, message: 'Wrong user name or password.' },
  AUTH4012: { status: 401, message: 'This sign-in is not valid, or has expired: start again.' },
  AUTH4013: { status: 401, message: 'A second factor is required, or the one that was sent is wrong.' },
  AUTH4031: { status: 403, message: 'You cannot change your own role.' },
  AUTH4032: { status: 403, message: 'You signed in, but you have no access to this console.' },
  AUTH4033: { status: 403, message: 'Set your own password first: an administrator set the current one.' },
  AUTH4034: { status: 403, message: 'Set up your second factor first.' },
  REVIEW4001: { status: 400, message: 'A reason is required.' },
  REVIEW4002: { status: 400, message: 'edited_summary is required and must not be blank.' },
  REVIEW4092: { status: 409, message: 'The item has an edited text: confirm that you approve the text as received.' },
  REVIEW4093: { status: 409, message: 'The text contains words that the screening policy blocks.' },
  REVIEW4094: { status: 409, message: 'The text contains words that a reviewer must check: acknowledge each of them.' },
  REVIEW4095: { status: 409, message: 'The policy requires a second person for this.' },
  REVIEW4096: {
    status: 409,
    message: 'The item awaits your blind review: confirm that your view of the decision is recorded.',
  },
  REVIEW4097: {
    status: 409,
    message: 'The ledger was restored: state in the settings from which number approval numbers go on.',
  },
  REVIEW4098: {
    status: 409,
    message: 'The text contains figures that the evidence does not support: acknowledge each of them.',
  },
  REVIEW4099: {
    status: 409,
    message: 'The item is not as its records tell: no text of it is let out before "intake rebuild".',
  },
  SCOPE4091: { status: 409, message: 'The switch is not in the state that you expect: read it again.' },
  SHOWN4001: { status: 400, message: 'The requested time is in the future: choose a past one.' },
  SHOWN4041: { status: 404, message: 'No explanation of this ticker has been received.' },
  SHOWN4091: { status: 409, message: 'The record is incomplete, so the text of that time cannot be determined.' },
  ANALYSIS4001: { status: 400, message: 'A reason is required to invalidate an explanation.' },
  ANALYSIS4091: { status: 409, message: 'Only a published explanation can be invalidated.' },
  FACTS4001: { status: 400, message: 'date must be a past or present day as YYYY-MM-DD.' },
  FACTS4002: { status: 400, message: 'days must be a whole number from 1 to 366.' },
  SYNC4001: { status: 400, message: 'after must be 0 or more.' },
  SYNC4002: { status: 400, message: 'limit must be from 1 to 500.' },
  SYNC4011: { status: 401, message: 'No client certificate that belongs to a tenant was shown, or it has expired.' },
  SYNC4031: { status: 403, message: 'The client certificate is revoked, or its tenant does not exist any more.' },
  SYNC4101: { status: 410, message: 'Records after this cursor have been removed by retention.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type FailureCode = keyof typeof FAILURES;

/**
 * A failure that a caller may see. Handlers throw it; one place per server turns it into the envelope. Any other error
 * is answered as COMMON500 without its text (D7).
 */
export class ApiError extends Error {
  readonly code: FailureCode;
  readonly errors: FieldError[] | undefined;
  /** For COMMON429: seconds after which another attempt may succeed. */
  readonly retryAfterSeconds: number | undefined;
  /** D4 allows no extra fields in a failure's envelope; details of a 409 go here as `errors`. */
  constructor(code: FailureCode, message?: string, errors?: FieldError[], retryAfterSeconds?: number) {
    super(message ?? FAILURES[code].message);
    this.name = 'ApiError';
    this.code = code;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }
  get status(): number {
    return FAILURES[this.code].status;
  }
}

/** The envelope of a success. Without a value the field `result` is absent, never null (sync protocol 4). */
export function success<T>(result?: T): Success<T> {
  return result === undefined
    ? { isSuccess: true, code: 'COMMON200', message: 'OK' }
    : { isSuccess: true, code: 'COMMON200', message: 'OK', result };
}

/** The envelope of a failure. */
export function failure(error: ApiError): Failure {
  return {
    isSuccess: false,
    code: error.code,
    message: error.message,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  };
}
