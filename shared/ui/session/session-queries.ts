/**
 * Queries of the session and of the data that this user may read. All data that the server may change lies under
 * `data`, so that one call refreshes all of it, and the end of a session removes all of it.
 */
import { MutationCache, QueryCache, QueryClient, queryOptions, type QueryKey } from '@tanstack/react-query';
import { afterPaint } from '../frame/after-paint.ts';
import { ApiProblem, isSessionLost, SilentError, UnansweredChangeError, UnreachableError } from '../http/request.ts';

export const SESSION_KEY = ['session'] as const;
export const DATA_KEY = ['data'] as const;

/** Interval at which queries retry while the API does not answer. */
const RETRY_MS = 3_000;

/** `locked`: nobody used the computer for a while. */
export type SessionEnd = 'expired' | 'loggedOut' | 'locked';

/** The logged-in user; without one, the reason why the session ended. */
export interface Session<Profile> {
  profile: Profile | null;
  ended: SessionEnd | null;
}

/**
 * A query client that shows the login screen when any answer reports a lost session. @param staleTime how long data
 * counts as fresh, in ms
 */
export function createQueryClient({ staleTime }: { staleTime: number }): QueryClient {
  const onError = (error: unknown): void => {
    if (isSessionLost(error)) endSession(client, 'expired');
    // A refused call may mean that the role has changed since the login.
    const isRefused = error instanceof ApiProblem && error.status === 403;
    // The session query repeats until it is answered; the answer shows that changes can be sent again.
    if (isRefused || error instanceof UnansweredChangeError) void client.invalidateQueries({ queryKey: SESSION_KEY });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime,
        refetchOnWindowFocus: true,
        // A user who has waited for the whole limit sees the failure at once; unanswered queries are repeated anyway.
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

/** The retry interval of a query that the API did not answer, in ms; false for no retry. */
export function againSoon(error: unknown): number | false {
  return error instanceof UnreachableError ? RETRY_MS : false;
}

/** Ends the session: the data read under it is removed from memory. */
export function endSession(client: QueryClient, ended: SessionEnd): void {
  client.setQueryData<Session<unknown>>(SESSION_KEY, (before) =>
    before === undefined || before.profile === null ? before : { profile: null, ended },
  );
  client.removeQueries({ queryKey: DATA_KEY });
}

/**
 * This window has changed data: everything on screen is read again and stays visible meanwhile. An answer from before
 * the change is not awaited.
 */
export function refreshData(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: DATA_KEY });
}

/**
 * As above, after the page has painted the result of the change: reading everything takes longer than painting the next
 * item, and the user waits for that item.
 */
export function refreshAfterPaint(client: QueryClient): void {
  afterPaint(() => void refreshData(client));
}

/**
 * The API has reported a change. A reading under way goes on, so that a series of events does not restart its time
 * limit, and is repeated after its answer, which may be from before the change. @param keys what has changed
 */
export function followChange(client: QueryClient, keys: readonly QueryKey[] = [DATA_KEY]): void {
  for (const key of keys) followKey(client, key);
}

function followKey(client: QueryClient, key: QueryKey): void {
  const underWay = client.getQueryCache().findAll({ queryKey: key, fetchStatus: 'fetching' });
  void client.invalidateQueries({ queryKey: key }, { cancelRefetch: false });
  for (const { promise, queryKey } of underWay) {
    const again = (error?: unknown): void => {
      // An unanswered query is repeated anyway.
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
