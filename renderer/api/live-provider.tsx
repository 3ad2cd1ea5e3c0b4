import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import { ClockContext } from '../../shared/ui/time/use-now.ts';
import { EVENTS_PATH } from './client.ts';
import { LiveUpdates, type LiveState } from './live.ts';
import { shareStream } from './shared-stream.ts';
import { OWN_CLAIM_KEYS } from './queries.ts';
import { useProfile } from './session-context.ts';
import { DATA_KEY, followChange, SESSION_KEY } from '../../shared/ui/session/session-queries.ts';

const LiveContext = createContext<LiveUpdates | null>(null);

const openStream = shareStream(({ opened, failed, changed, claimed, alive }, since) => {
  const stream = new EventSource(since === null ? EVENTS_PATH : `${EVENTS_PATH}?since=${since}`);
  stream.addEventListener('open', () => opened());
  stream.addEventListener('error', failed);
  stream.addEventListener('change', changed);
  stream.addEventListener('claim', claimed);
  stream.addEventListener('alive', alive);
  return () => stream.close();
});

/** Keeps the event stream open while a user is logged in; every event refreshes the data on screen. */
export function LiveProvider({ children }: { children: ReactNode }): ReactNode {
  const client = useQueryClient();
  const clock = useContext(ClockContext);
  const { mark } = useProfile();
  const [live] = useState(
    () =>
      new LiveUpdates({
        open: openStream,
        since: client.getQueryCache().find({ queryKey: DATA_KEY, exact: false }) === undefined ? mark : null,
        now: () => clock.now(),
        later: (run, ms) => {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
        onChange: (changed) => followChange(client, changed === 'ALL' ? [DATA_KEY] : OWN_CLAIM_KEYS),
        onCut: () => void client.invalidateQueries({ queryKey: SESSION_KEY }),
      }),
  );
  useEffect(() => live.start(), [live]);
  useEffect(() => {
    const onChange = (): void => live.networkChanged();
    window.addEventListener('online', onChange);
    window.addEventListener('offline', onChange);
    return () => {
      window.removeEventListener('online', onChange);
      window.removeEventListener('offline', onChange);
    };
  }, [live]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLiveState(): LiveState {
  const live = useContext(LiveContext);
  if (live === null) throw new TypeError('useLiveState needs a LiveProvider above it.');
  return useSyncExternalStore(
    useCallback((listener: () => void) => live.subscribe(listener), [live]),
    () => live.state,
  );
}
