/** Entries that could not be applied: rejected for their form (D34), or waiting for their original (D35). */
import { sql } from 'kysely';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

/** Keeps an entry that does not fit, with the reason. The same cursor again changes nothing. */
export function rejectEntry(
  tx: LedgerTransaction,
  rejected: {
    cursor: number;
    cursorFrom: number;
    reason: string;
    /** Its JSON text, as received. */
    entry: string;
    at: string;
  },
): void {
  tx.run(
    sqlite
      .insertInto('rejected_entry')
      .values({
        cursor: rejected.cursor,
        cursor_from: rejected.cursorFrom,
        reason: rejected.reason,
        entry: rejected.entry,
        rejected_at: rejected.at,
      })
      .onConflict((conflict) => conflict.column('cursor').doNothing()),
  );
}

/** The reason of an entry that fits by now, after a later one of the same explanation was applied. */
export const SUPERSEDED = 'A later entry of the same explanation has been applied; this one changes nothing any more.';

/** Records that an entry has been overtaken and needs no further action. */
export function supersedeEntry(tx: LedgerTransaction, cursor: number): void {
  tx.run(sqlite.updateTable('rejected_entry').set({ reason: SUPERSEDED }).where('cursor', '=', cursor));
}

/** Ends the superseded state of these entries: `intake replay` considers all of them again. */
export function releaseSuperseded(tx: LedgerTransaction): void {
  tx.run(sqlite.updateTable('rejected_entry').set({ reason: RELEASED }).where('reason', '=', SUPERSEDED));
}

const RELEASED = 'A later entry of the same explanation was set aside: this one is looked at again by "replay".';

/** Whether the entry at a cursor is on record as rejected, superseded or not. */
export function isRejected(reader: LedgerReader, cursor: number): boolean {
  return reader.first(sqlite.selectFrom('rejected_entry').select('cursor').where('cursor', '=', cursor)) !== undefined;
}

/** The rejected entries that still need an action. */
export function countRejected(reader: LedgerReader): number {
  const counted = sqlite
    .selectFrom('rejected_entry')
    .select(sql<number>`count(*)`.as('n'))
    .where('reason', '<>', SUPERSEDED);
  return reader.first(counted)?.n ?? 0;
}

/** The newest of them, the latest cursor first. */
export function newestRejected(reader: LedgerReader, most: number): { cursor: number; reason: string }[] {
  return reader.all(
    sqlite
      .selectFrom('rejected_entry')
      .select(['cursor', 'reason'])
      .where('reason', '<>', SUPERSEDED)
      .orderBy('cursor', 'desc')
      .limit(most),
  );
}

/** Keeps an invalidation until its original comes. */
export function holdWithdrawal(
  tx: LedgerTransaction,
  held: { targetId: string; cursor: number; reason: string; at: string },
): void {
  tx.run(
    sqlite
      .insertInto('held_invalidation')
      .values({ target_id: held.targetId, cursor: held.cursor, reason: held.reason, held_at: held.at })
      .onConflict((conflict) => conflict.column('target_id').doNothing()),
  );
}

const heldFor = prepared((targetId: string) =>
  sqlite.selectFrom('held_invalidation').select(['cursor', 'reason']).where('target_id', '=', targetId),
);

/** Removes the invalidation that waits for this original, if any, and returns it. */
export function takeHeldWithdrawal(
  tx: LedgerTransaction,
  targetId: string,
): { cursor: number; reason: string } | undefined {
  const held = tx.first(heldFor(targetId));
  if (held !== undefined) tx.run(sqlite.deleteFrom('held_invalidation').where('target_id', '=', targetId));
  return held;
}

export function countHeld(reader: LedgerReader): number {
  return reader.first(sqlite.selectFrom('held_invalidation').select(sql<number>`count(*)`.as('n')))?.n ?? 0;
}
