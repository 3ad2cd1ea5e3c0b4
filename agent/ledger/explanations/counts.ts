/**
 * Numbers of explanations: by state, kept by triggers in `explanation_count`, and by time of receipt.
 *
 * Written out: every view of a queue or a status asks these.
 */
import {
  EXPLANATION_STATUSES,
  type ExplanationStatus,
  type StatusCounts,
} from '../../../shared/wire/console/console.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { statement } from '../storage/query.ts';
import type { ReceivedWithin } from './word-hits.ts';

/** Later than every instant. */
const NEVER = '\u{10ffff}';

const countByStatus = statement<[], { status: ExplanationStatus; n: number }>(
  'SELECT status, sum(n) AS n FROM explanation_count GROUP BY status',
);

/** The number of explanations in each state; an absent state counts 0. */
export function statusCounts(reader: LedgerReader): StatusCounts {
  const counts = Object.fromEntries(EXPLANATION_STATUSES.map((status) => [status, 0])) as StatusCounts;
  for (const { status, n } of reader.all(countByStatus())) counts[status] = n;
  return counts;
}

const countAll = statement<[], { n: number }>('SELECT coalesce(sum(n), 0) AS n FROM explanation_count');
const countReceived = statement<[from: string, before: string], { n: number }>(
  'SELECT count(*) AS n FROM explanation WHERE received_at >= ? AND received_at < ?',
);
const lastReceived = statement<[], { at: string | null }>('SELECT max(received_at) AS at FROM explanation');

/** The number of explanations received within a time (index `explanation_received`), or at all. */
export function receivedCount(reader: LedgerReader, { receivedFrom, receivedBefore }: ReceivedWithin): number {
  if (receivedFrom === undefined && receivedBefore === undefined) return reader.first(countAll())?.n ?? 0;
  return reader.first(countReceived(receivedFrom ?? '', receivedBefore ?? NEVER))?.n ?? 0;
}

/** When the last one was received; null before the first. */
export function lastReceivedAt(reader: LedgerReader): string | null {
  return reader.first(lastReceived())?.at ?? null;
}

const longestWaiting = statement<[], { since: string | null }>(
  "SELECT min(status_since) AS since FROM explanation WHERE status = 'PENDING_REVIEW'",
);

/** The start of the longest present wait for review (index `explanation_waiting`); null in an empty queue. */
export function waitingSince(reader: LedgerReader): string | null {
  return reader.first(longestWaiting())?.since ?? null;
}
