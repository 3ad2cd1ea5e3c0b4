/**
 * The bundle endpoint (sync protocol 4) behind mutual TLS. The handshake takes any client, so
 * that each gets its answer; who it is and whether it may is asked of the store at every request,
 * on connections that stay open too (D29, D30).
 *
 * Before it: `cloud/publication/publish.ts`. After it: `agent/relay/forward.ts`.
 */
import { createHash, sign, type KeyObject } from 'node:crypto';
import { Readable } from 'node:stream';
import { Server as TlsServer, TLSSocket, type SecureContextOptions } from 'node:tls';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../shared/wire/envelope.ts';
import { BUNDLE_PATH, HEAD_HEADER, SIGNATURE_HEADER, STATEMENT_HEADER } from '../../shared/wire/bundle-endpoint.ts';
import type { CloudMetrics } from '../service/metrics.ts';
import { sendSafeHeaders } from '../../shared/service/http/safe-headers.ts';
import { asTold, createServer, type Admission, type ServerParts } from '../service/server.ts';
import { identify, pull, type BundleRow, type PullParts } from './pull.ts';
import type { PullLog } from './pull-log.ts';
import { readPullQuery, type PullQuery } from './query.ts';
import { ReadAhead } from './read-ahead.ts';
import { sealStatement } from './statement.ts';
import type { TlsFiles } from '../pki/tls-files.ts';

/** A tenant's relay keeps one connection; a pull has no body. */
const LIMITS = { connections: 20_000, requestMs: 10_000 };
/** A connection on which an answer makes no progress for so long is ended, and its body freed. */
const STALLED_MS = 60_000;
/** Pulls of one tenant whose answers have not left yet; a relay has one. */
const PULLS_PER_TENANT = 4;
const RETRY_AFTER_SECONDS = 5;
/** A body goes to the socket in pieces: handed over whole, it would lie there once more, encrypted. */
const PIECE_BYTES = 64 * 1024;

export interface SyncParts extends ServerParts, PullParts {
  tls: TlsFiles;
  /** Signs every answer when it is there (D32, D59), with the key of the moment. */
  signingKey: (() => KeyObject) | null;
  pullLog: PullLog;
  metrics: CloudMetrics;
  /** For tests: another wait than `STALLED_MS`. */
  stalledMs?: number;
}

export function createSyncServer(parts: SyncParts): FastifyInstance {
  const admit: Admission = async (request, matched) => {
    // The bundle endpoint asks itself, in the one statement of a pull.
    if (!matched) requireValid((await identify(parts, provenFingerprint(request))).standing);
  };
  const server = createServer('sync', parts, admit, {
    tls: { ...secureOptions(parts.tls), requestCert: true, rejectUnauthorized: false },
    limits: { ...LIMITS, stalledMs: parts.stalledMs ?? STALLED_MS },
    bodyLimit: 1024,
  });
  sendSafeHeaders(server, () => true);
  const underWay = new PullsUnderWay();
  const ahead = new ReadAhead<BundleRow>();
  const askers = new WeakMap<FastifyRequest, Asker>();
  const onSend = async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<Buffer | Readable> => {
    const body = Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload));
    signAnswer(parts, askers.get(request), reply, body);
    if (body.length <= PIECE_BYTES) return body;
    void reply.header('content-length', String(body.length));
    return Readable.from(piecesOf(body));
  };
  server.get(BUNDLE_PATH, { onSend }, async (request, reply) => {
    const asker: Asker = { tenantId: null, after: null, head: null };
    askers.set(request, asker);
    try {
      return await servePull(parts, { underWay, ahead }, asker, request, reply);
    } catch (error) {
      noteFailure(parts, asker, error);
      throw error;
    }
  });
  return server;
}

function secureOptions({ cert, key, clientCa }: TlsFiles): SecureContextOptions {
  return { cert, key, ca: clientCa, minVersion: 'TLSv1.2' };
}

/** Shows another certificate, and trusts another authority, from the next handshake on. Open connections go on. */
export function replaceTlsFiles(server: FastifyInstance, files: TlsFiles): void {
  if (!(server.server instanceof TlsServer)) throw new TypeError('the bundle endpoint has no TLS server');
  server.server.setSecureContext(secureOptions(files));
}

/** Counts each tenant's pulls until the last byte of the answer has left, or its connection has ended. */
class PullsUnderWay {
  readonly #counts = new Map<number, number>();

