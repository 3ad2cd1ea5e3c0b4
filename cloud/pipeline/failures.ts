/** The tasks of a day that did not do their work, with the reason of the last attempt (D132). */
import type { FailedRun, FailedTask, Failures, Recovery, TaskOutcome } from '../../shared/wire/operator/operator.ts';
import { byCodePoint } from '../store/code-point-order.ts';
import { byStage, judgeRun, type Judged } from './judge.ts';
import { NOTHING_REPAIRED, recoveriesOf, type JudgedRow, type Recoveries } from './recovery.ts';
import { runsOfDays, tasksOf, type RunRow, type TaskRow } from './runs.ts';
import type { Snapshot } from './snapshot.ts';

export async function readFailures({ trx, asOf }: Snapshot, date: string): Promise<Failures> {
  const runs = await runsOfDays(trx, date, date, null);
  const tasks = await tasksOf(trx, runs);
  const judged = runs.map((run) => ({ run, verdict: judgeRun(run, tasks.get(run.id) ?? [], asOf) }));
  const recoveries = await recoveriesOf(trx, judged);
  return {
    asOf: asOf.toISOString(),
    date,
    runs: judged
      .map((one) => ({
        ...toFailedRun(one.run),
        tasks: failedTasks(one, tasks.get(one.run.id) ?? [], recoveries.get(one.run.id) ?? NOTHING_REPAIRED),
      }))
      .filter((run) => run.tasks.length > 0)
      .toSorted(
        (a, b) => openFirst(a.tasks[0], b.tasks[0]) || byCodePoint(a.lane, b.lane) || byCodePoint(a.runKey, b.runKey),
      ),
  };
}

const openFirst = (a?: FailedTask, b?: FailedTask): number =>
  Number((a?.recovery ?? null) !== null) - Number((b?.recovery ?? null) !== null);

export const toFailedRun = ({ run_key, lane, run_date, status }: RunRow): Omit<FailedRun, 'tasks'> => ({
  runKey: run_key,
  lane,
  date: run_date,
  status,
});

export const toFailedTask = (task: TaskRow, outcome: TaskOutcome, recovery: Recovery | null): FailedTask => ({
  taskKey: task.task_key,
  stage: task.stage,
  dataset: task.dataset,
  required: task.required,
  outcome,
  errorCode: task.last_error_code,
  errorMessage: task.last_error_message,
  at: task.last_at?.toISOString() ?? null,
  recovery,
});

/** Causes before consequences: what never began mostly waited for what failed. */
const CAUSES_FIRST: readonly TaskOutcome[] = ['FAILED', 'RUNNING', 'PENDING', 'UNKNOWN', 'MISSING'];

function failedTasks({ verdict }: JudgedRow, tasks: readonly TaskRow[], recoveries: Recoveries): FailedTask[] {
  const { outcomes, defects } = verdict;
  return tasks
    .filter(({ id }) => outcomes.has(id))
    .toSorted(byStage)
    .map((task) => toFailedTask(task, outcomes.get(task.id) ?? 'UNKNOWN', recoveries.tasks.get(task.task_key) ?? null))
    .filter((task) => hasFailed(task, defects))
    .toSorted(
      (a, b) =>
        openFirst(a, b) ||
        CAUSES_FIRST.indexOf(a.outcome) - CAUSES_FIRST.indexOf(b.outcome) ||
        Number(b.required) - Number(a.required),
    );
}

/** A task that is under way or waits is a failure only where the run is over without it. */
function hasFailed({ outcome, taskKey }: FailedTask, defects: Judged['defects']): boolean {
  switch (outcome) {
    case 'SUCCEEDED':
      return false;
    case 'FAILED':
    case 'MISSING':
    case 'UNKNOWN':
      return true;
    case 'RUNNING':
    case 'PENDING':
      return defects.some((defect) => defect.kind === 'TASK_UNFINISHED' && defect.taskKey === taskKey);
  }
}
