/**
 * The ids of transactions that have changed what bundles hold (D184; `store/migrations/0020-entry-changes.ts`): bounded
 * here, asked for by the standing (`sync/standing-sql.ts`).
 *
 * Written out: it goes by transaction ids and snapshots of the server.
 */
import { sql } from 'kysely';
import type { Db } from '../store/open.ts';

/** More than this many changes in the two seconds of an assembly ahead are found by their newest ones. */
const KEPT = 1_000;

/**
 * Removes the oldest ids, in their order, as no reader may miss a younger one; and leaves an id of its own, which is a
 * witness of that where nothing else is left.
 */
export async function trimEntryChanges(db: Db): Promise<void> {
  await sql`
    with trimmed as (
      delete from entry_change where xid < (
        select xid from entry_change where xid < pg_snapshot_xmin(pg_current_snapshot())
        order by xid desc offset ${sql.lit(KEPT)} limit 1))
    insert into entry_change values (pg_current_xact_id()) on conflict do nothing`.execute(db);
}
