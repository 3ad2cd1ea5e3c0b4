/**
 * The bundle endpoint (sync protocol 4) behind mutual TLS. The handshake accepts every client, so that a refused
 * one gets an answer in the envelope. Each request looks its certificate up in the store, on open connections
 * too (D29, D30). `pull.ts` reads the delivery records that publication wrote.
 *
 * Before it: `cloud/publication/publish.ts`. After it: `agent/relay/forward.ts`.
 */
import { createHash, hash, sign, type KeyObject } from 'node:crypto';
import { Readable } from 'node:stream';
import { Server as TlsServer, TLSSocket, type SecureContextOptions } from 'node:tls';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { APPLIED_HEADER, readApplied } from '../../shared/wire/applied.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import {
  BUNDLE_PATH,
  HEAD_HEADER,
  PREFER_HEADER,
  PREFERENCE_APPLIED_HEADER,
  SIGNATURE_HEADER,
  STATEMENT_HEADER,
  waitPreference,
  waitSecondsOf,
} from '../../shared/wire/bundle-endpoint.ts';
import type { CloudMetrics } from '../operations/metrics.ts';
import { DRAINING } from '../../shared/service/http/drain.ts';
import { sendSafeHeaders } from '../../shared/service/http/safe-headers.ts';
import { sourceAddress } from '../../shared/service/http/source-address.ts';
import { whenOver } from '../../shared/service/http/when-over.ts';
import { asApiError, createServer, type Admission, type ServerParts } from '../operations/server.ts';
import { HourlyPulls } from './hourly-pulls.ts';
import { identify, pull, type PullParts, type PullResult } from './pull.ts';
import type { PullLog, PullNote } from './pull-log.ts';
import { readPullQuery, type PullQuery } from './query.ts';
import { sealStatement } from './statement.ts';
import type { TlsFiles } from '../pki/tls-files.ts';
import { WaitingPulls, type WaitPace } from './waiting.ts';

/** A tenant's relay keeps one connection; a pull has no body. */
const LIMITS = { connections: 20_000, requestMs: 10_000 };
/** A connection without progress for this long is closed, and the body that it holds is freed. */
const STALLED_MS = 60_000;
/** Most pulls of one tenant at a time, until their answers have left; a relay needs one. */
const PULLS_PER_TENANT = 4;
const RETRY_AFTER_SECONDS = 5;
/** A tenant whose answer has left asks again, waits, and is noted within its wait and this much. */
const WAIT_OVER_MS = 10_000;
/** Bodies are sent in pieces: a whole one would be held a second time, encrypted. */
const PIECE_BYTES = 64 * 1024;

export interface SyncParts extends ServerParts, PullParts {
  tls: TlsFiles;
  /** The current signing key; signs every answer (D32, D59). Null: answers are not signed. */
  signingKey: (() => KeyObject) | null;
  pullLog: PullLog;
  metrics: CloudMetrics;
  /** Replaces `STALLED_MS` in tests. */
  stalledMs?: number;
  /** For tests: another pace of pulls that wait. */
  waitPace?: Partial<WaitPace>;
}

/** An end of the cloud is no failure of a tenant's pull. */
class StoppingError extends ApiError {
  constructor() {
    super('COMMON503', 'The cloud is stopping; ask again in a moment.');
  }
}

