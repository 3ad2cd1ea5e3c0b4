/**
 * The engine's door (D43): `POST /internal/v1/loads` takes JSON Lines and answers with the outcome of each
 * line, with `check=true` without taking any; `GET` of one by its id (D218). It listens on its own port, behind a bearer token.
 *
 * Before it: the engine sends a load. After it: `cloud/publication/publish.ts`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recognise } from '../../shared/service/http/unfinished.ts';
import { whenOver } from '../../shared/service/http/when-over.ts';
import type { FollowedTls } from '../../shared/service/tls/server-tls.ts';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import { FanOutLockTimeoutError, type FanOutObserver } from '../publication/fan-out.ts';
import { publish, type PublishOptions } from '../publication/publish.ts';
import type { ReasonCode } from '../publication/outcomes.ts';
import { LoadRefusedError } from '../publication/refusal.ts';
import { createServer, tlsOptions, type ServerParts } from '../operations/server.ts';
import { ConnectionLostError, sqlState, StoreTakesNoWritesError } from '../store/errors.ts';
import type { Store } from '../store/open.ts';
import type { LineAnswer } from '../publication/load.ts';
import { findLoad } from './known-load.ts';
import { holdsLoad } from './lines.ts';
import { readLine, readLoad } from './read-load.ts';

export const LOADS_PATH = '/internal/v1/loads';
/** Largest body, in bytes. */
export const BODY_LIMIT = 64 * 1024 * 1024;
/** Most lines of a body: each has an answer and a line of the log, and the shortest has one byte. */
export const MOST_LINES = 100_000;
/** A largest body over a slow line; more connections than requests may be under way, so that the rest gets an answer. */
const LIMITS = { connections: 384, requestMs: 600_000 };
/** Bodies that are read or worked on at one time: in number, and in bytes that they hold (D151). */
const UNDER_WAY = { requests: 256, bytes: 4 * BODY_LIMIT };
/** How long a load waits for its turn: longer than a publisher that hangs keeps the lock (`idle_in_transaction_session_timeout`). */
const PATIENCE_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;

export interface EngineDoorParts extends ServerParts {
  store: Store;
  token: string;
  /** Null: plain HTTP. */
  tls?: FollowedTls | null;
  bodyLimit?: number;
  /** Replaces `UNDER_WAY` in tests. */
  underWay?: typeof UNDER_WAY;
  /** Replaces `PATIENCE_MS` in tests. */
  patienceMs?: number;
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
  boundBodies(server, parts.underWay ?? UNDER_WAY);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const running = new Set<Promise<unknown>>();
  server.addHook('preClose', async () => stopping.abort());
  // The store closes after this hook: lines of senders that have disconnected must end first.
  server.addHook('onClose', async () => {
    await Promise.allSettled(running);
  });
  server.post(LOADS_PATH, async (request) => {
    if (!Buffer.isBuffer(request.body)) throw new ApiError('COMMON400', 'The body is empty: send one load per line.');
    if (isPacked(request.body))
      throw new ApiError(
        'COMMON415',
        'The body is packed or UTF-16; nothing of it was taken. Send the lines plain, as UTF-8.',
      );
    if (hasMoreLines(request.body, MOST_LINES))
      throw new ApiError('COMMON413', `The body has more than ${MOST_LINES} lines: send them in several.`);
    const isCheck = readCheck(request.query);
    const taking = takeBody(parts, request, request.body, { signal: stopping.signal, isCheck });
    running.add(taking);
    try {
      const lines = await taking;
      if (lines.length === 0) throw new ApiError('COMMON400', 'The body holds no load: send one per line.');
      return success({ lines });
    } finally {
      running.delete(taking);
    }
  });
  server.get(`${LOADS_PATH}/:id`, async (request) =>
    success(await findLoad(parts.store.db, (request.params as { id: string }).id)),
  );
  return server;
}

/** @throws ApiError COMMON400: a misspelt check must not take the loads */
function readCheck(query: unknown): boolean {
  const asked = query as Record<string, unknown>;
  if (Object.keys(asked).length === 0) return false;
  if (Object.keys(asked).length > 1 || asked['check'] !== 'true')
    throw new ApiError('COMMON400', 'The only parameter is check=true, which takes nothing.');
  return true;
}

interface Taking {
  signal: AbortSignal;
  isCheck: boolean;
}

