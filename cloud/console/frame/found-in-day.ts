/** What of a day's pipeline a typed text names: lanes, runs, failed tasks and datasets. Pure. */
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
/** A run of any day has an address, also where the day in view does not list it. */
const RUN_KEY = /^[^/\s]+\/\d{4}-\d{2}-\d{2}\/\S+$/u;

export interface NamedLane {
  lane: string;
  /** Its name in the words of the screen. */
  name: string;
}

/** @param facts undefined while they are not read */
export function foundInDay(facts: ReadFacts | undefined, lanes: readonly NamedLane[], typed: string): FoundInDay[] {
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
  const tasks = (facts?.failures?.runs ?? []).flatMap(({ runKey, tasks: failed }) =>
    failed.map(({ taskKey }) => ({ runKey, taskKey })),
  );
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
    ...tasks
      .filter(({ taskKey }) => taskKey.toLowerCase().includes(wanted))
      .slice(0, MOST)
      .map(({ runKey, taskKey }): FoundInDay => ({
        kind: 'task',
        name: taskKey,
        of: runKey,
        place: failurePlace(runKey, taskKey),
      })),
    ...named(datasets.filter((dataset) => dataset !== '')).map((name): FoundInDay => ({
      kind: 'dataset',
      name,
      of: '',
      place: datasetTasksPlace(day, name),
    })),
  ];
}