  /** @throws ApiError COMMON503, which a relay takes for a reason to come again (sync protocol 7) */
  begin(tenantId: number, reply: FastifyReply): void {
    const count = this.#counts.get(tenantId) ?? 0;
    if (count >= PULLS_PER_TENANT) {
      void reply.header('retry-after', String(RETRY_AFTER_SECONDS));
      throw new ApiError(
        'COMMON503',
        `${count} pulls of this tenant are under way already: read their answers, or end them.`,
      );
    }
    this.#counts.set(tenantId, count + 1);
    reply.raw.once('close', () => {
      const left = (this.#counts.get(tenantId) ?? 1) - 1;
      if (left > 0) this.#counts.set(tenantId, left);
      else this.#counts.delete(tenantId);
    });
  }
}

/** The caller and the pull, as far as they are known: a failure is noted for the tenant from then on. */
interface Asker {
  tenantId: number | null;
  after: number | null;
  /** The tenant's highest cursor; null as long as its certificate has not been accepted. */
  head: number | null;
}

async function servePull(
  parts: SyncParts,
  { underWay, ahead }: { underWay: PullsUnderWay; ahead: ReadAhead<BundleRow> },
  asker: Asker,
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
    asker.tenantId = known.tenantId;
    requireValid(known.standing);
    if (known.tenantId !== null) asker.head = known.head;
    throw error;
  }
  asker.after = query.after;
  const begin = (tenantId: number, head: number): void => {
    asker.tenantId = tenantId;
    asker.head = head;
    underWay.begin(tenantId, reply);
  };
  const result = await pull(parts, { fingerprint, ...query, begin, ahead });
  asker.tenantId = result.standing === 'UNKNOWN' ? null : result.tenantId;
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
      asker.head = head;
      // A cursor that was made up, or records that the cloud has lost: the head tells the tenant, this tells the
      // vendor.
      const message = after > head ? `The tenant asks after cursor ${after}, and its records end at ${head}.` : null;
      if (message !== null) request.log.warn({ tenantId, after, head }, message);
      const at = parts.clock.now();
      parts.pullLog.note({ tenantId, at, after, to, entries, outcome: 'COMMON200', message });
      parts.metrics.pulled('COMMON200', entries, body.length);
      return reply
        .header(HEAD_HEADER, String(head))
        .header('cache-control', 'no-store')
        .type('application/json; charset=utf-8')
        .send(body);
    }
  }
}

/** Signs the bytes as they leave (D32), and what they are: whose, after which cursor, as of when (D59). */
function signAnswer(
  { signingKey, clock }: SyncParts,
  asker: Asker | undefined,
  reply: FastifyReply,
  body: Buffer,
): void {
  if (signingKey === null || asker === undefined) return;
  const key = signingKey();
  const { tenantId, after, head } = asker;
  const status = reply.statusCode;
  if (status === 200) void reply.header(SIGNATURE_HEADER, sign(null, body, key).toString('base64'));
  if (tenantId === null || head === null) return;
  const told = { tenantId, after, head, at: clock.now(), status, body };
  void reply.header(STATEMENT_HEADER, sealStatement(told, key));
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES);
}

/** @throws ApiError for a certificate that may not ask now */
function requireValid(standing: 'UNKNOWN' | 'EXPIRED' | 'REVOKED' | 'VALID'): void {
  if (standing === 'REVOKED') throw new ApiError('SYNC4031');
  if (standing !== 'VALID') throw new ApiError('SYNC4011');
}

/**
 * The SHA-256 of the certificate whose key the peer has proven to hold, and whose chain ends at our
 * authority.
 * @throws ApiError SYNC4011 without such a one
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

/**
 * A connection keeps what its handshake has proven; whose it is, and whether it still may, is asked at every request.
 */
const proven = new WeakMap<TLSSocket, string>();

/** Counts a pull that was not served, and notes it for its tenant where that is known. */
function noteFailure({ metrics, pullLog, clock }: SyncParts, { tenantId, after }: Asker, error: unknown): void {
  const told = asTold(error);
  const { code, message } = told instanceof ApiError ? told : new ApiError('COMMON500');
  metrics.pulled(code, 0, 0);
  if (tenantId === null) return;
  pullLog.note({ tenantId, at: clock.now(), after, to: null, entries: 0, outcome: code, message });
}
