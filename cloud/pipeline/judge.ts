/**
 * Judges a run by the ledger's rows: outcomes, operational state, defects (README, "How a run is judged"). An unknown
 * word of the ledger makes a verdict UNKNOWN, never good.
 */
import type {
  Defect,
  DefectKind,
  OperationalState,
  TaskCounts,
  TaskOutcome,
} from '../../shared/wire/operator/operator.ts';
import { byCodePoint } from '../store/code-point-order.ts';
import type { RunRow, TaskRow } from './runs.ts';

export interface Judged {
  state: OperationalState;
  counts: TaskCounts;
  defects: Defect[];
  /** The outcome of every due task, by its id. */
  outcomes: Map<number, TaskOutcome>;
}

/** A task that the plan requires on that day; others are listed and never counted. */
export const DUE = 'DUE';

type Course = 'GOING' | 'SUCCEEDED' | 'FAILED' | 'SKIPPED' | 'UNKNOWN';
const COURSES: Record<string, Course> = {
  PENDING: 'GOING',
  RUNNING: 'GOING',
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  CANCELLED: 'FAILED',
  TIMED_OUT: 'FAILED',
  SKIPPED: 'SKIPPED',
};
const ATTEMPTS: Record<string, TaskOutcome> = {
  PENDING: 'PENDING',
  RUNNING: 'RUNNING',
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  CANCELLED: 'FAILED',
  TIMED_OUT: 'FAILED',
};

export function judgeRun(run: RunRow, tasks: readonly TaskRow[], asOf: Date): Judged {
  const course = Object.hasOwn(COURSES, run.status) ? (COURSES[run.status] ?? 'UNKNOWN') : 'UNKNOWN';
  const late = run.deadline !== null && asOf.getTime() > run.deadline.getTime();
  const over = course === 'SUCCEEDED' || course === 'FAILED' || course === 'SKIPPED';
  const due = tasks.filter((task) => task.plan_status === DUE).toSorted(byStage);
  const outcomes = new Map(due.map((task) => [task.id, outcomeOf(task, over || late)]));
  const required = due.filter((task) => task.required).map((task) => outcomes.get(task.id) ?? 'UNKNOWN');
  const defects = [
    ...runDefects(run, course, late, tasks.length),
    ...due.flatMap((task) => taskDefects(run, task, outcomes.get(task.id) ?? 'UNKNOWN', over)),
  ];
  return {
    state: stateOf(run, course, late, tasks.length, required, defects),
    counts: count(required),
    defects,
    outcomes,
  };
}

/** Raw, then normalize, then the rest by name; inside a stage by task key, which is no order of execution. */
export function byStage(a: Pick<TaskRow, 'stage' | 'task_key'>, b: Pick<TaskRow, 'stage' | 'task_key'>): number {
  return rank(a.stage) - rank(b.stage) || byCodePoint(a.stage, b.stage) || byCodePoint(a.task_key, b.task_key);
}

const FIRST_STAGES = ['raw', 'normalize'];
function rank(stage: string): number {
  const place = FIRST_STAGES.indexOf(stage);
  return place === -1 ? FIRST_STAGES.length : place;
}

function outcomeOf(task: TaskRow, timeIsUp: boolean): TaskOutcome {
  if (task.last_status === null) return timeIsUp ? 'MISSING' : 'PENDING';
  return Object.hasOwn(ATTEMPTS, task.last_status) ? (ATTEMPTS[task.last_status] ?? 'UNKNOWN') : 'UNKNOWN';
}

function stateOf(
  run: RunRow,
  course: Course,
  late: boolean,
  tasks: number,
  required: readonly TaskOutcome[],
  defects: readonly Defect[],
): OperationalState {
  switch (course) {
    case 'UNKNOWN':
      return 'UNKNOWN';
    case 'SKIPPED':
      return run.skip_reason === null ? 'UNKNOWN' : 'READY';
    case 'FAILED':
      return 'BLOCKED';
    case 'GOING':
      return late ? 'BLOCKED' : 'IN_PROGRESS';
    case 'SUCCEEDED':
      if (required.some((outcome) => outcome === 'FAILED' || outcome === 'MISSING')) return 'BLOCKED';
      if (tasks === 0 || required.some((outcome) => outcome !== 'SUCCEEDED')) return 'UNKNOWN';
      return defects.length > 0 ? 'DEGRADED' : 'READY';
  }
}

