/**
 * The socket side of every listener of both sides: time limits for clients, the number of connections, and the envelope
 * with a request id where Node would answer by itself (D4, D7). Plain HTTP or TLS.
 */
import {
  createServer as createHttpServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import type { Ids } from '../../time/clock.ts';
import { ApiError, failure } from '../../wire/envelope.ts';
import { drainOnClose } from './drain.ts';
import { gateHandshakes } from './handshake-gate.ts';
import { INERT_HEADERS } from './safe-headers.ts';
import { shareConnections } from './unfinished.ts';

export interface ListenerLimits {
  /**
   * Limit from the connection, or from the first byte of a further request, to the end of its head; also of the TLS
   * handshake.
   */
  headersMs: number;
  /** Limit from there to the last byte of the body. */
  requestMs: number;
  /** Lifetime of a connection without a request. */
  keepAliveMs: number;
  /** Most connections at one time; further ones are closed at once. */
  connections: number;
  /** How long the rest of a body is read after its request was answered, so that the answer arrives. */
  unreadMs: number;
  /** How long a begun answer may wait for its reader without sending a byte. */
  stalledMs: number;
}

export const LISTENER_LIMITS: ListenerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 75_000,
  connections: 1_024,
  unreadMs: 2_000,
  stalledMs: 60_000,
};

/** A request that never became one, as the log shows it. */
export interface RawRefusal {
  reqId: string;
  status: number;
  reason: string;
}

export interface ListenerOptions {
  ids: Ids;
  limits?: Partial<ListenerLimits>;
  /** Certificate, key and requested client certificates; absent: plain HTTP. */
  tls?: TlsOptions;
  maxHeaderSize?: number;
  refused(refusal: RawRefusal): void;
}

/** Listens with these limits; `handler` gets only requests with a Host and without an unknown `Expect`. */
export function createListener(options: ListenerOptions, handler: RequestListener): HttpServer | HttpsServer {
  const limits = { ...LISTENER_LIMITS, ...options.limits };
  const http = {
    headersTimeout: limits.headersMs,
    requestTimeout: Math.max(limits.requestMs, limits.headersMs),
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
    // Node would refuse the request without a body.
    requireHostHeader: false,
    ...(options.maxHeaderSize === undefined ? {} : { maxHeaderSize: options.maxHeaderSize }),
  };
  const server =
    options.tls === undefined
      ? createHttpServer(http)
      : createHttpsServer({ minVersion: 'TLSv1.2', handshakeTimeout: limits.headersMs, ...options.tls, ...http });
  if (server instanceof HttpsServer) gateHandshakes(server);
  server.maxConnections = limits.connections;
  shareConnections(server, limits.connections);
  server.setTimeout(limits.stalledMs);
  answerRaw(server, options, limits, handler);
  drainOnClose(server);
  return server;
}

function answerRaw(
  server: HttpServer | HttpsServer,
  { ids, refused }: ListenerOptions,
  { unreadMs, requestMs }: ListenerLimits,
  handler: RequestListener,
): void {
  /** The answer that is being sent on a connection. */
  const answers = new WeakMap<Duplex, ServerResponse>();
  const ended = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, error: ApiError, reason: string): void => {
    // The parser also fails on the rest of a refused request.
    if (ended.has(socket)) return;
    ended.add(socket);
    const reqId = ids.uuid();
    refused({ reqId, status: error.status, reason });
    refuseOnSocket(socket, error, reqId, unreadMs);
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answers.set(request.socket, response);
    response.once('finish', () => endUnread(request, unreadMs));
    // Node takes the first of several Hosts, and a proxy before it perhaps the last (RFC 9112 section 3.2).
    const hosts = hostsOf(request);
    if (hosts > 1 || (hosts === 0 && request.httpVersion !== '1.0'))
      return refuse(
        request.socket,
        new ApiError('COMMON400', 'A request has one Host header.'),
        `${hosts} Host headers`,
      );
    handler(request, response);
  });
  server.on('checkExpectation', ({ socket }: IncomingMessage) =>
    refuse(socket, new ApiError('COMMON417'), 'an expectation'),
  );
  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    refuse(socket, new ApiError('COMMON403'), 'a tunnel'),
  );
  // A client that requests pages and never reads them would hold its connections, in the end all of them. An answer
  // that has not begun is still being computed, so its connection stays.
  server.on('timeout', (socket: Duplex) => {
    if (answers.get(socket)?.headersSent !== false) socket.destroy();
  });
  const failed = (error: Error & { code?: string }, socket: Duplex): void => {
    // A client would read two answers to one request as one, so an answer that has begun is cut off.
    const begun = answers.get(socket);
    if (error.code === 'ECONNRESET' || (begun?.headersSent === true && !begun.writableFinished)) socket.destroy();
    else refuse(socket, codeOf(error.code), error.code ?? error.message);
  };
  server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return failed(error, socket);
    // A process that stood still, as on a paused machine, reads first what has come meanwhile.
    const before = answers.get(socket)?.req;
    const wasWhole = before?.complete;
    setImmediate(() => {
      const now = answers.get(socket)?.req;
      if (now === before && now?.complete === wasWhole) return failed(error, socket);
      // Node looks at no request twice: a body that is still missing has its limit here.
      if (now === undefined || now.complete) return;
      const late = setTimeout(() => (now.complete ? undefined : failed(error, socket)), requestMs).unref();
      now.once('close', () => clearTimeout(late));
    });
  });
}

const hostsOf = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;

function codeOf(code: string | undefined): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('COMMON408');
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('COMMON431');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiError('COMMON413');
    default:
      return new ApiError('COMMON400');
  }
}

/** Answers without a parsed request: writes the envelope by hand and ends the socket. */
function refuseOnSocket(socket: Duplex, error: ApiError, reqId: string, unreadMs: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(failure(error));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    `x-request-id: ${reqId}`,
    ...Object.entries(INERT_HEADERS).map(([name, value]) => `${name}: ${value}`),
  ];
  // A client that neither reads nor closes would keep the connection.
  const late = setTimeout(() => socket.destroy(), unreadMs).unref();
  socket.once('close', () => clearTimeout(late));
  socket.end([...head, '', body].join('\r\n'));
}

/** Ends the connection of a request that was answered before its body was complete, unless the body arrives soon. */
function endUnread(request: IncomingMessage, unreadMs: number): void {
  if (request.complete) return;
  const late = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, unreadMs).unref();
  request.once('close', () => clearTimeout(late));
}
