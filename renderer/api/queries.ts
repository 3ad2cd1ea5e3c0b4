/**
 * The queries of the screens. All data that the server may change lies under `data`, so that one event refreshes all of
 * it.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { DATA_KEY, sessionQuery } from '../../shared/ui/session/session-queries.ts';
import type { SignInService } from './sign-in.ts';
import type {
  AuditQuery,
  ConsoleApi,
  ExplanationQuery,
  PageQuery,
  ReceivedDays,
  ReviewQuery,
  ShownQuery,
  StatisticsDays,
} from './client.ts';
import type { ExclusionQuery, StockQuery, SwitchName } from './scope.ts';

/** Entries per page of a timeline: nearly always the whole (D11). */
export const TIMELINE_PAGE = 100;

/** What shows a user their own claims: a timeline, and the audit log. The lists name other claimants only. */
export const OWN_CLAIM_KEYS = ['timeline', 'audit-actions', 'audit-people', 'audit-checkpoint'].map((name) => [
  ...DATA_KEY,
  name,
]);

const TRAFFIC_MS = 60_000;

/** Items per page of the queue. */
const QUEUE_PAGE = 50;

/** The version of the policy that the next change builds on. */
export const EDITED = { edited: 'true' } as const;

export type ReviewFilter = Omit<ReviewQuery, 'page' | 'size'>;

/** A named query; while another page of it is read, the earlier one stays visible. */
function read<Asked, Answer>(name: string, asked: Asked, ask: (asked: Asked, signal: AbortSignal) => Promise<Answer>) {
  return queryOptions({
    queryKey: [...DATA_KEY, name, asked],
    queryFn: ({ signal }) => ask(asked, signal),
    placeholderData: keepPreviousData,
  });
}

