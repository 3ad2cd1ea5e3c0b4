/**
 * The route policy of the vendor's operator API (operator API 4 and 5). There is one role,
 * so a route only says whether it needs a session.
 */
export interface OperatorRoute {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  access: 'public' | 'operator';
  /** Open to a session whose login has a step outstanding: the login's own routes. */
  atLogin?: true;
}

export const OPERATOR_ROUTES = [
  { method: 'POST', path: '/api/v1/auth/login', access: 'public' },
  { method: 'POST', path: '/api/v1/auth/logout', access: 'operator', atLogin: true },
  { method: 'GET', path: '/api/v1/auth/session', access: 'operator', atLogin: true },
  { method: 'GET', path: '/api/v1/session', access: 'operator', atLogin: true },
  { method: 'POST', path: '/api/v1/session/password', access: 'operator', atLogin: true },
  { method: 'PATCH', path: '/api/v1/session/profile', access: 'operator' },
  { method: 'GET', path: '/api/v1/openapi.json', access: 'operator' },
  { method: 'GET', path: '/api/v1/tenants', access: 'operator' },
  { method: 'POST', path: '/api/v1/tenants', access: 'operator' },
  { method: 'GET', path: '/api/v1/sources/overview', access: 'operator' },
  { method: 'GET', path: '/api/v1/sources/report', access: 'operator' },
  { method: 'GET', path: '/api/v1/sources/grid', access: 'operator' },
  { method: 'GET', path: '/api/v1/sources/lineage/news', access: 'operator' },
  { method: 'GET', path: '/api/v1/sources/minute', access: 'operator' },
  { method: 'GET', path: '/api/v1/sources/minute/daily', access: 'operator' },
  { method: 'GET', path: '/api/v1/sources/minute/judgments', access: 'operator' },
  { method: 'GET', path: '/api/v1/sources/impact/holdings', access: 'operator' },
  { method: 'GET', path: '/api/v1/sources/impact/task', access: 'operator' },
  { method: 'GET', path: '/api/v1/sources/failures', access: 'operator' },
  { method: 'GET', path: '/api/v1/analyses', access: 'operator' },
  { method: 'GET', path: '/api/v1/analyses/{id}', access: 'operator' },
  { method: 'POST', path: '/api/v1/analyses/{id}/invalidate', access: 'operator' },
  { method: 'GET', path: '/api/v1/console/facts', access: 'operator' },
  { method: 'GET', path: '/api/v1/console/withdrawals', access: 'operator' },
  { method: 'GET', path: '/api/v1/console/trends/entity-resolution', access: 'operator' },
  { method: 'GET', path: '/api/v1/console/trends/intraday-analysis', access: 'operator' },
] as const satisfies readonly OperatorRoute[];

/** `METHOD /path` of each row: a union of the rows, not of every method with every path. */
export type OperatorRouteKey = KeyOf<(typeof OPERATOR_ROUTES)[number]>;
type KeyOf<R extends OperatorRoute> = R extends OperatorRoute ? `${R['method']} ${R['path']}` : never;
