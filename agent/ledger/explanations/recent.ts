/** Walks the v1 explanations of the last days, newest first, in steps, to screen them once more. */
import { sql } from 'kysely';
import type { SourceEvent } from '../../../shared/wire/bundle.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';

/** The columns that a screening reads of a row, and those that identify it. */
export const SCREENED_COLUMNS = [
  'id',
  'etf_ticker',
  'etf_name',
  'market',
  'trade_date',
  'explanation_as_of',
  'explanation_type',
  'confidence_level',
  'observed_return',
  'summary',
  'source_events',
  'status',
  'received_at',
] as const;

/** Screening excludes v2 (D14), and withdrawn texts, which will never be exposed. */
function walked(since: string) {
  return sqlite
    .selectFrom('explanation')
    .select(SCREENED_COLUMNS)
    .select(sql<number>`rowid`.as('row'))
    .where('received_at', '>=', since)
    .where('analysis_engine', '!=', 'v2')
    .where('status', '!=', 'INVALIDATED');
}

export type ScreenedRow = ReturnType<typeof explanationsSince>[number];

/** The next step of the walk (index `explanation_received`); `last` is the last row of the one before. */
export function explanationsSince(
  reader: LedgerReader,
  since: string,
  last: { received_at: string; row: number } | undefined,
  limit: number,
) {
  let query = walked(since);
  if (last !== undefined) {
    query = query.where(sql<boolean>`(received_at, rowid) < (${last.received_at}, ${last.row})`);
  }
  return reader.all(query.orderBy('received_at', 'desc').orderBy('row', 'desc').limit(limit));
}

/** `source_event_id` of every source event; the same id may occur twice. */
export function sourceEventIds(row: Pick<ScreenedRow, 'source_events'>): string[] {
  return (JSON.parse(row.source_events) as SourceEvent[]).map((event) => event.source_event_id);
}
