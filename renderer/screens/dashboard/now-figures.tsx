import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EVEN } from '../../../shared/ui/parts/tiles.tsx';
import { NoValue, useAge, useLength } from '../../../shared/ui/time/times.tsx';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { writeBoardFilter } from '../explanations/board-filter.ts';
import { MY_QUEUE, writeQueueFilter } from '../review/queue/queue-filter.ts';
import classes from './dashboard.module.css';
import { Figure } from './figure.tsx';
import { secondsOff } from './last-off.ts';

/** What waits for the reader, what waits too long, and what customers see (D233). */
export function NowFigures(): ReactNode {
  const text = useText();
  const age = useAge();
  const length = useLength();
  const { queries } = useConsole();
  const waiting = useQuery(queries.splitCounts).data;
  const oldest = useQuery(queries.oldestWaiting).data?.items[0];
  const held = useQuery(queries.feedStatus).data?.held;
  const now = useQuery(queries.traffic).data?.now;
  const overTarget = now?.overTarget ?? undefined;
  const longest = now?.longestWait ?? undefined;
  const lastOff = now?.lastOff ?? undefined;
  const seconds = lastOff === undefined ? null : secondsOff(lastOff.ms);
  const count = (n: number | undefined): string | undefined => n?.toLocaleString('en-US');
  return (
    <div data-tiles className={`${EVEN} ${classes['tiles'] ?? ''}`}>
      <Figure
        href="/review"
        name={text('split.MY_TURN')}
        value={count(waiting?.MY_TURN)}
        note={waiting === undefined ? <NoValue /> : text('now.turn.of', { all: waiting.ALL })}
      />
      <Figure
        href={`/review${writeQueueFilter({ ...MY_QUEUE, split: 'ALL', isLate: true })}`}
        name={text('now.overTarget')}
        value={count(overTarget)}
        note={text(now?.overTarget === null ? 'now.noTarget' : 'now.overTarget.note')}
        {...(overTarget !== undefined && overTarget > 0 && ({ isUrgent: true, glyph: 'warning' } as const))}
      />
      <Figure
        href={oldest === undefined ? '/review' : `/review/${encodeURIComponent(oldest.id)}`}
        name={text('now.longest')}
        value={longest === undefined ? undefined : age(longest.since)}
        note={
          longest === undefined || oldest === undefined
            ? text('review.empty')
            : text('now.longest.note', { ticker: oldest.etf_ticker, working: length(longest.workingMs) })
        }
      />
      <Figure
        href={`/explanations${writeBoardFilter({ exposure: 'EXPOSED' })}`}
        name={text('exposure.EXPOSED')}
        value={count(now?.exposed)}
        note={
          <>
            {text('now.exposed.note')}
            {lastOff !== undefined && (
              <>
                <br />
                {seconds === null
                  ? text('now.lastOff.longer', { length: length(lastOff.ms) })
                  : text('now.lastOff', { seconds })}
              </>
            )}
          </>
        }
      />
      <Figure
        href={`/explanations${writeBoardFilter({ exposure: 'EXCLUDED' })}`}
        name={text('exposure.EXCLUDED')}
        value={count(now?.excluded)}
        note={text('now.excluded.note')}
      />
      <Figure
        href={`/explanations${writeBoardFilter({ held: 'true' })}`}
        name={text('hold.title')}
        value={count(held)}
        note={text('dashboard.held')}
      />
    </div>
  );
}
