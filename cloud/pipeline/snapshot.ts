/** One consistent snapshot of the store: every statement of a view sees the same state, at the time of one clock. */
import { sql } from 'kysely';
import { kstDate } from '../../shared/time/kst.ts';
import type { Store, Trx } from '../store/open.ts';

export interface Snapshot {
  trx: Trx;
  /** The database's clock at the beginning of the snapshot. */
  asOf: Date;
  /** Its day in Korea. */
  today: string;
}

/** Reads a clock within a transaction. Tests set their own. */
export type DatabaseClock = (trx: Trx) => Promise<Date>;

export const databaseClock: DatabaseClock = async (trx) => {
  const { rows } = await sql<{ at: Date }>`select date_trunc('milliseconds', transaction_timestamp()) as at`.execute(
    trx,
  );
  const at = rows[0]?.at;
  if (at === undefined) throw new Error('the database told no time');
  return at;
};

/** The isolation is set by a statement of our own: Kysely's PGlite dialect ignores the option. */
export async function snapshot<T>(
  store: Store,
  clock: DatabaseClock,
  work: (state: Snapshot) => Promise<T>,
): Promise<T> {
  return store.db.transaction().execute(async (trx) => {
    await sql`set transaction isolation level repeatable read, read only`.execute(trx);
    const asOf = await clock(trx);
    return work({ trx, asOf, today: kstDate(asOf) });
  });
}
