/** The answer to any input is an envelope that blames the request, never the server. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONSOLE_ROUTES, type ConsoleRoute } from '../../../shared/policy/console-routes.ts';
import { isGranted } from '../../../shared/policy/matrix.ts';
import { ROLES, type Role } from '../../../shared/policy/roles.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';
import { runs } from '../../../test/support/runs.ts';

let console: TestConsole;
let id: string;
const tokens = new Map<Role, string>();
beforeAll(() => {
  console = new TestConsole();
  id = console.explanation('PENDING_REVIEW');
  for (const role of ROLES) tokens.set(role, console.session(role));
});
afterAll(() => console.close());

// A successful logout would end the session that the others need.
const writes = CONSOLE_ROUTES.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/logout'));
// Two answers are not envelopes: the event stream, and the API's description.
const reads = CONSOLE_ROUTES.filter(
  ({ method, path }) => method === 'GET' && !path.endsWith('/events') && !path.endsWith('/openapi.json'),
);
const PARAMETERS: Readonly<Record<string, string>> = {
  market: 'KRX',
  code: '069500',
  channel: 'MTS',
  sector: 'none',
  version: '1',
};

/** The session of a role that may call the route. */
function tokenFor(method: string, path: string): string {
  const functionId = CONSOLE_ROUTES.find((route) => route.method === method && route.path === path)?.functionId;
  const role = ROLES.find((one) => functionId === undefined || functionId === 'public' || isGranted(functionId, one));
  return tokens.get(functionId === undefined ? 'COMPLIANCE_REVIEWER' : (role ?? 'READ_ONLY')) ?? '';
}
const FIELDS = [
  'reason',
  'comment',
  'edited_summary',
  'published_summary',
  'acknowledgedWords',
  'acknowledgedFigures',
  'displayName',
  'role',
  'word',
  'severity',
  'exceptions',
  'autoProvision',
  'minSources',
  'criteria',
  'disclaimer',
  'days',
  'addWords',
  'toggleWords',
  'restoreVersion',
  'sector',
  'certificate',
  'key',
  'setupCode',
  'username',
  'password',
  '__proto__',
  'constructor',
  'toString',
  'id',
  '',
];