function count(required: readonly TaskOutcome[]): TaskCounts {
  const number = (outcome: TaskOutcome): number => required.filter((one) => one === outcome).length;
  return {
    unit: 'TASK',
    required: required.length,
    succeeded: number('SUCCEEDED'),
    running: number('RUNNING'),
    pending: number('PENDING'),
    failed: number('FAILED'),
    missing: number('MISSING'),
    unknown: number('UNKNOWN'),
  };
}

function runDefects(run: RunRow, course: Course, late: boolean, tasks: number): Defect[] {
  const defects: Defect[] = [];
  if (course === 'UNKNOWN') defects.push(runDefect(run.run_key, 'RUN_STATUS_UNKNOWN', run.status));
  if (course === 'SKIPPED' && run.skip_reason === null)
    defects.push(runDefect(run.run_key, 'RUN_STATUS_UNKNOWN', run.status));
  if (course === 'FAILED') defects.push(runDefect(run.run_key, 'RUN_FAILED', run.status));
  if (course === 'GOING' && late)
    defects.push(runDefect(run.run_key, 'RUN_OVERDUE', run.deadline?.toISOString() ?? null));
  if (course === 'SUCCEEDED' && tasks === 0) defects.push(runDefect(run.run_key, 'NO_TASKS', null));
  return defects;
}

/** A defect of a whole run, or of a slot without one. */
export function runDefect(runKey: string, kind: DefectKind, reason: string | null): Defect {
  return { kind, runKey, stage: null, taskKey: null, dataset: null, required: null, reason, count: null, unit: null };
}

function taskDefects(run: RunRow, task: TaskRow, outcome: TaskOutcome, over: boolean): Defect[] {
  const defects: Defect[] = [];
  const add = (kind: DefectKind, reason: string | null, records: number | null = null): void => {
    const { stage, dataset, required } = task;
    const unit = records === null ? null : 'RECORD';
    defects.push({
      kind,
      runKey: run.run_key,
      stage,
      taskKey: task.task_key,
      dataset,
      required,
      reason,
      count: records,
      unit,
    });
  };
  if (outcome === 'FAILED') add('TASK_FAILED', task.last_error_message ?? task.last_error_code);
  if (outcome === 'MISSING') add('TASK_MISSING', null);
  if (outcome === 'UNKNOWN') add('TASK_STATUS_UNKNOWN', task.last_status);
  if (over && (outcome === 'RUNNING' || outcome === 'PENDING')) add('TASK_UNFINISHED', task.last_status);
  if (task.failed_records !== null && task.failed_records > 0) add('FAILED_RECORDS', null, task.failed_records);
  const lacking = lackOf(task);
  if (lacking > 0) add('INCOMPLETE', null, lacking);
  freshnessDefect(task, outcome, add);
  return defects;
}

/** Missing records. Unsupported records are no loss and make nothing incomplete (operator API 2). */
function lackOf(task: TaskRow): number {
  if (task.completeness_expected === null || task.completeness_actual === null) return 0;
  return task.completeness_expected - task.completeness_actual - (task.unsupported_records ?? 0);
}

function freshnessDefect(
  task: TaskRow,
  outcome: TaskOutcome,
  add: (kind: DefectKind, reason: string | null) => void,
): void {
  switch (task.freshness_status) {
    case 'FRESH':
      return;
    case 'STALE':
      add('STALE', task.freshness_reason);
      return;
    case 'UNKNOWN':
      add('FRESHNESS_UNKNOWN', task.freshness_reason);
      return;
    case null:
      // Without a contract, or before the data has come, there is nothing to judge.
      if (task.contract_key !== null && outcome === 'SUCCEEDED') add('FRESHNESS_UNKNOWN', null);
      return;
    default:
      add('FRESHNESS_UNKNOWN', task.freshness_status);
  }
}
