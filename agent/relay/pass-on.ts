/** One pull on its way through: the cloud's status, a few headers and the body, byte for byte (D39). */
import { validateHeaderValue, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { HEAD_HEADER, SIGNATURE_HEADER } from '../../shared/wire/bundle.ts';
import { ApiError, failure } from '../../shared/wire/envelope.ts';
import { sendJson } from './answers.ts';
import { BodyBoundError, CallerGoneError, UpstreamError } from './errors.ts';
import type { PullRecord } from './statistics.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';

/**
 * What is passed on beside status and body. Content-Encoding, because the body goes on as it is; the
 * relay never asks for one.
 */
const PASSED_HEADERS = [
  'content-type',
  'content-length',
  'content-encoding',
  'retry-after',
  HEAD_HEADER,
  SIGNATURE_HEADER,
];

export interface Passage {
  upstream: Upstream;
  /** Largest body. */
  bytes: number;
  record: PullRecord;
  log: Logger;
}

/** Asks the cloud and answers the caller. Without an answer that can be passed on it answers COMMON503, which the Intake takes as passing. */
export async function passOn(query: string, response: ServerResponse, passage: Passage): Promise<void> {
  const { record, log } = passage;
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
  // Said here, because a pipeline that waits for the cloud's next bytes does not notice that nobody wants them.
  response.once('close', () => {
    if (!response.writableFinished) answer.body.destroy(new CallerGoneError());
  });
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
    answer.body.on('error', () => undefined).destroy();
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
  const { record, log, bytes: bound } = passage;
  let bytes = 0;
  async function* counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > bound) throw new BodyBoundError(tooLarge(bound));
      yield piece;
    }
  }
  try {
    await pipeline(answer.body, counted, response);
  } catch (error) {
    // The pipeline has destroyed the response: the caller sees its connection break.
    if (error instanceof CallerGoneError || isPremature(error)) {
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

/** The side that is written to was closed; where the cloud breaks off there is an error of its own. */
function isPremature(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
