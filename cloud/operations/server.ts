/** The common part of the cloud's three listeners. */
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify, {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { answerInEnvelopes, sendFailure } from '../../shared/service/http/envelope-plugin.ts';
import type { ListenerLimits, ListenerOptions } from '../../shared/service/http/listener.ts';
import type { FollowedTls } from '../../shared/service/tls/server-tls.ts';
import { serverOptions } from '../../shared/service/http/server-options.ts';
import { pathOf } from '../../shared/service/http/target.ts';
import { sourceAddress } from '../../shared/service/http/source-address.ts';
import type { ListenAddress } from '../../shared/service/variables.ts';
import { nameOf, TransientStoreError } from '../store/errors.ts';
import type { LogLevel } from '../config/log-level.ts';
import type { Clock, Ids } from '../../shared/time/clock.ts';
import { ApiError } from '../../shared/wire/envelope.ts';

export interface ServerParts {
  clock: Clock;
  ids: Ids;
  /** The least weighty lines that are written; false: none, for tests. */
  log: LogLevel | false;
  /** For tests: other limits of time and number than the listener's own. */
  bounds?: Partial<ListenerLimits>;
}

/**
 * Identifies the caller before any other check of a request, its body and a malformed path included (D6).
 * @param matched whether the request names a route of this server; only a route may be open to all
 * @throws ApiError for a caller without access
 */
export type Admission = (request: FastifyRequest, matched: boolean) => void | Promise<void>;

/** A row of a route policy with parameters in its path, such as `{id}`. */
type SurfaceRow = Readonly<{ method: string; path: string }>;

interface ServerOptions extends Pick<ListenerOptions, 'tls' | 'limits'>, FastifyServerOptions<HttpServer> {
  /** Rows whose parameters may be malformed: COMMON400 instead of COMMON403. */
  surfaces?: readonly SurfaceRow[];
  /** Answers that another line sums up (D152): each by itself is a line of `debug`. */
  isRoutine?: (request: FastifyRequest) => boolean;
}

/**
 * A Fastify server that answers in envelopes, logs one line per request and offers no route by itself.
 * A request for none of its routes is refused: 401 by `admit`, else 403.
 */
export function createServer(
  name: string,
  parts: ServerParts,
  admit: Admission,
  { tls, limits, surfaces = [], isRoutine = () => false, ...options }: ServerOptions = {},
): FastifyInstance {
  const refuse = async (request: FastifyRequest): Promise<never> => {
    await admit(request, false);
    throw noSuchSurface();
  };
  const server: FastifyInstance = fastify({
    ...serverOptions({
      ids: parts.ids,
      limits: { ...limits, ...parts.bounds },
      ...(tls === undefined ? {} : { tls }),
      refused: (refusal) => server.log.info(refusal, 'connection refused before a request was read'),
    }),
    logger: parts.log === false ? false : { level: parts.log, base: { part: 'cloud', name } },
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    // Fastify skips all hooks for a path that it cannot parse.
    frameworkErrors: (_error, request, reply) => void refuseUnreadable(admit, surfaces, request, reply),
    ...options,
  });
  answerInEnvelopes(server, (error, request) => {
    const told = asApiError(error);
    if (told !== error) request.log.warn({ err: error }, 'the database does not answer');
    return told;
  });
  server.addHook('onRequest', async (request) => {
    // The router reads `%74` as `t`: a rule of a proxy, which compares letters, would have let it pass.
    if (request.is404 || !isSpelled(request)) await refuse(request);
    await admit(request, true);
  });
  server.setNotFoundHandler(refuse);
  server.addHook('onResponse', async (request, reply) =>
    logAnswer(request, reply, isRoutine(request) ? 'debug' : 'info'),
  );
  return server;
}

/** Certificate and key for `createServer`; nothing for plain HTTP. */
export function tlsOptions(tls: FollowedTls | null | undefined): Pick<ListenerOptions, 'tls'> {
  if (tls === null || tls === undefined) return {};
  const { cert, key } = tls.current;
  return { tls: { cert, key } };
}

/**
 * Turns a missing, full or locked database into COMMON503, which clients retry (sync protocol 7); returns other errors
 * unchanged.
 */
export function asApiError(error: unknown): unknown {
  return nameOf(error) instanceof TransientStoreError ? new ApiError('COMMON503') : error;
}

/** As long as any head: an overlong id is answered like any unknown id. */
const LONGEST_PARAMETER = 16_384;

/** Answers a path with an invalid escape: session and policy come first here, too (D6). */
async function refuseUnreadable(
  admit: Admission,
  surfaces: readonly SurfaceRow[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  void reply.header('x-request-id', request.id);
  try {
    await admit(request, false);
    const isSurface = surfaces.some((row) => row.method === request.method && hasShape(row.path, request.url));
    throw isSurface ? new ApiError('COMMON400', 'The path cannot be read.') : noSuchSurface();
  } catch (error) {
    sendFailure(asApiError(error), request, reply);
  }
  logAnswer(request, reply);
}

/** Whether the fixed parts of the path are written as the route has them. */
function isSpelled({ url, routeOptions: { url: route = '' } }: FastifyRequest): boolean {
  return fitsParts(route.split('/'), pathOf(url).split('/'), /^[:*]/);
}

const noSuchSurface = (): ApiError => new ApiError('COMMON403', 'There is no such surface here.');

function hasShape(path: string, target: string): boolean {
  const [parts, given] = [path.split('/'), pathOf(target).split('/')];
  return parts.length === given.length && fitsParts(parts, given, /^\{/);
}

/** @param free what a part begins with that may be anything */
const fitsParts = (parts: readonly string[], given: readonly string[], free: RegExp): boolean =>
  parts.every((part, at) => free.test(part) || part === given[at]);

function logAnswer(request: FastifyRequest, reply: FastifyReply, level: 'info' | 'debug' = 'info'): void {
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  const from = sourceAddress(request);
  // Without the query, which holds what people search for.
  const path = pathOf(request.url);
  request.log[level]({ method: request.method, path, status: reply.statusCode, ms, from }, 'answered');
}

/** The time for running requests to finish when the process stops, in ms. */
export const GRACE_MS = 7_000;

/** The address cannot be listened on. */
export class ListenError extends Error {
  constructor(variable: string, address: ListenAddress, cause: unknown) {
    const why = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null;
    const place = `${address.host}:${address.port}`;
    super(
      why === 'EADDRINUSE'
        ? `${variable}: ${place} is in use by another process; stop that process or choose another port (0 takes a free one).`
        : `${variable}: ${place} cannot be listened on: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    );
    this.name = 'ListenError';
  }
}

/** Connections that the system keeps before this process accepts them; Linux takes no more than `net.core.somaxconn`. */
const BACKLOG = 4_096;

/**
 * Listens and logs the line `listening` with the real address; part and name stand in every line.
 * @returns the URL
 * @throws ListenError
 */
export async function listen(
  server: FastifyInstance,
  scheme: 'http' | 'https',
  variable: string,
  address: ListenAddress,
): Promise<string> {
  try {
    const { host, port } = address;
    await server.listen({ host, port, backlog: BACKLOG, listenTextResolver: () => 'socket bound' });
  } catch (error) {
    throw new ListenError(variable, address, error);
  }
  const { port } = server.server.address() as AddressInfo;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  const url = `${scheme}://${host}:${port}`;
  server.log.info({ url }, 'listening');
  return url;
}
