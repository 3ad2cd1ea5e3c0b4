/** How long a withdrawal took, for reading: tenths of a second while they matter, and never less than it was. */
const TENTHS_MS = 10_000;
const SECONDS_MS = 60_000;

/** Null: a minute or more, which is told as every other length. */
export function secondsOff(ms: number): string | null {
  if (ms >= SECONDS_MS) return null;
  if (ms >= TENTHS_MS) return String(Math.ceil(ms / 1_000));
  return (Math.max(1, Math.ceil(ms / 100)) / 10).toFixed(1);
}