async function send(
  method: ConsoleRoute['method'],
  path: string,
  payload?: string | Buffer,
  type = 'application/json',
) {
  const raw = await console.app.inject({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'id' ? id : (PARAMETERS[name] ?? ''))),
    headers: {
      host: '127.0.0.1',
      cookie: `causeway_session=${tokenFor(method, path.split('?')[0] ?? '')}`,
      ...(payload === undefined ? {} : { 'content-type': type }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
  const body = JSON.parse(raw.body) as { isSuccess: boolean; code: string; errors?: unknown };
  expect(
    Object.keys(body).filter((key) => !['isSuccess', 'code', 'message', 'result', 'errors'].includes(key)),
  ).toEqual([]);
  return { status: raw.statusCode, ...body };
}

/** JSON texts that JSON.stringify would not make. */
const oddJson = fc.constantFrom(
  '{"reason":"x","reason":"y"}',
  '{"__proto__":{"reason":"x"}}',
  '{"constructor":{"prototype":{"reason":"x"}}}',
  '{"reason":"\\u0000"}',
  '{"reason":"\\ud800"}',
  '{"reason":"\\udc00\\ud800"}',
  `{"reason":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  '{"reason":1e999}',
  '{"reason":-0}',
  '{"reason":"x",}',
  '{',
  '',
  ' ',
  'null',
  'true',
  '"text"',
  '[]',
  '\ufeff{"reason":"x"}',
  'NaN',
);
const textValue = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud83d', 'a\u0000', '🙂'.repeat(3_000), 'x'.repeat(20_000), '\u202e', '확정 수익'),
);
const value = fc.oneof(textValue, fc.jsonValue(), fc.constantFrom(null, true, 0, -1, 1e308, [], {}));
const bodies = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 4, noNullPrototype: false })
      .map((body) => JSON.stringify(body)),
  },
  { weight: 1, arbitrary: fc.jsonValue().map((body) => JSON.stringify(body)) },
  { weight: 1, arbitrary: oddJson },
);

/** The statuses of refused requests. */
const BLAMED = [400, 401, 404, 409, 413];

describe('every body', () => {
  for (const { method, path } of writes) {
    test(`${method} ${path}`, async () => {
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const answer = await send(method, path, body);
          if (answer.status !== 200) expect(BLAMED).toContain(answer.status);
          expect(answer.isSuccess).toBe(answer.status === 200);
          // A decided item is replaced by a new one, so that the next body finds the same state.
          if (answer.status === 200 && path.includes('/items/{id}')) id = console.explanation('PENDING_REVIEW');
        }),
        { numRuns: path.endsWith('/login') ? runs(4, 40) : runs(8, 100) },
      );
    });
  }

  test('that is not JSON in UTF-8 is refused by its type', async () => {
    const path = '/api/v1/review/items/{id}/reject';
    expect(await send('POST', path, '{"reason":"x"}', 'text/plain')).toMatchObject({ status: 415, code: 'COMMON415' });
    expect(await send('POST', path, 'reason=x', 'application/x-www-form-urlencoded')).toMatchObject({ status: 415 });
    expect(await send('POST', path, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toMatchObject({
      status: 400,
      code: 'COMMON400',
    });
    expect(await send('POST', path, JSON.stringify({ reason: 'x'.repeat(300_000) }))).toMatchObject({
      status: 413,
      code: 'COMMON413',
    });
    expect(await send('POST', path, '{"__proto__":{"reason":"x"}}')).toMatchObject({ status: 400 });
    expect(await send('POST', path, '{"reason":"half \\ud800"}')).toMatchObject({
      status: 400,
      code: 'COMMON400',
      errors: [{ path: 'body.reason' }],
    });
    expect(await send('POST', path, '{"reason":"nul \\u0000"}')).toMatchObject({
      status: 400,
      code: 'COMMON400',
      errors: [{ path: 'body.reason' }],
    });
  });

  test('may be absent if no field is required, even with its media type', async () => {
    const target = console.explanation('PENDING_REVIEW');
    expect(await send('POST', `/api/v1/review/items/${target}/approve`, '')).toMatchObject({ status: 200 });
    expect(await send('POST', `/api/v1/explanations/${target}/move-to-review`, '')).toMatchObject({ status: 200 });
  });
});

test('every query', async () => {
  const names = fc.constantFrom(
    'page',
    'size',
    'status',
    'market',
    'tradeDateFrom',
    'tradeDateTo',
    'q',
    'sort',
    'reason',
    'system',
    'from',
    'enabled',
    'kind',
    'action',
    '__proto__',
    'x[]',
    '',
  );
  const values = fc.oneof(
    fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
    fc.constantFrom(
      '1',
      '0',
      '-1',
      '1e9',
      '100',
      '2026-11-20',
      'PENDING_REVIEW',
      'newest',
      '%',
      '_',
      '\\',
      "'",
      '"',
      '\u0000',
      'x'.repeat(500),
    ),
  );
  const queries = fc.array(fc.tuple(names, values), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...reads), queries, async ({ path }, query) => {
      const text = query.map(([name, part]) => `${encodeURIComponent(name)}=${encodeURIComponent(part)}`).join('&');
      const answer = await send('GET', `${path}?${text}`);
      expect(path.includes('{') ? [200, 400, 404] : [200, 400]).toContain(answer.status);
    }),
    { numRuns: runs(100, 500) },
  );
});

test('every id', async () => {
  const odd = fc
    .string({ unit: 'binary', minLength: 1 })
    .filter((text) => text.isWellFormed() && text !== '.' && text !== '..');
  await fc.assert(
    fc.asyncProperty(odd, async (text) => {
      const answer = await send('GET', `/api/v1/explanations/${encodeURIComponent(text)}`);
      // Slashes make it another path; an invalid id does not bind; any other id is unknown.
      expect([400, 403, 404]).toContain(answer.status);
    }),
    { numRuns: runs(60, 300) },
  );
});
