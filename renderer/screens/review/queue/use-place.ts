import { useEffect, useRef } from 'react';
import type { ReviewItem } from '../../../../shared/wire/console/console.ts';
import { nextToDecide, type QueuePlace } from './next-item.ts';
import { writeQueueFilter, type QueueFilter } from './queue-filter.ts';

/** The place of the open item in the queue, and the items that were open since this list was loaded. */
export function usePlace(
  items: readonly ReviewItem[],
  selectedId: string | null,
  filter: QueueFilter,
): { placeNow: () => QueuePlace; next: () => string | null } {
  const list = writeQueueFilter(filter);
  const last = useRef<Omit<QueuePlace, 'id'>>({ index: 0, ticker: null });
  const opened = useRef({ list, ids: new Set<string>() });
  useEffect(() => {
    if (opened.current.list !== list) opened.current = { list, ids: new Set() };
    if (selectedId === null) return;
    opened.current.ids.add(selectedId);
    const index = items.findIndex(({ id }) => id === selectedId);
    if (index >= 0) last.current = { index, ticker: items[index]?.etf_ticker ?? null };
  }, [items, selectedId, list]);
  const placeNow = (): QueuePlace => ({ id: selectedId, ...last.current });
  return {
    placeNow,
    next: () =>
      nextToDecide(items, placeNow(), {
        opened: opened.current.ids,
        oldestFirst: filter.sort === 'waiting-longest',
      }),
  };
}
