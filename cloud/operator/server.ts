/**
 * The operator API (document 2). Its routes are the rows of the shared policy table and nothing
 * else: a handler that is missing or extra stops the start, an unknown path is refused.
 */
import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { OPERATOR_ROUTES, type OperatorRoute, type OperatorRouteKey } from '../../shared/policy/operator-routes.ts';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import {
  ANALYSIS_STATUSES,
  PUBLICATION_STATES,
  type OperatorProfile,
  type OperatorSessionState,
} from '../../shared/wire/operator.ts';
import type { FanOutObserver } from '../publication/fan-out.ts';
import { createServer, type ServerParts } from '../service/server.ts';
import type { Store } from '../store/open.ts';
import { findSession, logIn, logOut, type Principal } from './accounts.ts';
import { isOurHost, isOurOrigin } from './addresses.ts';
import { invalidate, listAnalyses } from './analyses.ts';
import { serveConsolePage } from './console-page.ts';

export const OPERATOR_COOKIE = 'causeway_operator';

export interface OperatorParts extends ServerParts {
  store: Store;
  /** The host of the listen address, for the Host check. */
  listenHost: string;
  /** Where the built console lies; it need not be there. */
  consoleFolder: string;
  /** What is to be told of fan-outs. */
  metrics?: FanOutObserver;
  /** For tests: another table than the shared one. */
  routes?: readonly OperatorRoute[];
}

/** The policy table and the handlers do not match one to one. */
export class RoutePolicyError extends Error {
  constructor(missing: string[], extra: string[]) {
    super(
      `The operator API does not match its route policy: without handler ${JSON.stringify(missing)}, without row ${JSON.stringify(extra)}.`,
    );
    this.name = 'RoutePolicyError';
  }
}

type Handler = (request: FastifyRequest, reply: FastifyReply, principal: Principal | null) => Promise<unknown>;

const loginSchema = z.strictObject({ username: z.string().min(1).max(200), password: z.string().min(1).max(1_000) });
const positive = (max: number): z.ZodType<number> =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be a whole number from 1')
    .transform(Number)
    .refine((value) => value <= max, `must be at most ${max}`);
const text = z.string().trim().max(200);
const listSchema = z.strictObject({
  page: positive(100_000_000).default(1),
  size: positive(100).default(20),
  publicationState: z.enum(PUBLICATION_STATES).optional(),
  status: z.enum(ANALYSIS_STATUSES).optional(),
  market: text.min(1).optional(),
  q: text.optional(),
});
const REASON_LIMIT = 2_000;

export async function createOperatorServer(parts: OperatorParts): Promise<FastifyInstance> {
  const routes = parts.routes ?? OPERATOR_ROUTES;
  const handlers = makeHandlers(parts);
  checkPolicy(routes, handlers);
  const principals = new WeakMap<FastifyRequest, Principal>();
  /** Routes of the policy that need a session, by their Fastify form; the console's pages are none of them. */
  const closed = new Set(
    routes.filter((route) => route.access === 'operator').map((route) => `${route.method} ${pattern(route)}`),
  );
  const server = createServer(
    'operator',
    parts,
    async (request, matched) => {
      requireOurAddress(parts, request);
      const route = `${request.method} ${request.routeOptions.url ?? ''}`;
      if (!matched || closed.has(route)) principals.set(request, await requireSession(parts, request));
    },
    { bodyLimit: 64 * 1024 },
  );
  await server.register(cookie);
  server.addHook('onSend', async (request, reply, payload) => {
    if (request.url.startsWith('/api/')) void reply.header('cache-control', 'no-store');
    return payload;
  });
  for (const route of routes) {
    const handler = handlers[`${route.method} ${route.path}` as OperatorRouteKey];
    server.route({
      method: route.method,
      url: pattern(route),
      handler: (request, reply) => {
        const principal = principals.get(request) ?? null;
        if (route.access === 'operator') known(principal);
        return handler(request, reply, principal);
      },
    });
  }
  await serveConsolePage(server, parts.consoleFolder);
  return server;
}

