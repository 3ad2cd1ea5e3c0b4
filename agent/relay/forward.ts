/**
 * One pull on its way through: the cloud's status, a few headers and the body, byte for byte (D39).
 *
 * Before it: `cloud/sync/server.ts`. After it: `agent/intake/receive/reception.ts`.
 */
import { validateHeaderValue, type ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { HEAD_HEADER, SIGNATURE_HEADER, STATEMENT_HEADER } from '../../shared/wire/bundle-endpoint.ts';
import { ApiError, failure } from '../../shared/wire/envelope.ts';
import { sendJson } from './responses.ts';
import { BodyBoundError, CallerGoneError, UpstreamError } from './errors.ts';
import type { PassingMemory } from './memory.ts';
import type { PullRecord } from './statistics.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';

/**
 * The headers that are passed on beside status and body. Content-Encoding, because the body goes on as it is; the
 * relay never asks for one.
 */
const PASSED_HEADERS = [
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
  /** Largest body. */
  bytes: number;
  record: PullRecord;
  memory: PassingMemory;
  log: Logger;
}

/**
 * Asks the cloud and answers the caller. Without an answer that can be passed on it answers COMMON503, which the Intake
 * takes as passing.
 */
export async function forwardPull(query: string, response: ServerResponse, passage: Passage): Promise<void> {
  const { record, log, memory } = passage;
  memory.pull();
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once('close', leave);
  let answer: UpstreamAnswer;
  try {
    answer = await passage.upstream.pull(query, gone.signal);
    begin(answer, response, passage.bytes);
  } catch (error) {
    if (gone.signal.aborted) {
      record.abandoned();
      log.info({ query }, 'the caller gave up before the cloud answered');
    } else if (error instanceof UpstreamError) {
      record.failed(error.message);
      log.error({ query, err: error.cause }, error.message);
      const told = new ApiError('COMMON503', error.message);
      sendJson(response, told.status, failure(told));
    } else {
      record.failed('Unexpected error.');
      throw error;
    }
    return;
  }
  response.off('close', leave);
  await stream(query, answer, response, passage);
}

/** Begins the answer; nothing has been sent where it fails. @throws UpstreamError */
function begin(answer: UpstreamAnswer, response: ServerResponse, bytes: number): void {
  try {
    // A body that says beforehand that it is too large is not begun.
    if (Number(answer.headers['content-length']) > bytes) throw new UpstreamError(tooLarge(bytes));
    const headers = PASSED_HEADERS.flatMap((name) => {
      const value = answer.headers[name];
      if (value === undefined) return [];
      for (const one of [value].flat()) validateHeaderValue(name, one);
      return [[name, value] as const];
    });
    response.writeHead(answer.status, Object.fromEntries(headers));
  } catch (error) {
    answer.body.destroy();
    if (error instanceof UpstreamError) throw error;
    throw new UpstreamError('The head of the cloud’s answer cannot be passed on.', { cause: error });
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
    // The caller sees its connection break, never an end.
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
  log.info({ query, status: answer.status, bytes, ms }, 'relayed');
}

const tooLarge = (bound: number): string => `The body of the cloud’s answer is larger than ${bound} bytes.`;

/**
 * Writes one stream into the other as the other takes it. With listeners of its own instead of a
 * pipeline, because that keeps the fewest objects per piece; `see` may stop it by an error before the
 * piece goes on.
 * @throws CallerGoneError, what `see` gives, what the body fails with
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
    // A body that waits for the cloud's next bytes does not notice by itself that nobody wants them.
    response.once('close', () => (response.writableFinished ? resolve() : fail(new CallerGoneError())));
    // Each side may have ended before anybody listened.
    if (body.destroyed) fail(body.errored ?? new Error('closed before its end'));
    if (response.destroyed) fail(new CallerGoneError());
  });
}
