/** The operator API over real HTTP: its route policy (operator API 4 and 5). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OPERATOR_ROUTES } from '../../shared/policy/operator-routes.ts';
import { OperatorFixture, outcome } from '../../test/support/cloud/operator-fixture.ts';
import { createOperatorServer, RoutePolicyError } from './server.ts';

let fixture: OperatorFixture;
beforeAll(async () => {
  fixture = await OperatorFixture.open();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

describe('the route policy', () => {
  test('every row but login needs a session', async () => {
    for (const route of OPERATOR_ROUTES) {
      if (route.access === 'public') continue;
      const reply = await fixture.ask(route.method, route.path.replace('{id}', 'res-a'), {
        ...(route.method === 'POST' ? { body: { reason: 'x' } } : {}),
      });
      expect([route.path, outcome(reply)]).toEqual([route.path, '401 COMMON401']);
    }
  });

  test('a request outside the table is 401 without and 403 with a session', async () => {
    const cookie = await fixture.logIn();
    for (const [method, path] of [
      ['GET', '/api/v1/tenants/1'],
      ['POST', '/api/v1/tenants/1/suspend'],
      ['GET', '/api/v1/analyses/'],
      ['GET', '/api/v1//analyses'],
      ['GET', '/api/V1/analyses'],
      ['GET', '/api/v1/analyses/res-a/'],
      ['DELETE', '/api/v1/analyses'],
      ['OPTIONS', '/api/v1/analyses'],
      ['GET', '/api/v1/analyses/res-a/invalidate'],
      ['GET', '/api/v1/%74enants'],
      ['GET', '/%61pi/v1/tenants'],
      ['GET', '/api/v1/%61nalyses/res-a'],
      ['POST', '/api/v1/analyses/res-a/invalid%61te'],
      ['GET', '/api%2Fv1/tenants'],
      ['GET', '/nothing'],
      ['GET', '/assets/other.js'],
      ['GET', '/../package.json'],
    ] as const) {
      expect([method, path, outcome(await fixture.ask(method, path))]).toEqual([method, path, '401 COMMON401']);
      expect([method, path, outcome(await fixture.ask(method, path, { cookie }))]).toEqual([
        method,
        path,
        '403 COMMON403',
      ]);
    }
    expect((await fixture.ask('HEAD', '/api/v1/analyses', { cookie })).status).toBe(403);
  });

  test('a table that does not match the handlers stops the start', async () => {
    const { parts } = fixture;
    const [first, ...rest] = OPERATOR_ROUTES;
    await expect(createOperatorServer({ ...parts, routes: rest })).rejects.toThrow(RoutePolicyError);
    await expect(
      createOperatorServer({
        ...parts,
        routes: [first, ...rest, { method: 'GET', path: '/api/v1/extra', access: 'operator' }],
      }),
    ).rejects.toThrow(/\/api\/v1\/extra/);
  });

  test('every answer forbids a browser any use of it', async () => {
    for (const path of ['/api/v1/session', '/api/v1/nothing']) {
      const { headers } = await fixture.ask('GET', path);
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'") as unknown,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
    }
  });

  test('a foreign Host or Origin is refused on every surface', async () => {
    const cookie = await fixture.logIn();
    for (const headers of [
      { host: `evil.example:${fixture.port}` },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { host: '127.0.0.1:1' },
    ]) {
      for (const path of ['/api/v1/session', '/', '/nothing'])
        expect(outcome(await fixture.ask('GET', path, { cookie, headers }))).toBe('403 COMMON403');
    }
    expect(
      (await fixture.ask('GET', '/api/v1/session', { cookie, headers: { origin: `http://127.0.0.1:${fixture.port}` } }))
        .status,
    ).toBe(200);
  });
});
