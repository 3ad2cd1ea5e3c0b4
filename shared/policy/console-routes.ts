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
  /** Open to a session of which something is left to do before anything else: the login's own routes. */
  atLogin?: true;
}

export const CONSOLE_ROUTES = [
  { method: 'POST', path: '/api/v1/auth/login', functionId: 'public' },
  { method: 'POST', path: '/api/v1/auth/logout', functionId: 'session.own', atLogin: true },
  { method: 'GET', path: '/api/v1/auth/session', functionId: 'session.own', atLogin: true },
  { method: 'GET', path: '/api/v1/session', functionId: 'session.own', atLogin: true },
  { method: 'PATCH', path: '/api/v1/session/profile', functionId: 'session.own' },
  { method: 'GET', path: '/api/v1/session/views', functionId: 'session.own' },
  { method: 'PUT', path: '/api/v1/session/views', functionId: 'session.own' },
  { method: 'DELETE', path: '/api/v1/session/views/{id}', functionId: 'session.own' },
  { method: 'POST', path: '/api/v1/session/password', functionId: 'session.password', atLogin: true },
  { method: 'GET', path: '/api/v1/openapi.json', functionId: 'api.view' },
  { method: 'GET', path: '/api/v1/dashboard/traffic', functionId: 'dashboard.view' },
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
  { method: 'POST', path: '/api/v1/review/items/{id}/draft/take-over', functionId: 'review.decide' },
  { method: 'POST', path: '/api/v1/review/items/{id}/claim', functionId: 'review.decide' },
  { method: 'DELETE', path: '/api/v1/review/items/{id}/claim', functionId: 'review.decide' },
  { method: 'GET', path: '/api/v1/review/items/{id}/timeline', functionId: 'review.view' },
  { method: 'POST', path: '/api/v1/review/items/{id}/dismissals', functionId: 'review.decide' },
  { method: 'POST', path: '/api/v1/review/items/{id}/notes', functionId: 'review.note' },
  { method: 'GET', path: '/api/v1/review/awaited', functionId: 'review.view' },
  { method: 'POST', path: '/api/v1/review/items/{id}/opinions', functionId: 'review.decide' },
  { method: 'POST', path: '/api/v1/review/opinions/{id}/answer', functionId: 'review.decide' },
  { method: 'DELETE', path: '/api/v1/review/opinions/{id}', functionId: 'review.decide' },
  { method: 'GET', path: '/api/v1/review/target', functionId: 'review.view' },
  { method: 'PUT', path: '/api/v1/review/target', functionId: 'review.target' },
  { method: 'GET', path: '/api/v1/review/samples', functionId: 'review.view' },
  { method: 'GET', path: '/api/v1/review/samples/counts', functionId: 'review.view' },
  { method: 'POST', path: '/api/v1/review/samples/{id}', functionId: 'review.sample' },
  { method: 'GET', path: '/api/v1/review/statistics', functionId: 'review.view' },
  { method: 'GET', path: '/api/v1/review/blind-reviews', functionId: 'review.view' },
  { method: 'GET', path: '/api/v1/review/blind-reviews/{id}', functionId: 'review.view' },
  { method: 'POST', path: '/api/v1/review/blind-reviews/{id}', functionId: 'review.blind' },
  { method: 'POST', path: '/api/v1/review/items/{id}/looks', functionId: 'review.blind' },
  { method: 'POST', path: '/api/v1/bulk/stop', functionId: 'explanations.stop' },
  { method: 'POST', path: '/api/v1/bulk/move-to-review', functionId: 'explanations.move-to-review' },
  { method: 'POST', path: '/api/v1/bulk/reject', functionId: 'review.decide' },
  { method: 'POST', path: '/api/v1/bulk/block', functionId: 'review.decide' },
  { method: 'GET', path: '/api/v1/members', functionId: 'members.manage' },
  { method: 'POST', path: '/api/v1/members', functionId: 'members.manage' },
  { method: 'POST', path: '/api/v1/members/{id}/deactivate', functionId: 'members.manage' },
  { method: 'PATCH', path: '/api/v1/members/{id}/role', functionId: 'members.manage' },
  { method: 'POST', path: '/api/v1/members/{id}/password', functionId: 'members.manage' },
  { method: 'GET', path: '/api/v1/screening/words', functionId: 'policy.view' },
  { method: 'GET', path: '/api/v1/screening/words/counts', functionId: 'policy.view' },
  { method: 'GET', path: '/api/v1/screening/policy', functionId: 'policy.view' },
  { method: 'GET', path: '/api/v1/screening/disclaimer', functionId: 'policy.view' },
  { method: 'GET', path: '/api/v1/screening/versions', functionId: 'policy.view' },
  { method: 'GET', path: '/api/v1/screening/versions/{version}', functionId: 'policy.view' },
  { method: 'GET', path: '/api/v1/screening/versions/{version}/differences', functionId: 'policy.view' },
  { method: 'POST', path: '/api/v1/screening/versions', functionId: 'policy.change' },
  { method: 'POST', path: '/api/v1/screening/words', functionId: 'policy.change' },
  { method: 'PATCH', path: '/api/v1/screening/words/{id}', functionId: 'policy.change' },
  { method: 'POST', path: '/api/v1/screening/words/{id}/toggle', functionId: 'policy.change' },
  { method: 'PATCH', path: '/api/v1/screening/criteria', functionId: 'policy.change' },
  { method: 'PATCH', path: '/api/v1/screening/disclaimer', functionId: 'policy.change' },
  { method: 'POST', path: '/api/v1/screening/preview', functionId: 'policy.change' },
  { method: 'GET', path: '/api/v1/screening/proposals', functionId: 'policy.view' },
  { method: 'POST', path: '/api/v1/screening/proposals', functionId: 'policy.change' },
  { method: 'POST', path: '/api/v1/screening/proposals/{id}/publish', functionId: 'policy.change' },
  { method: 'DELETE', path: '/api/v1/screening/proposals/{id}', functionId: 'policy.change' },
  { method: 'GET', path: '/api/v1/scope/markets', functionId: 'scope.view' },
  { method: 'GET', path: '/api/v1/scope/channels', functionId: 'scope.view' },
  { method: 'GET', path: '/api/v1/scope/stocks', functionId: 'scope.view' },
  { method: 'GET', path: '/api/v1/scope/sectors', functionId: 'scope.view' },
  { method: 'POST', path: '/api/v1/scope/markets/{market}/toggle', functionId: 'scope.coverage' },
  { method: 'POST', path: '/api/v1/scope/channels/{channel}/toggle', functionId: 'scope.coverage' },
  { method: 'POST', path: '/api/v1/scope/stocks/{code}/toggle', functionId: 'scope.exclude' },
  { method: 'POST', path: '/api/v1/scope/sectors/{sector}/toggle', functionId: 'scope.exclude' },
  { method: 'PUT', path: '/api/v1/scope/stocks/{code}/sector', functionId: 'scope.exclude' },
  { method: 'GET', path: '/api/v1/sync/status', functionId: 'sync.view' },
  { method: 'GET', path: '/api/v1/sync/history', functionId: 'sync.view' },
  { method: 'GET', path: '/api/v1/sync/certificate', functionId: 'sync.view' },
  { method: 'POST', path: '/api/v1/sync/certificate', functionId: 'sync.manage' },
  { method: 'POST', path: '/api/v1/sync/certificate/previous', functionId: 'sync.manage' },
  { method: 'POST', path: '/api/v1/sync/certificate/request', functionId: 'sync.manage' },
  { method: 'POST', path: '/api/v1/sync/reconnect', functionId: 'sync.manage' },
  { method: 'GET', path: '/api/v1/audit/actions', functionId: 'audit.view' },
  { method: 'GET', path: '/api/v1/audit/people', functionId: 'audit.view' },
  { method: 'GET', path: '/api/v1/audit/chain', functionId: 'audit.view' },
  { method: 'GET', path: '/api/v1/events', functionId: 'events.view' },
] as const satisfies readonly ConsoleRoute[];

/** Method and path of one route together: `GET /api/v1/explanations/{id}`. */
type KeyOf<R extends ConsoleRoute> = R extends ConsoleRoute ? `${R['method']} ${R['path']}` : never;
export type ConsoleRouteKey = KeyOf<(typeof CONSOLE_ROUTES)[number]>;
