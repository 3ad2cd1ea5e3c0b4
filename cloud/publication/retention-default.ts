/**
 * The retention that the vendor has chosen for all tenants (D172): records older than so many days are removed once a
 * day, as far as their tenant has confirmed them.
 */
import { sql } from 'kysely';
import type { Clock } from '../../shared/time/clock.ts';
import { kstDate, kstMidnight } from '../../shared/time/kst.ts';
import { LockTimeoutError } from '../store/errors.ts';
import type { Db, Store } from '../store/open.ts';
import { applyRetention, findPosition, RetentionError } from './retention.ts';

/** Measured with 10,000 and 100,000 tenants: table and indexes, in bytes (guide/capacity.md). */
const RECORD_BYTES = 155;
/** The most publications of a day (sync protocol 1). */
const PUBLICATIONS = 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const YEAR = 365;

/** The fewest days: a tenant that comes back from a backup asks for the records since then again. */
export const FEWEST_DAYS = 30;
export const MOST_DAYS = 36_500;

export async function findRetentionDays(db: Db): Promise<number | null> {
  return (await db.selectFrom('retention_default').select('days').executeTakeFirstOrThrow()).days;
}

/** @param days null: records are kept without an end */
export async function setRetentionDays(db: Db, days: number | null): Promise<void> {
  await db.updateTable('retention_default').set({ days }).execute();
}

/** What the records of a thousand tenants take at the most publications, for the person who chooses. */
export function retentionCost(days: number | null): string {
  const gigabytes = (RECORD_BYTES * PUBLICATIONS * 1_000 * Math.min(days ?? YEAR, YEAR)) / 1e9;
  const size = `${Math.round(gigabytes)} GB${days === null || days > YEAR ? ' more every year' : ' and no more'}`;
  return `${size}, for 1,000 tenants at ${PUBLICATIONS.toLocaleString('en')} publications a day`;
}

/** Records of a tenant that one step looks at. */
const STEP = 5_000;

/**
 * Removes what is older than the retention and confirmed. A process that finds the work done by another removes nothing.
 *
 * @returns the number of removed records
 */
export async function removeExpired(store: Store, now: Date, signal: AbortSignal): Promise<number> {
  const days = await findRetentionDays(store.db);
  if (days === null) return 0;
  // Whole days, so that a tenant's turn comes once a day.
  const before = new Date(kstMidnight(kstDate(now)).getTime() - days * DAY_MS);
  const { rows } = await sql<{ tenant: number }>`
    select t.tenant_id as tenant from tenant t
    where (select d.created_at from tenant_delivery d where d.tenant_id = t.tenant_id order by d.cursor limit 1) < ${before}
    order by t.tenant_id`.execute(store.db);
  let removed = 0;
  for (const { tenant } of rows) {
    if (signal.aborted) break;
    removed += await removeOf(store, tenant, before, signal);
  }
  return removed;
}

async function removeOf(store: Store, tenantId: number, before: Date, signal: AbortSignal): Promise<number> {
  let removed = 0;
  try {
    while (!signal.aborted) {
      const floor = await nextFloor(store.db, tenantId, before);
      if (floor === null) break;
      removed += (await applyRetention(store, tenantId, floor, CAREFUL)).removedRecords;
    }
  } catch (error) {
    // The tenant was removed meanwhile, or asks from an earlier cursor again: its records stay.
    if (!(error instanceof RetentionError)) throw error;
  }
  return removed;
}

const CAREFUL = { dropUnconfirmed: false, aboveHead: false };

/** The last of a tenant's oldest records that may go; null without one. */
async function nextFloor(db: Db, tenantId: number, before: Date): Promise<number | null> {
  const confirmed = (await findPosition(db, tenantId))?.confirmedCursor ?? 0;
  const { rows } = await sql<{ floor: number | null }>`
    select max(o.cursor) as floor from (
      select d.cursor, d.created_at from tenant_delivery d where d.tenant_id = ${tenantId} order by d.cursor limit ${STEP}::integer
    ) o
    where o.created_at < ${before} and o.cursor <= ${confirmed}`.execute(db);
  return rows[0]?.floor ?? null;
}

const HOUR_MS = 60 * 60 * 1_000;

interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Looks every hour. */
export class RetentionSchedule {
  readonly #parts: { store: Store; clock: Clock; log: Log };
  readonly #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: { store: Store; clock: Clock; log: Log }) {
    this.#parts = parts;
  }

  start(everyMs = HOUR_MS): void {
    const again = (): void => {
      this.#running = this.#running.then(() => this.#round());
    };
    this.#timer = setInterval(again, everyMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#ending.abort();
    await this.#running;
  }

  async #round(): Promise<void> {
    const { store, clock, log } = this.#parts;
    if (this.#ending.signal.aborted) return;
    try {
      const removedRecords = await removeExpired(store, clock.now(), this.#ending.signal);
      if (removedRecords > 0) log.info({ removedRecords }, 'records older than the retention were removed');
    } catch (error) {
      const passes = error instanceof LockTimeoutError;
      log.warn(
        passes ? { reason: error.message } : { err: error },
        'what is too old was not removed; it is tried again in an hour',
      );
    }
  }
}