export function createQueries(api: ConsoleApi, signIn: SignInService) {
  return {
    session: sessionQuery(async (signal) => {
      await signIn.finishReturned();
      return api.profile(signal);
    }),
    explanations: (query: ExplanationQuery) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'explanations', query],
        queryFn: ({ signal }) => api.explanations(query, signal),
        placeholderData: keepPreviousData,
      }),
    explanation: (id: string) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'explanation', id],
        queryFn: ({ signal }) => api.explanation(id, signal),
      }),
    statusCounts: queryOptions({
      queryKey: [...DATA_KEY, 'status-counts'],
      queryFn: ({ signal }) => api.statusCounts(signal),
    }),
    feedStatus: queryOptions({
      queryKey: [...DATA_KEY, 'feed-status'],
      queryFn: ({ signal }) => api.feedStatus(signal),
    }),
    /** The queue loads page by page, as far as the reviewer has scrolled. */
    reviewQueue: (filter: ReviewFilter) =>
      infiniteQueryOptions({
        queryKey: [...DATA_KEY, 'review-queue', filter],
        queryFn: ({ signal, pageParam }) => api.reviewItems({ ...filter, page: pageParam, size: QUEUE_PAGE }, signal),
        initialPageParam: 1,
        getNextPageParam: (last) => (last.page * last.size < last.total ? last.page + 1 : undefined),
        placeholderData: keepPreviousData,
      }),
    oldestWaiting: queryOptions({
      queryKey: [...DATA_KEY, 'oldest-waiting'],
      queryFn: ({ signal }) =>
        api.reviewItems({ status: 'PENDING_REVIEW', sort: 'waiting-longest', page: 1, size: 1 }, signal),
    }),
    newestWaiting: queryOptions({
      queryKey: [...DATA_KEY, 'newest-waiting'],
      queryFn: ({ signal }) =>
        api.reviewItems({ status: 'PENDING_REVIEW', sort: 'waiting-shortest', page: 1, size: 1 }, signal),
    }),
    approvalNumbering: read('approval-numbers', null, (_, signal) => api.approvalNumbering(signal)),
    reviewTarget: read('review-target', null, (_, signal) => api.reviewTarget(signal)),
    splitCounts: queryOptions({
      queryKey: [...DATA_KEY, 'split-counts'],
      queryFn: ({ signal }) => api.splitCounts(signal),
    }),
    askedOpinions: queryOptions({
      queryKey: [...DATA_KEY, 'asked-opinions'],
      queryFn: ({ signal }) =>
        api.reviewItems({ status: 'PENDING_REVIEW', split: 'OPINION', page: 1, size: 100 }, signal),
    }),
    reviewItem: (id: string) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'review-item', id],
        queryFn: ({ signal }) => api.reviewItem(id, signal),
      }),
    /** Newest first; older entries page by page. */
    timeline: (id: string) =>
      infiniteQueryOptions({
        queryKey: [...DATA_KEY, 'timeline', id],
        queryFn: ({ signal, pageParam }) => api.timeline(id, { page: pageParam, size: TIMELINE_PAGE }, signal),
        initialPageParam: 1,
        getNextPageParam: (last) => (last.page * last.size < last.total ? last.page + 1 : undefined),
      }),
    disclaimer: queryOptions({
      queryKey: [...DATA_KEY, 'disclaimer'],
      queryFn: ({ signal }) => api.disclaimer({}, signal),
    }),
    editedDisclaimer: read('disclaimer', EDITED, api.disclaimer),
    shownDay: (query: ShownQuery) => read('shown-day', query, api.shownDay),
    /** How far a request is comes with no event: read again while one is being made. */
    inspections: (query: PageQuery) =>
      queryOptions({
        ...read('inspections', query, api.inspections),
        refetchInterval: ({ state }) =>
          state.data?.items.some((one) => one.state === 'OPEN') === true ? 2_000 : false,
      }),
    /** Requests of channels and passing time come with no event. */
    traffic: queryOptions({
      ...read('traffic', null, (_, signal) => api.traffic(signal)),
      refetchInterval: TRAFFIC_MS,
    }),
    words: (query: Parameters<ConsoleApi['words']>[0]) => read('words', query, api.words),
    wordCounts: (days: ReceivedDays) => read('word-counts', days, api.wordCounts),
    policy: read('policy', {}, api.policy),
    editedPolicy: read('policy', EDITED, api.policy),
    policyVersions: (query: PageQuery) => read('policy-versions', query, api.policyVersions),
    policyDifferences: (versions: { from: number; to: number }) =>
      read('policy-differences', versions, api.policyDifferences),
    policyVersion: (version: number) => read('policy-version', version, api.policyVersion),
    samples: (query: Parameters<ConsoleApi['samples']>[0]) => read('samples', query, api.samples),
    sampleCounts: read('sample-counts', null, (_, signal) => api.sampleCounts(signal)),
    /** Costs more than other reads: loaded when opened and on request, not at every change. */
    reviewStatistics: (days: StatisticsDays) =>
      queryOptions({ ...read('review-statistics', days, api.reviewStatistics), staleTime: 'static', gcTime: 0 }),
    blindReviews: (query: Parameters<ConsoleApi['blindReviews']>[0]) => read('blind-reviews', query, api.blindReviews),
    blindReview: (id: string) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'blind-review', id],
        queryFn: ({ signal }) => api.blindReview(id, signal),
      }),
    proposals: (query: PageQuery) => read('proposals', query, api.proposals),
    markets: (query: PageQuery) => read('markets', query, api.markets),
    channels: (query: PageQuery) => read('channels', query, api.channels),
    sectors: (query: PageQuery) => read('sectors', query, api.sectors),
    stocks: (query: StockQuery) => read('stocks', query, api.stocks),
    exclusions: (query: ExclusionQuery) => read('exclusions', query, api.exclusions),
    scopeEffect: (one: SwitchName) =>
      queryOptions({
        queryKey: [...DATA_KEY, 'scope-effect', one],
        queryFn: ({ signal }) => api.scopeEffect(one, signal),
      }),
    members: (query: PageQuery) => read('members', query, api.members),
    secondFactorSetting: read('second-factor-setting', null, (_, signal) => api.secondFactorSetting(signal)),
    auditActions: (query: AuditQuery) => read('audit-actions', query, api.auditActions),
    views: read('views', null, (_, signal) => api.views(signal)),
    auditPeople: read('audit-people', null, (_, signal) => api.auditPeople(signal)),
    auditCheckpoint: read('audit-checkpoint', null, (_, signal) => api.auditCheckpoint(signal)),
    syncHistory: (query: Parameters<ConsoleApi['syncHistory']>[0]) => read('sync-history', query, api.syncHistory),
    certificate: read('certificate', null, (_, signal) => api.certificate(signal)),
    syncStatus: queryOptions({
      queryKey: [...DATA_KEY, 'sync-status'],
      queryFn: ({ signal }) => api.syncStatus(signal),
    }),
  };
}

export type ConsoleQueries = ReturnType<typeof createQueries>;
