/**
 * The state of each source's collection (operator API 2, source status).
 *
 * The latest rows of each source come by its indexes.
 */
import { sql } from 'kysely';
import { COLLECTION_SOURCES, type SourceReport, type SourceStatus } from '../../shared/wire/operator/operator.ts';
import type { SourceRhythm } from '../../shared/wire/facts.ts';
import { byCodePoint } from '../store/code-point-order.ts';
import { readSourceRhythm, SOURCES } from './rhythm.ts';
import type { Snapshot } from './snapshot.ts';

interface SourceRow {
  source: string;
  status: string;
  collected_at: Date;
  next_due_at: Date | null;
  records: number | null;
  last_processed_at: Date | null;
  error_code: string | null;
  error_message: string | null;
  error_at: Date | null;
}

export async function readReport(snapshot: Snapshot): Promise<SourceReport> {
  const { trx, asOf, today } = snapshot;
  const rhythm = new Map((await readSourceRhythm(snapshot, today)).map((one) => [one.id, one]));
  const { rows } = await sql<SourceRow>`
    with ${SOURCES}
    select s.source, latest.status, latest.collected_at, latest.next_due_at, latest.records, processed.processed_at as last_processed_at,
      failed.error_code, failed.error_message, failed.collected_at as error_at
    from sources s
    cross join lateral (
      select status, collected_at, next_due_at, records from source_collection where source = s.source
      order by collected_at desc, source_collection_id desc limit 1
    ) latest
    left join lateral (
      select processed_at from source_collection where source = s.source and processed_at is not null
      order by processed_at desc limit 1
    ) processed on true
    left join lateral (
      select error_code, error_message, collected_at from source_collection where source = s.source and error_code is not null
      order by collected_at desc, source_collection_id desc limit 1
    ) failed on true`.execute(trx);
  const known = new Map(rows.map((row) => [row.source, row]));
  const named: readonly string[] = COLLECTION_SOURCES;
  const others = [...known.keys()].filter((source) => !named.includes(source)).toSorted(byCodePoint);
  return {
    asOf: asOf.toISOString(),
    sources: [...named, ...others].map((source) => toSource(source, known.get(source), rhythm.get(source), asOf)),
  };
}

function toSource(
  source: string,
  row: SourceRow | undefined,
  rhythm: SourceRhythm | undefined,
  asOf: Date,
): SourceReport['sources'][number] {
  return {
    source,
    status: row === undefined ? 'UNKNOWN' : statusOf(row, asOf),
    lastCollectedAt: row?.collected_at.toISOString() ?? null,
    lastProcessedAt: row?.last_processed_at?.toISOString() ?? null,
    nextDueAt: row?.next_due_at?.toISOString() ?? null,
    hours: rhythm?.hours ?? [],
    nonTradingDays: rhythm?.nonTradingDays ?? [],
    records: row?.records ?? null,
    latestError:
      row === undefined || row.error_code === null || row.error_at === null
        ? null
        : { code: row.error_code, message: row.error_message, at: row.error_at.toISOString() },
  };
}

/** A stalled collection must not look healthy: late precedes running and good. */
function statusOf({ status, next_due_at }: SourceRow, asOf: Date): SourceStatus {
  const late = next_due_at !== null && next_due_at < asOf;
  switch (status) {
    case 'FAILED':
      return 'ERROR';
    case 'RUNNING':
      return late ? 'DELAYED' : 'COLLECTING';
    case 'SUCCEEDED':
      return late ? 'DELAYED' : 'NORMAL';
    default:
      return 'UNKNOWN';
  }
}
