/** The queries of the screens. `live/refresh.tsx` keeps them fresh. */
import { keepPreviousData, queryOptions, skipToken, type QueryClient } from '@tanstack/react-query';
import { DATA_KEY, sessionQuery } from '../../../shared/ui/session/session-queries.ts';
import type { Tenant } from '../../../shared/wire/operator-tenants.ts';
import type { AnalysisQuery, OperatorApi, TenantQuery } from './client.ts';

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
    /** A tenant as some list has last shown it: what is open stays in view when a filter does not hold it any more. */
    tenant: (id: string) => tenantQuery(id),

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

function tenantQuery(id: string) {
  return queryOptions<Tenant>({ queryKey: [...DATA_KEY, 'tenant', id], queryFn: skipToken });
}

/** Keeps what is known of a tenant for `queries.tenant`. */
export function rememberTenant(client: QueryClient, tenant: Tenant): void {
  client.setQueryData(tenantQuery(String(tenant.tenantId)).queryKey, tenant);
}
