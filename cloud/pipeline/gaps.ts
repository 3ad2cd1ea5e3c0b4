/**
 * Planning gaps: a slot was planned, and there is no run of that key. The reconciliation has found it missing (operator
 * API 2, runs rule 4), or its time has passed and nobody has noticed (D215). The store reads the key of a slot
 * (`slot_date`) and dates each gap (`gap_date`: of the key, else the KST day on which it became known, D46).
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
  /** Null: nobody has noticed it. */
  openedAt: Date | null;
}

/** A run begins a little after its slot's time: a slot is passed only then. */
const PATIENCE = sql`interval '10 minutes'`;

/**
 * A slot of these days whose time has passed without a run, and of which the reconciliation never said that its run is
 * missing (D215). A slot is planned at most a day before or after the day of its key. Reads `s`.
 */
const PASSED = (from: string, to: string, asOf: Date): RawBuilder<boolean> => sql`
  s.planned_for <= ${asOf}::timestamptz - ${PATIENCE}
  and s.planned_for >= (${from}::date - 1)::timestamp at time zone 'Asia/Seoul'
  and s.planned_for < (${to}::date + 2)::timestamp at time zone 'Asia/Seoul'
  and ${DATE_OF_SLOT} between ${from}::date and ${to}::date and ${UNNOTICED}`;

const DATE_OF_SLOT = sql`coalesce(slot_date(s.slot_key), (s.planned_for at time zone 'Asia/Seoul')::date)`;
const UNNOTICED = sql`
  not exists (select from pipeline_run r where r.run_key = s.slot_key)
  and not exists (select from reconciliation_issue i
    where i.planner_slot_id = s.planner_slot_id and i.issue_type = 'PLANNER_MISSING')`;

/** The gaps of these days, both included, by slot key: open issues, and slots whose time has passed. */
export async function openGaps(trx: Trx, from: string, to: string, asOf: Date): Promise<Gap[]> {
  const noticed = await readGaps(trx, sql`i.gap_date between ${from}::date and ${to}::date`);
  return [...noticed, ...(await passedSlots(trx, from, to, asOf))].toSorted((a, b) =>
    byCodePoint(a.slotKey, b.slotKey),
  );
}

/** The gap of one slot. */
export async function findGap(trx: Trx, slotKey: string, asOf: Date): Promise<Gap | null> {
  const [noticed] = await readGaps(trx, sql`s.slot_key = ${slotKey}`);
  if (noticed !== undefined) return noticed;
  const wanted = sql<boolean>`s.slot_key = ${slotKey} and s.planned_for <= ${asOf}::timestamptz - ${PATIENCE} and ${UNNOTICED}`;
  return (await readSlots(trx, wanted))[0] ?? null;
}

/** Slots of these days whose time has passed, with neither a run nor an issue, by slot key. */
export async function passedSlots(trx: Trx, from: string, to: string, asOf: Date): Promise<Gap[]> {
  return await readSlots(trx, PASSED(from, to, asOf));
}

interface GapRow {
  slot_key: string;
  read: boolean;
  gap_date: string;
  planned_for: Date;
  opened_at: Date | null;
}

async function readGaps(trx: Trx, wanted: RawBuilder<unknown>): Promise<Gap[]> {
  const { rows } = await sql<GapRow>`
    select s.slot_key, slot_date(s.slot_key) is not null as read, i.gap_date, s.planned_for, i.opened_at
    from ${GAPS} where ${wanted} and ${OPEN_GAP}`.execute(trx);
  return toGaps(rows);
}

async function readSlots(trx: Trx, wanted: RawBuilder<unknown>): Promise<Gap[]> {
  const { rows } = await sql<GapRow>`
    select s.slot_key, slot_date(s.slot_key) is not null as read, ${DATE_OF_SLOT} as gap_date, s.planned_for, null as opened_at
    from planner_slot s where ${wanted}`.execute(trx);
  return toGaps(rows);
}

function toGaps(rows: readonly GapRow[]): Gap[] {
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
    openedAt: openedAt?.toISOString() ?? null,
  };
}
