/**
 * The route policy of the tenant's console API (document 1 section 4, D17). The server registers
 * its routes from this table and refuses to start when a handler is missing or extra; a request
 * outside the table is refused.
 */
import type { FunctionId } from './matrix.ts';

export interface ConsoleRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its parameters in braces, as the contract writes it. */
  path: string;
  /** Who may: `public` needs no session; anything else is a row of the matrix. */
  functionId: FunctionId | 'public';
}

export const CONSOLE_ROUTES = [
  { method: 'POST', path: '/api/v1/auth/login', functionId: 'public' },
  { method: 'POST', path: '/api/v1/auth/logout', functionId: 'session.own' },
  { method: 'GET', path: '/api/v1/auth/session', functionId: 'session.own' },
  { method: 'GET', path: '/api/v1/session', functionId: 'session.own' },
  { method: 'PATCH', path: '/api/v1/session/profile', functionId: 'session.own' },
  { method: 'GET', path: '/api/v1/explanations', functionId: 'explanations.view' },
  { method: 'GET', path: '/api/v1/explanations/feed-status', functionId: 'explanations.view' },
  { method: 'GET', path: '/api/v1/explanations/status-counts', functionId: 'explanations.view' },
  { method: 'GET', path: '/api/v1/explanations/{id}', functionId: 'explanations.view' },
  { method: 'PATCH', path: '/api/v1/explanations/{id}/final', functionId: 'explanations.correct' },
  { method: 'POST', path: '/api/v1/explanations/{id}/stop', functionId: 'explanations.stop' },
  { method: 'POST', path: '/api/v1/explanations/{id}/move-to-review', functionId: 'explanations.move-to-review' },
  { method: 'GET', path: '/api/v1/review/items', functionId: 'review.view' },
  { method: 'GET', path: '/api/v1/review/items/{id}', functionId: 'review.view' },
  { method: 'POST', path: '/api/v1/review/items/{id}/approve', functionId: 'review.decide' },
  { method: 'POST', path: '/api/v1/review/items/{id}/approve-edited', functionId: 'review.decide' },
  { method: 'POST', path: '/api/v1/review/items/{id}/reject', functionId: 'review.decide' },
  { method: 'POST', path: '/api/v1/review/items/{id}/block', functionId: 'review.decide' },
  { method: 'PUT', path: '/api/v1/review/items/{id}/draft', functionId: 'review.decide' },
  { method: 'POST', path: '/api/v1/review/items/{id}/claim', functionId: 'review.decide' },
  { method: 'DELETE', path: '/api/v1/review/items/{id}/claim', functionId: 'review.decide' },
  { method: 'GET', path: '/api/v1/screening/disclaimer', functionId: 'policy.view' },
  { method: 'GET', path: '/api/v1/sync/status', functionId: 'sync.view' },
  { method: 'GET', path: '/api/v1/events', functionId: 'events.view' },
] as const satisfies readonly ConsoleRoute[];

/** Method and path of one route together: `GET /api/v1/explanations/{id}`. */
type KeyOf<R extends ConsoleRoute> = R extends ConsoleRoute ? `${R['method']} ${R['path']}` : never;
export type ConsoleRouteKey = KeyOf<(typeof CONSOLE_ROUTES)[number]>;
