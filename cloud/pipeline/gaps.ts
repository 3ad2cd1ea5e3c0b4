/**
 * Planning gaps: a slot was planned, the reconciliation has found that its run is missing, and there is still
 * no run of that key (document 2 section 2, facts rule 4 of `runs`).
 */
import { sql } from 'kysely';
import { kstDate } from '../../shared/time/kst.ts';
import type { PlanningGap } from '../../shared/wire/operator.ts';
import type { Trx } from '../store/open.ts';
import { compare } from './judge.ts';
import { readSlotKey } from './slot-key.ts';

/** The issue that the reconciliation opens for a slot without a run. */
export const PLANNER_MISSING = 'PLANNER_MISSING';

export interface Gap {
  slotKey: string;
  lane: string | null;
  /** Of the key; where it cannot be read, the KST date on which the issue was opened (D46). */
  date: string;
  readable: boolean;
  plannedFor: Date;
  openedAt: Date;
}

/** Open gaps that became known since an instant, by slot key. */
export async function openGaps(trx: Trx, since: Date): Promise<Gap[]> {
  const { rows } = await sql<{ slot_key: string; planned_for: Date; opened_at: Date }>`
    select s.slot_key, s.planned_for, min(i.opened_at) as opened_at
    from reconciliation_issue i join planner_slot s using (planner_slot_id)
    where i.resolved_at is null and i.issue_type = ${PLANNER_MISSING} and i.opened_at >= ${since}::timestamptz
      and not exists (select from pipeline_run r where r.run_key = s.slot_key)
    group by s.slot_key, s.planned_for`.execute(trx);
  return rows
    .map((row): Gap => {
      const key = readSlotKey(row.slot_key);
      return {
        slotKey: row.slot_key,
        lane: key?.lane ?? null,
        date: key?.date ?? kstDate(row.opened_at),
        readable: key !== null,
        plannedFor: row.planned_for,
        openedAt: row.opened_at,
      };
    })
    .toSorted((a, b) => compare(a.slotKey, b.slotKey));
}

export function toPlanningGap({ slotKey, lane, date, readable, openedAt }: Gap): PlanningGap {
  return { slotKey, lane, date: readable ? date : null, openedAt: openedAt.toISOString() };
}
