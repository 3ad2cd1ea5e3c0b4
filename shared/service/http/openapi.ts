/**
 * Descriptions of our HTTP APIs as OpenAPI 3.1, built from the schemas that read requests and check answers. Every
 * named schema is in `components`; a client generator takes its type names from there.
 */
import { z } from 'zod';
import { FAILURES, type FailureCode } from '../../wire/envelope.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface DescribedOperation {
  method: string;
  /** With `{name}` where a parameter stands. */
  path: string;
  summary: string;
  /** The security scheme of the caller; null: the route is public. */
  security: string | null;
  parameters: { path?: z.ZodType | null; query?: z.ZodType | null; headers?: readonly object[] };
  body: z.ZodType | null;
  /** The `result` of the envelope; null: none. */
  result: z.ZodType | null;
  /** A body that is no envelope, by its media type. */
  media?: Readonly<Record<string, object>>;
  /** Whether the envelope is one of the forms of the answer; default true. */
  isEnveloped?: boolean;
  headers?: Readonly<Record<string, object>>;
  /** Where 304 is an answer: what it says. */
  notModified?: string;
  /** Statuses of failures. */
  failures: readonly number[];
  /** Extension fields, `x-…`. */
  extensions?: Readonly<Record<string, unknown>>;
}

export interface DescribedApi {
  title: string;
  version: string;
  description: string;
  servers: readonly { url: string; description: string }[];
  securitySchemes: Readonly<Record<string, object>>;
  /** Prefixes of those of our codes that this API answers. */
  codes: readonly string[];
  /** Schemas by the name that they have in `components`. */
  schemas: Readonly<Record<string, z.ZodType>>;
  operations: readonly DescribedOperation[];
}

/** The schemas of a module by their names in a description: `reviewItemSchema` is ReviewItem. */
export function namedSchemas(module: Readonly<Record<string, unknown>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(module).flatMap(([name, schema]) => {
      const known = /^(.+)Schema$/.exec(name)?.[1];
      return known !== undefined && schema instanceof z.ZodType ? [[capital(known), schema]] : [];
    }),
  );
}

/** @throws Error for a schema that JSON Schema cannot express */
export function describeOpenApi(api: DescribedApi): object {
  const components = new Components(api.schemas);
  const codes = (Object.keys(FAILURES) as FailureCode[]).filter((code) =>
    api.codes.some((beginning) => code.startsWith(beginning)),
  );
  const paths: Record<string, Record<string, object>> = {};
  for (const one of api.operations) (paths[one.path] ??= {})[one.method.toLowerCase()] = operation(one, components);
  return {
    openapi: '3.1.1',
    info: { title: api.title, version: api.version, description: api.description, license: LICENSE },
    servers: api.servers,
    paths,
    components: {
      securitySchemes: api.securitySchemes,
      schemas: { Failure: failureOf(codes), ...components.schemas },
      responses: Object.fromEntries(
        [...new Set(api.operations.flatMap(({ failures }) => failures))]
          .toSorted(byNumber)
          .map((status) => [nameOf(status), failed(status, codes)]),
      ),
    },
  };
}

/** Statuses in their order. */
export const byNumber = (one: number, other: number): number => one - other;

const LICENSE = { name: 'See LICENSE in the repository', identifier: 'LicenseRef-Causeway' };

const TEXT = { type: 'string' } as const;
const FINDING: JsonSchema = {
  oneOf: [
    {
      type: 'object',
      required: ['kind', 'matched', 'word'],
      properties: { kind: { type: 'string', const: 'WORD' }, matched: TEXT, word: TEXT },
      additionalProperties: false,
    },
    {
      type: 'object',
      required: ['kind', 'name', 'terms'],
      properties: { kind: { type: 'string', const: 'NOTICE' }, name: TEXT, terms: { type: 'array', items: TEXT } },
      additionalProperties: false,
    },
  ],
};

