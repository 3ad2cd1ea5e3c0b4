import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { EmptyState, ErrorState, LoadingState } from '../../../shared/ui/parts/data-state.tsx';
import type { ReviewItem } from '../../../shared/wire/console/console.ts';
import { BulkButton } from '../../components/actions/bulk-button.tsx';
import type { Ticks } from '../../components/actions/use-ticks.ts';
import { useText } from '../../i18n/use-text.ts';
import { MY_QUEUE, type QueueFilter } from './queue/queue-filter.ts';
import { BULK_ACTIONS, QueueHead } from './queue/queue-head.tsx';
import { QueueList, type QueueListProps } from './queue/queue-list.tsx';
import type { useQueue } from './queue/use-queue.ts';
import classes from './item/review.module.css';

export interface QueuePaneProps extends Pick<QueueListProps, 'selectedId' | 'sendingId' | 'search'> {
  queue: ReturnType<typeof useQueue>;
  ticks: Ticks<ReviewItem>;
  hasTicks: boolean;
  withPutOff: boolean;
  onPutOff: (withPutOff: boolean) => void;
  filter: QueueFilter;
  onFilter: (next: QueueFilter) => void;
  /** Below the list. */
  children: ReactNode;
}

/** The left pane of the review: filter, list and what is ticked in it. */
export function QueuePane(props: QueuePaneProps): ReactNode {
  const text = useText();
  const { queue, ticks, hasTicks, search, onFilter } = props;
  const { query, items } = queue;
  return (
    <section className={classes['queue']} aria-label={text('review.queue')}>
      <QueueHead
        total={queue.total}
        putOff={queue.putOff}
        withPutOff={props.withPutOff}
        onPutOff={props.onPutOff}
        ticks={ticks}
        hasTicks={hasTicks}
        filter={props.filter}
        search={search}
        onFilter={onFilter}
      />
      <div className={classes['queueBody']}>
        {query.data === undefined ? (
          query.isError ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : (
            <LoadingState />
          )
        ) : items.length === 0 ? (
          <EmptyState title={text(search === '' ? 'review.empty' : 'review.emptyFiltered')}>
            {search !== '' && (
              <Button variant="default" onClick={() => onFilter(MY_QUEUE)}>
                {text('review.filter.clear')}
              </Button>
            )}
          </EmptyState>
        ) : (
          <QueueList
            items={items}
            ticks={hasTicks ? ticks : null}
            total={queue.total ?? items.length}
            selectedId={props.selectedId}
            sendingId={props.sendingId}
            search={search}
            hasMore={query.hasNextPage}
            isLoadingMore={query.isFetchingNextPage}
            onMore={() => void query.fetchNextPage()}
          />
        )}
      </div>
      {/* Below the list, so that no row moves; it stays while its dialog tells what was done. */}
      <div className={classes['ticked']} hidden={ticks.ticked.length === 0}>
        <BulkButton actions={BULK_ACTIONS} ticks={ticks} />
      </div>
      {props.children}
    </section>
  );
}
