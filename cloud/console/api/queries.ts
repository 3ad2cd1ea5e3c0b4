/** The queries of the screens. No event tells that something has changed, so what is in view is asked for again. */
import { keepPreviousData, queryOptions, skipToken, type QueryClient } from '@tanstack/react-query';
import { againSoon, DATA_KEY, sessionQuery } from '../../../shared/ui/session/session-queries.ts';
import type { Analysis } from '../../../shared/wire/operator.ts';
import type { AnalysisQuery, OperatorApi } from './client.ts';

export const REFRESH_SECONDS = 30;

/** So many are looked through for one analysis: far more than one instrument has while it is in anybody's view. */
const LOOK_THROUGH = 100;

export type OperatorQueries = ReturnType<typeof createQueries>;

export function createQueries(api: OperatorApi) {
  const analyses = (query: AnalysisQuery) =>
    queryOptions({
      queryKey: [...DATA_KEY, 'analyses', query],
      queryFn: async ({ signal, client }) => {
        const page = await api.analyses(query, signal);
        for (const item of page.items) rememberAnalysis(client, item);
        return page;
      },
      placeholderData: keepPreviousData,
      // Not while the window is hidden; coming back asks at once.
      refetchInterval: ({ state }) => againSoon(state.error) || REFRESH_SECONDS * 1_000,
    });
  return {
    session: sessionQuery((signal) => api.profile(signal)),
    analyses,
    /** An analysis as some list has last shown it: what is open stays in view when a filter does not hold it any more. */
    analysis: analysisQuery,
    /** Reads one analysis again, whatever the list on screen is narrowed to. */
    sameInstrument: (item: Analysis) => analyses({ page: 1, size: LOOK_THROUGH, q: item.instrumentId }),
  };
}

function analysisQuery(id: string) {
  return queryOptions<Analysis>({ queryKey: [...DATA_KEY, 'analysis', id], queryFn: skipToken });
}

/** Keeps what is known of an analysis for `queries.analysis`. */
export function rememberAnalysis(client: QueryClient, item: Analysis): void {
  client.setQueryData(analysisQuery(item.id).queryKey, item);
}
