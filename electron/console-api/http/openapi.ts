/** The API's description (D17), made from the schemas that parse the requests. */
import { Readable } from 'node:stream';
import { CONSOLE_ROUTES, type ConsoleRoute } from '../../../shared/policy/console-routes.ts';
import { MATRIX } from '../../../shared/policy/matrix.ts';
import {
  byNumber,
  describeOpenApi,
  namedSchemas,
  type DescribedOperation,
} from '../../../shared/service/http/openapi.ts';
import * as answers from '../../../shared/wire/console/responses.ts';
import { SESSION_COOKIE } from './access.ts';
import { endpoint, type Described } from './endpoint.ts';

type Handlers = Readonly<Record<string, { described: Described }>>;

/** Built on the first request: the routes never change while the program runs. */
export function openApiHandlers(handlers: () => Handlers) {
  let made: string | undefined;
  return {
    'GET /api/v1/openapi.json': endpoint({
      summary: 'This description',
      media: ['application/json'],
      handle: ({ reply }): Readable => {
        made ??= JSON.stringify(describeApi(CONSOLE_ROUTES, handlers()));
        void reply.header('content-type', 'application/json; charset=utf-8');
        return Readable.from([made]);
      },
    }),
  };
}

/** @throws Error for a schema that JSON Schema cannot express */
function describeApi(routes: readonly ConsoleRoute[], handlers: Handlers): object {
  return describeOpenApi({
    title: 'Causeway tenant console API',
    version: '1',
    description:
      'Every answer is an envelope: isSuccess, code, message, and on success the result. Times are ISO 8601 in UTC, dates are days in Korea.',
    servers: [{ url: '/', description: 'The console API that this description comes from' }],
    securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE } },
    codes: ['COMMON', 'AUTH', 'REVIEW', 'SCOPE', 'SHOWN'],
    schemas: namedSchemas(answers),
    operations: routes.flatMap((route) => {
      const described = handlers[`${route.method} ${route.path}`]?.described;
      return described === undefined ? [] : [operation(route, described)];
    }),
  });
}

const VERSION = { type: 'string', pattern: '^"[1-9][0-9]*"$', examples: ['"3"'] };
/** D13. */
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The version that was read, in quotes: 412 when the object has moved on. `*`, or none: any will do.',
  schema: { type: 'string', pattern: String.raw`^("[1-9][0-9]*"|\*)$`, examples: ['"3"', '*'] },
};
const ETAG = { description: 'The version of what is shown; none where nothing has one yet.', schema: VERSION };

function operation(route: ConsoleRoute, described: Described): DescribedOperation {
  const { summary, path, query, body, ifMatch, result, media, etag } = described;
  return {
    method: route.method,
    path: route.path,
    summary,
    security: route.functionId === 'public' ? null : 'session',
    parameters: { path, query, headers: ifMatch ? [IF_MATCH] : [] },
    body,
    result,
    ...(media.length === 0
      ? {}
      : {
          media: Object.fromEntries(
            media.map((one) => [one, { type: one === 'application/json' ? 'object' : 'string' }] as const),
          ),
        }),
    // A route without a result schema answers with an envelope without a result.
    isEnveloped: result !== null || media.length === 0,
    ...(etag ? { headers: { ETag: ETAG } } : {}),
    failures: failureStatuses(route, described),
    // The roles: the function's row of the matrix.
    ...(route.functionId === 'public'
      ? {}
      : { extensions: { 'x-causeway-function': route.functionId, 'x-causeway-roles': MATRIX[route.functionId] } }),
  };
}

/** The statuses with which a route refuses. */
export function failureStatuses({ method }: ConsoleRoute, { path, ifMatch, refuses }: Described): number[] {
  const ofWrites = [409, 413, 415];
  const statuses = [
    400,
    401,
    403,
    429,
    500,
    503,
    ...(path === null ? [] : [404]),
    ...(method === 'GET' ? [] : ofWrites),
    ...(ifMatch ? [412] : []),
    ...refuses,
  ];
  return [...new Set(statuses)].toSorted(byNumber);
}
