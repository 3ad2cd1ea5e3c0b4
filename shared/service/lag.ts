/** How long a record takes from one step to the next, as every part measures it (D235). */

/** Seconds: from the quick way over a wait that was cut off to the period of a poll. */
export const LAG_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

/** Seconds between two instants. Two hosts have two clocks, and one may be set back: never negative. */
export const lagSeconds = (from: Date | string, to: Date): number =>
  Math.max(0, to.getTime() - new Date(from).getTime()) / 1_000;

/** When an entry says that it was issued; null: it does not, or not in a form that is known. */
export function issuedAtIn(said: unknown): Date | null {
  const at = new Date(typeof said === 'string' ? said : Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at;
}
