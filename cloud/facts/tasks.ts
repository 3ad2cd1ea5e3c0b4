/**
 * All expected tasks of the day (operator API 2, `tasks`; D25), and the input of `datasets`.
 *
 * What is materialized decides the plan of a day with tens of thousands of tasks.
 */
import { sql } from 'kysely';
import type { TaskFact } from '../../shared/wire/facts.ts';
import type { Trx } from '../store/open.ts';

/** The part of a task that is not on the wire and only feeds `datasets`. */
export interface LedgerTask {
  id: number;
  runKey: string;
  dataset: string | null;
  due: boolean;
  contract: boolean;
  expectedAsOf: string | null;
  actualAsOf: string | null;
  collectedAt: Date | null;
  freshnessStatus: string | null;
  freshnessReason: string | null;
  fact: TaskFact;
}

interface TaskRow {
  id: number;
  run_key: string;
  dataset: string | null;
  due: boolean;
  contract: boolean;
  expected_as_of: string | null;
  actual_as_of: string | null;
  collected_at: Date | null;
  freshness_status: string | null;
  freshness_reason: string | null;
  attempts: number;
  records_out: number | null;
  unsupported_records: number | null;
  failed_records: number | null;
  completeness_expected: number | null;
  completeness_actual: number | null;
}

/** By stage (raw, normalize, the rest), run key, dataset (those without one last) and id (D45). */
export async function readTasks(trx: Trx, day: string): Promise<LedgerTask[]> {
  const { rows } = await sql<TaskRow>`
    with run as materialized (
      select pipeline_run_id, run_key from pipeline_run where run_date = ${day}::date
    ), task as materialized (
      select * from expected_task where pipeline_run_id = any(array(select pipeline_run_id from run))
    ), attempt as materialized (
      select expected_task_id, count(*) as attempts from task_attempt
      where not duplicate_retry and expected_task_id = any(array(select expected_task_id from task))
      group by expected_task_id
    )
    select t.expected_task_id as id, r.run_key, t.dataset, t.plan_status = 'DUE' as due, t.contract_key is not null as contract,
      t.expected_as_of, t.actual_as_of, t.collected_at, t.freshness_status, t.freshness_reason,
      coalesce(a.attempts, 0) as attempts,
      t.records_out, t.unsupported_records, t.failed_records, t.completeness_expected, t.completeness_actual
    from task t join run r using (pipeline_run_id) left join attempt a using (expected_task_id)
    order by case t.stage when 'raw' then 0 when 'normalize' then 1 else 2 end, r.run_key collate "C", t.dataset collate "C" nulls last,
      t.expected_task_id`.execute(trx);
  return rows.map((row) => ({
    id: row.id,
    runKey: row.run_key,
    dataset: row.dataset,
    due: row.due,
    contract: row.contract,
    expectedAsOf: row.expected_as_of,
    actualAsOf: row.actual_as_of,
    collectedAt: row.collected_at,
    freshnessStatus: row.freshness_status,
    freshnessReason: row.freshness_reason,
    fact: {
      runId: row.run_key,
      dataset: row.dataset,
      attempts: row.attempts,
      recordsOut: row.records_out,
      unsupportedRecords: row.unsupported_records,
      failedRecords: row.failed_records,
      completenessExpected: row.completeness_expected,
      completenessActual: row.completeness_actual,
    },
  }));
}

/** The latest trading date in the raw responses that the day's NAV tasks collected; null without any (D48). */
export async function readNavAsOf(trx: Trx, day: string): Promise<string | null> {
  const { rows } = await sql<{ as_of: string | null }>`
    select max(response_trading_date) as as_of from nav_collection
    where expected_task_id = any(array(
      select expected_task_id from expected_task where dataset = 'etf_nav' and pipeline_run_id = any(array(
        select pipeline_run_id from pipeline_run where run_date = ${day}::date))))`.execute(trx);
  return rows[0]?.as_of ?? null;
}
