import { Button, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState, LoadingState } from '../../../shared/ui/parts/data-state.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { TimelineEntry } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { Approval, isApproved } from '../domain/approval.tsx';
import { Actor, ReasonText } from '../domain/actor-and-reason.tsx';
import { StatusBadge } from '../domain/status-badge.tsx';
import { useText } from '../../i18n/use-text.ts';
import { useMay } from '../../api/session-context.ts';
import { NoteForm } from './note-form.tsx';
import { rowsOf, type Openings } from './openings.ts';
import classes from './timeline.module.css';

/** The transitions of an explanation and the reviewers' notes about it, newest first; below, the field for a note. */
export function Timeline({ item }: { item: { id: string } }): ReactNode {
  const text = useText();
  const may = useMay();
  const { queries } = useConsole();
  const query = useInfiniteQuery(queries.timeline(item.id));
  const entries = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {may('review.note') && <NoteForm id={item.id} />}
      {query.data === undefined ? (
        query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <LoadingState />
        )
      ) : (
        <ol className={classes['entries']} aria-label={text('timeline.entries')}>
          {rowsOf(entries, query.data.pages[0]?.total ?? 0).map(({ key, row }) =>
            row.kind === 'OPENINGS' ? <Looks key={key} looks={row} /> : <Entry key={key} entry={row} />,
          )}
        </ol>
      )}
      {query.hasNextPage && (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {text('timeline.more', { shown: entries.length, total: query.data?.pages[0]?.total ?? 0 })}
        </Button>
      )}
    </>
  );
}

function Looks({ looks: { actor, count, from, to } }: { looks: Openings }): ReactNode {
  const text = useText();
  return (
    <li data-kind="OPENINGS">
      <div className={classes['line']}>
        <span>
          <KstTime at={from} precision="second" /> – {to !== null && <KstTime at={to} precision="second" />}
        </span>
        <span className={classes['what']}>{text('timeline.OPENINGS', { count })}</span>
      </div>
      <div className={classes['told']}>
        <Actor actor={actor} />
      </div>
    </li>
  );
}

function Entry({ entry }: { entry: TimelineEntry }): ReactNode {
  const text = useText();
  return (
    <li data-kind={entry.kind}>
      <div className={classes['line']}>
        <KstTime at={entry.at} precision="second" />
        <span className={classes['what']}>
          {text(entry.kind === 'MOVE' ? `move.${entry.move}` : `timeline.${entry.kind}`)}
        </span>
        {entry.kind === 'MOVE' && (
          <span>
            {entry.from !== null && (
              <>
                <StatusBadge status={entry.from} />
                <span aria-hidden="true"> → </span>
                <VisuallyHidden>{text('history.to')}</VisuallyHidden>
              </>
            )}
            <StatusBadge status={entry.to} />
          </span>
        )}
      </div>
      <div className={classes['told']}>
        <Actor actor={entry.actor} />
        {'authors' in entry && !isOnly(entry.actor, entry.authors) && (
          <span>{text('underReview.writtenBy', { names: entry.authors.join(', ') })}</span>
        )}
        {entry.kind === 'HANDED_OVER' && <span>{entry.to ?? text('handOver.anybody')}</span>}
        {entry.kind === 'OPINION_GIVEN' && <strong>{text(`opinion.${entry.opinion}`)}</strong>}
        {entry.kind === 'MOVE' && entry.reason !== null && <ReasonText reason={entry.reason} />}
        {entry.kind === 'MOVE' && entry.duringHold && <span>{text('hold.duringHold')}</span>}
        {entry.kind === 'MOVE' && entry.heldUntil !== null && (
          <span>
            {text('hold.until')} <KstTime at={entry.heldUntil} precision="second" />
          </span>
        )}
        {entry.kind === 'MOVE' && isApproved(entry) && (
          <span>
            <Approval item={entry} />
          </span>
        )}
        {entry.kind === 'MOVE' && entry.policyVersion !== null && (
          <span>{text('policy.version', { version: entry.policyVersion })}</span>
        )}
      </div>
      {'text' in entry && (
        <p className={classes['note']} lang="ko">
          {entry.text}
        </p>
      )}
    </li>
  );
}

/** The authors need no mention: none, or only the actor. */
function isOnly(actor: string, authors: readonly string[]): boolean {
  return authors.every((name) => name === actor);
}
