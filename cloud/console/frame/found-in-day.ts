/** What of a day's pipeline a typed text names: lanes, runs, tasks and datasets. Pure. */
import type { RunOverview } from '../../../shared/wire/operator/operator.ts';
import type { ReadFacts } from '../rules/rule.ts';
import { datasetTasksPlace, failurePlace, lanePlace, runPlace } from '../navigation/places.ts';

export interface FoundInDay {
  kind: 'lane' | 'run' | 'task' | 'dataset';
  name: string;
  /** Beside it: the run of a task, the name of a lane. */
  of: string;
  place: string;
}

/** The most results of each kind: the rest is found by typing on. */
const MOST = 5;
/** Lanes whose tasks are read; of more, the palette says so. */
const MOST_LANES = 60;
/** A run of any day has an address, also where the day in view does not list it. */
const RUN_KEY = /^[^/\s]+\/\d{4}-\d{2}-\d{2}\/\S+$/u;

export interface NamedLane {
  lane: string;
  /** Its name in the words of the screen. */
  name: string;
}

export interface NamedTask {
  runKey: string;
  taskKey: string;
}

/**
 * The last run of each lane that counted: its tasks are those of the lane, and they are read run by run. A skipped run
 * and a slot without a run have none.
 */
export function lastRuns(lanes: RunOverview['lanes']): string[] {
  return lanes.flatMap(({ lastCounted }) => (lastCounted === null ? [] : [lastCounted.runKey])).slice(0, MOST_LANES);
}

/**
 * @param facts undefined while they are not read
 * @param tasks of the last runs, as far as they are read
 */
export function foundInDay(
  facts: ReadFacts | undefined,
  lanes: readonly NamedLane[],
  tasks: readonly NamedTask[],
  typed: string,
): FoundInDay[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return [];
  const day = facts?.meta.today ?? null;
  const named = (names: Iterable<string>): string[] => {
    const found = [...new Set(names)].filter((name) => name.toLowerCase().includes(wanted));
    // What begins with the text first, the whole name before all.
    const rank = (name: string): number =>
      name.toLowerCase() === wanted ? 0 : name.toLowerCase().startsWith(wanted) ? 1 : 2;
    return found.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST);
  };
  const runs = facts?.runs ?? [];
  const typedKey = RUN_KEY.test(typed.trim()) ? [typed.trim()] : [];
  const isNamed = ({ taskKey }: NamedTask): boolean => taskKey.toLowerCase().includes(wanted);
  const failed = (facts?.failures?.runs ?? []).flatMap(({ runKey, tasks: ofRun }) =>
    ofRun.map(({ taskKey }) => ({ runKey, taskKey, place: failurePlace(runKey, taskKey) })),
  );
  const isFailed = new Set(failed.map(({ runKey, taskKey }) => `${runKey} ${taskKey}`));
  const others = tasks
    .filter(({ runKey, taskKey }) => !isFailed.has(`${runKey} ${taskKey}`))
    .map((task) => ({ ...task, place: runPlace(task.runKey) }));
  const datasets = [
    ...(facts?.datasets ?? []).map(({ id }) => id),
    ...(facts?.tasks ?? []).map(({ dataset }) => dataset ?? ''),
  ];
  return [
    ...lanes
      .filter(({ lane, name }) => `${lane} ${name}`.toLowerCase().includes(wanted))
      .slice(0, MOST)
      .map(({ lane, name }): FoundInDay => ({ kind: 'lane', name: lane, of: name, place: lanePlace(lane, null) })),
    ...named([...typedKey, ...runs.map(({ id }) => id)]).map((name): FoundInDay => ({
      kind: 'run',
      name,
      of: '',
      place: runPlace(name),
    })),
    // Failed ones first.
    ...[...failed, ...others]
      .filter(isNamed)
      .slice(0, MOST)
      .map(({ runKey, taskKey, place }): FoundInDay => ({ kind: 'task', name: taskKey, of: runKey, place })),
    ...named(datasets.filter((dataset) => dataset !== '')).map((name): FoundInDay => ({
      kind: 'dataset',
      name,
      of: '',
      place: datasetTasksPlace(day, name),
    })),
  ];
}
