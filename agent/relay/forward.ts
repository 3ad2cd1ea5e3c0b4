/**
 * Forwards one pull to the cloud, and the answer's status, a few headers and the body byte for byte (D39).
 *
 * Before it: `cloud/sync/server.ts`. After it: `agent/intake/receive/reception.ts`.
 */
import { validateHeaderValue, type ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import {
  HEAD_HEADER,
  PREFERENCE_APPLIED_HEADER,
  SIGNATURE_HEADER,
  STATEMENT_HEADER,
  waitSecondsOf,
} from '../../shared/wire/bundle-endpoint.ts';
import { ApiError, failure } from '../../shared/wire/envelope.ts';
import { sendJson } from './responses.ts';
import { BodyBoundError, CallerGoneError, UpstreamError } from './errors.ts';
import type { PassingMemory } from './memory.ts';
import type { PassingHeaders } from './request-route.ts';
import type { PullRecord } from './statistics.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';

/** The headers of an answer that are forwarded. The relay asks for no encoding; a body that has one keeps it. */
const FORWARDED_HEADERS = [
  'content-type',
  'content-length',
  'content-encoding',
  'retry-after',
  HEAD_HEADER,
  SIGNATURE_HEADER,
  STATEMENT_HEADER,
];

export interface Passage {
  upstream: Upstream;
  /** Aborted with an `UpstreamError` when the relay stops: a pull that waits is then answered at once. */
  stopping: AbortSignal;
  /** Largest body. */
  bytes: number;
  record: PullRecord;
  memory: PassingMemory;
  log: Logger;
}

/** Asks the cloud and answers the caller. Without an answer to forward it sends COMMON503, which the Intake retries. */
export async function forwardPull(
  { query, ...headers }: { query: string } & PassingHeaders,
  response: ServerResponse,
  passage: Passage,
): Promise<void> {
  const { record, log, memory } = passage;
  memory.pull();
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once('close', leave);
  let answer: UpstreamAnswer;
  try {
    const ending = headers.waitSeconds === null ? gone.signal : AbortSignal.any([gone.signal, passage.stopping]);
    answer = await passage.upstream.pull(query, ending, headers);
    begin(answer, response, passage.bytes);
  } catch (error) {
    if (gone.signal.aborted) {
      record.abandoned();
      // The Intake replaces a pull that waits when it has applied something (D230).
      log[headers.waitSeconds === null ? 'info' : 'debug']({ query }, 'the caller gave up before the cloud answered');
    } else if (error instanceof UpstreamError) {
      record.failed(error.message);
      log.error({ query, err: error.cause }, error.message);
      const unavailable = new ApiError('COMMON503', error.message);
      sendJson(response, unavailable.status, failure(unavailable));
    } else {
      record.failed('Unexpected error.');
      throw error;
    }
    return;
  }
  response.off('close', leave);
  await stream(query, answer, response, passage);
}

/** Sends status and headers; sends nothing where it throws. @throws UpstreamError */
function begin(answer: UpstreamAnswer, response: ServerResponse, bytes: number): void {
  try {
    // Content-Length alone can prove that a body is too large.
    if (Number(answer.headers['content-length']) > bytes) throw new UpstreamError(tooLarge(bytes));
    const applied = answer.headers[PREFERENCE_APPLIED_HEADER];
    const names =
      waitSecondsOf(applied) === null ? FORWARDED_HEADERS : [...FORWARDED_HEADERS, PREFERENCE_APPLIED_HEADER];
    const headers = names.flatMap((name) => {
      const value = answer.headers[name];
      if (value === undefined) return [];
      for (const one of [value].flat()) validateHeaderValue(name, one);
      return [[name, value] as const];
    });
    response.writeHead(answer.status, Object.fromEntries(headers));
  } catch (error) {
    answer.body.destroy();
    if (error instanceof UpstreamError) throw error;
    throw new UpstreamError('The head of the cloud’s answer cannot be forwarded.', { cause: error });
  }
}

async function stream(
  query: string,
  answer: UpstreamAnswer,
  response: ServerResponse,
  passage: Passage,
): Promise<void> {
  const { record, log, memory, bytes: bound } = passage;
  let bytes = 0;
  try {
    await pump(answer.body, response, (piece) => {
      bytes += piece.length;
      memory.passed(piece.length);
      return bytes > bound ? new BodyBoundError(tooLarge(bound)) : null;
    });
  } catch (error) {
    // The caller must see a broken connection, never a regular end.
    response.destroy();
    if (error instanceof CallerGoneError) {
      record.abandoned();
      log.info({ query, bytes }, 'the caller gave up before the answer was whole');
      return;
    }
    const message = `The cloud’s answer was cut off after ${bytes} bytes: ${error instanceof Error ? error.message : String(error)}`;
    record.cut(message);
    log.error({ query, status: answer.status, bytes, err: error }, message);
    return;
  }
  const ms = record.relayed(answer.status, bytes);
  log[isEmptyWait(query, answer) ? 'debug' : 'info']({ query, status: answer.status, bytes, ms }, 'relayed');
}

/** A waiting pull without news, of which there are thousands a day: it gets no line of the log (D223). */
function isEmptyWait(query: string, { status, headers }: UpstreamAnswer): boolean {
  if (status !== 200 || waitSecondsOf(headers[PREFERENCE_APPLIED_HEADER]) === null) return false;
  return new URLSearchParams(query).get('after') === headers[HEAD_HEADER];
}

const tooLarge = (bound: number): string => `The body of the cloud’s answer is larger than ${bound} bytes.`;

/**
 * Writes the body into the response with backpressure. Plain listeners instead of `pipeline` create the fewest
 * objects per piece. `see` gets each piece before it is sent, and stops the stream by returning an error.
 * @throws CallerGoneError, the error of `see`, the error of the body
 */
function pump(body: Readable, response: ServerResponse, see: (piece: Uint8Array) => Error | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(error);
      body.destroy();
    };
    body.once('error', fail);
    body.once('end', () => response.end());
    body.once('close', () => {
      if (!body.readableEnded) fail(new Error('closed before its end'));
    });
    body.on('data', (piece: Uint8Array) => {
      if (body.destroyed) return;
      const refusal = see(piece);
      if (refusal !== null) fail(refusal);
      else if (!response.write(piece)) body.pause();
    });
    response.on('drain', () => body.resume());
    response.once('error', () => fail(new CallerGoneError()));
    // A body that waits for the cloud's next bytes does not notice that the caller has gone.
    response.once('close', () => (response.writableFinished ? resolve() : fail(new CallerGoneError())));
    // Each side may have ended before these listeners were added.
    if (body.destroyed) fail(body.errored ?? new Error('closed before its end'));
    if (response.destroyed) fail(new CallerGoneError());
  });
}
