/** The tables of the program against those that were written down, row by row and without a server. */
import { expect, test } from 'vitest';
import { CONSOLE_ROUTES, type ConsoleRoute } from '../../../shared/policy/console-routes.ts';
import { FUNCTION_IDS, isGranted, type FunctionId } from '../../../shared/policy/matrix.ts';
import { OPERATOR_ROUTES, type OperatorRoute } from '../../../shared/policy/operator-routes.ts';
import { ROLES } from '../../../shared/policy/roles.ts';
import { readExpected } from '../operator/policy.ts';
import { readExpectedPolicy, SHORT_ROLES } from './policy.ts';

const { routes, functions } = readExpectedPolicy();
/** Acts on one's own account, for which the routes of `policy.txt` name no function. */
const OWN: FunctionId = 'session.own';

const rolesOf = (functionId: FunctionId) =>
  SHORT_ROLES.filter((_, at) => isGranted(functionId, ROLES[at] ?? 'OPERATOR'));
const byLine = <Row>(rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

test('roles are those of policy.txt, in its order', () => {
  expect(ROLES).toEqual(['TENANT_ADMIN', 'COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY']);
});

test('each function is granted to the roles that were written down', () => {
  expect(byLine(FUNCTION_IDS.map((id) => ({ id, roles: rolesOf(id) })))).toEqual(
    byLine(functions.map(({ id, roles }) => ({ id, roles }))),
  );
});

test('each route asks for the function that was written down', () => {
  const rows = CONSOLE_ROUTES.map(({ method, path, functionId }) => ({
    line: `${method} ${path}`,
    functionId: functionId === 'public' || functionId === OWN ? null : functionId,
    roles: functionId === 'public' ? [] : rolesOf(functionId),
  }));
  expect(byLine(rows)).toEqual(
    byLine(routes.map(({ method, path, functionId, roles }) => ({ line: `${method} ${path}`, functionId, roles }))),
  );
});

test('routes of the operator need a session as was written down', () => {
  const rows = OPERATOR_ROUTES.map(({ method, path, access }) => ({ line: `${method} ${path}`, access }));
  expect(byLine(rows)).toEqual(
    byLine(
      readExpected()
        .filter(({ section }) => section.startsWith('endpoints'))
        .map(({ method, path, access }) => ({
          line: `${method} ${path}`,
          access: access === 'none' ? 'public' : access,
        })),
    ),
  );
});

const openAtLogin = (routes: readonly (ConsoleRoute | OperatorRoute)[]): string[] =>
  routes.filter(({ atLogin }) => atLogin === true).map(({ method, path }) => `${method} ${path}`);

test('only its own routes are open to a login with a step outstanding', () => {
  expect(openAtLogin(CONSOLE_ROUTES)).toEqual([
    'POST /api/v1/auth/logout',
    'GET /api/v1/auth/session',
    'GET /api/v1/session',
    'POST /api/v1/session/password',
    'POST /api/v1/session/second-factor',
    'POST /api/v1/session/second-factor/confirm',
  ]);
  expect(openAtLogin(OPERATOR_ROUTES)).toEqual([
    'POST /api/v1/auth/logout',
    'GET /api/v1/auth/session',
    'GET /api/v1/session',
    'POST /api/v1/session/password',
  ]);
});
