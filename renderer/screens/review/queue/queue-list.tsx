import { Button, VisuallyHidden } from '@mantine/core';
import { memo, useDeferredValue, useEffect, useMemo, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useQuery } from '@tanstack/react-query';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { ReturnValue } from '../../../../shared/ui/parts/return-value.tsx';
import { useAge } from '../../../../shared/ui/time/times.tsx';
import type { ReviewItem } from '../../../../shared/wire/console/console.ts';
import { useConsole } from '../../../api/console-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import { RowTick } from '../../../components/actions/bulk-button.tsx';
import type { Ticks } from '../../../components/actions/use-ticks.ts';
import { HandedOverTag, Presence } from '../item/claim-note.tsx';
import { AheadTag, LaterTag } from '../item/later-note.tsx';
import { OpinionTag } from '../item/opinion-panel.tsx';
import { ExcerptText } from './excerpt-text.tsx';
import { TargetTime } from './target-time.tsx';
import { placesOfTickers } from './ticker-groups.ts';
import { WaitingEditTag } from '../item/waiting-edit.tsx';
import classes from '../item/review.module.css';

/** So many rows fill the height of a screen. */
const ROWS_IN_VIEW = 20;

export interface QueueListProps {
  items: readonly ReviewItem[];
  total: number;
  selectedId: string | null;
  /** The item whose decision is under way while another one is open. */
  sendingId: string | null;
  /** The rows ticked for a bulk action; null for a role without any. */
  ticks: Ticks<ReviewItem> | null;
  /** The filter as in the address. */
  search: string;
  hasMore: boolean;
  isLoadingMore: boolean;
  onMore: () => void;
}

export function QueueList(props: QueueListProps): ReactNode {
  const text = useText();
  const age = useAge();
  const { queries } = useConsole();
  const targetMinutes = useQuery(queries.reviewTarget).data?.minutes ?? null;
  const { ticks } = props;
  const places = useMemo(() => placesOfTickers(props.items), [props.items]);
  // The rows out of view are made once the first item stands beside the list.
  const isWhole = useDeferredValue(true, false);
  return (
    <>
      <ul className={classes['list']} aria-label={text('review.list')}>
        {(isWhole ? props.items : props.items.slice(0, ROWS_IN_VIEW)).map((item) => (
          <QueueRow
            key={item.id}
            item={item}
            isSelected={item.id === props.selectedId}
            isSending={item.id === props.sendingId}
            search={props.search}
            waiting={age(item.waitingSince)}
            targetMinutes={targetMinutes}
            isTicked={ticks?.has(item.id) ?? false}
            onTick={ticks?.toggle ?? null}
            place={places.get(item.id) ?? null}
            isPlaceFinal={!props.hasMore}
          />
        ))}
      </ul>
      {props.hasMore && (
        <div className={classes['more']}>
          <Button variant="default" fullWidth loading={props.isLoadingMore} onClick={props.onMore}>
            {text('review.more', { shown: props.items.length, total: props.total })}
          </Button>
          <p className={classes['quiet']}>
            {text('review.groupedSoFar', { shown: props.items.length, left: props.total - props.items.length })}
          </p>
        </div>
      )}
    </>
  );
}

interface QueueRowProps {
  item: ReviewItem;
  isSelected: boolean;
  isSending: boolean;
  search: string;
  waiting: string;
  targetMinutes: number | null;
  /** Its place among the items of its ticker; null for the only one. */
  place: string | null;
  /** False while unread pages may hold more of its ticker. */
  isPlaceFinal: boolean;
  isTicked: boolean;
  onTick: ((item: ReviewItem) => void) | null;
}

const QueueRow = memo(function QueueRow({
  item,
  isSelected,
  isSending,
  search,
  waiting,
  targetMinutes,
  place,
  isPlaceFinal,
  isTicked,
  onTick,
}: QueueRowProps): ReactNode {
  const text = useText();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSelected) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <li ref={row} className={classes['place'] ?? ''} data-current={isSelected}>
      {onTick !== null && <RowTick item={item} isTicked={isTicked} onToggle={onTick} />}
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
          {place !== null && (
            <span className={classes['rowQuiet']}>
              <span aria-hidden="true">{place}</span>
              <VisuallyHidden>
                {text(isPlaceFinal ? 'queue.sameTicker' : 'queue.sameTickerSoFar', { place })}
              </VisuallyHidden>
            </span>
          )}
          <Presence claims={item.claims} />
          <span className={classes['rowEnd']}>
            <ReturnValue ratio={item.observed_return} />
          </span>
        </span>
        <span className={classes['rowHead']}>
          {isSending && (
            <span className={classes['sending']}>
              <Tag tone="wait" glyph="waiting">
                {text('review.sending')}
              </Tag>
            </span>
          )}
          <AheadTag until={item.aheadUntil} />
          <LaterTag later={item.later} />
          {item.postponedUntil !== null && <Tag>{text('postpone.tag')}</Tag>}
          <HandedOverTag handedOver={item.handedOver} />
          {item.waitingEdit !== null && <WaitingEditTag />}
          <OpinionTag opinion={item.opinion} />
          <ExcerptText item={item} />
          <TargetTime since={item.waitingSince} waiting={waiting} minutes={targetMinutes} />
        </span>
      </Link>
    </li>
  );
});
