/** How long the stages of a long command take, and how far it is (D183). Pure: the caller gives the time. */

/** A part of the work, done unit by unit in the order of the plan. */
export interface Stage {
  /** Its units as they follow a number, for example `received records` or `MB to copy`. */
  name: string;
  units: number;
  /** Units in a second, as measured. */
  perSecond: number;
}

/** The progress of the work; times in ms. */
export interface Place {
  /** The stage that runs, by its number from 0. */
  stage: number;
  /** Its units that are done; 0 too while one step that cannot be watched runs. */
  done: number;
  /** When each stage so far began. */
  begunAt: readonly number[];
}

export const secondsOf = (stages: readonly Stage[]): number =>
  stages.reduce((sum, { units, perSecond }) => sum + units / perSecond, 0);

/** Below this share of a stage its own pace says less than the measured rate. */
const TELLING_SHARE = 0.05;
/** Stages that took less say nothing about the speed of the machine. */
const TELLING_SECONDS = 1;
/** A stage with nothing to do says nothing about the next ones. */
const LEAST_SLOWNESS = 0.25;

/** The seconds that are left: by the pace of the stage, and by how the stages before it have taken their time. */
export function secondsLeft(stages: readonly Stage[], { stage, done, begunAt }: Place, now: number): number {
  const present = stages[stage];
  if (present === undefined) return 0;
  const began = begunAt[stage] ?? now;
  const spent = (now - began) / 1_000;
  const expected = secondsOf(stages.slice(0, stage));
  const took = (began - (begunAt[0] ?? began)) / 1_000;
  const before = expected > TELLING_SECONDS ? Math.max(LEAST_SLOWNESS, took / expected) : 1;
  const share = present.units === 0 ? 1 : Math.min(1, done / present.units);
  const rest = secondsOf(stages.slice(stage + 1));
  const own = secondsOf([present]);
  if (share <= TELLING_SHARE) return Math.max(0, own * before - spent) + before * rest;
  // The stage that runs tells more about the machine at this moment than those before it.
  const slowness = own * share > TELLING_SECONDS ? Math.max(LEAST_SLOWNESS, spent / (own * share)) : before;
  return (spent * (1 - share)) / share + slowness * rest;
}

/** As people say it: `40 seconds`, `12 minutes`, `2.5 hours`. */
export function timeText(seconds: number): string {
  if (seconds < 1.5) return '1 second';
  if (seconds < 90) return `${Math.round(seconds)} seconds`;
  const minutes = seconds / 60;
  return minutes < 90 ? `${Math.round(minutes)} minutes` : `${(minutes / 60).toFixed(1)} hours`;
}

const number = (value: number): string => Math.round(value).toLocaleString('en');

/** The line before the work begins. */
export function planText(stages: readonly Stage[]): string {
  const parts = stages.filter(({ units }) => units >= 1).map(({ name, units }) => `${number(units)} ${name}`);
  return `This takes about ${timeText(secondsOf(stages))}: ${parts.join(', ')}.`;
}

/** The line while it runs. */
export function placeText(stages: readonly Stage[], place: Place, now: number): string {
  const { name, units } = stages[place.stage] ?? { name: '', units: 0 };
  const told = place.done > 0 ? `${number(place.done)} of ${number(units)} ${name}` : `at the ${number(units)} ${name}`;
  return `${told}; about ${timeText(secondsLeft(stages, place, now))} left.`;
}

/** Says the plan, and from then on a line at a fixed interval. A plan that is shorter than the interval says nothing. */
export class Reporter {
  readonly #everyMs: number;
  #stages: readonly Stage[] = [];
  #begunAt: number[] = [];
  #saidAt = 0;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** @returns the line to say, or null */
  plan(stages: readonly Stage[], now: number): string | null {
    this.#stages = stages;
    this.#begunAt = [now];
    this.#saidAt = now;
    return secondsOf(stages) * 1_000 < this.#everyMs ? null : planText(stages);
  }

  /** @returns the line to say, or null before its time */
  at(stage: number, done: number, now: number): string | null {
    while (this.#begunAt.length <= stage) this.#begunAt.push(now);
    if (this.#stages[stage] === undefined || now - this.#saidAt < this.#everyMs) return null;
    this.#saidAt = now;
    return placeText(this.#stages, { stage, done, begunAt: this.#begunAt }, now);
  }

  /** The progress as the end of a sentence about a stop. */
  stoppedAt(stage: number, done: number): string {
    const present = this.#stages[stage];
    return present === undefined ? 'before it began' : `at ${number(done)} of ${number(present.units)} ${present.name}`;
  }
}