export function createSyncServer(parts: SyncParts): FastifyInstance {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const admit: Admission = async (request, matched) => {
    // A pull checks its certificate in its own statement.
    if (!matched) requireValid((await identify(parts, provenFingerprint(request))).standing);
  };
  const server = createServer('sync', parts, admit, {
    tls: { ...secureOptions(parts.tls), requestCert: true, rejectUnauthorized: false },
    limits: { ...LIMITS, stalledMs: parts.stalledMs ?? STALLED_MS },
    bodyLimit: 1024,
    isRoutine: (request) => callers.get(request)?.isRoutine === true,
  });
  sendSafeHeaders(server, () => true);
  const underWay = new PullsUnderWay();
  const seals = new Seals(parts.signingKey);
  const hourly = new HourlyPulls((facts) => server.log.info(facts, 'pulls of an hour'));
  const waiting = new WaitingPulls({
    store: parts.store,
    clock: parts.clock,
    ended: (why) => parts.metrics.waited(why),
    failed: (error) => server.log.warn({ err: error }, 'the database does not tell who of the waiting has news'),
    ...(parts.waitPace === undefined ? {} : { pace: parts.waitPace }),
  });
  parts.metrics.waiting(() => waiting.count);
  server.server.once(DRAINING, () => {
    if (waiting.count > 0) server.log.info({ waiting: waiting.count }, 'the cloud stops: pulls that wait are answered');
    waiting.endAll();
  });
  // One whose caller has gone has no connection left for which the end of the server waits.
  const answering = new Set<Promise<unknown>>();
  server.addHook('onClose', async () => {
    await Promise.allSettled([...answering, waiting.stopped()]);
    hourly.flush();
  });
  const onSend = async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<Buffer | Readable> => {
    const body = Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload));
    signAnswer(parts, seals, callers.get(request), reply, body);
    if (body.length <= PIECE_BYTES) return body;
    void reply.header('content-length', String(body.length));
    return Readable.from(piecesOf(body));
  };
  server.get(BUNDLE_PATH, { onSend }, async (request, reply) => {
    const caller: Caller = { tenantId: null, after: null, head: null, isRoutine: false };
    callers.set(request, caller);
    const answer = servePull(parts, { underWay, hourly, waiting }, caller, request, reply);
    answering.add(answer);
    try {
      return await answer;
    } catch (error) {
      noteFailure(parts, caller, error);
      throw error;
    } finally {
      answering.delete(answer);
    }
  });
  return server;
}

function secureOptions({ cert, key, clientCa }: TlsFiles): SecureContextOptions {
  return { cert, key, ca: clientCa, minVersion: 'TLSv1.2' };
}

/** Presents a new certificate and trusts a new authority from the next handshake on. Open connections stay. */
export function replaceTlsFiles(server: FastifyInstance, files: TlsFiles): void {
  if (!(server.server instanceof TlsServer)) throw new TypeError('the bundle endpoint has no TLS server');
  server.server.setSecureContext(secureOptions(files));
}

/** Counts each tenant's pulls. */
class PullsUnderWay {
  readonly #counts = new Map<number, number>();

