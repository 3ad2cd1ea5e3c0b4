/**
 * The history of the reception (D17): received bundles, quarantined bodies with the reason, and changes of state. Each
 * kind has a table of its own, in the order of time; a page takes the newest of each.
 */
import { sql } from 'kysely';
import type { SyncHistoryItem, SyncHistoryKind } from '../../../shared/wire/console/console.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';

const NOTHING = {
  cursorFrom: null,
  cursorTo: null,
  entries: null,
  state: null,
  code: null,
  message: null,
  targetId: null,
} as const;

/** The newest of a kind, at most so many. */
type Newest = (reader: LedgerReader, limit: number) => SyncHistoryItem[];

const NEWEST: Readonly<Record<SyncHistoryKind, Newest>> = {
  BUNDLE: (reader, limit) =>
    reader
      .all(
        sqlite
          .selectFrom('raw_bundle')
          .select(['cursor_from', 'cursor_to', 'entry_count', 'received_at'])
          .orderBy('cursor_from', 'desc')
          .limit(limit),
      )
      .map((row) => ({
        ...NOTHING,
        kind: 'BUNDLE',
        at: row.received_at,
        cursorFrom: row.cursor_from,
        cursorTo: row.cursor_to,
        entries: row.entry_count,
      })),
  QUARANTINED: (reader, limit) =>
    reader
      .all(
        sqlite
          .selectFrom('quarantined_bundle')
          .select(['after_cursor', 'reason', 'received_at'])
          .orderBy('id', 'desc')
          .limit(limit),
      )
      .map((row) => ({
        ...NOTHING,
        kind: 'QUARANTINED',
        at: row.received_at,
        cursorFrom: row.after_cursor,
        message: row.reason,
      })),
  REJECTED: (reader, limit) =>
    reader
      .all(
        sqlite
          .selectFrom('rejected_entry')
          .select(['cursor', 'reason', 'rejected_at'])
          .orderBy('cursor', 'desc')
          .limit(limit),
      )
      .map((row) => ({
        ...NOTHING,
        kind: 'REJECTED',
        at: row.rejected_at,
        cursorFrom: row.cursor,
        message: row.reason,
      })),
  HELD: (reader, limit) =>
    reader
      .all(
        sqlite
          .selectFrom('held_invalidation')
          .select(['target_id', 'cursor', 'reason', 'held_at'])
          .orderBy('held_at', 'desc')
          .limit(limit),
      )
      .map((row) => ({
        ...NOTHING,
        kind: 'HELD',
        at: row.held_at,
        cursorFrom: row.cursor,
        message: row.reason,
        targetId: row.target_id,
      })),
  STATE: (reader, limit) =>
    reader.all(sqlite.selectFrom('sync_event').selectAll().orderBy('id', 'desc').limit(limit)).map((row) => ({
      ...NOTHING,
      kind: 'STATE',
      at: row.at,
      state: row.state,
      code: row.code,
      message: row.message,
    })),
};

const TABLES = {
  BUNDLE: 'raw_bundle',
  QUARANTINED: 'quarantined_bundle',
  REJECTED: 'rejected_entry',
  HELD: 'held_invalidation',
  STATE: 'sync_event',
} as const satisfies Record<SyncHistoryKind, string>;

/** One page, latest first. */
export function syncHistory(
  reader: LedgerReader,
  kinds: readonly SyncHistoryKind[],
  { page, size }: { page: number; size: number },
): { rows: SyncHistoryItem[]; total: number } {
  const newest = kinds.flatMap((kind) => NEWEST[kind](reader, page * size));
  const rows = newest
    .toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    .slice((page - 1) * size, page * size);
  const total = kinds.reduce(
    (sum, kind) => sum + (reader.first(sqlite.selectFrom(TABLES[kind]).select(sql<number>`count(*)`.as('n')))?.n ?? 0),
    0,
  );
  return { rows, total };
}
