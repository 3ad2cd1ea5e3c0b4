import { VisuallyHidden } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useOpenedFocus } from '../../../shared/ui/list/opened-focus.ts';
import { useIsNarrow } from '../../../shared/ui/frame/narrow.ts';
import { useOpenId } from '../../../shared/ui/frame/open-id.ts';
import { focusFirstField, takeLostFocus, useKeyRest } from '../../../shared/ui/keys/takes-keys.tsx';
import { useShortcuts } from '../../../shared/ui/keys/use-shortcuts.ts';
import { EmptyState } from '../../../shared/ui/parts/data-state.tsx';
import { useNotify } from '../../../shared/ui/parts/notices.tsx';
import { useSwitch } from '../../../shared/ui/theme/preferences.ts';
import type { ReviewItem } from '../../../shared/wire/console/console.ts';
import { ACTION_RULES } from '../../components/actions/actions.ts';
import { useBulkActions } from '../../components/actions/bulk-button.tsx';
import { useTicks } from '../../components/actions/use-ticks.ts';
import { useLiveState } from '../../api/live-provider.tsx';
import { useText } from '../../i18n/use-text.ts';
import { neighbour } from './queue/neighbours.ts';
import { scrollBy } from './case-screen.tsx';
import { HoldStrip } from './item/hold-strip.tsx';
import { MY_QUEUE, readQueueFilter, writeQueueFilter, type QueueFilter } from './queue/queue-filter.ts';
import { BULK_ACTIONS } from './queue/queue-head.tsx';
import { HandOverDialog } from './queue/hand-over-dialog.tsx';
import { PostponeDialog } from './queue/postpone-dialog.tsx';
import { ReviewDetail } from './item/review-detail.tsx';
import classes from './item/review.module.css';
import { KeysDialog } from './keys-dialog.tsx';
import { QueuePane } from './queue-pane.tsx';
import { useReadAhead } from './use-read-ahead.ts';
import type { WalkKey } from './item/shortcuts.ts';
import { useHolds } from './item/use-holds.ts';
import { useKeys } from './item/use-keys.ts';
import { useReviewSend } from './item/use-review-send.ts';
import { usePlace } from './queue/use-place.ts';
import { useQueue } from './queue/use-queue.ts';

const EVERYTHING = writeQueueFilter({ ...MY_QUEUE, split: 'ALL' });

const NO_ITEMS: readonly ReviewItem[] = [];

