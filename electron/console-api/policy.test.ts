/**
 * The role matrix through the API (document 1 sections 1, 4 and 5). What is expected is written out here
 * by hand from the document and from D17, and never read from the table that it tests.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONSOLE_ROUTES } from '../../shared/policy/console-routes.ts';
import { MATRIX } from '../../shared/policy/matrix.ts';
import { ROLES, type Role } from '../../shared/policy/roles.ts';
import { endpoint, publicEndpoint } from './endpoint.ts';
import { checkPolicy, HANDLERS, RoutePolicyError } from './routes.ts';
import { TestConsole, type Asked } from './testing.ts';

const EVERY = 'TA CR OP RO';
/** Method, path, roles: TA, CR, OP, RO as in the document. */
const EXPECTED = `
POST  /api/v1/auth/login                        none
POST  /api/v1/auth/logout                       ${EVERY}
GET   /api/v1/auth/session                      ${EVERY}
GET   /api/v1/session                           ${EVERY}
PATCH /api/v1/session/profile                   ${EVERY}
GET   /api/v1/explanations                      ${EVERY}
GET   /api/v1/explanations/{id}                 ${EVERY}
GET   /api/v1/explanations/feed-status          ${EVERY}
GET   /api/v1/explanations/status-counts        ${EVERY}
POST  /api/v1/explanations/{id}/stop            CR OP
POST  /api/v1/explanations/{id}/move-to-review  CR OP
GET   /api/v1/review/items                      ${EVERY}
GET   /api/v1/review/items/{id}                 ${EVERY}
POST  /api/v1/review/items/{id}/approve         CR
POST  /api/v1/review/items/{id}/approve-edited  CR
POST  /api/v1/review/items/{id}/reject          CR
POST  /api/v1/review/items/{id}/block           CR
PATCH /api/v1/explanations/{id}/final           CR
PUT   /api/v1/review/items/{id}/draft           CR
POST  /api/v1/review/items/{id}/claim           CR
DELETE /api/v1/review/items/{id}/claim          CR
GET   /api/v1/screening/disclaimer              ${EVERY}
GET   /api/v1/sync/status                       ${EVERY}
GET   /api/v1/events                            ${EVERY}
`
  .trim()
  .split('\n')
  .map((line) => {
    const [method = '', path = '', ...roles] = line.trim().split(/\s+/);
    return { method: method as Asked['method'], path, roles };
  });
const SHORT: Record<Role, string> = { TENANT_ADMIN: 'TA', COMPLIANCE_REVIEWER: 'CR', OPERATOR: 'OP', READ_ONLY: 'RO' };

describe('every route with every role', () => {
  let console: TestConsole;
  beforeAll(() => {
    console = new TestConsole();
  });
  afterAll(() => console.close());

  test('the served routes are the ones of the document', () => {
    const served = CONSOLE_ROUTES.map((route) => `${route.method} ${route.path}`).sort();
    expect(served).toEqual(EXPECTED.map(({ method, path }) => `${method} ${path}`).sort());
    expect(Object.keys(HANDLERS).sort()).toEqual(served);
  });

  for (const { method, path, roles } of EXPECTED) {
    const url = path.replace('{id}', 'no-such-id');
    const body = method === 'GET' ? {} : { body: { reason: '사유', edited_summary: '고친 글', displayName: '이름' } };
    if (roles[0] === 'none') {
      test(`${method} ${path} needs no session`, async () => {
        const answer = await console.ask({ method, url, body: { username: 'nobody', password: 'x' } });
        expect(answer.body.code).toBe('AUTH4011');
      });
      continue;
    }

    test(`${method} ${path} without a session, with one that is none, and of a deactivated member: 401`, async () => {
      const deactivated = console.session('COMPLIANCE_REVIEWER');
      for (const as of [null, 'no-such-token', '']) {
        const answer = await console.ask({ method, url, as, ...body });
        expect([answer.status, answer.body.code]).toEqual([401, 'COMMON401']);
      }
      console.setMember('COMPLIANCE_REVIEWER', { active: 0 });
      const answer = await console.ask({ method, url, as: deactivated, ...body });
      console.setMember('COMPLIANCE_REVIEWER', { active: 1 });
      expect([answer.status, answer.body.code]).toEqual([401, 'COMMON401']);
    });

    for (const role of ROLES) {
      const granted = roles.includes(SHORT[role]);
      test(`${method} ${path} as ${role}: ${granted ? 'let through' : '403'}`, async () => {
        const before = console.traces();
        if (path === '/api/v1/events') {
          // A stream has no end to wait for: its headers say enough.
          const raw = await console.app.inject({
            method: 'GET',
            url,
            headers: { host: '127.0.0.1', cookie: `causeway_session=${console.session(role)}` },
            payloadAsStream: true,
          });
          raw.stream().destroy();
          expect(raw.statusCode).toBe(200);
          return;
        }
        const answer = await console.ask({ method, url, as: role, ...body });
        if (granted) {
          expect([401, 403]).not.toContain(answer.status);
          // Past the policy, an object that does not exist is told to be missing.
          const reads = path.includes('{id}') ? [404, 400] : [200, 400];
          expect(reads).toContain(answer.status);
          return;
        }
        expect([answer.status, answer.body.code]).toEqual([403, 'COMMON403']);
        expect(answer.body).not.toHaveProperty('result');
        const after = console.traces();
        expect([after.history, after.state]).toEqual([before.history, before.state]);
        expect(console.actions(before.actions)).toMatchObject([
          { action: 'access.refused', actor_role: role, detail: JSON.stringify({ method, path }) },
        ]);
      });
    }
  }
});

describe('the server does not start when', () => {
  const route = { method: 'GET', path: '/api/v1/thing', functionId: 'policy.view' } as const;
  const handler = endpoint({ summary: 'A thing', handle: () => undefined });

  test.for([
    ['a route has no handler', [route], {}, MATRIX, 'GET /api/v1/thing has no handler'],
    [
      'a handler has no route',
      [],
      { 'GET /api/v1/thing': handler },
      MATRIX,
      'the handler GET /api/v1/thing has no route',
    ],
    [
      'a function has no row in the matrix',
      [route],
      { 'GET /api/v1/thing': handler },
      {},
      'policy.view, which has no row',
    ],
    ['a route is listed twice', [route, route], { 'GET /api/v1/thing': handler }, MATRIX, 'listed twice'],
    [
      'a handler wants no session where the policy does',
      [route],
      { 'GET /api/v1/thing': publicEndpoint({ summary: 'A thing', handle: () => undefined }) },
      MATRIX,
      'disagree',
    ],
  ] as const)('%s', ([, routes, handlers, matrix, why]) => {
    expect(() => checkPolicy(routes, handlers, matrix)).toThrow(RoutePolicyError);
    expect(() => checkPolicy(routes, handlers, matrix)).toThrow(why);
  });

  test('and it does when all fits', () => {
    expect(() => checkPolicy([route], { 'GET /api/v1/thing': handler }, MATRIX)).not.toThrow();
  });
});
