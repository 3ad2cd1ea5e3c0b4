/** What the tool and the process of its tests tell each other: a plan as a file, events as lines of another. */
import { appendFileSync, readFileSync } from 'node:fs';

/** Names the file of the plan. */
export const PLAN = 'CAUSEWAY_MUTATE_PLAN';

export interface PlannedMutant {
  /** From 0 over all files. */
  number: number;
  file: string;
  /** Within its file. */
  id: number;
  atLoad: boolean;
}

export interface Plan {
  root: string;
  mutants: PlannedMutant[];
  /** Test files in the order in which they run; a former process may have tried some mutants with them. */
  tests: { file: string; tried: number[] }[];
  /** Killed already. */
  killed: number[];
  /** A control follows each of these: a former process found that one of them leaves something behind. */
  alone: number[];
  /** The file of the events. */
  events: string;
  /** Tests that take longer are not repeated for a mutant, in ms. */
  slowest: number;
}

export type Event =
  /** A test file ran without a mutant. */
  | { is: 'file'; test: string; ms: number; tests: number; covered: number; slow: number; failed: string | null }
  | { is: 'start'; number: number; test: string; limit: number }
  | { is: 'end'; number: number; test: string; by: string | null; ran: number }
  /** The tests passed again without a mutant, so the results since the last control count. */
  | { is: 'sound'; test: string }
  /** They did not: the results since the last control do not count, and the process ends. */
  | { is: 'spoiled'; test: string };

export const readPlan = (): Plan => JSON.parse(readFileSync(process.env[PLAN] ?? '', 'utf8')) as Plan;

export const tell = (plan: Plan, event: Event): void => appendFileSync(plan.events, `${JSON.stringify(event)}\n`);

/** What the files before this one have killed. */
export const killedIn = (plan: Plan): number[] =>
  readFileSync(plan.events, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event)
    .flatMap((event) => (event.is === 'end' && event.by !== null ? [event.number] : []));

/** The mutants of a file in a plan, and the number of its first mutant: numbers are `first + id`. */
export function chosenOf(plan: Plan, file: string): { chosen: Set<number>; first: number } | null {
  const ofFile = plan.mutants.filter((mutant) => mutant.file === file);
  const [one] = ofFile;
  return one === undefined ? null : { chosen: new Set(ofFile.map(({ id }) => id)), first: one.number - one.id };
}
