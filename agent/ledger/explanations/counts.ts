/** Numbers of explanations: by state, kept by triggers in `explanation_count`, and by time of receipt. */
import { sql } from 'kysely';
import { EXPLANATION_STATUSES, type StatusCounts } from '../../../shared/wire/console/console.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { ReceivedWithin } from './word-hits.ts';

/** Later than every instant. */
const NEVER = '\u{10ffff}';

const counts = sqlite.selectFrom('explanation_count');
const countByStatus = prepared(() => counts.select(['status', sql<number>`sum(n)`.as('n')]).groupBy('status'));

/** The number of explanations in each state; an absent state counts 0. */
export function statusCounts(reader: LedgerReader): StatusCounts {
  const counts = Object.fromEntries(EXPLANATION_STATUSES.map((status) => [status, 0])) as StatusCounts;
  for (const { status, n } of reader.all(countByStatus())) counts[status] = n;
  return counts;
}

const explanations = sqlite.selectFrom('explanation');
const countAll = prepared(() => counts.select(sql<number>`coalesce(sum(n), 0)`.as('n')));
const countReceived = prepared((from: string, before: string) =>
  explanations
    .select(sql<number>`count(*)`.as('n'))
    .where('received_at', '>=', from)
    .where('received_at', '<', before),
);
const lastReceived = prepared(() => explanations.select(sql<string | null>`max(received_at)`.as('at')));

/** The number of explanations received within a time (index `explanation_received`), or at all. */
export function receivedCount(reader: LedgerReader, { receivedFrom, receivedBefore }: ReceivedWithin): number {
  if (receivedFrom === undefined && receivedBefore === undefined) return reader.first(countAll())?.n ?? 0;
  return reader.first(countReceived(receivedFrom ?? '', receivedBefore ?? NEVER))?.n ?? 0;
}

/** When the last one was received; null before the first. */
export function lastReceivedAt(reader: LedgerReader): string | null {
  return reader.first(lastReceived())?.at ?? null;
}

const longestWaiting = prepared(() =>
  explanations
    .select(sql<string | null>`min(status_since)`.as('since'))
    .where('status', '=', sql.lit('PENDING_REVIEW')),
);

/** The start of the longest present wait for review (index `explanation_waiting`); null in an empty queue. */
export function waitingSince(reader: LedgerReader): string | null {
  return reader.first(longestWaiting())?.since ?? null;
}
