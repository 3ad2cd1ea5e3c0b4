/** The run history: lanes by days, and one run with all of the ledger's facts. */
import { ApiError } from '../../shared/wire/envelope.ts';
import type { PipelineRun, PipelineTask, RunGrid } from '../../shared/wire/operator/operator.ts';
import { daysFrom } from './days.ts';
import { findGap, openGaps, toPlanningGap, type Gap } from './gaps.ts';
import { byStage, judgeRun } from './judge.ts';
import { byCodePoint } from '../store/code-point-order.ts';
import { recoveriesOf } from './recovery.ts';
import { toRun } from './run-view.ts';
import {
  attemptsOf,
  findLanes,
  findRun,
  runsOfDays,
  taskDetailsOf,
  tasksOf,
  type AttemptRow,
  type RunRow,
  type TaskDetailRow,
} from './runs.ts';
import type { Snapshot } from './snapshot.ts';

export interface GridQuery {
  /** Last day; null: today, or the day of the run. */
  to: string | null;
  /** The number of days; null: 14, or 1 with a run. */
  days: number | null;
  lane: string | null;
  runKey: string | null;
}

const DEFAULT_DAYS = 14;

/** @throws ApiError COMMON404 for a run key that the ledger has neither as a run nor as a planned slot without one */
export async function readGrid(snapshot: Snapshot, query: GridQuery): Promise<RunGrid> {
  const { trx, asOf, today } = snapshot;
  const asked = query.runKey === null ? null : await findRun(trx, query.runKey);
  const gap = query.runKey === null || asked !== null ? null : await findGap(trx, query.runKey, asOf);
  if (query.runKey !== null && asked === null && gap === null) throw new ApiError('COMMON404');
  const to = query.to ?? asked?.run_date ?? gap?.date ?? today;
  const days = daysFrom(to, query.days ?? (query.runKey === null ? DEFAULT_DAYS : 1));
  const from = days[0] ?? to;
  const lane = query.lane ?? asked?.lane ?? gap?.lane ?? null;
  const runs = await runsOfDays(trx, from, to, lane);
  const tasks = await tasksOf(trx, runs);
  const judged = runs.map((run) => ({ run, verdict: judgeRun(run, tasks.get(run.id) ?? [], asOf) }));
  const recoveries = await recoveriesOf(trx, judged);
  const gaps = await openGaps(trx, from, to, asOf);
  const lanes = new Set([...(await findLanes(trx)), ...gaps.map((gap) => gap.lane).filter((name) => name !== null)]);
  const cells = Map.groupBy(
    judged.map(({ run, verdict }) => toRun(run, verdict, recoveries.get(run.id)?.run ?? null)),
    (run) => cellOf(run.lane, run.date),
  );
  const gapCells = Map.groupBy(gaps, (gap) => cellOf(gap.lane, gap.date));
  return {
    asOf: asOf.toISOString(),
    from,
    to,
    lanes: [...lanes]
      .filter((name) => lane === null || name === lane)
      .toSorted(byCodePoint)
      .map((name) => ({ lane: name, days: days.map((date) => dayOf(name, date, cells, gapCells)) })),
    unreadableGaps: gaps.filter((gap) => gap.lane === null).map(toPlanningGap),
    ...(asked === null ? {} : { detail: await readDetail(snapshot, asked) }),
    ...(gap === null ? {} : { gap: toPlanningGap(gap) }),
  };
}

const cellOf = (lane: string | null, date: string): string => `${date} ${lane ?? ''}`;

function dayOf(
  lane: string,
  date: string,
  cells: ReadonlyMap<string, PipelineRun[]>,
  gaps: ReadonlyMap<string, Gap[]>,
): RunGrid['lanes'][number]['days'][number] {
  const cell = cellOf(lane, date);
  return { date, runs: cells.get(cell) ?? [], planningGaps: (gaps.get(cell) ?? []).map(toPlanningGap) };
}

async function readDetail({ trx, asOf }: Snapshot, run: RunRow): Promise<NonNullable<RunGrid['detail']>> {
  const tasks = await taskDetailsOf(trx, run);
  const attempts = await attemptsOf(trx, run);
  const judged = judgeRun(run, tasks, asOf);
  const recoveries = await recoveriesOf(trx, [{ run, verdict: judged }]);
  return {
    run: toRun(run, judged, recoveries.get(run.id)?.run ?? null),
    defects: judged.defects,
    tasks: tasks
      .toSorted(byStage)
      .map((task) => toTask(task, judged.outcomes.get(task.id) ?? null, attempts.get(task.id) ?? [])),
  };
}

function toTask(task: TaskDetailRow, outcome: PipelineTask['outcome'], attempts: AttemptRow[]): PipelineTask {
  return {
    taskKey: task.task_key,
    stage: task.stage,
    dataset: task.dataset,
    planStatus: task.plan_status,
    required: task.required,
    outcome,
    contractKey: task.contract_key,
    expectedAsOf: task.expected_as_of,
    actualAsOf: task.actual_as_of,
    collectedAt: task.collected_at?.toISOString() ?? null,
    freshnessStatus: task.freshness_status,
    freshnessReason: task.freshness_reason,
    recordsOut: task.records_out,
    unsupportedRecords: task.unsupported_records,
    failedRecords: task.failed_records,
    completenessExpected: task.completeness_expected,
    completenessActual: task.completeness_actual,
    attempts: attempts.filter((attempt) => !attempt.duplicate_retry).length,
    attemptList: attempts.map((attempt) => ({
      status: attempt.status,
      startedAt: attempt.started_at?.toISOString() ?? null,
      endedAt: attempt.ended_at?.toISOString() ?? null,
      duplicateRetry: attempt.duplicate_retry,
      errorCode: attempt.error_code,
      errorMessage: attempt.error_message,
    })),
  };
}
