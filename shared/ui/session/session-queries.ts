/**
 * Queries of the session, and of the data that this person may read. All that the server may change lies under
 * `data`, so that one call renews all of it, and the end of a session takes all of it away.
 */
import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { afterPaint } from '../frame/after-paint.ts';
import { ApiProblem, isSessionLost, SilentError, UnansweredChangeError, UnreachableError } from '../http/request.ts';

export const SESSION_KEY = ['session'] as const;
export const DATA_KEY = ['data'] as const;

/** Queries that are asked again by themselves while the API does not answer. */
const RETRY_MS = 3_000;

/** The person who is logged in; where nobody is, why somebody who was is not any more. */
export interface Session<Profile> {
  profile: Profile | null;
  ended: 'expired' | 'loggedOut' | null;
}

/**
 * A query client that turns a lost session into the login screen, wherever it shows.
 * @param staleTime for how long data counts as fresh, in ms
 */
export function createQueryClient({ staleTime }: { staleTime: number }): QueryClient {
  const onError = (error: unknown): void => {
    if (isSessionLost(error)) endSession(client, 'expired');
    // A refused call may mean that the role has changed since login.
    const isRefused = error instanceof ApiProblem && error.status === 403;
    // Read until it is answered, the session tells when a change can be sent.
    if (isRefused || error instanceof UnansweredChangeError) void client.invalidateQueries({ queryKey: SESSION_KEY });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime,
        refetchOnWindowFocus: true,
        // A person who has waited for the whole limit is told at once; an unanswered query is asked again anyway.
        retry: (failures, error) => !(error instanceof ApiProblem || error instanceof SilentError) && failures < 2,
        retryDelay: 500,
        networkMode: 'always',
        refetchInterval: (query) => againSoon(query.state.error),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}

/** When a query is asked again by itself because the API did not answer, in ms; false for not at all. */
export function againSoon(error: unknown): number | false {
  return error instanceof UnreachableError ? RETRY_MS : false;
}

/** The session is over: the data that was read under it leaves the memory. */
export function endSession(client: QueryClient, ended: 'expired' | 'loggedOut'): void {
  client.setQueryData<Session<unknown>>(SESSION_KEY, (before) =>
    before === undefined || before.profile === null ? before : { profile: null, ended },
  );
  client.removeQueries({ queryKey: DATA_KEY });
}

/**
 * This window has changed something: whatever is on screen is read again, and stays in view meanwhile. An answer from
 * before the change is not waited for.
 */
export function refreshData(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: DATA_KEY });
}

/**
 * The same, once the page has painted what the change leads to: reading everything takes the page longer than painting
 * the next item, and somebody waits for that one.
 */
export function refreshAfterPaint(client: QueryClient): void {
  afterPaint(() => void refreshData(client));
}

/**
 * The API has told of a change. A reading under way goes on, so that events in a row do not begin its time limit anew,
 * and is read once more when it is answered: the answer may be from before the change.
 */
export function followChange(client: QueryClient): void {
  const underWay = client.getQueryCache().findAll({ queryKey: DATA_KEY, fetchStatus: 'fetching' });
  void client.invalidateQueries({ queryKey: DATA_KEY }, { cancelRefetch: false });
  for (const { promise, queryKey } of underWay) {
    const again = (error?: unknown): void => {
      // An unanswered query is asked again anyway.
      if (error instanceof UnreachableError) return;
      void client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
    };
    void promise?.then(() => again(), again);
  }
}

export function sessionQuery<Profile>(readProfile: (signal: AbortSignal) => Promise<Profile>) {
  return queryOptions({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal, client }): Promise<Session<Profile>> => {
      try {
        return { profile: await readProfile(signal), ended: null };
      } catch (error) {
        if (!isSessionLost(error)) throw error;
        const before = client.getQueryData<Session<Profile>>(SESSION_KEY);
        return { profile: null, ended: before?.profile ? 'expired' : (before?.ended ?? null) };
      }
    },
    staleTime: Infinity,
  });
}
