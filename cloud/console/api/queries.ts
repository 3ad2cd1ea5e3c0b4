/** The queries of the screens. `live/refresh.tsx` keeps them fresh. */
import { keepPreviousData, queryOptions, skipToken, type QueryClient } from '@tanstack/react-query';
import { ApiProblem } from '../../../shared/ui/http/request.ts';
import { DATA_KEY, sessionQuery } from '../../../shared/ui/session/session-queries.ts';
import type { Tenant } from '../../../shared/wire/operator/tenants.ts';
import type { NewsStage } from '../../../shared/wire/operator/operator.ts';
import type { ReadFacts } from '../rules/rule.ts';
import type { AnalysisQuery, OperatorApi, TenantQuery } from './client.ts';

export const GROUNDS_PAGE = 50;

export type OperatorQueries = ReturnType<typeof createQueries>;

export function createQueries(api: OperatorApi) {
  return {
    session: sessionQuery((signal) => api.profile(signal)),

    tenants: (query: TenantQuery) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'tenants', query],
        queryFn: async ({ signal, client }) => {
          const page = await api.tenants(query, signal);
          for (const tenant of page.items) rememberTenant(client, tenant);
          return page;
        },
        placeholderData: keepPreviousData,
      }),
    /** A tenant as the last list gave it: an open tenant stays in view when a filter no longer includes it. */
    tenant: (id: string) => tenantQuery(id),

    overview: (date: string | null) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'overview', date],
        queryFn: ({ signal }) => api.overview(date === null ? {} : { date }, signal),
        placeholderData: keepPreviousData,
      }),
    history: ({ to, days, lane }: { to: string | null; days: number; lane: string }) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'history', { to, days, lane }],
        queryFn: ({ signal }) =>
          api.grid({ days, ...(to === null ? {} : { to }), ...(lane === '' ? {} : { lane }) }, signal),
        placeholderData: keepPreviousData,
      }),
    run: (runKey: string) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'run', runKey],
        queryFn: ({ signal }) => api.grid({ runKey }, signal),
      }),
    report: queryOptions({
      queryKey: [...DATA_KEY, 'report'],
      queryFn: ({ signal }) => api.report(signal),
    }),
    news: (date: string | null, stage: NewsStage) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'news', { date, stage }],
        queryFn: ({ signal }) => api.news({ stage, ...(date === null ? {} : { date }) }, signal),
        placeholderData: keepPreviousData,
      }),
    minutes: (date: string | null) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'minutes', date],
        queryFn: ({ signal }) => api.minutes(date === null ? {} : { date }, signal),
        placeholderData: keepPreviousData,
      }),
    minuteDaily: queryOptions({
      queryKey: [...DATA_KEY, 'minute-daily'],
      queryFn: ({ signal }) => api.minuteDaily(signal),
    }),
    judgments: (sessionId: string, page: number) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'judgments', { sessionId, page }],
        queryFn: ({ signal }) => api.judgments({ sessionId, page, size: GROUNDS_PAGE }, signal),
        placeholderData: keepPreviousData,
      }),
    holdings: (referenceDate: string | null) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'holdings', referenceDate],
        queryFn: ({ signal }) => api.holdings(referenceDate === null ? {} : { referenceDate }, signal),
        placeholderData: keepPreviousData,
      }),

    failures: (date: string | null) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'failures', date],
        queryFn: ({ signal }) => api.failures(date === null ? {} : { date }, signal),
        placeholderData: keepPreviousData,
      }),
    taskImpact: (runKey: string, taskKey: string) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'task-impact', { runKey, taskKey }],
        queryFn: ({ signal }) => api.taskImpact({ runKey, taskKey }, signal),
      }),
    withdrawals: queryOptions({
      queryKey: [...DATA_KEY, 'withdrawals'],
      queryFn: ({ signal }) => api.withdrawals(signal),
    }),

    facts: (date: string | null) => factsQuery(api, date),
    entityResolution: (date: string) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'entity-resolution', date],
        queryFn: ({ signal }) => api.entityResolution({ date }, signal),
      }),
    intradayTrend: (maxDate: string, days: number) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'intraday-trend', { maxDate, days }],
        queryFn: ({ signal }) => api.intradayTrend({ maxDate, days }, signal),
        placeholderData: keepPreviousData,
      }),

    analyses: (query: AnalysisQuery) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'analyses', query],
        queryFn: ({ signal }) => api.analyses(query, signal),
        placeholderData: keepPreviousData,
      }),
    analysis: (id: string) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'analysis', id],
        queryFn: ({ signal }) => api.analysis(id, signal),
      }),
  };
}

/** Facts read without a date serve for their day as well. */
const FACTS_FRESH_MS = 5_000;

/** Null from an older server without the route: its facts are not measured then. */
async function unlessUnknown<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 403) return null;
    throw error;
  }
}

/** The facts, and the answers judged with them. @param date null for the latest day with data */
function factsQuery(api: OperatorApi, date: string | null) {
  return queryOptions<ReadFacts>({
    queryKey: [...DATA_KEY, 'facts', date],
    queryFn: async ({ signal, client }) => {
      const measured = await api.facts(date === null ? {} : { date }, signal);
      const [failures, withdrawals] = await Promise.all([
        unlessUnknown(api.failures({ date: measured.meta.today }, signal)),
        unlessUnknown(api.withdrawals(signal)),
      ]);
      const facts: ReadFacts = {
        ...measured,
        ...(failures === null ? {} : { failures }),
        ...(withdrawals === null ? {} : { withdrawals }),
      };
      if (date === null) client.setQueryData(factsQuery(api, facts.meta.today).queryKey, facts);
      return facts;
    },
    staleTime: FACTS_FRESH_MS,
  });
}

function tenantQuery(id: string) {
  return queryOptions<Tenant>({ queryKey: [...DATA_KEY, 'tenant', id], queryFn: skipToken });
}

/** Stores a tenant for `queries.tenant`. */
export function rememberTenant(client: QueryClient, tenant: Tenant): void {
  client.setQueryData(tenantQuery(String(tenant.tenantId)).queryKey, tenant);
}
