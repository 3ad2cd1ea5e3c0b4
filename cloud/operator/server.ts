/**
 * The operator API: session, role and handler of each route. The routes are the rows of the shared policy table and
 * nothing else: a missing or extra handler stops the start, an unknown path is refused.
 *
 * Before it: `cloud/console/api/client.ts`. After it: `cloud/facts/handlers.ts`.
 */
import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AddressInfo } from 'node:net';
import type { LoginLimit } from '../../shared/service/accounts/login-limit.ts';
import { OPERATOR_ROUTES, type OperatorRoute, type OperatorRouteKey } from '../../shared/policy/operator-routes.ts';
import { foreignReason, ownOrigins } from '../../shared/service/http/origins.ts';
import type { FollowedTls } from '../../shared/service/tls/server-tls.ts';
import { compressAnswers } from '../../shared/service/http/compressed.ts';
import { sendSafeHeaders } from '../../shared/service/http/safe-headers.ts';
import { recognise } from '../../shared/service/http/unfinished.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import type { DemoOffer } from '../../shared/wire/sign-in.ts';
import { factsHandlers } from '../facts/handlers.ts';
import type { QueueAdapter, WorkflowAdapter } from '../facts/adapters/adapters.ts';
import { pipelineHandlers } from '../pipeline/routes.ts';
import { databaseClock, type DatabaseClock } from '../pipeline/snapshot.ts';
import type { FanOutObserver } from '../publication/fan-out.ts';
import { createServer, tlsOptions, type ServerParts } from '../operations/server.ts';
import type { Db, Store } from '../store/open.ts';
import { findSession, type Principal, type SessionLimits } from '../accounts/accounts.ts';
import { isByOrigin } from '../accounts/addresses.ts';
import { analysisHandlers } from './analysis-handlers.ts';
import { serveConsolePage } from './console-page.ts';
import { openApiHandlers } from './openapi.ts';
import { known, type Handlers } from '../accounts/request.ts';
import { isOverTls, sessionToken } from '../accounts/session-cookie.ts';
import { sessionHandlers } from '../accounts/session-handlers.ts';
import { tenantHandlers } from './tenant-handlers.ts';

export interface OperatorParts extends ServerParts {
  store: Store;
  /** The host of the listen address, for the Host check. */
  listenHost: string;
  /** When sessions end (D9, D22); absent: after 30 minutes without a request, and 12 hours. */
  limits?: SessionLimits;
  /** Tests count attempts in it that reach no password. */
  loginLimit?: LoginLimit;
  /** Null: plain HTTP. */
  tls?: FollowedTls | null;
  /** Address for browsers behind a proxy with TLS; absent: they use the listen address. */
  origin?: URL;
  /** Proxies with a trusted `X-Forwarded-For`. */
  trustedProxies?: readonly string[];
  /** Folder of the built console; it may be missing. */
  consoleFolder: string;
  /** What the page of a demo offers; absent outside of one. */
  demo?: DemoOffer;
  /** Observes how long fan-outs take. */
  metrics?: FanOutObserver;
  /** The systems outside of the store; absent: the facts have no such axis (D26). */
  workflows?: WorkflowAdapter;
  queues?: QueueAdapter;
  /** Replaces the database's clock in tests. */
  databaseClock?: DatabaseClock;
  /** Replaces the shared policy table in tests. */
  routes?: readonly OperatorRoute[];
}

/** A few people, each with a few windows. */
const LIMITS = { connections: 512 };

/** The policy table and the handlers do not match one to one. */
export class RoutePolicyError extends Error {
  constructor(missing: string[], extra: string[]) {
    super(
      `The operator API does not match its route policy: without handler ${JSON.stringify(missing)}, without row ${JSON.stringify(extra)}.`,
    );
    this.name = 'RoutePolicyError';
  }
}