const failureOf = (codes: readonly FailureCode[]): JsonSchema => ({
  type: 'object',
  required: ['isSuccess', 'code', 'message'],
  properties: {
    isSuccess: { type: 'boolean', const: false },
    code: { type: 'string', enum: [...codes] },
    message: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string' },
          message: { type: 'string' },
          // Of the one API that judges texts.
          ...(codes.includes('REVIEW4094') ? { finding: FINDING } : {}),
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
});

const nameOf = (status: number): string => `Refused${status}`;

function failed(status: number, all: readonly FailureCode[]): object {
  const codes = all.filter((code) => FAILURES[code].status === status);
  return {
    description: codes.map((code) => `${code}: ${FAILURES[code].message}`).join(' '),
    ...(status === 429 || status === 503 ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
    content: json({
      allOf: [{ $ref: '#/components/schemas/Failure' }, { properties: { code: { type: 'string', enum: codes } } }],
    }),
  };
}

const RETRY_AFTER = { description: 'Seconds to wait, where it is known.', schema: { type: 'integer', minimum: 0 } };

function operation(one: DescribedOperation, components: Components): object {
  const { parameters, body, result, media = {}, isEnveloped = true } = one;
  return {
    operationId: operationIdOf(one),
    summary: one.summary,
    tags: [tagOf(one)],
    security: one.security === null ? [] : [{ [one.security]: [] }],
    ...one.extensions,
    parameters: [
      ...named(parameters.path, 'path', components),
      ...named(parameters.query, 'query', components),
      ...(parameters.headers ?? []),
    ],
    ...(body === null
      ? {}
      : {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: json(components.schema(body, 'input')),
          },
        }),
    responses: {
      200: {
        description: 'Done',
        ...(one.headers === undefined ? {} : { headers: one.headers }),
        content: {
          ...(isEnveloped ? json(envelope(result, components)) : {}),
          ...Object.fromEntries(Object.entries(media).map(([type, schema]) => [type, { schema }])),
        },
      },
      ...(one.notModified === undefined
        ? {}
        : { 304: { description: one.notModified, ...(one.headers === undefined ? {} : { headers: one.headers }) } }),
      ...Object.fromEntries(
        one.failures.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
      ),
    },
  };
}

/** `getReviewItemsById`: the method and the path, as an identifier. */
function operationIdOf({ method, path }: { method: string; path: string }): string {
  const words = segmentsOf(path).map((segment) =>
    segment.startsWith('{')
      ? `By${capital(segment.slice(1, -1))}`
      : segment
          .split(/[^A-Za-z0-9]/)
          .map(capital)
          .join(''),
  );
  return method.toLowerCase() + words.join('');
}

/** The first segment of the path, after its prefix. */
const tagOf = ({ path }: { path: string }): string => segmentsOf(path)[0] ?? 'root';
const segmentsOf = (path: string): string[] =>
  path.split('/').filter((segment) => segment !== '' && !['api', 'internal', 'v1'].includes(segment));
const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

function named(schema: z.ZodType | null | undefined, place: 'path' | 'query', components: Components): object[] {
  if (schema === null || schema === undefined) return [];
  const { properties = {}, required = [] } = components.schema(schema, 'input');
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: shape,
  }));
}

function envelope(result: z.ZodType | null, components: Components): JsonSchema {
  // The `result` of a pull without news is absent.
  const isThere = result !== null && !result.safeParse(undefined).success;
  return {
    type: 'object',
    required: ['isSuccess', 'code', 'message', ...(isThere ? ['result'] : [])],
    properties: {
      isSuccess: { type: 'boolean', const: true },
      code: { type: 'string', const: 'COMMON200' },
      message: { type: 'string' },
      ...(result === null ? {} : { result: components.schema(result, 'output') }),
    },
    additionalProperties: false,
  };
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}

/** The named schemas, collected as they are met in the description. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #registry = z.registry<{ id: string }>();

  constructor(schemas: Readonly<Record<string, z.ZodType>>) {
    for (const [id, schema] of Object.entries(schemas)) this.#registry.add(schema, { id });
  }

  schema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $defs = {}, ...own }: JsonSchema = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      metadata: this.#registry,
      override: ({ zodSchema, jsonSchema }) => describeAsSent(zodSchema, jsonSchema),
    });
    delete own.$schema;
    for (const [id, definition] of Object.entries($defs)) this.schemas[id] = referred(definition);
    return referred(own);
  }
}

/**
 * Uses the description in a schema's `meta`. With a `type` it replaces the schema: a query text that is read as a
 * number is described as a number.
 */
function describeAsSent(schema: z.core.$ZodType, described: JsonSchema): void {
  const said = { ...z.globalRegistry.get(schema) };
  delete said.id;
  if ('type' in said) for (const key of Object.keys(described)) delete described[key];
  Object.assign(described, said);
  // A record with a count per enum word: each word becomes a field.
  const words = described.propertyNames;
  if (typeof words === 'object' && words.enum !== undefined) {
    const { additionalProperties: each = {} } = described;
    described.properties = Object.fromEntries(words.enum.map((word) => [String(word), each]));
    described.additionalProperties = false;
    delete described.propertyNames;
  }
}

/** The same with references into `components`. */
function referred(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === '$ref' && typeof value === 'string' ? value.replace(/^#\/\$defs\//, '#/components/schemas/') : value,
    ),
  ) as JsonSchema;
}