function checkPolicy(routes: readonly OperatorRoute[], handlers: Record<string, Handler>): void {
  const declared = routes.map((route) => `${route.method} ${route.path}`);
  const missing = declared.filter((key) => !(key in handlers));
  const extra = Object.keys(handlers).filter((key) => !declared.includes(key));
  if (missing.length > 0 || extra.length > 0) throw new RoutePolicyError(missing, extra);
}

function makeHandlers({ store, clock, metrics }: OperatorParts): Record<OperatorRouteKey, Handler> {
  return {
    'POST /api/v1/auth/login': async (request, reply) => {
      const { username, password } = loginSchema.parse(request.body);
      const session = await logIn(store.db, username, password, clock.now());
      if (session === null) throw new ApiError('AUTH4011');
      void reply.setCookie(OPERATOR_COOKIE, session.token, { path: '/', httpOnly: true, sameSite: 'strict' });
      return success(sessionState(session.principal));
    },
    'POST /api/v1/auth/logout': async (request, reply) => {
      await logOut(store.db, sessionToken(request) ?? '');
      void reply.clearCookie(OPERATOR_COOKIE, { path: '/', httpOnly: true, sameSite: 'strict' });
      return success();
    },
    'GET /api/v1/auth/session': async (_request, _reply, principal) => success(sessionState(known(principal))),
    'GET /api/v1/session': async (_request, _reply, principal) => success(profile(known(principal))),
    'GET /api/v1/analyses': async (request) => {
      const { page, size, publicationState, status, market, q } = listSchema.parse(request.query);
      const found = await listAnalyses(store.db, {
        page,
        size,
        publicationState: publicationState ?? null,
        status: status ?? null,
        market: market ?? null,
        q: q === undefined || q === '' ? null : q,
      });
      return success({ items: found.items, page, size, total: found.total });
    },
    'POST /api/v1/analyses/{id}/invalidate': async (request, _reply, principal) => {
      const { id } = request.params as { id: string };
      const reason = readReason(request.body);
      // Lost on the way, it is answered COMMON503: the operator may press again, and what was written after all answers 409.
      return success(await invalidate(store, id, reason, known(principal).operatorId, clock.now(), metrics));
    },
  };
}

/** D54: missing is absent, not a string, or blank. */
function readReason(body: unknown): string {
  const reason = typeof body === 'object' && body !== null && 'reason' in body ? body.reason : undefined;
  if (typeof reason !== 'string' || reason.trim() === '') throw new ApiError('ANALYSIS4001');
  if (reason.length > REASON_LIMIT || reason.includes('\0') || !reason.isWellFormed()) {
    throw new ApiError('COMMON400', undefined, [
      { path: 'body.reason', message: `must be well-formed text of at most ${REASON_LIMIT} characters` },
    ]);
  }
  return reason.trim();
}

/** A row's path as Fastify writes it. */
function pattern(route: OperatorRoute): string {
  return route.path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** @throws ApiError COMMON403 for a request that was made for another address, or by another page (D9) */
function requireOurAddress(parts: OperatorParts, request: FastifyRequest): void {
  const { port } = request.server.server.address() as AddressInfo;
  const { host, origin } = request.headers;
  if (!isOurHost(host, parts.listenHost, port) || !isOurOrigin(origin, host))
    throw new ApiError('COMMON403', 'This request was made for another address than this server has.');
}

/** @throws ApiError COMMON401 */
async function requireSession(parts: OperatorParts, request: FastifyRequest): Promise<Principal> {
  const token = sessionToken(request);
  const principal = token === undefined ? null : await findSession(parts.store.db, token, parts.clock.now());
  if (principal === null) throw new ApiError('COMMON401');
  return principal;
}

/** Read from the header, because who asks is looked at before any plugin has. */
function sessionToken(request: FastifyRequest): string | undefined {
  return request.server.parseCookie(request.headers.cookie ?? '')[OPERATOR_COOKIE];
}

function known(principal: Principal | null): Principal {
  if (principal === null) throw new Error('a route that needs a session was called without one');
  return principal;
}

function sessionState(principal: Principal): OperatorSessionState {
  return { authenticated: true, role: 'OPERATOR', expiresAt: principal.expiresAt.toISOString() };
}

function profile(principal: Principal): OperatorProfile {
  return {
    id: String(principal.operatorId),
    username: principal.username,
    displayName: principal.displayName,
    role: 'OPERATOR',
  };
}