  /**
   * @returns to be called at its end
   * @throws ApiError COMMON503, after which the Intake retries (sync protocol 7)
   */
  begin(tenantId: number, reply: FastifyReply): () => void {
    const count = this.#counts.get(tenantId) ?? 0;
    if (count >= PULLS_PER_TENANT) {
      void reply.header('retry-after', String(RETRY_AFTER_SECONDS));
      throw new ApiError(
        'COMMON503',
        `${count} pulls of this tenant are under way already: read their answers, or end them.`,
      );
    }
    this.#counts.set(tenantId, count + 1);
    return () => {
      const left = (this.#counts.get(tenantId) ?? 1) - 1;
      if (left > 0) this.#counts.set(tenantId, left);
      else this.#counts.delete(tenantId);
    };
  }
}

/** The known facts of the caller and its pull. Once the tenant is known, a failure goes into its pull log. */
interface Caller {
  tenantId: number | null;
  after: number | null;
  /** The tenant's highest cursor; null as long as its certificate has not been accepted. */
  head: number | null;
  /** Whether its answer is no line of the log: another line tells of it, or nothing needs to. */
  isRoutine: boolean;
}

/** What the pulls of a server share. */
interface Serving {
  underWay: PullsUnderWay;
  hourly: HourlyPulls;
  waiting: WaitingPulls;
}

async function servePull(
  parts: SyncParts,
  { underWay, hourly, waiting }: Serving,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const fingerprint = provenFingerprint(request);
  let query: PullQuery;
  try {
    query = readPullQuery(request.query as Record<string, unknown>);
  } catch (error) {
    // The caller is judged before the request (D6).
    const known = await identify(parts, fingerprint);
    caller.tenantId = known.tenantId;
    requireValid(known.standing);
    if (known.tenantId !== null) caller.head = known.head;
    throw error;
  }
  caller.after = query.after;
  let end = (): void => undefined;
  const begin = (tenantId: number, head: number): void => {
    caller.tenantId = tenantId;
    caller.head = head;
    end = underWay.begin(tenantId, reply);
  };
  const mark = waiting.mark();
  // A pull whose caller has gone counts as long as it has work done.
  let result = await pull(parts, { fingerprint, ...query, begin }).finally(() => whenOver(reply.raw, end));
  const seconds = waitSecondsOf(request.headers[PREFER_HEADER]);
  let told = appliedOf(request, query.after);
  let isEmptyWait = false;
  if (seconds !== null && isAtHead(result, query.after)) {
    const { tenantId } = result;
    const { after } = query;
    const at = parts.clock.now();
    const nothing = { to: null, entries: 0, outcome: 'COMMON200', message: null };
    parts.pullLog.arrived({ tenantId, at, after, ...nothing, waitingUntil: endOfWait(at, seconds), ...told });
    const why = await waiting.hold({ tenantId, fingerprint, after }, seconds, mark, reply.raw);
    // The younger pull has told since.
    if (why === 'DISPLACED') told = {};
    if (why === 'STOPPING') {
      // Ten thousand lines at once would hold up the stop.
      caller.isRoutine = true;
      throw new StoppingError();
    }
    if (why === 'GONE') {
      caller.isRoutine = true;
      return reply.hijack();
    }
    // As if it had just come: its certificate may have been revoked.
    const again = (_tenantId: number, head: number): void => void (caller.head = head);
    result = await pull(parts, { fingerprint, ...query, begin: again });
    isEmptyWait = isAtHead(result, query.after);
  }
  if (seconds !== null && result.standing === 'SERVED')
    void reply.header(PREFERENCE_APPLIED_HEADER, waitPreference(seconds));
  caller.tenantId = result.standing === 'UNKNOWN' ? null : result.tenantId;
  switch (result.standing) {
    case 'UNKNOWN':
    case 'EXPIRED':
      throw new ApiError('SYNC4011');
    case 'REVOKED':
      throw new ApiError('SYNC4031');
    case 'GONE':
      throw new ApiError('SYNC4101', `Records up to cursor ${result.floor} have been removed by retention.`);
    case 'SERVED': {
      const { tenantId, to, entries, head, body } = result;
      const { after } = query;
      caller.head = head;
      // Either the tenant's cursor is wrong, or the cloud has lost records. The head informs the tenant, this log line
      // the vendor.
      const message = after > head ? `The tenant asks after cursor ${after}, and its records end at ${head}.` : null;
      if (message !== null) request.log.warn({ tenantId, after, head }, message);
      const at = parts.clock.now();
      const waitsOn = isEmptyWait || (seconds !== null && entries > 0);
      const waitingUntil = waitsOn && seconds !== null ? endOfWait(at, seconds) : null;
      parts.pullLog.note({
        tenantId,
        at,
        after,
        to,
        entries,
        outcome: 'COMMON200',
        message,
        isEmptyWait,
        waitingUntil,
        ...told,
      });
      parts.metrics.pulled('COMMON200', entries, body.length);
      caller.isRoutine = true;
      hourly.note({ tenantId, at, entries, bytes: body.length, from: sourceAddress(request) });
      return reply
        .header(HEAD_HEADER, String(head))
        .header('cache-control', 'no-store')
        .type('application/json; charset=utf-8')
        .send(body);
    }
  }
}

/** What the tenant tells of its applying (D230). A header that does not fit counts as none; the pull is served all the same. */
function appliedOf({ headers }: FastifyRequest, after: number): Pick<PullNote, 'told'> {
  const told = readApplied(headers[APPLIED_HEADER]);
  // Nothing is applied that was not received.
  return { told: told !== null && told.applied <= after ? told : null };
}

const endOfWait = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1_000 + WAIT_OVER_MS);

