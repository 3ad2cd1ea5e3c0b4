import { useEffect, useRef } from 'react';
import type { ReviewItem } from '../../../../shared/wire/console/console.ts';
import { nextToDecide, type QueuePlace } from './next-item.ts';
import { writeQueueFilter, type QueueFilter } from './queue-filter.ts';

/**
 * The place of the open item in the queue, and the items that the reviewer has passed since this list was loaded: those
 * that were open. The one with which the queue opens by itself counts only once the reviewer walks on from it.
 */
export function usePlace(
  items: readonly ReviewItem[],
  selectedId: string | null,
  filter: QueueFilter,
): { placeNow: () => QueuePlace; next: () => string | null; pass: (id: string | null) => void } {
  const list = writeQueueFilter(filter);
  const last = useRef<Omit<QueuePlace, 'id'>>({ index: 0, ticker: null });
  const before = useRef<string | null>(null);
  const opened = useRef({ list, ids: new Set<string>() });
  useEffect(() => {
    if (opened.current.list !== list) opened.current = { list, ids: new Set() };
    if (before.current !== null && selectedId !== null && before.current !== selectedId)
      opened.current.ids.add(selectedId);
    before.current = selectedId;
    if (selectedId === null) return;
    const index = items.findIndex(({ id }) => id === selectedId);
    if (index >= 0) last.current = { index, ticker: items[index]?.etf_ticker ?? null };
  }, [items, selectedId, list]);
  const placeNow = (): QueuePlace => ({ id: selectedId, ...last.current });
  return {
    placeNow,
    pass: (id) => {
      if (id !== null) opened.current.ids.add(id);
    },
    next: () =>
      nextToDecide(items, placeNow(), {
        opened: opened.current.ids,
        oldestFirst: filter.sort === 'waiting-longest',
      }),
  };
}
