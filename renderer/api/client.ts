/**
 * The console API as functions of its routes (document 1 section 4). A call names a route of the
 * policy, so a path that the server does not know cannot be asked for.
 */
import type { ConsoleRouteKey } from '../../shared/policy/console-routes.ts';
import type { Requester } from '../../shared/ui/http/request.ts';
import { abortable, createCaller, type ParameterOf } from '../../shared/ui/http/routes.ts';
import type {
  Disclaimer,
  ExplanationDetail,
  ExplanationItem,
  FeedStatus,
  Page,
  Profile,
  ReviewDetail,
  ReviewItem,
  StatusCounts,
  SyncStatus,
} from '../../shared/wire/console.ts';

/** What each route answers as `result`. `unknown`: nothing that a screen reads. */
interface Answers {
  'POST /api/v1/auth/login': unknown;
  'POST /api/v1/auth/logout': unknown;
  'GET /api/v1/session': Profile;
  'GET /api/v1/explanations': Page<ExplanationItem>;
  'GET /api/v1/explanations/feed-status': FeedStatus;
  'GET /api/v1/explanations/status-counts': StatusCounts;
  'GET /api/v1/explanations/{id}': ExplanationDetail;
  'POST /api/v1/explanations/{id}/stop': unknown;
  'POST /api/v1/explanations/{id}/move-to-review': unknown;
  'GET /api/v1/review/items': Page<ReviewItem>;
  'GET /api/v1/review/items/{id}': ReviewDetail;
  'POST /api/v1/review/items/{id}/approve': unknown;
  'POST /api/v1/review/items/{id}/approve-edited': unknown;
  'POST /api/v1/review/items/{id}/reject': unknown;
  'POST /api/v1/review/items/{id}/block': unknown;
  'PUT /api/v1/review/items/{id}/draft': ReviewDetail;
  'POST /api/v1/review/items/{id}/claim': unknown;
  'DELETE /api/v1/review/items/{id}/claim': unknown;
  'GET /api/v1/screening/disclaimer': Disclaimer;
  'GET /api/v1/sync/status': SyncStatus;
}

type AskedRoute = keyof Answers & ConsoleRouteKey;

/** A decision or operation is bound to the item and to the version of it that the person has seen (D13). */
export interface Target {
  id: string;
  version: number;
}

export interface ExplanationQuery {
  page: number;
  size: number;
  status?: string;
  market?: string;
  tradeDateFrom?: string;
  tradeDateTo?: string;
  q?: string;
  sort?: string;
}

export interface ReviewQuery {
  page: number;
  size: number;
  status?: string;
  reason?: string;
  q?: string;
  sort?: string;
}

export type ConsoleApi = ReturnType<typeof createConsoleApi>;

export function createConsoleApi(request: Requester) {
  const call = createCaller<Pick<Answers, AskedRoute>>(request);

  function post<Route extends AskedRoute & `POST ${string}{id}${string}`>(
    route: Route,
    { id, version }: Target,
    body: object,
  ) {
    return call(route, { params: { id } as Record<ParameterOf<Route>, string>, version, body });
  }

  return {
    login: (username: string, password: string) => call('POST /api/v1/auth/login', { body: { username, password } }),
    logout: () => call('POST /api/v1/auth/logout', { body: {} }),
    profile: (signal?: AbortSignal) => call('GET /api/v1/session', abortable(signal)),

    explanations: (query: ExplanationQuery, signal?: AbortSignal) =>
      call('GET /api/v1/explanations', { query: { ...query }, ...abortable(signal) }),
    explanation: (id: string, signal?: AbortSignal) =>
      call('GET /api/v1/explanations/{id}', { params: { id }, ...abortable(signal) }),
    statusCounts: (signal?: AbortSignal) => call('GET /api/v1/explanations/status-counts', abortable(signal)),
    feedStatus: (signal?: AbortSignal) => call('GET /api/v1/explanations/feed-status', abortable(signal)),
    stop: (target: Target, reason: string) => post('POST /api/v1/explanations/{id}/stop', target, { reason }),
    moveToReview: (target: Target, reason: string | null) =>
      post('POST /api/v1/explanations/{id}/move-to-review', target, reason === null ? {} : { reason }),

    reviewItems: (query: ReviewQuery, signal?: AbortSignal) =>
      call('GET /api/v1/review/items', { query: { ...query }, ...abortable(signal) }),
    reviewItem: (id: string, signal?: AbortSignal) =>
      call('GET /api/v1/review/items/{id}', { params: { id }, ...abortable(signal) }),
    approve: (target: Target, comment: string | null, acknowledgedWords: readonly string[]) =>
      post('POST /api/v1/review/items/{id}/approve', target, {
        ...(comment === null ? {} : { comment }),
        ...(acknowledgedWords.length === 0 ? {} : { acknowledgedWords }),
      }),
    approveEdited: (
      target: Target,
      editedSummary: string,
      comment: string | null,
      acknowledgedWords: readonly string[],
    ) =>
      post('POST /api/v1/review/items/{id}/approve-edited', target, {
        edited_summary: editedSummary,
        ...(comment === null ? {} : { comment }),
        ...(acknowledgedWords.length === 0 ? {} : { acknowledgedWords }),
      }),
    reject: (target: Target, reason: string) => post('POST /api/v1/review/items/{id}/reject', target, { reason }),
    block: (target: Target, reason: string) => post('POST /api/v1/review/items/{id}/block', target, { reason }),
    saveDraft: ({ id, version }: Target, editedSummary: string | null, comment: string | null) =>
      call('PUT /api/v1/review/items/{id}/draft', {
        params: { id },
        version,
        body: { edited_summary: editedSummary, ...(comment === null ? {} : { comment }) },
      }),
    claim: (id: string) => call('POST /api/v1/review/items/{id}/claim', { params: { id } }),
    release: (id: string) => call('DELETE /api/v1/review/items/{id}/claim', { params: { id } }),

    disclaimer: (signal?: AbortSignal) => call('GET /api/v1/screening/disclaimer', abortable(signal)),
    syncStatus: (signal?: AbortSignal) => call('GET /api/v1/sync/status', abortable(signal)),
  };
}

export const EVENTS_PATH = '/api/v1/events' satisfies ConsoleRouteKey extends `${string} ${infer Path}` ? Path : never;
