/**
 * The operator API as one function per route (operator API 4); `queries.ts` wraps them for the screens. A call names a
 * route of the policy table, so the compiler refuses a path that the server does not know.
 *
 * Before it: `cloud/console/screens/facts/facts-screen.tsx`. After it: `cloud/operator/server.ts`.
 */
import type { OperatorRouteKey } from '../../../shared/policy/operator-routes.ts';
import type { Requester } from '../../../shared/ui/http/request.ts';
import { abortable, createCaller } from '../../../shared/ui/http/routes.ts';
import type { FoundPage } from '../../../shared/wire/console/console.ts';
import type { EntityResolutionTrend, Facts, IntradayTrend } from '../../../shared/wire/facts.ts';
import type {
  Analysis,
  AnalysisDetail,
  AnalysisStatus,
  Failures,
  HoldingsImpact,
  Invalidated,
  MinuteCollection,
  MinuteDaily,
  MinuteJudgments,
  NewsLineage,
  NewsStage,
  OperatorProfile,
  PublicationState,
  RunGrid,
  RunOverview,
  SourceReport,
  TaskImpact,
  Withdrawals,
} from '../../../shared/wire/operator/operator.ts';
import type { ConnectionStatus, NewTenant } from '../../../shared/wire/operator/tenant-constants.ts';
import type { Tenant, TenantPage } from '../../../shared/wire/operator/tenants.ts';

/** The type of each route's `result`. `unknown`: no screen reads it. */
interface Answers {
  'POST /api/v1/auth/login': unknown;
  'POST /api/v1/auth/logout': unknown;
  'GET /api/v1/session': OperatorProfile;
  'PATCH /api/v1/session/profile': OperatorProfile;
  'POST /api/v1/session/password': unknown;
  'GET /api/v1/tenants': TenantPage;
  'POST /api/v1/tenants': Tenant;
  'GET /api/v1/sources/overview': RunOverview;
  'GET /api/v1/sources/grid': RunGrid;
  'GET /api/v1/sources/report': SourceReport;
  'GET /api/v1/sources/lineage/news': NewsLineage;
  'GET /api/v1/sources/minute': MinuteCollection;
  'GET /api/v1/sources/minute/daily': MinuteDaily;
  'GET /api/v1/sources/minute/judgments': MinuteJudgments;
  'GET /api/v1/sources/impact/holdings': HoldingsImpact;
  'GET /api/v1/sources/impact/task': TaskImpact;
  'GET /api/v1/sources/failures': Failures;
  'GET /api/v1/console/withdrawals': Withdrawals;
  'GET /api/v1/console/facts': Facts;
  'GET /api/v1/console/trends/entity-resolution': EntityResolutionTrend;
  'GET /api/v1/console/trends/intraday-analysis': IntradayTrend;
  'GET /api/v1/analyses': FoundPage<Analysis>;
  'GET /api/v1/analyses/{id}': AnalysisDetail;
  'POST /api/v1/analyses/{id}/invalidate': Invalidated;
}

type ReadRoute = keyof Answers & OperatorRouteKey;

export interface TenantQuery {
  page: number;
  size: number;
  status?: ConnectionStatus;
  q?: string;
}

export interface AnalysisQuery {
  page: number;
  size: number;
  publicationState?: PublicationState;
  status?: AnalysisStatus;
  market?: string;
  q?: string;
}

/** Days in Korea; the server chooses for an absent one. */
export interface GridQuery {
  to?: string;
  days?: number;
  lane?: string;
  runKey?: string;
}

export type OperatorApi = ReturnType<typeof createOperatorApi>;

export function createOperatorApi(request: Requester) {
  const call = createCaller<Pick<Answers, ReadRoute>>(request);
  return {
    login: (credentials: { username: string; password: string; secondFactor?: string }) =>
      call('POST /api/v1/auth/login', { body: credentials }),
    logout: () => call('POST /api/v1/auth/logout', { body: {} }),
    profile: (signal?: AbortSignal) => call('GET /api/v1/session', abortable(signal)),
    changePassword: (currentPassword: string, newPassword: string) =>
      call('POST /api/v1/session/password', { body: { currentPassword, newPassword } }),
    rename: (displayName: string) => call('PATCH /api/v1/session/profile', { body: { displayName } }),

    tenants: (query: TenantQuery, signal?: AbortSignal) =>
      call('GET /api/v1/tenants', { query: { ...query }, ...abortable(signal) }),
    createTenant: (tenant: NewTenant) => call('POST /api/v1/tenants', { body: tenant }),

    overview: (query: { date?: string }, signal?: AbortSignal) =>
      call('GET /api/v1/sources/overview', { query: { ...query }, ...abortable(signal) }),
    grid: (query: GridQuery, signal?: AbortSignal) =>
      call('GET /api/v1/sources/grid', { query: { ...query }, ...abortable(signal) }),
    report: (signal?: AbortSignal) => call('GET /api/v1/sources/report', abortable(signal)),
    news: (query: { date?: string; stage: NewsStage }, signal?: AbortSignal) =>
      call('GET /api/v1/sources/lineage/news', { query: { ...query }, ...abortable(signal) }),
    minutes: (query: { date?: string }, signal?: AbortSignal) =>
      call('GET /api/v1/sources/minute', { query: { ...query }, ...abortable(signal) }),
    minuteDaily: (signal?: AbortSignal) => call('GET /api/v1/sources/minute/daily', abortable(signal)),
    judgments: (query: { sessionId: string; page: number; size: number }, signal?: AbortSignal) =>
      call('GET /api/v1/sources/minute/judgments', { query: { ...query }, ...abortable(signal) }),
    holdings: (query: { referenceDate?: string }, signal?: AbortSignal) =>
      call('GET /api/v1/sources/impact/holdings', { query: { ...query }, ...abortable(signal) }),

    failures: (query: { date?: string }, signal?: AbortSignal) =>
      call('GET /api/v1/sources/failures', { query: { ...query }, ...abortable(signal) }),
    taskImpact: (query: { runKey: string; taskKey: string }, signal?: AbortSignal) =>
      call('GET /api/v1/sources/impact/task', { query: { ...query }, ...abortable(signal) }),

    withdrawals: (signal?: AbortSignal) => call('GET /api/v1/console/withdrawals', abortable(signal)),
    facts: (query: { date?: string }, signal?: AbortSignal) =>
      call('GET /api/v1/console/facts', { query: { ...query }, ...abortable(signal) }),
    entityResolution: (query: { date: string }, signal?: AbortSignal) =>
      call('GET /api/v1/console/trends/entity-resolution', { query: { ...query }, ...abortable(signal) }),
    intradayTrend: (query: { maxDate: string; days: number }, signal?: AbortSignal) =>
      call('GET /api/v1/console/trends/intraday-analysis', { query: { ...query }, ...abortable(signal) }),

    analyses: (query: AnalysisQuery, signal?: AbortSignal) =>
      call('GET /api/v1/analyses', { query: { ...query }, ...abortable(signal) }),
    analysis: (id: string, signal?: AbortSignal) =>
      call('GET /api/v1/analyses/{id}', { params: { id }, ...abortable(signal) }),
    withdraw: (id: string, reason: string) =>
      call('POST /api/v1/analyses/{id}/invalidate', { params: { id }, body: { reason } }),
  };
}

/** Answers without a session too: the console asks it to learn whether the API is up. */
export const SESSION_PATH = '/api/v1/session' satisfies OperatorRouteKey extends `${string} ${infer Path}`
  ? Path
  : never;
