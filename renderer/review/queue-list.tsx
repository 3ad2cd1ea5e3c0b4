import { Button } from '@mantine/core';
import { memo, useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ReturnValue } from '../../shared/ui/parts/return-value.tsx';
import { useAge } from '../../shared/ui/time/times.tsx';
import type { ReviewItem } from '../../shared/wire/console.ts';
import { useText } from '../i18n/use-text.ts';
import { ReasonTags } from './checks.tsx';
import { ClaimNote } from './claim-note.tsx';
import { OpinionTag } from './opinion-panel.tsx';
import { WaitingEditTag } from './waiting-edit.tsx';
import classes from './review.module.css';

export interface QueueListProps {
  items: readonly ReviewItem[];
  total: number;
  selectedId: string | null;
  /** The filter as it stands in the address. */
  search: string;
  hasMore: boolean;
  isLoadingMore: boolean;
  onMore: () => void;
}

export function QueueList(props: QueueListProps): ReactNode {
  const text = useText();
  const age = useAge();
  return (
    <>
      <ul className={classes['list']} aria-label={text('review.list')}>
        {props.items.map((item) => (
          <QueueRow
            key={item.id}
            item={item}
            isSelected={item.id === props.selectedId}
            search={props.search}
            waiting={age(item.waitingSince)}
          />
        ))}
      </ul>
      {props.hasMore && (
        <div className={classes['more']}>
          <Button variant="default" fullWidth loading={props.isLoadingMore} onClick={props.onMore}>
            {text('review.more', { shown: props.items.length, total: props.total })}
          </Button>
        </div>
      )}
    </>
  );
}

interface QueueRowProps {
  item: ReviewItem;
  isSelected: boolean;
  search: string;
  waiting: string;
}

const QueueRow = memo(function QueueRow({ item, isSelected, search, waiting }: QueueRowProps): ReactNode {
  const text = useText();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSelected) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <li ref={row}>
      <Link
        href={`/review/${encodeURIComponent(item.id)}${search}`}
        className={classes['row'] ?? ''}
        aria-current={isSelected ? 'true' : undefined}
        data-item={item.id}
      >
        <span className={classes['rowHead']}>
          <span className={classes['rowName']}>
            <span className={classes['ticker']}>{item.etf_ticker}</span> {item.etf_name}
          </span>
          <ReturnValue ratio={item.observed_return} />
        </span>
        <span className={classes['rowMeta']}>
          <span>{item.trade_date}</span>
          <span>{text('review.waiting', { duration: waiting })}</span>
        </span>
        <span className={classes['rowTags']}>
          <ReasonTags reasons={item.reasons} />
          {item.waitingEdit !== null && <WaitingEditTag />}
          <OpinionTag opinion={item.opinion} />
          <ClaimNote claims={item.claims} />
        </span>
      </Link>
    </li>
  );
});
