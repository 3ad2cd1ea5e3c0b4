import { Button } from '@mantine/core';
import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { DATA_KEY } from '../../../shared/ui/session/session-queries.ts';
import { kstText } from '../../../shared/ui/time/format.ts';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import { useText } from '../i18n/use-text.ts';
import classes from './live.module.css';
import { REFRESH_SECONDS, useRefresh } from './refresh.tsx';

/** After this many missed refreshes the view counts as old. */
const OLD_AFTER = 3;

export interface LiveBarProps {
  query: UseQueryResult;
  /** The database's clock at the moment of the answer; undefined where an answer has none. */
  asOf?: string | undefined;
}

/** Shows the time and age of the view and its next refresh, with buttons to refresh now or to pause. */
export function LiveBar({ query, asOf }: LiveBarProps): ReactNode {
  const text = useText();
  const { isPaused, setPaused } = useRefresh();
  const client = useQueryClient();
  const now = useNow(1_000);
  const read = query.dataUpdatedAt;
  const age = Math.max(0, Math.floor((now.getTime() - read) / 1_000));
  const isOld = query.isRefetchError || age > OLD_AFTER * REFRESH_SECONDS;
  return (
    <div className={classes['bar']} role="group" aria-label={text('live.bar')}>
      {asOf !== undefined && (
        <span className={classes['clock']}>
          {text('live.asOf')} <time dateTime={asOf}>{text('time.kst', { time: kstText(asOf, 'second') ?? asOf })}</time>
        </span>
      )}
      {read > 0 && (
        <span className={classes['age']}>
          {text('live.age', { seconds: age })}
          {isPaused
            ? ''
            : ` · ${query.isFetching ? text('live.reading') : text('live.next', { seconds: Math.max(0, REFRESH_SECONDS - age) })}`}
        </span>
      )}
      {read > 0 && isOld && (
        <strong className={classes['old']} data-tone="wait" role="alert">
          <Glyph name="warning" />
          {text(query.isRefetchError ? 'live.failed' : 'live.old')}
        </strong>
      )}
      <Button
        variant="default"
        size="compact-xs"
        aria-pressed={isPaused}
        leftSection={<Glyph name={isPaused ? 'resume' : 'pause'} size={9} />}
        onClick={() => setPaused(!isPaused)}
      >
        {text(isPaused ? 'live.paused' : 'live.pause')}
      </Button>
      <Button
        variant="default"
        size="compact-xs"
        leftSection={<Glyph name="retrying" size={10} />}
        onClick={() => void client.refetchQueries({ queryKey: DATA_KEY, type: 'active' })}
      >
        {text('live.now')}
      </Button>
    </div>
  );
}
