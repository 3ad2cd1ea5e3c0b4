import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore, type ReactNode } from 'react';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { kstShort } from '../../../shared/ui/time/format.ts';
import { useAge } from '../../../shared/ui/time/times.tsx';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { useLiveState } from '../../api/live-provider.tsx';
import { asOf, outageOf } from './connection-state.ts';
import classes from './outage-notice.module.css';

/**
 * The fault while no answer comes, the time of the data on screen, and the age of the queue: both grow while it lasts.
 * Nothing while the API answers.
 */
export function OutageNotice(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const live = useLiveState();
  const session = useQuery(queries.session);
  const counts = useQuery(queries.statusCounts);
  const oldest = useQuery(queries.oldestWaiting);
  const isOnline = useSyncExternalStore(onNetworkChange, () => navigator.onLine);
  const now = useNow(10_000);
  const age = useAge();
  const outage = outageOf(live, { lastError: session.error, isOnline, host: location.hostname });
  if (outage === null) return null;
  const at = asOf(live, counts.dataUpdatedAt)?.toISOString() ?? null;
  const time = at === null ? null : kstShort(at, now);
  const waiting = counts.data?.PENDING_REVIEW ?? null;
  const since = oldest.data?.items[0]?.waitingSince ?? null;
  return (
    <aside className={classes['notice']} aria-label={text(`outage.${outage}`)} data-tone="bad" data-outage={outage}>
      <Glyph name="warning" size={14} />
      <strong role="status">{text(`outage.${outage}`)}</strong>
      {at !== null && time !== null && <span>{text('outage.asOf', { time, age: age(at) })}</span>}
      <span>{queueText()}</span>
      <Button variant="default" size="compact-sm" loading={session.isFetching} onClick={() => void session.refetch()}>
        {text('state.retry')}
      </Button>
    </aside>
  );

  function queueText(): string {
    if (waiting === null) return text('outage.queue.unknown');
    if (waiting === 0 || since === null) return text('outage.queue', { count: waiting });
    return text('outage.queue.oldest', { count: waiting, age: age(since) });
  }
}

function onNetworkChange(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
