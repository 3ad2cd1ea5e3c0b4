/**
 * Runs of the pipeline with their expected tasks and attempts, read in bulk.
 *
 * Lateral joins with `offset 0` limit the plan to the requested runs.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Trx } from '../store/open.ts';

export interface RunRow {
  id: number;
  run_key: string;
  lane: string;
  trading_date: string | null;
  run_date: string;
  status: string;
  skip_reason: string | null;
  deadline: Date | null;
  execution_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The columns that judge a task. */
export interface TaskRow {
  id: number;
  run_id: number;
  task_key: string;
  stage: string;
  dataset: string | null;
  plan_status: string;
  required: boolean;
  contract_key: string | null;
  freshness_status: string | null;
  freshness_reason: string | null;
  unsupported_records: number | null;
  failed_records: number | null;
  completeness_expected: number | null;
  completeness_actual: number | null;
  /** The status of the last attempt that is no duplicate-retry container; null without one. */
  last_status: string | null;
  last_error_code: string | null;
  last_error_message: string | null;
  last_at: Date | null;
}

/** All of the ledger's columns of a task. */
export interface TaskDetailRow extends TaskRow {
  expected_as_of: string | null;
  actual_as_of: string | null;
  collected_at: Date | null;
  records_out: number | null;
}

export interface AttemptRow {
  status: string;
  started_at: Date | null;
  ended_at: Date | null;
  duplicate_retry: boolean;
  error_code: string | null;
  error_message: string | null;
}

const RUN = sql`r.pipeline_run_id as id, r.run_key, r.lane, r.trading_date, r.run_date, r.status, r.skip_reason, r.deadline,
  r.execution_id, r.created_at, r.updated_at`;

/**
 * Every lane up to a day, by jumping from one to the next in `pipeline_run_by_lane`, independent of the number of runs.
 */
export const LANES = sql`
  recursive lanes (lane) as (
    (select lane from pipeline_run order by lane limit 1)
    union all
    select (select r.lane from pipeline_run r where r.lane > l.lane order by r.lane limit 1) from lanes l where l.lane is not null
  )`;

export async function findLanes(trx: Trx): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`with ${LANES} select lane from lanes where lane is not null`.execute(
    trx,
  );
  return rows.map(({ lane }) => lane);
}

/** For each lane the last runs of days up to one, the latest first. Runs planned for later days are left out. */
export async function latestRuns(trx: Trx, last: string, perLane: number): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    with ${LANES}
    select latest.* from lanes l cross join lateral (
      select ${RUN} from pipeline_run r where r.lane = l.lane and r.run_date <= ${last}::date
      order by r.run_date desc, r.created_at desc, r.pipeline_run_id desc limit ${perLane}::integer
    ) latest where l.lane is not null
    order by latest.lane collate "C", latest.run_date desc, latest.created_at desc, latest.id desc`.execute(trx);
  return rows;
}

/** For each lane the last run of days up to one that was not skipped with nothing due. */
export async function lastCountedRuns(trx: Trx, last: string): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    with ${LANES}
    select counted.* from lanes l cross join lateral (
      select ${RUN} from pipeline_run r
      where r.lane = l.lane and r.run_date <= ${last}::date and (r.status <> 'SKIPPED' or r.skip_reason is null)
      order by r.run_date desc, r.created_at desc, r.pipeline_run_id desc limit 1
    ) counted where l.lane is not null`.execute(trx);
  return rows;
}

