import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { afterPaint } from '../../../shared/ui/frame/after-paint.ts';
import { useConsole } from '../../api/console-context.tsx';
import { neighbour } from './queue/neighbours.ts';
import type { useQueue } from './queue/use-queue.ts';

/** The next page is requested this many items before the end of the loaded list. */
const NEAR_END = 5;

/**
 * Reads the neighbours of the open item in advance, so that each is there at the key press, and the next page of the list
 * before its first item comes next. Returns the id of the next item.
 */
export function useReadAhead(
  { ids, query }: Pick<ReturnType<typeof useQueue>, 'ids' | 'query'>,
  { selectedId, isKnown }: { selectedId: string | null; isKnown: boolean },
): string | null {
  const { queries } = useConsole();
  const client = useQueryClient();
  // Two ahead: a held key is faster than an answer.
  const here = { id: selectedId, index: 0 };
  const nextId = neighbour(ids, here, 1);
  const aheadId = nextId === null ? null : neighbour(ids, { id: nextId, index: 0 }, 1);
  const previousId = neighbour(ids, here, -1);
  useEffect(() => {
    if (selectedId === null) return;
    return afterPaint(() => {
      for (const id of [nextId, aheadId, previousId]) {
        if (id === null) continue;
        // If one fails, opening it reads it again and shows why.
        client.query(queries.reviewItem(id)).catch(() => undefined);
        client.infiniteQuery(queries.timeline(id)).catch(() => undefined);
      }
    });
  }, [nextId, aheadId, previousId, selectedId, client, queries]);

  const at = selectedId === null ? -1 : ids.indexOf(selectedId);
  const isNearEnd = isKnown && (ids.length === 0 || (at >= 0 && at >= ids.length - NEAR_END));
  const { hasNextPage, isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetching) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetching, fetchNextPage]);
  return nextId;
}
