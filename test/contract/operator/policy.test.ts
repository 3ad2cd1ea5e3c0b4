/**
 * Operator API 5 as a whole: every route without a session, with an ended one and with a live one, and
 * requests outside the routes. The expected answers stand in `policy.txt`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorFixture, outcome, PASSWORD } from '../../support/cloud/operator-fixture.ts';
import { OPERATOR_ROUTES } from '../../../shared/policy/operator-routes.ts';
import { readTables } from '../contract-text.ts';
import { readExpected, type ExpectedRoute } from './policy.ts';

const written = readExpected();
const isServed = ({ section }: ExpectedRoute): boolean => section.startsWith('endpoints');
const served = written.filter(isServed);
const lineOf = ({ method, path: route }: { method: string; path: string }): string => `${method} ${route}`;

/** Bodies that pass the schema of each write, so that it misses the object that does not exist. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /api/v1/session/password': { currentPassword: PASSWORD, newPassword: 'long enough 1' },
  'PATCH /api/v1/session/profile': { displayName: '이름' },
  'POST /api/v1/tenants': {
    name: '정책 시험',
    environment: 'POC',
    adminName: '김관리',
    adminEmail: 'admin@policy.example',
  },
  'POST /api/v1/analyses/{id}/invalidate': { reason: '사유' },
};

/** Queries that pass the schema of each read. */
const QUERIES: Readonly<Record<string, string>> = {
  'GET /api/v1/sources/minute/judgments': '?sessionId=no-such',
  'GET /api/v1/sources/impact/task': '?runKey=no-such&taskKey=no-such',
};

let fixture: OperatorFixture;
let cookie: string;
beforeAll(async () => {
  fixture = await OperatorFixture.open();
  cookie = await fixture.logIn();
});
afterAll(() => fixture.close());

const ask = async (route: ExpectedRoute, own?: string): Promise<string> => {
  const body = BODIES[lineOf(route)] ?? (route.method === 'GET' ? undefined : {});
  return outcome(
    await fixture.ask(route.method, `${route.path.replaceAll(/\{\w+\}/g, 'no-such')}${QUERIES[lineOf(route)] ?? ''}`, {
      ...(own === undefined ? {} : { cookie: own }),
      ...(body === undefined ? {} : { body }),
    }),
  );
};

test('the served routes are the ones that were written down, and login alone is public', () => {
  expect(OPERATOR_ROUTES.map((route) => `${lineOf(route)} ${route.access}`).toSorted()).toEqual(
    served.map((route) => `${lineOf(route)} ${route.access === 'none' ? 'public' : 'operator'}`).toSorted(),
  );
  expect(written.filter(({ access }) => access === 'none').map(lineOf)).toEqual(['POST /api/v1/auth/login']);
});

describe('every route', () => {
  for (const route of served.filter(({ access }) => access === 'operator')) {
    test(`${lineOf(route)}: 401 without a session, with a made-up one and after logging out; else let through`, async () => {
      const ended = await fixture.logIn('second');
      await fixture.ask('POST', '/api/v1/auth/logout', { cookie: ended });
      for (const own of [undefined, 'causeway_operator=made-up', ended])
        expect([own, await ask(route, own)]).toEqual([own, '401 COMMON401']);
      const own = route.path.endsWith('/logout') ? await fixture.logIn('second') : cookie;
      const object = route.path.includes('{') || lineOf(route) in QUERIES;
      // The description is no envelope.
      const good = route.path.endsWith('/openapi.json') ? '200 undefined' : '200 COMMON200';
      expect(await ask(route, own)).toBe(object ? '404 COMMON404' : good);
    });
  }

  test('login is open without a session, and refuses an unknown user', async () => {
    const reply = await fixture.ask('POST', '/api/v1/auth/login', { body: { username: 'nobody', password: 'x' } });
    expect(outcome(reply)).toBe('401 AUTH4011');
  });
});

describe('a request outside the routes is 401 without a session and 403 with one', () => {
  const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
  const refused = async (method: string, url: string): Promise<void> => {
    const body = method === 'GET' || method === 'DELETE' || method === 'OPTIONS' ? {} : { body: {} };
    expect([method, url, outcome(await fixture.ask(method, url, body))]).toEqual([method, url, '401 COMMON401']);
    expect([method, url, outcome(await fixture.ask(method, url, { ...body, cookie }))]).toEqual([
      method,
      url,
      '403 COMMON403',
    ]);
  };

  test('every other method of every route', async () => {
    const known = new Set(served.map(lineOf));
    for (const route of new Set(served.map(({ path: one }) => one))) {
      for (const method of METHODS)
        if (!known.has(`${method} ${route}`)) await refused(method, route.replaceAll(/\{\w+\}/g, 'no-such'));
    }
  });

  test.for(written.filter((route) => !isServed(route)))('$method $path', async (route) => {
    await refused(route.method, route.path);
  });

  test.for([
    '/api/v1/tenants/1',
    '/api/v1/tenants/1/keys',
    '/api/v1/tenants/1/suspend',
    '/api/v1/tenants/1/resume',
    '/api/v1/tenants/1/coverage',
    '/api/v1/admin-activity-log',
    '/api/v1/analyses/no-such/correct',
    '/api/v1/analyses/no-such/exclude',
    '/api/v1/analyses/no-such/restore',
    '/api/v1/sources/minute/reverify',
    '/api/v2/tenants',
    '/api/v1/tenants/',
    '/api/v1/TENANTS',
    '/api/v1/%74enants/x',
  ])('GET and POST %s', async (url) => {
    await refused('GET', url);
    await refused('POST', url);
  });
});

describe('the written policy agrees with the page of the operator API', () => {
  test('its endpoints', () => {
    const endpoints =
      readTables('operator-api.md')
        .find(([head]) => head?.join() === 'Method,Path,Query,Access')
        ?.slice(1) ?? [];
    expect(endpoints.length).toBeGreaterThan(1);
    expect(
      written
        .filter(({ section }) => section.includes('operator API 4'))
        .map(({ method, path: route, access }) => `${method} ${route} ${access}`)
        .toSorted(),
    ).toEqual(endpoints.map(([method, route, , access]) => `${method} ${route} ${access}`).toSorted());
  });
});
