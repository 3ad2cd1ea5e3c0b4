/** The operator API's OpenAPI description, made from the schemas of its requests (operator API 4). */
import { z } from 'zod';
import { OPERATOR_ROUTES, type OperatorRoute, type OperatorRouteKey } from '../../shared/policy/operator-routes.ts';
import { byNumber, describeOpenApi, namedSchemas } from '../../shared/service/http/openapi.ts';
import { pageOf } from '../../shared/wire/console/common.ts';
import { REASON_LIMIT } from '../../shared/wire/operator/operator.ts';
import * as answers from '../../shared/wire/operator/responses.ts';
import { dateQuery, intradayQuery } from '../facts/handlers.ts';
import { PIPELINE_QUERIES } from '../pipeline/routes.ts';
import { analysesQuery, withdrawalsQuery } from './analysis-handlers.ts';
import type { Handlers } from '../accounts/request.ts';
import { OPERATOR_COOKIE } from '../accounts/session-cookie.ts';
import { loginBody, passwordBody, profileBody } from '../accounts/session-handlers.ts';
import { newTenantBody, tenantsQuery } from './tenant-handlers.ts';

interface Described {
  summary: string;
  path?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Null: the envelope has none. */
  result: z.ZodType | null;
  /** Statuses of its refusals, beside those of every route. */
  refuses?: readonly number[];
}

const byId = z.strictObject({ id: z.string() });
/** A limit with a code of its own is in no schema. */
const invalidateBody = z.strictObject({
  reason: z
    .string()
    .max(REASON_LIMIT)
    .meta({ minLength: 1, pattern: String.raw`\S` }),
});
const DESCRIBED: Readonly<Record<Exclude<OperatorRouteKey, 'GET /api/v1/openapi.json'>, Described>> = {
  'POST /api/v1/auth/login': {
    summary: 'Log in',
    body: loginBody,
    result: answers.operatorSessionStateSchema,
    refuses: [429],
  },
  'POST /api/v1/auth/logout': { summary: 'Log out', result: null },
  'GET /api/v1/auth/session': { summary: 'The session: role and end', result: answers.operatorSessionStateSchema },
  'GET /api/v1/session': { summary: 'The operator who is logged in', result: answers.operatorProfileSchema },
  'POST /api/v1/session/password': {
    summary: 'Change one’s own password; every other session of the account ends',
    body: passwordBody,
    result: null,
    refuses: [429],
  },
  'PATCH /api/v1/session/profile': {
    summary: 'Change the display name',
    body: profileBody,
    result: answers.operatorProfileSchema,
  },
  'GET /api/v1/tenants': {
    summary: 'The tenants with their connections, page by page',
    query: tenantsQuery,
    result: answers.tenantPageSchema,
  },
  'POST /api/v1/tenants': {
    summary: 'Add a tenant',
    body: newTenantBody,
    result: answers.tenantSchema,
    refuses: [409],
  },
  'GET /api/v1/sources/overview': {
    summary: 'The lanes of a day with their runs and what was not planned',
    result: answers.overviewSchema,
  },
  'GET /api/v1/sources/report': {
    summary: 'The sources with what was last received from each',
    result: answers.reportSchema,
  },
  'GET /api/v1/sources/grid': {
    summary: 'Runs and their tasks over several days',
    result: answers.gridSchema,
    refuses: [404],
  },
  'GET /api/v1/sources/lineage/news': {
    summary: 'The news of a day, stage by stage',
    result: answers.newsLineageSchema,
  },
  'GET /api/v1/sources/minute': { summary: 'The minute collection of a day', result: answers.minuteCollectionSchema },
  'GET /api/v1/sources/minute/daily': {
    summary: 'The last sessions with what was judged of each',
    result: answers.minuteDailySchema,
  },
  'GET /api/v1/sources/minute/judgments': {
    summary: 'The price judgements of a session, page by page',
    result: answers.minuteJudgmentsSchema,
    refuses: [404],
  },
  'GET /api/v1/sources/impact/holdings': {
    summary: 'Which instruments the holdings of a reference day concern',
    result: answers.holdingsImpactSchema,
  },
  'GET /api/v1/analyses': {
    summary: 'The analyses, newest first, page by page',
    query: analysesQuery,
    result: z.strictObject({ ...pageOf(answers.analysisSchema).shape, more: z.boolean() }),
  },
  'GET /api/v1/analyses/{id}': {
    summary: 'One analysis with its evidence, its times and the tenants that are informed',
    path: byId,
    result: answers.analysisDetailSchema,
  },
  'POST /api/v1/analyses/{id}/invalidate': {
    summary: 'Withdraw a published explanation from every tenant that has received it; it cannot be undone',
    path: byId,
    body: invalidateBody,
    result: answers.invalidatedSchema,
    refuses: [409],
  },
  'GET /api/v1/sources/failures': {
    summary: 'The tasks of a day that did not do their work, with their reasons',
    result: answers.failuresSchema,
  },
  'GET /api/v1/sources/impact/task': {
    summary: 'The ETFs, analyses and tenants that hang on one task',
    result: answers.taskImpactSchema,
    refuses: [404],
  },
  'GET /api/v1/console/withdrawals': {
    summary: 'Withdrawals that some tenant has not received',
    query: withdrawalsQuery,
    result: answers.withdrawalsSchema,
  },
  'GET /api/v1/console/facts': { summary: 'The facts of a day', query: dateQuery, result: answers.factsSchema },
  'GET /api/v1/console/trends/entity-resolution': {
    summary: 'How many arguments were resolved, day by day',
    query: dateQuery,
    result: answers.entityResolutionTrendSchema,
  },
  'GET /api/v1/console/trends/intraday-analysis': {
    summary: 'Triggers, observations and results of the intraday analysis, day by day',
    query: intradayQuery,
    result: answers.intradayTrendSchema,
  },
};

