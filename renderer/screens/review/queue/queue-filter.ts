/** The filter of the queue; the address holds all of it, so that a view can be shared as a link. */
import { CHECKS, SPLITS, type CheckName, type Split } from '../../../../shared/wire/console/console.ts';
import type { ReviewFilter } from '../../../api/queries.ts';

export const QUEUE_SORTS = ['waiting-longest', 'waiting-shortest', 'ticker'] as const;
export type QueueSort = (typeof QUEUE_SORTS)[number];

/** In the order of the screen. */
export const ALL_SPLITS = [...SPLITS, 'ALL'] as const;

export interface QueueFilter {
  reason: CheckName | null;
  split: Split | 'ALL';
  /** Only what has waited for longer than the target. */
  isLate: boolean;
  q: string;
  sort: QueueSort;
}

/** What it is the person's turn to decide, the longest waiting first. */
export const MY_QUEUE: QueueFilter = { reason: null, split: 'MY_TURN', isLate: false, q: '', sort: 'waiting-longest' };

/** Reads the address. An unknown part is left out, so that an old link still opens the queue. */
export function readQueueFilter(params: URLSearchParams): QueueFilter {
  return {
    reason: CHECKS.find((check) => check === params.get('reason')) ?? null,
    split: ALL_SPLITS.find((split) => split === params.get('split')) ?? 'MY_TURN',
    isLate: params.get('late') === 'true',
    q: params.get('q') ?? '',
    sort: QUEUE_SORTS.find((sort) => sort === params.get('sort')) ?? 'waiting-longest',
  };
}

/** The filter as an address: only the differences from the plain queue. */
export function writeQueueFilter(filter: QueueFilter): string {
  const params = new URLSearchParams();
  if (filter.reason !== null) params.set('reason', filter.reason);
  if (filter.split !== 'MY_TURN') params.set('split', filter.split);
  if (filter.isLate) params.set('late', 'true');
  if (filter.q !== '') params.set('q', filter.q);
  if (filter.sort !== 'waiting-longest') params.set('sort', filter.sort);
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** The filter as the API takes it. */
export function queryOf(filter: QueueFilter): ReviewFilter {
  return {
    status: 'PENDING_REVIEW',
    sort: filter.sort,
    ...(filter.reason === null ? {} : { reason: filter.reason }),
    ...(filter.split === 'ALL' ? {} : { split: filter.split }),
    ...(filter.isLate ? { late: 'true' as const } : {}),
    ...(filter.q === '' ? {} : { q: filter.q }),
  };
}
