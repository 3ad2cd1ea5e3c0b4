import { describe, expect, test } from 'vitest';
import { CONSOLE_ROUTES } from './console-routes.ts';
import { isGranted, MATRIX, permissionsOf, type FunctionId } from './matrix.ts';
import { ROLES } from './roles.ts';

describe('the matrix', () => {
  test('every function of a route has a row, and every row is used by a route', () => {
    const used = new Set(CONSOLE_ROUTES.map((route) => route.functionId).filter((id) => id !== 'public'));
    expect([...used].toSorted()).toEqual((Object.keys(MATRIX) as FunctionId[]).toSorted());
  });
  test('no route is listed twice, and only login is public', () => {
    const keys = CONSOLE_ROUTES.map((route) => `${route.method} ${route.path}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(CONSOLE_ROUTES.filter((route) => route.functionId === 'public').map((route) => route.path)).toEqual([
      '/api/v1/auth/login',
    ]);
  });
  test('only the reviewer decides reviews; no role inherits it from another', () => {
    expect(ROLES.filter((role) => isGranted('review.decide', role))).toEqual(['COMPLIANCE_REVIEWER']);
    expect(permissionsOf('TENANT_ADMIN')).not.toContain('explanations.stop');
    expect(permissionsOf('READ_ONLY')).toEqual([
      'session.own',
      'session.password',
      'api.view',
      'dashboard.view',
      'explanations.view',
      'shown.view',
      'inspection.view',
      'review.view',
      'policy.view',
      'scope.view',
      'sync.view',
      'audit.view',
      'events.view',
    ]);
  });
});
