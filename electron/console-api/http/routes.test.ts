/** The server registers exactly the routes of the policy, or does not start (console API 4, rule 1). */
import { describe, expect, test } from 'vitest';
import { MATRIX } from '../../../shared/policy/matrix.ts';
import { endpoint, publicEndpoint } from './endpoint.ts';
import { checkPolicy, RoutePolicyError } from '../routes.ts';

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

  test('and it starts when everything matches', () => {
    expect(() => checkPolicy([route], { 'GET /api/v1/thing': handler }, MATRIX)).not.toThrow();
  });
});
