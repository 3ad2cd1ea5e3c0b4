/**
 * What a later run has repaired: a task that failed, and a run whose failures have all been repaired (D216).
 *
 * The runs of a few days after, with the tasks that succeeded in them, come in one statement for all failures.
 */
import { sql } from 'kysely';
import type { Defect, DefectKind, OperationalState, Recovery } from '../../shared/wire/operator/operator.ts';
import type { Trx } from '../store/open.ts';
import { textArray } from '../store/text-array.ts';
import type { Judged } from './judge.ts';
import { LAST_ATTEMPT, type RunRow } from './runs.ts';

/** A later repair of another day has to come within these days; a failure that stays open that long is told as open. */
const DAYS_AFTER = 7;

const OF_TASKS: ReadonlySet<DefectKind> = new Set([
  'TASK_FAILED',
  'TASK_MISSING',
  'TASK_UNFINISHED',
  'TASK_STATUS_UNKNOWN',
]);
/** A run with such a defect is not over, or nobody knows what it is: nothing has repaired it. */
const UNREPAIRABLE: ReadonlySet<DefectKind> = new Set(['RUN_OVERDUE', 'RUN_STATUS_UNKNOWN']);

/** A later run repairs no data: what a run lacked in records or freshness it still lacks. */
const DATA_DEFECTS: ReadonlySet<DefectKind> = new Set(['FAILED_RECORDS', 'INCOMPLETE', 'STALE', 'FRESHNESS_UNKNOWN']);

/** The defects of a run that are open: after a repair, those of its data. */
export const openDefectsOf = ({ defects }: Judged, recovery: Recovery | null): Defect[] =>
  recovery === null ? defects : defects.filter(({ kind }) => DATA_DEFECTS.has(kind));

/** The state of a run by what is open: after a repair it counts by what else it lacks. */
export function openStateOf(verdict: Judged, recovery: Recovery | null): OperationalState {
  if (recovery === null) return verdict.state;
  return openDefectsOf(verdict, recovery).length > 0 ? 'DEGRADED' : 'READY';
}

export interface JudgedRow {
  run: RunRow;
  verdict: Judged;
}

/** What a run has failed at, and what has repaired it. */
export interface Recoveries {
  /** By task key; a task without an entry is open. */
  tasks: ReadonlyMap<string, Recovery>;
  /** The last of its repairs; null: something is open. */
  run: Recovery | null;
}

export const NOTHING_REPAIRED: Recoveries = { tasks: new Map(), run: null };

const failedKeys = ({ defects }: Judged): string[] => [
  ...new Set(defects.flatMap(({ kind, taskKey }) => (OF_TASKS.has(kind) && taskKey !== null ? [taskKey] : []))),
];
/** By the id of each run with a failed task; a run that failed without one on record stays open. A repair is the first later run of the lane in which the task ended in success: its last attempt counts, as it does for the run itself. */
export async function recoveriesOf(trx: Trx, judged: readonly JudgedRow[]): Promise<Map<number, Recoveries>> {
  const failed = judged.filter(({ verdict }) => failedKeys(verdict).length > 0);
  if (failed.length === 0) return new Map();
  const later = Map.groupBy(await laterRuns(trx, failed), ({ lane, task_key }) => placeOf(lane, task_key));
  return new Map(failed.map((one) => [one.run.id, recoveriesIn(one, later)]));
}

/** A lane and a task of it. */
const placeOf = (lane: string, taskKey: string): string => JSON.stringify([lane, taskKey]);

function recoveriesIn({ run, verdict }: JudgedRow, later: ReadonlyMap<string, LaterRow[]>): Recoveries {
  const first = (taskKey: string): Recovery | null => {
    const found = later.get(placeOf(run.lane, taskKey))?.find((one) => isAfter(one, run));
    return found === undefined ? null : { runKey: found.run_key, at: found.at.toISOString() };
  };
  const keys = failedKeys(verdict);
  const tasks = new Map(
    keys.flatMap((key) => {
      const found = first(key);
      return found === null ? [] : [[key, found] as const];
    }),
  );
  const isOpen = tasks.size < keys.length || verdict.defects.some(({ kind }) => UNREPAIRABLE.has(kind));
  const [last = null] = isOpen ? [] : [...tasks.values()].toSorted((a, b) => (a.at < b.at ? 1 : -1));
  return { tasks, run: last };
}

const isAfter = (one: LaterRow, run: RunRow): boolean =>
  one.run_date >= run.run_date && (one.created_at.getTime() - run.created_at.getTime() || one.id - run.id) > 0;

interface LaterRow {
  id: number;
  run_key: string;
  lane: string;
  run_date: string;
  created_at: Date;
  /** The task that succeeded in it, and when. */
  task_key: string;
  at: Date;
}

async function laterRuns(trx: Trx, failed: readonly JudgedRow[]): Promise<LaterRow[]> {
  const lanes = [...new Set(failed.map(({ run }) => run.lane))];
  const keys = [...new Set(failed.flatMap(({ verdict }) => failedKeys(verdict)))];
  const days = failed.map(({ run }) => run.run_date).toSorted();
  const { rows } = await sql<LaterRow>`
    select r.pipeline_run_id as id, r.run_key, r.lane, r.run_date, r.created_at, done.task_key, done.at
    from unnest(${textArray(lanes)}) as wanted (lane)
    join pipeline_run r on r.lane = wanted.lane
      and r.run_date between ${days[0]}::date and ${days.at(-1)}::date + ${DAYS_AFTER}::integer
    cross join lateral (
      select t.task_key, coalesce(t.ended_at, t.started_at) as at
      from (
        select t.task_key, a.* from expected_task t ${LAST_ATTEMPT}
        where t.pipeline_run_id = r.pipeline_run_id and t.task_key = any(${textArray(keys)})
      ) t where t.status = 'SUCCEEDED'
    ) done
    where done.at is not null
    order by r.run_date, r.created_at, r.pipeline_run_id`.execute(trx);
  return rows;
}