/** The answers that a route describes. */
export function describedRoute({ method, path }: OperatorRoute): Described & { failures: readonly number[] } {
  const key = `${method} ${path}`;
  // The limits of the sources come from their own queries.
  const query = (PIPELINE_QUERIES as Readonly<Record<string, z.ZodType>>)[key];
  const described = { ...(query === undefined ? {} : { query }), ...DESCRIBED[key as keyof typeof DESCRIBED] };
  const failures = [
    400,
    401,
    403,
    500,
    503,
    ...(described.path === undefined ? [] : [404]),
    ...(method === 'GET' ? [] : [413, 415]),
    ...(described.refuses ?? []),
  ].toSorted(byNumber);
  return { ...described, failures };
}

function describeApi(): object {
  return describeOpenApi({
    title: 'Causeway operator API',
    version: '1',
    description:
      'The vendor’s own API: tenants, sources, analyses, and the facts that a rule engine judges. Every answer is an envelope: isSuccess, code, message, and on success the result.',
    servers: [{ url: '/', description: 'The cloud that this description comes from' }],
    securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: OPERATOR_COOKIE } },
    codes: ['COMMON', 'AUTH4011', 'AUTH4013', 'AUTH4033', 'ANALYSIS', 'FACTS'],
    schemas: namedSchemas(answers),
    operations: OPERATOR_ROUTES.filter(({ path }) => path !== '/api/v1/openapi.json').map((route) => {
      const { summary, path = null, query = null, body = null, result, failures } = describedRoute(route);
      const security = route.access === 'public' ? null : 'session';
      const asked = { parameters: { path, query }, body };
      return { method: route.method, path: route.path, summary, security, ...asked, result, failures };
    }),
  });
}

/** Made once, at its first request. */
export function openApiHandlers(): Pick<Handlers, 'GET /api/v1/openapi.json'> {
  let made: string | undefined;
  return {
    'GET /api/v1/openapi.json': async (_request, reply) => {
      made ??= JSON.stringify(describeApi());
      return reply.type('application/json; charset=utf-8').send(made);
    },
  };
}
