/** All runs of the day, planning gaps among them (operator API 2, `runs`). */
import { sql } from 'kysely';
import type { RunFact } from '../../shared/wire/facts.ts';
import type { Trx } from '../store/open.ts';
import { GAPS, OPEN_GAP } from '../pipeline/gaps.ts';
import { byCodePoint } from '../store/code-point-order.ts';

/** A run or a gap, with its execution in the control plane; null: unknown. */
export interface StoredRun {
  fact: RunFact;
  executionId: string | null;
}

interface RunRow {
  run_key: string;
  lane: string;
  trading_date: string | null;
  status: string;
  updated_at: Date;
  deadline: Date | null;
  execution_id: string | null;
}

interface GapRow {
  slot_key: string;
  /** Null: the key is unreadable. */
  date: string | null;
}

export interface DayRuns {
  /** By run key. Keys are unique: those of runs are, and a gap has no run. */
  runs: StoredRun[];
  /** Slots with unreadable keys. */
  unreadableSlots: string[];
}

export async function readRuns(trx: Trx, day: string): Promise<DayRuns> {
  // The execution: the recorded one, otherwise the one that the planner expects (D47).
  const runs = await sql<RunRow>`
    select run_key, lane, trading_date, status, updated_at, deadline,
      coalesce(nullif(execution_id, ''), nullif(expected_execution_id, '')) as execution_id
    from pipeline_run where run_date = ${day}::date`.execute(trx);
  const gaps = await sql<GapRow>`
    select s.slot_key, slot_date(s.slot_key) as date
    from ${GAPS}
    where i.gap_date = ${day}::date and ${OPEN_GAP}`.execute(trx);
  return {
    runs: [...runs.rows.map(ofRun), ...gaps.rows.map(ofGap)].toSorted((a, b) => byCodePoint(a.fact.id, b.fact.id)),
    unreadableSlots: gaps.rows
      .filter(({ date }) => date === null)
      .map(({ slot_key }) => slot_key)
      .toSorted(byCodePoint),
  };
}

function ofRun(row: RunRow): StoredRun {
  return {
    fact: {
      id: row.run_key,
      lane: row.lane,
      tradingDate: row.trading_date,
      ledgerStatus: row.status,
      ledgerUpdated: row.updated_at.toISOString(),
      deadline: row.deadline?.toISOString() ?? null,
    },
    executionId: row.execution_id,
  };
}

function ofGap({ slot_key, date }: GapRow): StoredRun {
  return {
    fact: {
      id: slot_key,
      lane: date === null ? null : slot_key.slice(0, slot_key.indexOf('/')),
      tradingDate: date,
      ledgerStatus: null,
      ledgerUpdated: null,
      deadline: null,
      planned: true,
      noRunRow: true,
    },
    executionId: null,
  };
}
