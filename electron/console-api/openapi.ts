/** The API's description of itself, OpenAPI 3.1, made from the very schemas by which requests are read. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { CONSOLE_ROUTES, type ConsoleRoute } from '../../shared/policy/console-routes.ts';
import { MATRIX } from '../../shared/policy/matrix.ts';
import { FAILURES, type FailureCode } from '../../shared/wire/envelope.ts';
import { SESSION_COOKIE } from './access.ts';
import { endpoint, type Described } from './endpoint.ts';

type Handlers = Readonly<Record<string, { described: Described }>>;

/** Made once, when it is first asked for: the routes never change while the program runs. */
export function openApiHandlers(handlers: () => Handlers) {
  let made: string | undefined;
  return {
    'GET /api/v1/openapi.json': endpoint({
      summary: 'This description',
      media: 'application/json',
      handle: ({ reply }): Readable => {
        made ??= JSON.stringify(describeApi(CONSOLE_ROUTES, handlers()));
        void reply.header('content-type', 'application/json; charset=utf-8');
        return Readable.from([made]);
      },
    }),
  };
}

/** @throws Error for a schema that JSON Schema cannot say */
export function describeApi(routes: readonly ConsoleRoute[], handlers: Handlers): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const described = handlers[`${route.method} ${route.path}`]?.described;
    if (described === undefined) continue;
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route, described);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Causeway tenant console API',
      version: '1',
      description: 'Every answer is an envelope: isSuccess, code, message, and on success the result.',
    },
    paths,
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE } },
      responses: { Failure: { description: 'Refused', content: json(FAILURE) } },
    },
  };
}

const FAILURE = {
  type: 'object',
  required: ['isSuccess', 'code', 'message'],
  properties: {
    isSuccess: { const: false },
    code: { enum: Object.keys(FAILURES) as FailureCode[] },
    message: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

const VERSION = { type: 'string', pattern: '^"[1-9][0-9]*"$', examples: ['"3"'] };
/** D13. */
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The version that was read: 412 when the object has moved on. `*`, or none: any will do.',
  schema: { anyOf: [VERSION, { const: '*' }] },
};
const ETAG = { description: 'The version of what is shown; none where nothing has one yet.', schema: VERSION };

function operation(route: ConsoleRoute, described: Described): object {
  const { summary, path, query, body, ifMatch, result, media, etag } = described;
  const isPublic = route.functionId === 'public';
  return {
    operationId: `${route.method} ${route.path}`,
    summary,
    security: isPublic ? [] : [{ session: [] }],
    // Who may: the function's row of the matrix.
    ...(route.functionId === 'public'
      ? {}
      : { 'x-causeway-function': route.functionId, 'x-causeway-roles': MATRIX[route.functionId] }),
    parameters: [...parameters(path, 'path'), ...parameters(query, 'query'), ...(ifMatch ? [IF_MATCH] : [])],
    ...(body === null
      ? {}
      : { requestBody: { required: !body.safeParse(undefined).success, content: json(asked(body)) } }),
    responses: {
      200: {
        description: 'Done',
        ...(etag ? { headers: { ETag: ETAG } } : {}),
        content: {
          // What says nothing else is answered in an envelope without a result.
          ...(result === null && media !== null ? {} : json(envelope(result))),
          ...(media === null
            ? {}
            : { [media]: { schema: { type: media === 'application/json' ? 'object' : 'string' } } }),
        },
      },
      default: { $ref: '#/components/responses/Failure' },
    },
  };
}

function parameters(schema: z.ZodType | null, place: 'path' | 'query'): object[] {
  if (schema === null) return [];
  const { properties = {}, required = [] } = asked(schema);
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: shape,
  }));
}

/** What a caller may send. */
function asked(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return plain(z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }));
}

function envelope(result: z.ZodType | null): object {
  return {
    type: 'object',
    required: ['isSuccess', 'code', 'message', ...(result === null ? [] : ['result'])],
    properties: {
      isSuccess: { const: true },
      code: { const: 'COMMON200' },
      message: { type: 'string' },
      ...(result === null ? {} : { result: plain(z.toJSONSchema(result, { target: 'draft-2020-12', io: 'output' })) }),
    },
  };
}

/** OpenAPI 3.1 names the dialect once for the whole. */
function plain({ $schema: _, ...schema }: z.core.JSONSchema.BaseSchema): z.core.JSONSchema.BaseSchema {
  return schema;
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}
