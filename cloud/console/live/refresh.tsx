/**
 * Automatic refresh: no event reports changes to this console, so visible queries are repeated. Not while the window is
 * hidden (its return refreshes at once), and not while the refresh is paused.
 */
import { useQuery, type QueryKey, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { againSoon } from '../../../shared/ui/session/session-queries.ts';

export const REFRESH_SECONDS = 30;

interface Refresh {
  isPaused: boolean;
  setPaused: (paused: boolean) => void;
}

/** Kept for the life of the window, so that a reload of the page does not end the pause. */
const PAUSED_KEY = 'causeway.operator.paused';

const RefreshContext = createContext<Refresh | null>(null);

export function RefreshProvider({ children }: { children: ReactNode }): ReactNode {
  const [isPaused, setPaused] = useState(() => sessionStorage.getItem(PAUSED_KEY) !== null);
  useEffect(() => {
    if (isPaused) sessionStorage.setItem(PAUSED_KEY, '1');
    else sessionStorage.removeItem(PAUSED_KEY);
  }, [isPaused]);
  const refresh = useMemo(() => ({ isPaused, setPaused }), [isPaused]);
  return <RefreshContext value={refresh}>{children}</RefreshContext>;
}

export function useRefresh(): Refresh {
  const refresh = useContext(RefreshContext);
  if (refresh === null) throw new TypeError('useRefresh needs a RefreshProvider above it.');
  return refresh;
}

/** A query that is kept fresh. Its last answer stays in view while it is read again. */
export function useLive<Data, Key extends QueryKey>(
  options: UseQueryOptions<Data, Error, Data, Key>,
): UseQueryResult<Data> {
  const { isPaused } = useRefresh();
  return useQuery({
    ...options,
    refetchInterval: ({ state }) => (isPaused ? false : againSoon(state.error) || REFRESH_SECONDS * 1_000),
    refetchOnWindowFocus: !isPaused,
  });
}
