/** Timers that tests can drive: runs `act` after `ms` and returns a function that cancels it. */
export type Schedule = (ms: number, act: () => void) => () => void;

export const timerSchedule: Schedule = (ms, act) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};

/** Delay in ms before try number `attempt` (from 1): doubles from `firstMs` up to `mostMs`. */
export function backOffMs(attempt: number, firstMs: number, mostMs: number): number {
  // Beyond 2^30 the result no longer changes.
  return Math.min(mostMs, firstMs * 2 ** Math.min(attempt - 1, 30));
}