/** The review queue: the list at the left, the open item at the right. The address names the open item. */
export function ReviewScreen(): ReactNode {
  const text = useText();
  const [, navigate] = useLocation();
  const selectedId = useOpenId();
  const addressed = useSearch();
  const filter = useMemo(() => readQueueFilter(new URLSearchParams(addressed)), [addressed]);
  const search = writeQueueFilter(filter);
  const [withPutOff, setWithPutOff] = useState(false);
  const queue = useQueue(filter, { openId: selectedId, withPutOff });
  const { shortcuts } = useKeys();
  const [goToNext] = useSwitch('go-to-next');
  /** The item for which a later time, or another reviewer, is being chosen. */
  const [asked, setAsked] = useState<{ about: 'later' | 'hand-over'; id: string } | null>(null);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const screen = useRef<HTMLDivElement>(null);
  const keyRest = useKeyRest();
  const focusIn = useFocusInNext(screen, selectedId);
  const notify = useNotify();
  const live = useLiveState();

  const { ids, items, query } = queue;
  const isNarrow = useIsNarrow();
  // While another filter loads, the list is still the earlier one.
  const isKnown = query.data !== undefined && !query.isPlaceholderData;
  const isListed = isKnown && selectedId !== null && ids.includes(selectedId);
  const ticks = useTicks(isKnown ? items : NO_ITEMS, search, true);
  const hasTicks = useBulkActions(BULK_ACTIONS).length > 0;
  const openItem = items.find(({ id }) => id === selectedId);
  const { placeNow, next, pass } = usePlace(items, selectedId, filter);
  const goTo = (id: string | null): void => {
    navigate(id === null ? `/review${search}` : `/review/${encodeURIComponent(id)}${search}`);
  };

  const onHelpClose = useCallback(() => setIsHelpOpen(false), []);
  const onFilter = useCallback((next: QueueFilter) => navigate(`/review${writeQueueFilter(next)}`), [navigate]);

  // The queue opens with its first item, or in a window with one pane with the list.
  const firstId = isKnown && !isNarrow ? ids[0] : undefined;
  useEffect(() => {
    if (selectedId === null && firstId !== undefined) {
      navigate(`/review/${encodeURIComponent(firstId)}${search}`, { replace: true });
    }
  }, [selectedId, firstId, search, navigate]);

  useOpenedFocus(screen);

  const nextId = useReadAhead(queue, { selectedId, isKnown });

  const holds = useHolds();
  /** The item whose decision is under way while the next one is on screen. */
  const left = useRef<string | null>(null);
  const send = useReviewSend(holds, {
    onSending: ({ itemId, draft }) => {
      // The server may still ask about an edited text, and without another item the screen would say that all is done.
      if (live.state !== 'live') return;
      if (!goToNext || itemId !== selectedId || ACTION_RULES[draft.action].asks === 'text') return;
      pass(itemId);
      const target = next();
      if (target === null) return;
      left.current = itemId;
      focusIn('heading');
      goTo(target);
    },
    onSent: (itemId, isDone) => {
      pass(itemId);
      if (goToNext && itemId === selectedId) {
        focusIn('heading');
        goTo(next());
      }
      left.current = null;
      if (isDone || filter.split === 'MY_TURN') queue.remove(itemId);
    },
    onUncertain: ({ itemId }) => {
      if (left.current !== itemId) return;
      left.current = null;
      // A text that the person is writing about the next item stays in view; the form of this one waits in its place.
      if (keyRest.rest() === 'none') {
        focusIn('form');
        goTo(itemId);
      } else {
        const item = items.find(({ id }) => id === itemId);
        const name = item === undefined ? itemId : `${item.etf_ticker} ${item.etf_name}`;
        notify({ tone: 'bad', glyph: 'warning', message: text('review.uncertain', { item: name }) });
      }
    },
  });
  const sendingId = send.isPending && send.variables.itemId !== selectedId ? send.variables.itemId : null;

  function walk(step: 1 | -1, ticksOnTheWay = false): void {
    const target = neighbour(ids, placeNow(), step);
    pass(selectedId);
    if (ticksOnTheWay && hasTicks) ticks.add(items.filter(({ id }) => id === selectedId || id === target));
    if (target !== null) {
      const listHasFocus = (document.activeElement?.closest('[data-item]') ?? null) !== null;
      goTo(target);
      if (listHasFocus) screen.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(target)}"]`)?.focus();
    } else if (step === 1 && query.hasNextPage) void query.fetchNextPage();
  }

  useShortcuts<WalkKey>(shortcuts.walk, true, (key) => {
    switch (key) {
      case 'next':
        return walk(1);
      case 'previous':
        return walk(-1);
      case 'extend-next':
        return walk(1, true);
      case 'extend-previous':
        return walk(-1, true);
      case 'tick': {
        if (openItem !== undefined && hasTicks) ticks.toggle(openItem);
        return;
      }
      case 'scroll-down':
      case 'scroll-up':
        return scrollBy(scroller.current, key);
      case 'help':
        return setIsHelpOpen(true);
    }
  });

  /** Goes on once the open item waits for a later time, or for another reviewer. */
  function leave(): void {
    focusIn('heading');
    goTo(next());
  }

  const isEmpty = query.data !== undefined && items.length === 0;
  return (
    <div ref={screen} className={classes['screen']} data-pane={selectedId === null ? 'list' : 'item'}>
      <QueuePane
        queue={queue}
        ticks={ticks}
        hasTicks={hasTicks}
        withPutOff={withPutOff}
        onPutOff={setWithPutOff}
        filter={filter}
        search={search}
        onFilter={onFilter}
        selectedId={selectedId}
        sendingId={sendingId}
      >
        <HoldStrip
          holds={holds}
          isSending={send.isPending}
          onUndone={(id) => {
            // If it is open already nothing moves, so nothing may take the focus later either.
            focusIn(id === selectedId ? null : 'heading');
            goTo(id);
          }}
          onFocusLost={() => screen.current?.querySelector<HTMLElement>('article h2')?.focus({ preventScroll: true })}
        />
      </QueuePane>
      <div className={classes['detailPlace']} data-detail>
        {selectedId === null ? (
          isEmpty && search === '' && <EmptyState title={text('review.allDone')} />
        ) : (
          <ReviewDetail
            id={selectedId}
            send={send}
            hasKeys={isListed}
            back={
              <div className={classes['back']}>
                <VisuallyHidden component="h1">{text('nav.review')}</VisuallyHidden>
                <Link href={`/review${search}`}>
                  {queue.total === undefined ? text('list.back') : text('review.back', { count: queue.total })}
                </Link>
              </div>
            }
            outside={
              isKnown && !isListed
                ? {
                    isFiltered: search !== EVERYTHING,
                    onClear: () => navigate(`/review/${encodeURIComponent(selectedId)}${EVERYTHING}`),
                    onFind: (ticker) =>
                      navigate(
                        `/review/${encodeURIComponent(selectedId)}${writeQueueFilter({ ...MY_QUEUE, split: 'ALL', q: ticker })}`,
                      ),
                  }
                : null
            }
            onHelp={() => setIsHelpOpen(true)}
            scroller={scroller}
            onNext={nextId === null ? undefined : () => goTo(nextId)}
            onLater={isListed ? () => setAsked({ about: 'later', id: selectedId }) : undefined}
            onHandOver={isListed ? () => setAsked({ about: 'hand-over', id: selectedId }) : undefined}
          />
        )}
      </div>
      {openItem !== undefined &&
        openItem.id === asked?.id &&
        (asked.about === 'later' ? (
          <PostponeDialog item={openItem} onClose={() => setAsked(null)} onPostponed={leave} />
        ) : (
          <HandOverDialog item={openItem} onClose={() => setAsked(null)} onHandedOver={leave} />
        ))}
      <KeysDialog opened={isHelpOpen} onClose={onHelpClose} />
    </div>
  );
}

/**
 * After a decision its form is gone: the focus goes to the heading of the item that opens next. In a form that comes back,
 * because its decision was not taken, it goes to the form, so that the next key sends again.
 *
 * @returns names what takes the focus in the item that opens next
 */
function useFocusInNext(
  screen: RefObject<HTMLElement | null>,
  openId: string | null,
): (taker: 'heading' | 'form' | null) => void {
  const takesFocus = useRef<'heading' | 'form' | null>(null);
  const keyRest = useKeyRest();
  useEffect(() => {
    const taker = takesFocus.current;
    if (taker === null) return;
    takesFocus.current = null;
    // An item or form opened while the decision was being sent keeps the focus.
    if (keyRest.rest() === 'all') return;
    const form = taker === 'form' ? (screen.current?.querySelector<HTMLElement>('article form') ?? null) : null;
    if (form === null) takeLostFocus(screen.current?.querySelector<HTMLElement>('article h2'));
    else focusFirstField(form);
  }, [openId, keyRest, screen]);
  return (taker) => {
    takesFocus.current = taker;
  };
}
