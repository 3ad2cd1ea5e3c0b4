/**
 * The five steps to try in a demo (D231). The server's answers tick them off, and the state of the text that is to be withdrawn:
 * a look at a step does not.
 */
import type { DemoTour } from '../../shared/wire/sign-in.ts';
import { changeStored } from '../../shared/ui/theme/preferences.ts';
import type { Fetch } from '../../shared/ui/http/request.ts';

export const STEPS = ['approve', 'edit', 'withdraw', 'preview', 'dossier'] as const;
export type Step = (typeof STEPS)[number];

/** Method and path that an answer ends the step with; the withdrawal happens at the vendor. */
const ANSWERED: Readonly<Record<Exclude<Step, 'withdraw'>, RegExp>> = {
  approve: /^POST \/api\/v1\/review\/items\/[^/]+\/approve$/,
  edit: /^POST \/api\/v1\/review\/items\/[^/]+\/approve-edited$/,
  preview: /^POST \/api\/v1\/screening\/preview$/,
  dossier: /^POST \/api\/v1\/dossiers$/,
};

/** The step that an answer of the API ends; null for any other. */
export function endedBy(method: string, path: string): Step | null {
  const asked = `${method} ${path.split('?')[0] ?? ''}`;
  return STEPS.find((step) => step !== 'withdraw' && ANSWERED[step].test(asked)) ?? null;
}

/** Tells of each step that the API has answered with success. */
export function ticking(fetch: Fetch, done: (step: Step) => void): Fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    const step = answer.ok ? endedBy(init.method ?? 'GET', input) : null;
    if (step !== null) done(step);
    return answer;
  };
}

/** The name under which this browser keeps a demo's tour. */
export const tourName = ({ id }: DemoTour): string => `tour.${id}`;

/** What this browser keeps of it. */
export interface Tour {
  done: readonly Step[];
  /** The exposed text that the visitor is asked to withdraw, by its id in this console. */
  target: string | null;
  isHidden: boolean;
}

const NEW: Tour = { done: [], target: null, isHidden: false };

export function readTour(kept: string | null): Tour {
  try {
    const value: unknown = JSON.parse(kept ?? '{}');
    return typeof value === 'object' && value !== null ? { ...NEW, ...value } : NEW;
  } catch {
    return NEW;
  }
}

/** `step`: one more that is done. */
export type TourChange = Partial<Tour> & { step?: Step };

/** @returns what is to be kept */
export function changeTour(kept: string | null, change: TourChange): string {
  const { step, ...rest } = change;
  const tour = { ...readTour(kept), ...rest };
  const done = step === undefined || tour.done.includes(step) ? tour.done : [...tour.done, step];
  return JSON.stringify({ ...tour, done } satisfies Tour);
}

const keep = (demo: DemoTour, change: TourChange): void =>
  changeStored(tourName(demo), (kept) => changeTour(kept, change));

/** The same requests; in a demo their answers tick off steps. */
export const onTour = (fetch: Fetch, demo: DemoTour | undefined): Fetch =>
  demo === undefined ? fetch : ticking(fetch, (step) => keep(demo, { step }));

/** Shows a tour that was hidden. */
export const showTour = (demo: DemoTour): void => keep(demo, { isHidden: false });
