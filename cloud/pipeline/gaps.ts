/**
 * Planning gaps: a slot was planned, the reconciliation has found that its run is missing, and there is still
 * no run of that key (operator API 2, runs rule 4). The store reads the key of a slot
 * (`slot_date`) and dates each gap (`gap_date`: of the key, else the KST day on which it became known, D46).
 *
 * Written out: the store's own functions read the key of a slot.
 */
import { sql, type RawBuilder } from 'kysely';
import type { PlanningGap } from '../../shared/wire/operator/operator.ts';
import type { Trx } from '../store/open.ts';
import { byCodePoint } from '../store/code-point-order.ts';

export const GAPS = sql`reconciliation_issue i join planner_slot s on s.planner_slot_id = i.planner_slot_id`;

/**
 * A planning gap: an open issue of a planned slot whose run is still missing. The first of several open issues of one
 * slot counts, so that a slot is one gap. Reads `i` and `s`.
 */
export const OPEN_GAP = sql`
  i.resolved_at is null and i.issue_type = 'PLANNER_MISSING'
  and not exists (select from pipeline_run r where r.run_key = s.slot_key)
  and not exists (
    select from reconciliation_issue e
    where e.planner_slot_id = i.planner_slot_id and e.resolved_at is null and e.issue_type = 'PLANNER_MISSING'
      and (e.opened_at, e.reconciliation_issue_id) < (i.opened_at, i.reconciliation_issue_id))`;

export interface Gap {
  slotKey: string;
  /** Null: the key cannot be read. */
  lane: string | null;
  date: string;
  plannedFor: Date;
  openedAt: Date;
}

/** The open gaps of these days, both included, by slot key. */
export async function openGaps(trx: Trx, from: string, to: string): Promise<Gap[]> {
  return await readGaps(trx, sql`i.gap_date between ${from}::date and ${to}::date`);
}

/** The open gap of one slot. */
export async function findGap(trx: Trx, slotKey: string): Promise<Gap | null> {
  return (await readGaps(trx, sql`s.slot_key = ${slotKey}`))[0] ?? null;
}

async function readGaps(trx: Trx, wanted: RawBuilder<unknown>): Promise<Gap[]> {
  const { rows } = await sql<{
    slot_key: string;
    read: boolean;
    gap_date: string;
    planned_for: Date;
    opened_at: Date;
  }>`
    select s.slot_key, slot_date(s.slot_key) is not null as read, i.gap_date, s.planned_for, i.opened_at
    from ${GAPS} where ${wanted} and ${OPEN_GAP}`.execute(trx);
  return rows
    .map((row) => ({
      slotKey: row.slot_key,
      lane: row.read ? row.slot_key.slice(0, row.slot_key.indexOf('/')) : null,
      date: row.gap_date,
      plannedFor: row.planned_for,
      openedAt: row.opened_at,
    }))
    .toSorted((a, b) => byCodePoint(a.slotKey, b.slotKey));
}

export function toPlanningGap({ slotKey, lane, date, plannedFor, openedAt }: Gap): PlanningGap {
  return {
    slotKey,
    lane,
    date: lane === null ? null : date,
    plannedFor: plannedFor.toISOString(),
    openedAt: openedAt.toISOString(),
  };
}