async function takeBody(
  parts: EngineDoorParts,
  request: FastifyRequest,
  body: Buffer,
  taking: Taking,
): Promise<LineAnswer[]> {
  const lines: LineAnswer[] = [];
  for (const { line, bytes } of splitLines(body)) {
    // The embedded store works in microtasks alone: without this, no other request would run until the last line.
    await setImmediate();
    const answer = taking.signal.aborted ? stopped(bytes) : await takeLine(parts, request, bytes, taking);
    lines.push({ line, ...answer });
    if (!taking.isCheck) parts.metrics?.loaded({ line, ...answer });
  }
  return lines;
}

const stopped = (bytes: Buffer): Omit<LineAnswer, 'line'> =>
  failed(bytes, 'STOPPING', 'The cloud is stopping; send this line again.');

/** Handles one load from its line to its answer. A fault of one line never stops the others. */
async function takeLine(
  parts: EngineDoorParts,
  request: FastifyRequest,
  bytes: Buffer,
  { signal, isCheck }: Taking,
): Promise<Omit<LineAnswer, 'line'>> {
  const options: PublishOptions = {
    isCheck,
    ...(parts.metrics === undefined || isCheck ? {} : { observer: parts.metrics }),
    patienceMs: parts.patienceMs ?? PATIENCE_MS,
    signal,
  };
  try {
    const answer = await publish(parts.store, readLoad(bytes), parts.clock.now(), options);
    request.log.info(answer, isCheck ? 'load checked' : 'load taken');
    return answer;
  } catch (error) {
    if (error instanceof FanOutLockTimeoutError && signal.aborted) return stopped(bytes);
    const { code, message } = explain(error, request);
    request.log.warn({ code, reason: message }, 'load failed');
    return failed(bytes, code, message);
  }
}

function failed(bytes: Uint8Array, reason: ReasonCode, message: string): Omit<LineAnswer, 'line'> {
  return { outcome: 'FAILED', id: idOf(bytes), reason, message, repeated: false, deliveries: 0 };
}

function explain(error: unknown, request: FastifyRequest): { code: ReasonCode; message: string } {
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

/**
 * Counts requests and the bytes of their bodies until they are answered: loads wait for their turn (D151), and their
 * bodies wait in memory. A request beyond the bounds is refused before its body is read further.
 */
function boundBodies(server: FastifyInstance, most: typeof UNDER_WAY): void {
  const held = new Map<FastifyRequest, number>();
  let bytes = 0;
  const refuse = (reply: FastifyReply): ApiError => {
    void reply.header('retry-after', String(RETRY_AFTER_SECONDS));
    return new ApiError(
      'COMMON503',
      'Too many loads are waiting already; nothing of this request was taken. Send it again later.',
    );
  };
  server.addHook('preParsing', async (request, reply, payload) => {
    requirePlain(request, reply);
    if (held.size >= most.requests) throw refuse(reply);
    held.set(request, 0);
    whenOver(reply.raw, () => {
      bytes -= held.get(request) ?? 0;
      held.delete(request);
    });
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        held.set(request, (held.get(request) ?? 0) + chunk.length);
        if (bytes > most.bytes) done(refuse(reply));
        else done(null, chunk);
      },
    });
    // A sender that hangs up ends the copy too; the refused rest of a body is left to the listener.
    payload.once('error', (error) => count.destroy(error));
    return payload.pipe(count);
  });
}

/** A packed body would be read as broken lines. @throws ApiError COMMON415 */
function requirePlain({ headers }: FastifyRequest, reply: FastifyReply): void {
  const transfer = (headers['transfer-encoding'] ?? '').replace(/\bchunked\s*$/i, '');
  const encoding = `${headers['content-encoding'] ?? ''}${transfer}`;
  if (/^(?:[\t ,]|identity)*$/i.test(encoding)) return;
  void reply.header('accept-encoding', 'identity');
  throw new ApiError(
    'COMMON415',
    `The body is encoded as ${JSON.stringify(encoding.slice(0, 40))}; nothing of it was taken. Send the lines plain, without Content-Encoding.`,
  );
}

/** How gzip, zstd and UTF-16 begin, where a sender does not say so. */
const PACKED = [
  [0x1f, 0x8b],
  [0x28, 0xb5, 0x2f, 0xfd],
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0x7b, 0x00],
];
const isPacked = (body: Buffer): boolean =>
  PACKED.some((mark) => body.subarray(0, mark.length).equals(Buffer.from(mark)));

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
    if (holdsLoad(bytes)) yield { line, bytes };
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
  recognise(request.raw.socket);
}
