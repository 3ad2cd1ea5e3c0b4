/**
 * The engine's door (D43): `POST /internal/v1/loads` takes JSON Lines and answers with the outcome of each
 * line. It listens on its own port, behind a bearer token.
 *
 * Before it: the engine sends a load. After it: `cloud/publication/publish.ts`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FollowedTls } from '../../shared/service/tls/server-tls.ts';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import { FanOutLockTimeoutError, type FanOutObserver } from '../publication/fan-out.ts';
import { publish, type PublishOptions } from '../publication/publish.ts';
import { LoadRefusedError } from '../publication/refusal.ts';
import { createServer, tlsOptions, type ServerParts } from '../service/server.ts';
import { ConnectionLostError, sqlState, StoreTakesNoWritesError } from '../store/errors.ts';
import type { Store } from '../store/open.ts';
import type { LineAnswer } from '../publication/load.ts';
import { readLine, readLoad } from './read-load.ts';

export const LOADS_PATH = '/internal/v1/loads';
/** Largest body, in bytes. */
export const BODY_LIMIT = 64 * 1024 * 1024;
/** Most lines of a body: each has an answer and a line of the log, and the shortest has one byte. */
export const MOST_LINES = 100_000;
/** A few engines, and a largest body over a slow line. */
const LIMITS = { connections: 64, requestMs: 600_000 };

export interface EngineDoorParts extends ServerParts {
  store: Store;
  token: string;
  /** Null: plain HTTP. */
  tls?: FollowedTls | null;
  bodyLimit?: number;
  /** Observes how long fan-outs take, and how loads end. */
  metrics?: FanOutObserver & { loaded(answer: LineAnswer): void };
}

export function createEngineDoor(parts: EngineDoorParts): FastifyInstance {
  const server = createServer('engine', parts, (request) => requireToken(request, parts.token), {
    limits: LIMITS,
    ...tlsOptions(parts.tls),
    bodyLimit: parts.bodyLimit ?? BODY_LIMIT,
  });
  // The body stays bytes under every media type: each line is decoded by itself.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  let stopping = false;
  const running = new Set<Promise<unknown>>();
  server.addHook('preClose', async () => {
    stopping = true;
  });
  // The store closes after this hook: lines of senders that have disconnected must end first.
  server.addHook('onClose', async () => {
    await Promise.allSettled(running);
  });
  server.post(LOADS_PATH, async (request) => {
    if (!Buffer.isBuffer(request.body)) throw new ApiError('COMMON400', 'The body is empty: send one load per line.');
    if (hasMoreLines(request.body, MOST_LINES))
      throw new ApiError('COMMON413', `The body has more than ${MOST_LINES} lines: send them in several.`);
    const taking = takeBody(parts, request, request.body, () => stopping);
    running.add(taking);
    try {
      const lines = await taking;
      if (lines.length === 0) throw new ApiError('COMMON400', 'The body holds no load: send one per line.');
      return success({ lines });
    } finally {
      running.delete(taking);
    }
  });
  return server;
}

async function takeBody(
  parts: EngineDoorParts,
  request: FastifyRequest,
  body: Buffer,
  isStopping: () => boolean,
): Promise<LineAnswer[]> {
  const lines: LineAnswer[] = [];
  for (const { line, bytes } of splitLines(body)) {
    // The embedded store works in microtasks alone: without this, no other request would run until the last line.
    await setImmediate();
    const answer = isStopping()
      ? failed(bytes, 'STOPPING', 'The cloud is stopping; send this line again.')
      : await takeLine(parts, request, bytes);
    lines.push({ line, ...answer });
    parts.metrics?.loaded({ line, ...answer });
  }
  return lines;
}

function observing({ metrics }: EngineDoorParts): PublishOptions {
  return metrics === undefined ? {} : { observer: metrics };
}

/** Handles one load from its line to its answer. A fault of one line never stops the others. */
async function takeLine(
  parts: EngineDoorParts,
  request: FastifyRequest,
  bytes: Uint8Array,
): Promise<Omit<LineAnswer, 'line'>> {
  try {
    const answer = await publish(parts.store, readLoad(bytes), parts.clock.now(), observing(parts));
    request.log.info(answer, 'load taken');
    return answer;
  } catch (error) {
    const { code, message } = explain(error, request);
    request.log.warn({ code, reason: message }, 'load failed');
    return failed(bytes, code, message);
  }
}

function failed(bytes: Uint8Array, reason: string, message: string): Omit<LineAnswer, 'line'> {
  return { outcome: 'FAILED', id: idOf(bytes), reason, message, repeated: false, deliveries: 0 };
}

function explain(error: unknown, request: FastifyRequest): { code: string; message: string } {
  if (error instanceof LoadRefusedError) return { code: error.code, message: error.message };
  if (error instanceof FanOutLockTimeoutError) return { code: 'FANOUT_LOCK_TIMEOUT', message: error.message };
  if (error instanceof ConnectionLostError) return { code: 'STORE_UNREACHABLE', message: error.message };
  if (error instanceof StoreTakesNoWritesError) return { code: 'STORE_TAKES_NO_WRITES', message: error.message };
  // Class 22: the value fits the schema and the database still cannot hold it. A retry does not help.
  const state = sqlState(error);
  if (state?.startsWith('22') === true) {
    request.log.warn({ err: error }, 'the database refuses a value of a load');
    return { code: 'LOAD_INVALID', message: `The store cannot hold a value of this load (SQLSTATE ${state}).` };
  }
  request.log.error({ err: error }, 'unexpected error in a load');
  return {
    code: 'INTERNAL',
    message: `Something went wrong on our side; request ${request.id} finds it in the log. Try again.`,
  };
}

function hasMoreLines(body: Buffer, most: number): boolean {
  let count = 0;
  for (let at = body.indexOf(0x0a); at >= 0 && count <= most; at = body.indexOf(0x0a, at + 1)) count += 1;
  return count > most;
}

/** The lines that are not blank, numbered from 1. A line that begins with # is a comment. */
function* splitLines(body: Buffer): Generator<{ line: number; bytes: Buffer }> {
  let line = 0;
  for (let start = 0; start < body.length;) {
    const end = body.indexOf(0x0a, start);
    const bytes = body.subarray(start, end < 0 ? body.length : end);
    line += 1;
    start += bytes.length + 1;
    if (bytes[0] !== 0x23 && bytes.some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d))
      yield { line, bytes };
  }
}

/** The id in a failed line; null where it is unreadable, or beyond its limits. */
function idOf(bytes: Uint8Array): string | null {
  try {
    const value = readLine(bytes).value as {
      result?: { explanation_result_id?: unknown } | null;
      analysis?: { movement_analysis_id?: unknown } | null;
    } | null;
    const id = value?.result?.explanation_result_id ?? value?.analysis?.movement_analysis_id;
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}

/** @throws ApiError COMMON401 */
function requireToken(request: FastifyRequest, token: string): void {
  const sent = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  // Compares hashes, so that the length of the token stays secret too.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  if (sent === undefined || !timingSafeEqual(digest(sent), digest(token)))
    throw new ApiError('COMMON401', 'Send the engine token as "Authorization: Bearer …".');
}
