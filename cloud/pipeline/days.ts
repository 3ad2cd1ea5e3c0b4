/** Days in Korea, for the views. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** The `count` days that end with this one, oldest first. */
export function daysFrom(last: string, count: number): string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  return Array.from({ length: count }, (_, index) =>
    new Date(end - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}
