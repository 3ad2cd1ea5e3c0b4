/** Days in Korea, as the views count them. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** When a day begins in Korea. */
export function startOfKstDay(day: string): Date {
  return new Date(`${day}T00:00:00+09:00`);
}

/** When the next one begins. */
export function endOfKstDay(day: string): Date {
  return new Date(startOfKstDay(day).getTime() + DAY_MS);
}

/** So many days that end with this one, oldest first. */
export function daysFrom(last: string, count: number): string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  return Array.from({ length: count }, (_, index) =>
    new Date(end - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}
