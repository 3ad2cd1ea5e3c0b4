/**
 * One pull: requests the records after a cursor from the upstream, a relay or the cloud itself, and reads the answer as
 * raw bytes (sync protocol 4). It decodes nothing, follows no redirection, and bounds the body's size and the time of
 * each phase.
 */
import { Agent } from 'undici';
import { describeOtherAuthority } from '../../../shared/service/tls/another-authority.ts';
import { APPLIED_HEADER } from '../../../shared/wire/applied.ts';
import {
  BUNDLE_PATH,
  HEAD_HEADER,
  MAX_BODY_BYTES,
  PREFER_HEADER,
  PREFERENCE_APPLIED_HEADER,
  SIGNATURE_HEADER,
  STATEMENT_HEADER,
  waitPreference,
  waitSecondsOf,
} from '../../../shared/wire/bundle-endpoint.ts';

export interface PullRequest {
  after: number;
  limit: number;
  /** How long an answer without news may be held (D223); absent: not at all. */
  waitSeconds?: number;
  /** How far has been applied, as the header has it (D230); absent: not told. */
  applied?: string;
  /** Called when the answer begins. */
  answered?: () => void;
}

export interface Answer {
  status: number;
  /** The body's bytes as they came. */
  body: Uint8Array;
  /** `X-Causeway-Head` (D31), `-Signature` (D32), `-Statement` (D59) and `Retry-After`, as received. */
  head: string | null;
  signature: string | null;
  statement: string | null;
  retryAfter: string | null;
  /** Whether it says that waits are known (`Preference-Applied`, D223). */
  isWaitApplied?: boolean;
}

/** @throws NoAnswerError, OversizedAnswerError */
export type Pull = (request: PullRequest, signal: AbortSignal) => Promise<Answer>;

/** There was no whole answer: no connection, a broken one, or a timeout. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError';
  /** `ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT`, … */
  readonly code: string;
  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The body exceeds the bound; it was not read further. */
export class OversizedAnswerError extends Error {
  override name = 'OversizedAnswerError';
  constructor(bytes: number) {
    super(`The body of the answer is larger than ${bytes} bytes.`);
  }
}

/** Bounds in milliseconds and bytes; the seconds that a pull waits come on top of `headersMs` and `totalMs`. */
export interface PullBounds {
  connectMs: number;
  headersMs: number;
  /** Between two pieces of the body. */
  idleMs: number;
  /** From the request to the last byte. */
  totalMs: number;
  bytes: number;
}

const BOUNDS: PullBounds = {
  connectMs: 10_000,
  headersMs: 30_000,
  idleMs: 30_000,
  totalMs: 120_000,
  bytes: MAX_BODY_BYTES,
};

/** The client certificate, and the authorities that identify the upstream. PEM texts. */
export interface Identity {
  cert?: string;
  key?: string;
  /** Instead of the system's roots. */
  ca?: string;
}

export interface Upstream {
  pull: Pull;
  close(): Promise<void>;
}

/** An upstream with connections that are kept alive. Opens none before the first pull. */
export function createUpstream(address: URL, identity: Identity, bounds: PullBounds = BOUNDS): Upstream {
  const agent = new Agent({
    allowH2: false,
    connect: { ...identity, timeout: bounds.connectMs },
    headersTimeout: bounds.headersMs,
    bodyTimeout: bounds.idleMs,
  });
  const trusted = identity.ca === undefined ? 'this program trusts' : 'CAUSEWAY_INTAKE_CA holds';
  const pull: Pull = async ({ after, limit, waitSeconds = 0, applied, answered }, signal) => {
    const total = new AbortController();
    const waitMs = waitSeconds * 1_000;
    const totalMs = bounds.totalMs + waitMs;
    const timer = setTimeout(() => total.abort(), totalMs);
    try {
      const response = await agent.request({
        origin: address.origin,
        path: `${BUNDLE_PATH}?after=${after}&limit=${limit}`,
        method: 'GET',
        headers: {
          accept: 'application/json',
          ...(waitSeconds === 0 ? {} : { [PREFER_HEADER]: waitPreference(waitSeconds) }),
          ...(applied === undefined ? {} : { [APPLIED_HEADER]: applied }),
        },
        headersTimeout: bounds.headersMs + waitMs,
        signal: AbortSignal.any([signal, total.signal]),
      });
      answered?.();
      return {
        status: response.statusCode,
        body: await readBody(response.body, bounds.bytes),
        head: headerOf(response.headers, HEAD_HEADER),
        signature: headerOf(response.headers, SIGNATURE_HEADER),
        statement: headerOf(response.headers, STATEMENT_HEADER),
        retryAfter: headerOf(response.headers, 'retry-after'),
        isWaitApplied: waitSecondsOf(response.headers[PREFERENCE_APPLIED_HEADER]) !== null,
      };
    } catch (error) {
      if (error instanceof OversizedAnswerError) throw error;
      signal.throwIfAborted();
      if (total.signal.aborted)
        throw new NoAnswerError('TIMEOUT', `${address.origin} took longer than ${totalMs / 1_000} s`, error);
      throw new NoAnswerError(codeOf(error), `${address.origin}: ${whyOf(error, trusted)}`, error);
    } finally {
      clearTimeout(timer);
    }
  };
  return { pull, close: () => agent.destroy() };
}

/** Leaving the loop early destroys the body, and its connection with it. */
async function readBody(body: AsyncIterable<Uint8Array>, bound: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > bound) throw new OversizedAnswerError(bound);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}

/** A header that came twice is joined into one line. */
function headerOf(headers: Record<string, string | string[] | undefined>, name: string): string | null {
  const value = headers[name];
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'NETWORK';
}

/** @param trusted whose certificates are, such as "CAUSEWAY_INTAKE_CA holds" */
function whyOf(error: unknown, trusted: string): string {
  // Several addresses of one name were tried: the inner errors hold the reasons.
  if (error instanceof AggregateError) return error.errors.map((one) => whyOf(one, trusted)).join('; ');
  const another = describeOtherAuthority(error, trusted);
  if (another !== null) return another;
  return error instanceof Error ? error.message : String(error);
}
