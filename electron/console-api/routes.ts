/**
 * Registers the routes of the policy table, and nothing else. The server does not start when a route
 * has no handler, a handler no route, or a function no row in the matrix (document 1 section 4, rule 1).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LedgerReader } from '../../agent/ledger/ledger.ts';
import { CONSOLE_ROUTES, type ConsoleRoute, type ConsoleRouteKey } from '../../shared/policy/console-routes.ts';
import { MATRIX } from '../../shared/policy/matrix.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import { admit, confirmed, recordRefusal } from './access.ts';
import { auditHandlers } from './audit.ts';
import { blindReviewHandlers } from './blind-reviews.ts';
import { bulkHandlers } from './bulk.ts';
import { certificateHandlers } from './certificate.ts';
import type { Caller, ConsoleContext } from './context.ts';
import { dashboardHandlers } from './dashboard.ts';
import type { Endpoint } from './endpoint.ts';
import { dismissalHandlers } from './dismissals.ts';
import { eventHandlers } from './events.ts';
import { explanationHandlers } from './explanations.ts';
import { memberHandlers } from './members.ts';
import { noteHandlers } from './notes.ts';
import { openApiHandlers } from './openapi.ts';
import { opinionHandlers } from './opinions.ts';
import { passwordHandlers } from './password.ts';
import { previewHandlers } from './preview.ts';
import { proposalHandlers } from './proposals.ts';
import { reviewHandlers } from './review.ts';
import { reviewTargetHandlers } from './review-target.ts';
import { sampleHandlers } from './samples.ts';
import { scopeHandlers } from './scope.ts';
import { savedViewHandlers } from './saved-views.ts';
import { screeningHandlers } from './screening.ts';
import { secondFactorHandlers } from './second-factor.ts';
import { sessionHandlers } from './session.ts';
import { statisticsHandlers } from './statistics.ts';
import { syncHandlers } from './sync.ts';

export const HANDLERS: Readonly<Record<ConsoleRouteKey, Endpoint>> = {
  ...sessionHandlers,
  ...passwordHandlers,
  ...savedViewHandlers,
  ...openApiHandlers(() => HANDLERS),
  ...dashboardHandlers,
  ...explanationHandlers,
  ...reviewHandlers,
  ...reviewTargetHandlers,
  ...noteHandlers,
  ...bulkHandlers,
  ...dismissalHandlers,
  ...opinionHandlers,
  ...sampleHandlers,
  ...statisticsHandlers,
  ...blindReviewHandlers,
  ...memberHandlers,
  ...secondFactorHandlers,
  ...screeningHandlers,
  ...previewHandlers,
  ...proposalHandlers,
  ...scopeHandlers,
  ...syncHandlers,
  ...certificateHandlers,
  ...auditHandlers,
  ...eventHandlers,
};

/** Routes, handlers and matrix do not fit together. */
export class RoutePolicyError extends Error {
  override name = 'RoutePolicyError';
  constructor(faults: readonly string[]) {
    super(`The console API does not start, because its route policy is not whole: ${faults.join('; ')}.`);
  }
}

type Handlers = Readonly<Record<string, Endpoint>>;

/** @throws RoutePolicyError naming everything that does not fit */
export function checkPolicy(
  routes: readonly ConsoleRoute[],
  handlers: Handlers,
  matrix: Readonly<Record<string, unknown>>,
): void {
  const keys = routes.map(keyOf);
  const faults = [
    ...routes.flatMap((route) => {
      const handler = handlers[keyOf(route)];
      if (handler === undefined) return [`${keyOf(route)} has no handler`];
      return (handler.access === 'public') === (route.functionId === 'public')
        ? []
        : [`${keyOf(route)} and its handler disagree on the session`];
    }),
    ...Object.keys(handlers)
      .filter((key) => !keys.includes(key))
      .map((key) => `the handler ${key} has no route`),
    ...routes
      .filter((route) => route.functionId !== 'public' && !Object.hasOwn(matrix, route.functionId))
      .map((route) => `${keyOf(route)} names the function ${route.functionId}, which has no row in the matrix`),
    ...keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `${key} is listed twice`),
  ];
  if (faults.length > 0) throw new RoutePolicyError(faults);
}

function keyOf(route: ConsoleRoute): string {
  return `${route.method} ${route.path}`;
}

export function registerRoutes(server: FastifyInstance, context: ConsoleContext): void {
  checkPolicy(CONSOLE_ROUTES, HANDLERS, MATRIX);
  server.decorateRequest('caller', null);
  for (const route of CONSOLE_ROUTES) {
    const handler = HANDLERS[`${route.method} ${route.path}` as ConsoleRouteKey];
    server.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: async (request) => request.setDecorator('caller', await admit(context, route, request)),
      handler: async (request, reply) => run(context, route, handler, request, reply),
    });
  }
}

/** Runs the handler for the caller as they are now that the body is here. What is refused as not theirs is put on record. */
async function run(
  context: ConsoleContext,
  route: ConsoleRoute,
  handler: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const admitted = request.getDecorator<Caller | null>('caller');
  const confirm = (reader: LedgerReader) => confirmed(context, route, admitted, reader);
  try {
    // What only reads has no body, and nothing has been waited for since it was let in.
    const caller = route.method === 'GET' ? admitted : confirm(context.ledger);
    return await handler.run({ context, caller, request, reply, confirm });
  } catch (error) {
    const isRefusal = error instanceof ApiError && error.status === 403;
    if (isRefusal && admitted !== null) await recordRefusal(context, admitted, request, route.path);
    throw error;
  }
}
