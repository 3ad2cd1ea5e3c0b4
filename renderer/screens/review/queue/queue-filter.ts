/** The filter of the queue; the address holds all of it, so that a view can be shared as a link. */
import { AWAITED, CHECKS, type Awaited, type CheckName } from '../../../../shared/wire/console/console.ts';
import type { ReviewFilter } from '../../../api/queries.ts';

export const QUEUE_SORTS = ['waiting-longest', 'waiting-shortest', 'ticker'] as const;
export type QueueSort = (typeof QUEUE_SORTS)[number];

export interface QueueFilter {
  reason: CheckName | null;
  /** The awaited action of another person. */
  awaited: Awaited | null;
  q: string;
  sort: QueueSort;
}

/** All items, the longest waiting first. */
export const WHOLE_QUEUE: QueueFilter = { reason: null, awaited: null, q: '', sort: 'waiting-longest' };

/** Reads the address. An unknown part is left out, so that an old link still opens the queue. */
export function readQueueFilter(params: URLSearchParams): QueueFilter {
  return {
    reason: CHECKS.find((check) => check === params.get('reason')) ?? null,
    awaited: AWAITED.find((awaited) => awaited === params.get('awaited')) ?? null,
    q: params.get('q') ?? '',
    sort: QUEUE_SORTS.find((sort) => sort === params.get('sort')) ?? 'waiting-longest',
  };
}

/** The filter as an address: only the differences from the plain queue. */
export function writeQueueFilter(filter: QueueFilter): string {
  const params = new URLSearchParams();
  if (filter.reason !== null) params.set('reason', filter.reason);
  if (filter.awaited !== null) params.set('awaited', filter.awaited);
  if (filter.q !== '') params.set('q', filter.q);
  if (filter.sort !== 'waiting-longest') params.set('sort', filter.sort);
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** The filter as the API takes it. */
export function askedOf(filter: QueueFilter): ReviewFilter {
  return {
    status: 'PENDING_REVIEW',
    sort: filter.sort,
    ...(filter.reason === null ? {} : { reason: filter.reason }),
    ...(filter.awaited === null ? {} : { awaited: filter.awaited }),
    ...(filter.q === '' ? {} : { q: filter.q }),
  };
}
