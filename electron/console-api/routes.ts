/**
 * Registers exactly the routes of the policy table. The server does not start when a route has no handler, a handler no
 * route, or a function no row in the matrix (console API 4, rule 1).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SealingReader } from '../../agent/ledger/accounts/sessions.ts';
import { CONSOLE_ROUTES, type ConsoleRoute, type ConsoleRouteKey } from '../../shared/policy/console-routes.ts';
import { MATRIX } from '../../shared/policy/matrix.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import { admit, confirmed, recordRefusal } from './http/access.ts';
import { auditHandlers } from './audit/audit.ts';
import { blindReviewHandlers } from './review/blind-reviews.ts';
import { bulkHandlers } from './explanations/bulk.ts';
import { certificateHandlers } from './inbox/certificate.ts';
import type { Caller, ConsoleContext } from './context/context.ts';
import { dashboardHandlers } from './serving/dashboard.ts';
import type { Endpoint } from './http/endpoint.ts';
import { dossierHandlers } from './serving/dossiers.ts';
import { dismissalHandlers } from './review/dismissals.ts';
import { eventHandlers } from './explanations/events.ts';
import { explanationHandlers } from './explanations/explanations.ts';
import { inspectionHandlers } from './inspection/inspections.ts';
import { memberHandlers } from './accounts/members.ts';
import { noteHandlers } from './review/notes.ts';
import { openApiHandlers } from './http/openapi.ts';
import { handOverHandlers } from './review/hand-overs.ts';
import { opinionHandlers } from './review/opinions.ts';
import { passwordHandlers } from './auth/password.ts';
import { previewHandlers } from './policy/preview.ts';
import { trialHandlers } from './policy/trial.ts';
import { proposalHandlers } from './policy/proposals.ts';
import { reviewHandlers } from './review/review.ts';
import { approvalNumberHandlers } from './review/approval-numbers.ts';
import { reviewTargetHandlers } from './review/target.ts';
import { sampleHandlers } from './review/samples.ts';
import { shownHandlers } from './serving/shown.ts';
import { scopeHandlers } from './serving/scope.ts';
import { savedViewHandlers } from './accounts/saved-views.ts';
import { screeningHandlers } from './policy/policy.ts';
import { secondFactorHandlers } from './auth/second-factor.ts';
import { sessionHandlers } from './auth/session.ts';
import { statisticsHandlers } from './review/statistics.ts';
import { syncHandlers } from './inbox/sync.ts';

export const HANDLERS: Readonly<Record<ConsoleRouteKey, Endpoint>> = {
  ...sessionHandlers,
  ...passwordHandlers,
  ...savedViewHandlers,
  ...openApiHandlers(() => HANDLERS),
  ...dashboardHandlers,
  ...explanationHandlers,
  ...shownHandlers,
  ...dossierHandlers,
  ...inspectionHandlers,
  ...reviewHandlers,
  ...reviewTargetHandlers,
  ...approvalNumberHandlers,
  ...noteHandlers,
  ...bulkHandlers,
  ...dismissalHandlers,
  ...handOverHandlers,
  ...opinionHandlers,
  ...sampleHandlers,
  ...statisticsHandlers,
  ...blindReviewHandlers,
  ...memberHandlers,
  ...secondFactorHandlers,
  ...screeningHandlers,
  ...previewHandlers,
  ...trialHandlers,
  ...proposalHandlers,
  ...scopeHandlers,
  ...syncHandlers,
  ...certificateHandlers,
  ...auditHandlers,
  ...eventHandlers,
};

/** Routes, handlers and matrix do not match. */
export class RoutePolicyError extends Error {
  override name = 'RoutePolicyError';
  constructor(faults: readonly string[]) {
    super(`The console API does not start, because its route policy is not whole: ${faults.join('; ')}.`);
  }
}

type Handlers = Readonly<Record<string, Endpoint>>;

/** @throws RoutePolicyError naming every mismatch */
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
      ...(handler.mostBytes === undefined ? {} : { bodyLimit: handler.mostBytes }),
      onRequest: async (request) => request.setDecorator('caller', await admit(context, route, request)),
      handler: async (request, reply) => run(context, route, handler, request, reply),
    });
  }
}

/** Runs the handler for the caller as they are after the body has arrived. A forbidden request is put on record. */
async function run(
  context: ConsoleContext,
  route: ConsoleRoute,
  handler: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const admitted = request.getDecorator<Caller | null>('caller');
  const confirm = (reader: SealingReader) => confirmed(context, route, admitted, reader);
  try {
    if (route.method === 'GET' && admitted !== null) await context.readQueue.next(admitted.member.id);
    const caller = confirm(context.ledger);
    return await handler.run({ context, caller, request, reply, confirm });
  } catch (error) {
    const isRefusal = error instanceof ApiError && error.status === 403;
    if (isRefusal && admitted !== null) await recordRefusal(context, admitted, request, route.path);
    throw error;
  }
}