/** Whether nothing is new, and nothing is wrong with the cursor. */
function isAtHead(result: PullResult, after: number): result is PullResult & { standing: 'SERVED' } {
  return result.standing === 'SERVED' && result.entries === 0 && result.head === after;
}

interface Seal {
  key: KeyObject;
  /** Of the body's bytes, hexadecimal. */
  sha256: string;
  /** Over the body's bytes, base64 (D32). */
  signature: string;
}

/** Hash and signature of bodies: the one of pulls with nothing new is signed once. */
class Seals {
  readonly #key: SyncParts['signingKey'];
  readonly #made = new WeakMap<Buffer, Seal>();

  constructor(key: SyncParts['signingKey']) {
    this.#key = key;
  }

  /** Null where answers are not signed. */
  of(body: Buffer): Seal | null {
    const key = this.#key?.();
    if (key === undefined) return null;
    const made = this.#made.get(body);
    if (made?.key === key) return made;
    const seal = { key, sha256: hash('sha256', body, 'hex'), signature: sign(null, body, key).toString('base64') };
    this.#made.set(body, seal);
    return seal;
  }
}

/** Signs the body as it leaves (D32), and a statement of its tenant, cursor and time (D59). */
function signAnswer(
  { clock }: SyncParts,
  seals: Seals,
  caller: Caller | undefined,
  reply: FastifyReply,
  body: Buffer,
): void {
  const seal = caller === undefined ? null : seals.of(body);
  if (caller === undefined || seal === null) return;
  const { key, sha256, signature } = seal;
  const { tenantId, after, head } = caller;
  const status = reply.statusCode;
  if (status === 200) void reply.header(SIGNATURE_HEADER, signature);
  if (tenantId === null || head === null) return;
  const statement = { tenantId, after, head, at: clock.now(), status, sha256 };
  void reply.header(STATEMENT_HEADER, sealStatement(statement, key));
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES);
}

/** @throws ApiError for a certificate that is unknown, expired or revoked */
function requireValid(standing: 'UNKNOWN' | 'EXPIRED' | 'REVOKED' | 'VALID'): void {
  if (standing === 'REVOKED') throw new ApiError('SYNC4031');
  if (standing !== 'VALID') throw new ApiError('SYNC4011');
}

/**
 * The SHA-256 of the client certificate; the handshake has proven its key and its chain. @throws ApiError SYNC4011
 * without a certificate, or with one of another authority
 */
function provenFingerprint(request: FastifyRequest): string {
  const socket = request.raw.socket;
  if (!(socket instanceof TLSSocket) || !socket.authorized) throw new ApiError('SYNC4011');
  const known = proven.get(socket);
  if (known !== undefined) return known;
  const { raw } = socket.getPeerCertificate();
  if (!Buffer.isBuffer(raw) || raw.length === 0) throw new ApiError('SYNC4011');
  const fingerprint = createHash('sha256').update(raw).digest('hex');
  proven.set(socket, fingerprint);
  return fingerprint;
}

/** The fingerprint is kept per connection; its tenant and standing are looked up at every request. */
const proven = new WeakMap<TLSSocket, string>();

/** Counts a failed pull, and adds it to the pull log where the tenant is known. */
function noteFailure({ metrics, pullLog, clock }: SyncParts, { tenantId, after }: Caller, error: unknown): void {
  const refusal = asApiError(error);
  const { code, message } = refusal instanceof ApiError ? refusal : new ApiError('COMMON500');
  metrics.pulled(code, 0, 0);
  if (tenantId === null || error instanceof StoppingError) return;
  pullLog.note({ tenantId, at: clock.now(), after, to: null, entries: 0, outcome: code, message });
}
