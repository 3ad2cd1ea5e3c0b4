import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useNow } from '../../../../shared/ui/time/use-now.ts';
import type { Page, ReviewItem } from '../../../../shared/wire/console/console.ts';
import { useConsole } from '../../../api/console-context.tsx';
import { isPutOff } from './put-off.ts';
import { queryOf, writeQueueFilter, type QueueFilter } from './queue-filter.ts';
import { groupByTicker, placesOf } from './ticker-groups.ts';

const NO_PLACES: readonly string[] = [];

/**
 * The loaded part of the queue, each item once even if pages have shifted between two reads. A ticker keeps its place
 * until another list is loaded. Items that the person has put off are left out, unless `withPutOff` asks for them.
 */
export function useQueue(filter: QueueFilter, shown: { openId: string | null; withPutOff: boolean }) {
  const { queries } = useConsole();
  const client = useQueryClient();
  const options = queries.reviewQueue(queryOf(filter));
  const query = useInfiniteQuery(options);
  const inOrder = useMemo(() => flatten(query.data), [query.data]);
  // While another filter loads, the list is still the earlier one.
  const asked = writeQueueFilter(filter);
  const [kept, setKept] = useState<{ list: string; places: readonly string[] }>({ list: asked, places: [] });
  const list = query.isPlaceholderData ? kept.list : asked;
  const before = kept.list === list ? kept.places : NO_PLACES;
  const places = useMemo(() => placesOf(before, inOrder), [before, inOrder]);
  if (kept.list !== list || kept.places.join() !== places.join()) setKept({ list, places });
  const now = useNow();
  const minutes = useQuery(queries.reviewTarget).data?.minutes ?? null;
  const { openId, withPutOff } = shown;
  const putOff = useMemo(
    () => new Set(inOrder.filter((item) => isPutOff(item, now, minutes)).map(({ id }) => id)),
    [inOrder, now, minutes],
  );
  const items = useMemo(() => {
    const all = groupByTicker(places, inOrder);
    // The open item stays in view.
    return withPutOff || putOff.size === 0 ? all : all.filter(({ id }) => id === openId || !putOff.has(id));
  }, [places, inOrder, putOff, withPutOff, openId]);
  const ids = useMemo(() => items.map((item) => item.id), [items]);

  /** Removes a decided item at once; the next read of the server only confirms it. */
  function remove(id: string): void {
    client.setQueryData(options.queryKey, (before) =>
      before === undefined
        ? before
        : {
            ...before,
            pages: before.pages.map((page) => ({ ...page, items: page.items.filter((item) => item.id !== id) })),
          },
    );
  }

  return { query, items, ids, total: query.data?.pages.at(-1)?.total, putOff: putOff.size, remove };
}

function flatten(data: InfiniteData<Page<ReviewItem>> | undefined): ReviewItem[] {
  const byId = new Map<string, ReviewItem>();
  for (const page of data?.pages ?? []) {
    for (const item of page.items) {
      if (!byId.has(item.id)) byId.set(item.id, item);
    }
  }
  return [...byId.values()];
}
