/** The API's description is made from the schemas that parse the requests (console API 4, rule 1). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { XLSX } from '../../../shared/wire/media.ts';
import { CONSOLE_ROUTES } from '../../../shared/policy/console-routes.ts';
import { describedAnswer, TestConsole } from '../../../test/support/console-api/console.ts';

interface Operation {
  operationId: string;
  summary: string;
  security: object[];
  'x-causeway-roles'?: string[];
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: Record<string, unknown> } } };
  responses: {
    200: {
      headers?: Record<string, object>;
      content: { 'application/json'?: { schema: { properties: { result: object } } } } & Record<
        string,
        object | undefined
      >;
    };
  };
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

let console: TestConsole;
let document: Document;
beforeAll(async () => {
  console = new TestConsole();
  const raw = await console.app.inject({
    method: 'GET',
    url: '/api/v1/openapi.json',
    headers: { host: '127.0.0.1', cookie: `causeway_session=${console.session('READ_ONLY')}` },
  });
  expect(raw.headers['content-type']).toContain('application/json');
  document = JSON.parse(raw.body) as Document;
});
afterAll(() => console.close());

describe('the OpenAPI document', () => {
  test('is 3.1 and has every route of the policy, and no other', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual(CONSOLE_ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  test('names the permitted roles, and only login needs no session', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.filter(({ security }) => security.length === 0).map(({ operationId }) => operationId)).toEqual([
      'postAuthLogin',
    ]);
    expect(document.paths['/api/v1/review/items/{id}/approve']?.['post']?.['x-causeway-roles']).toEqual([
      'COMPLIANCE_REVIEWER',
    ]);
    expect(operations.every(({ summary }) => summary !== '')).toBe(true);
  });

  test('names every parameter of a path, and the required fields of a body', () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({ name, required: true }));
      for (const { parameters } of Object.values(operations)) {
        const told = parameters.filter((one) => one.in === 'path').map(({ name, required }) => ({ name, required }));
        expect(told).toEqual(inPath);
      }
    }
    const reject = document.paths['/api/v1/review/items/{id}/reject']?.['post'];
    expect(reject?.requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { schema: { required: ['reason'], additionalProperties: false } } },
    });
    expect(document.paths['/api/v1/review/items/{id}/approve']?.['post']?.requestBody?.required).toBe(false);
    const list = document.paths['/api/v1/explanations']?.['get'];
    expect(list?.parameters.map(({ name }) => name)).toEqual([
      'page',
      'size',
      'status',
      'market',
      'tradeDateFrom',
      'tradeDateTo',
      'receivedFrom',
      'receivedTo',
      'word',
      'held',
      'exposure',
      'q',
      'sort',
    ]);
    expect(list?.responses[200].content['application/json']?.schema.properties.result).toMatchObject({
      required: ['items', 'page', 'size', 'total', 'more'],
    });
  });

  test('says which writes compare If-Match with a version, and which answers carry one', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters }]) => ({ route: `${method} ${path}`, parameters })),
    );
    const takes = routes.filter(({ parameters }) => parameters.some((one) => one.name === 'If-Match'));
    expect(takes.map(({ route }) => route)).toEqual(
      routes
        .map(({ route }) => route)
        .filter(
          (route) =>
            !route.startsWith('get ') &&
            !/auth|sync|dossiers|inspections|session\/views|session\/second-factor|preview|trial|examples|members$|bulk|blind-reviews|looks$|review\/opinions|\/cancel$|^delete .*proposals/.test(
              route,
            ),
        ),
    );
    const tagged = operations.filter(({ responses }) => responses[200].headers?.['ETag'] !== undefined);
    expect(tagged.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining([
        'getSession',
        'getExplanationsById',
        'getScreeningPolicy',
        'postMembers',
        'putScopeStocksByCodeSector',
      ]),
    );
  });

  test('an answer without the described result is a fault of the test server', () => {
    const envelope = { isSuccess: true, code: 'COMMON200', message: 'OK' };
    const answers = (result: object) =>
      describedAnswer('POST', '/api/v1/auth/logout', 200).safeParse({ ...envelope, ...result }).success;
    expect(answers({ result: { signOutUrl: null } })).toBe(true);
    expect([answers({}), answers({ result: {} }), answers({ result: { signOutUrl: null, more: 1 } })]).toEqual([
      false,
      false,
      false,
    ]);
    expect(
      describedAnswer('GET', '/api/v1/explanations/1', 404).safeParse({ ...envelope, isSuccess: false }).success,
    ).toBe(false);
    expect(() => describedAnswer('GET', '/api/v1/session', 404)).toThrow('404');
  });

  test('names the answers in formats other than JSON', () => {
    const forms = (path: string) => Object.keys(document.paths[path]?.['get']?.responses[200].content ?? {});
    expect(forms('/api/v1/audit/actions')).toEqual(['application/json', 'text/csv', XLSX]);
    expect(forms('/api/v1/events')).toEqual(['text/event-stream']);
    expect(Object.keys(document.paths['/api/v1/dossiers']?.['post']?.responses[200].content ?? {})).toEqual([
      'application/zip',
    ]);
    expect(forms('/api/v1/openapi.json')).toEqual(['application/json']);
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.filter(({ responses }) => Object.keys(responses[200].content).length === 0)).toEqual([]);
  });
});