export async function createOperatorServer(parts: OperatorParts): Promise<FastifyInstance> {
  const routes: readonly OperatorRoute[] = parts.routes ?? OPERATOR_ROUTES;
  const handlers = makeHandlers(parts);
  checkPolicy(routes, handlers);
  const principals = new WeakMap<FastifyRequest, Principal>();
  /** Routes of the policy that need a session, by method and Fastify pattern. The console's pages need none. */
  const closed = new Map(
    routes.filter((route) => route.access === 'operator').map((route) => [`${route.method} ${pattern(route)}`, route]),
  );
  const server = createServer(
    'operator',
    parts,
    async (request, matched) => {
      requireOurAddress(parts, request);
      const route = `${request.method} ${request.routeOptions.url ?? ''}`;
      if (!matched || closed.has(route)) principals.set(request, await requireSession(parts, request));
      // A path with an empty id matches the pattern and is no route of the table.
      if (closed.has(route) && Object.values(request.params as Record<string, string>).includes(''))
        throw new ApiError('COMMON403', 'There is no such surface here.');
      if (principals.get(request)?.temporaryPassword === true && closed.get(route)?.atLogin !== true)
        throw new ApiError('AUTH4033');
    },
    {
      bodyLimit: 64 * 1024,
      limits: LIMITS,
      surfaces: routes,
      ...tlsOptions(parts.tls),
      trustProxy: parts.trustedProxies === undefined ? false : [...parts.trustedProxies],
    },
  );
  // Fastify parses text/plain by default; the table's bodies are JSON.
  server.removeContentTypeParser('text/plain');
  await server.register(cookie);
  sendSafeHeaders(server, (request) => isOverTls(parts, request));
  compressAnswers(server);
  for (const route of routes) {
    const handler = handlers[`${route.method} ${route.path}` as OperatorRouteKey];
    server.route({
      method: route.method,
      url: pattern(route),
      handler: (request, reply) => {
        const principal = principals.get(request) ?? null;
        if (route.access === 'operator') known(principal);
        return handler(request, reply, principal, (db) => requireSession(parts, request, db));
      },
    });
  }
  await serveConsolePage(server, parts.consoleFolder, parts.demo);
  return server;
}

function checkPolicy(routes: readonly OperatorRoute[], handlers: Readonly<Record<string, unknown>>): void {
  const declared = routes.map((route) => `${route.method} ${route.path}`);
  const missing = declared.filter((key) => !(key in handlers));
  const extra = Object.keys(handlers).filter((key) => !declared.includes(key));
  if (missing.length > 0 || extra.length > 0) throw new RoutePolicyError(missing, extra);
}

function makeHandlers(parts: OperatorParts): Handlers {
  const facts = {
    store: parts.store,
    databaseClock: parts.databaseClock ?? databaseClock,
    workflows: parts.workflows ?? null,
    queues: parts.queues ?? null,
  };
  return {
    ...sessionHandlers(parts),
    ...openApiHandlers(),
    ...tenantHandlers(parts),
    ...analysisHandlers(parts),
    ...factsHandlers(facts, parts.clock),
    ...pipelineHandlers(parts.store, parts.databaseClock ?? databaseClock),
  };
}

/** A row's path as Fastify writes it. */
function pattern(route: OperatorRoute): string {
  return route.path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** @throws ApiError COMMON403 for a request that was made for another address, or by another page (D9) */
function requireOurAddress(parts: OperatorParts, request: FastifyRequest): void {
  const { port } = request.server.server.address() as AddressInfo;
  const { listenHost: host, tls, origin } = parts;
  const own = isByOrigin(request.headers.host, origin)
    ? { scheme: 'https' as const, hosts: new Set([origin?.host ?? '']) }
    : ownOrigins({ host, port, names: tls?.current.names ?? null });
  const foreign = foreignReason(request.headers, own);
  if (foreign !== null) throw new ApiError('COMMON403', foreign);
}

/** @throws ApiError COMMON401 */
async function requireSession(
  parts: OperatorParts,
  request: FastifyRequest,
  db: Db = parts.store.db,
): Promise<Principal> {
  const token = sessionToken(request, isOverTls(parts, request));
  const principal = token === undefined ? null : await findSession(db, token, parts.clock.now(), parts.limits);
  if (principal === null) throw new ApiError('COMMON401');
  recognise(request.raw.socket);
  return principal;
}
