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
import { createServer, type ServerParts } from '../service/server.ts';
import { TransientStoreError } from '../store/errors.ts';
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
  const server = createServer('operator', parts, { bodyLimit: 64 * 1024 });
  const routes = parts.routes ?? OPERATOR_ROUTES;
  const handlers = makeHandlers(parts);
  checkPolicy(routes, handlers);

  await server.register(cookie);
  server.addHook('onRequest', async (request) => {
    if (request.routeOptions.url === '/health') return;
    const { port } = server.server.address() as AddressInfo;
    if (
      !isOurHost(request.headers.host, parts.listenHost, port) ||
      !isOurOrigin(request.headers.origin, request.headers.host)
    ) {
      throw new ApiError('COMMON403', 'This request was made for another address than this server has.');
    }
  });
  server.addHook('onSend', async (request, reply, payload) => {
    if (request.url.startsWith('/api/')) void reply.header('cache-control', 'no-store');
    return payload;
  });
  server.setNotFoundHandler(async (request) => {
    await requireSession(parts, request);
    throw new ApiError('COMMON403');
  });
  server.get('/health', async () => success({ status: 'alive' }));
  for (const route of routes) {
    const handler = handlers[`${route.method} ${route.path}` as OperatorRouteKey];
    const principals = new WeakMap<FastifyRequest, Principal>();
    server.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      // Before the body is read: who asks comes before what is asked (D6).
      onRequest: async (request) => {
        if (route.access === 'operator') principals.set(request, await requireSession(parts, request));
      },
      handler: (request, reply) => handler(request, reply, principals.get(request) ?? null),
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

function makeHandlers({ store, clock }: OperatorParts): Record<OperatorRouteKey, Handler> {
  return {
    'POST /api/v1/auth/login': async (request, reply) => {
      const { username, password } = loginSchema.parse(request.body);
      const session = await logIn(store.db, username, password, clock.now());
      if (session === null) throw new ApiError('AUTH4011');
      void reply.setCookie(OPERATOR_COOKIE, session.token, { path: '/', httpOnly: true, sameSite: 'strict' });
      return success(sessionState(session.principal));
    },
    'POST /api/v1/auth/logout': async (request, reply) => {
      await logOut(store.db, request.cookies[OPERATOR_COOKIE] ?? '');
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
      try {
        return success(await invalidate(store, id, reason, known(principal).operatorId, clock.now()));
      } catch (error) {
        // The operator may press again: what was written after all answers 409 then.
        throw error instanceof TransientStoreError ? new ApiError('COMMON503') : error;
      }
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

async function requireSession(parts: OperatorParts, request: FastifyRequest): Promise<Principal> {
  const token = request.cookies[OPERATOR_COOKIE];
  const principal = token === undefined ? null : await findSession(parts.store.db, token, parts.clock.now());
  if (principal === null) throw new ApiError('COMMON401');
  return principal;
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
