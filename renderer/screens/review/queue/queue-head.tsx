import { Button, VisuallyHidden } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { AllTick } from '../../../components/actions/bulk-button.tsx';
import type { Ticks } from '../../../components/actions/use-ticks.ts';
import { SavedViews } from '../../../components/views/saved-views.tsx';
import { useText } from '../../../i18n/use-text.ts';
import type { ReviewItem } from '../../../../shared/wire/console/console.ts';
import { QueueBar } from './queue-bar.tsx';
import type { QueueFilter } from './queue-filter.ts';
import { Splits } from './splits.tsx';
import classes from '../item/review.module.css';

export const BULK_ACTIONS = ['reject', 'block'] as const;

interface QueueHeadProps {
  /** Absent until the queue has been read. */
  total: number | undefined;
  /** The number of loaded items that the person has put off, and whether the list has them. */
  putOff: number;
  withPutOff: boolean;
  onPutOff: (isShown: boolean) => void;
  ticks: Ticks<ReviewItem>;
  /** Whether this role has bulk actions. */
  hasTicks: boolean;
  filter: QueueFilter;
  /** The filter as in the address. */
  search: string;
  onFilter: (filter: QueueFilter) => void;
}

/**
 * The part above the queue. It does not depend on the open item, so a walk through the queue does not render it again.
 */
export const QueueHead = memo(function QueueHead(props: QueueHeadProps): ReactNode {
  const { total, putOff, withPutOff, onPutOff, ticks, hasTicks, filter, search, onFilter } = props;
  const text = useText();
  const isNarrowed = filter.q !== '' || filter.reason !== null;
  return (
    <>
      <header className={classes['queueHead']}>
        <VisuallyHidden component="h1">{text('nav.review')}</VisuallyHidden>
        <Splits value={filter.split} onChange={(split) => onFilter({ ...filter, split })} />
        {isNarrowed && total !== undefined && (
          <span className={classes['quiet']}>{text('review.count', { count: total })}</span>
        )}
        <div className={classes['queueTools']}>
          <SavedViews screen="review" search={search} />
        </div>
      </header>
      <QueueBar filter={filter} onChange={onFilter}>
        {hasTicks && <AllTick ticks={ticks} label={false} />}
      </QueueBar>
      {putOff > 0 && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          aria-pressed={withPutOff}
          onClick={() => onPutOff(!withPutOff)}
        >
          {text(withPutOff ? 'postpone.hide' : 'postpone.show', { count: putOff })}
        </Button>
      )}
    </>
  );
});
