/**
 * What long work says while it runs, and where it stops (D183). The work is synchronous and runs in a thread;
 * `supervise.ts` in the main thread reads two numbers, says the lines and takes the signals.
 */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** A part of the work, done unit by unit in the order of the plan. */
export interface Stage {
  /** Its units as they follow a number, for example `received records` or `MB to copy`. */
  name: string;
  units: number;
}

/** The work was told to stop and has done so between two steps. */
export class StoppedError extends Error {
  override name = 'StoppedError';
}

export interface Progress {
  /** The stages, before the first of them begins. */
  plan(stages: readonly Stage[]): void;
  /**
   * So many units of a stage are done. A stage that no plan names is not told.
   *
   * @throws StoppedError where the work is to stop
   */
  at(stage: string, done: number): void;
  /** A file that goes where the work ends in the middle of a step; null: it is finished, or removed. */
  unfinished(file: string | null): void;
}

/** Work that nobody waits for: it is not told, and does not stop. */
export const UNTOLD: Progress = { plan: () => undefined, at: () => undefined, unfinished: () => undefined };

/** The numbers that both threads see, by their places in an `Int32Array`. */
export const SHARED = { stop: 0, stage: 1, done: 2, length: 3 } as const;

export type ToSupervisor = { plan: readonly Stage[] } | { unfinished: string | null };

/** The thread's exit code after a StoppedError; the process' own code names the signal. */
export const STOPPED_EXIT_CODE = 75;

export interface ThreadData {
  longWork: SharedArrayBuffer;
}

const isThreadData = (data: unknown): data is ThreadData =>
  typeof data === 'object' && data !== null && 'longWork' in data;

/** In a supervised thread its supervisor's; elsewhere the work is not told. */
export function progressOfThread(): Progress {
  const data: unknown = workerData;
  if (isMainThread || !isThreadData(data)) return UNTOLD;
  const shared = new Int32Array(data.longWork);
  const numbers = new Map<string, number>();
  const tell = (message: ToSupervisor): void => parentPort?.postMessage(message, []);
  return {
    plan: (stages) => {
      numbers.clear();
      for (const [index, { name }] of stages.entries()) numbers.set(name, index);
      Atomics.store(shared, SHARED.stage, 0);
      Atomics.store(shared, SHARED.done, 0);
      tell({ plan: stages });
    },
    at: (stage, done) => {
      const index = numbers.get(stage);
      if (index !== undefined) {
        Atomics.store(shared, SHARED.stage, index);
        Atomics.store(shared, SHARED.done, done);
      }
      if (Atomics.load(shared, SHARED.stop) !== 0) throw new StoppedError('The work was told to stop.');
    },
    unfinished: (file) => tell({ unfinished: file }),
  };
}