/** The runs of days before one that were created or changed after an instant, the last touched first: backfills, and retries. */
export async function runsOfEarlierDays(trx: Trx, day: string, since: Date): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    with ${LANES}
    select late.* from lanes l cross join lateral (
      ${touchedSince(sql.ref('r.created_at'), day, since)} union ${touchedSince(sql.ref('r.updated_at'), day, since)}
    ) late where l.lane is not null
    order by greatest(late.created_at, late.updated_at) desc, late.id desc`.execute(trx);
  return rows;
}

/** Each of both times has an index of its own. */
const touchedSince = (time: RawBuilder<unknown>, day: string, since: Date): RawBuilder<unknown> => sql`
  (select ${RUN} from pipeline_run r where r.lane = l.lane and ${time} > ${since}::timestamptz and r.run_date < ${day}::date offset 0)`;

/** The runs of these days, both included, by day, run key and id. */
export async function runsOfDays(trx: Trx, from: string, to: string, lane: string | null): Promise<RunRow[]> {
  const ofLane: RawBuilder<unknown> = lane === null ? sql`` : sql`and r.lane = ${lane}`;
  const { rows } = await sql<RunRow>`
    select ${RUN} from pipeline_run r
    where r.run_date between ${from}::date and ${to}::date ${ofLane}
    order by r.run_date, r.run_key collate "C", r.pipeline_run_id`.execute(trx);
  return rows;
}

export async function findRun(trx: Trx, runKey: string): Promise<RunRow | null> {
  const { rows } = await sql<RunRow>`select ${RUN} from pipeline_run r where r.run_key = ${runKey}`.execute(trx);
  return rows[0] ?? null;
}

/**
 * The tasks of runs, by run. `offset 0`: each run looks its tasks up by their key, and the planner never reads all
 * tasks of all years instead.
 */
export async function tasksOf(trx: Trx, runs: readonly RunRow[]): Promise<Map<number, TaskRow[]>> {
  const byRun = new Map<number, TaskRow[]>(runs.map(({ id }) => [id, []]));
  if (runs.length === 0) return byRun;
  const { rows } = await sql<TaskRow>`
    select ${TASK} from unnest(${idList(runs)}::bigint[]) as wanted (id)
    cross join lateral (select * from expected_task x where x.pipeline_run_id = wanted.id offset 0) t
    ${LAST_ATTEMPT}`.execute(trx);
  for (const row of rows) byRun.get(row.run_id)?.push(row);
  return byRun;
}

const TASK = sql`t.expected_task_id as id, t.pipeline_run_id as run_id, t.task_key, t.stage, t.dataset, t.plan_status, t.required, t.contract_key,
  t.freshness_status, t.freshness_reason, t.unsupported_records, t.failed_records, t.completeness_expected, t.completeness_actual,
  a.status as last_status, a.error_code as last_error_code, a.error_message as last_error_message, coalesce(a.ended_at, a.started_at) as last_at`;

/** The last attempt `a` of task `t` that is no duplicate-retry container. */
export const LAST_ATTEMPT = sql`
  left join lateral (
    select status, error_code, error_message, started_at, ended_at from task_attempt
    where expected_task_id = t.expected_task_id and not duplicate_retry
    order by started_at desc nulls last, task_attempt_id desc limit 1
  ) a on true`;

/** A PostgreSQL array literal: both drivers take it the same. */
const idList = (rows: readonly { id: number }[]): string => `{${rows.map(({ id }) => id).join()}}`;

/** The tasks of one run with all their columns. */
export async function taskDetailsOf(trx: Trx, run: RunRow): Promise<TaskDetailRow[]> {
  const { rows } = await sql<TaskDetailRow>`
    select ${TASK}, t.expected_as_of, t.actual_as_of, t.collected_at, t.records_out
    from expected_task t ${LAST_ATTEMPT} where t.pipeline_run_id = ${run.id}`.execute(trx);
  return rows;
}

/** All attempts of a run's tasks by task, in the order of their start; unstarted ones come last. */
export async function attemptsOf(trx: Trx, run: RunRow): Promise<Map<number, AttemptRow[]>> {
  const { rows } = await sql<AttemptRow & { task_id: number }>`
    select a.expected_task_id as task_id, a.status, a.started_at, a.ended_at, a.duplicate_retry, a.error_code, a.error_message
    from expected_task t join task_attempt a using (expected_task_id)
    where t.pipeline_run_id = ${run.id}
    order by a.started_at nulls last, a.task_attempt_id`.execute(trx);
  return Map.groupBy(rows, ({ task_id }) => task_id);
}
