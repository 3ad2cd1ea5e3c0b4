/** The hours of the chart of requests, as pointer and keys choose them, and the marks in it (D233). */
import type { Traffic, TrafficMark } from '../../../shared/wire/console/console.ts';

export const HOUR_MS = 3_600_000;

/** Left and right edge of the hours, in pixels. */
export interface Edges {
  left: number;
  right: number;
}

/** The index of the hour at a pointer; beyond the edges the first or the last. */
export function hourAt(x: number, hours: number, { left, right }: Edges): number {
  return clamped(Math.floor(((x - left) / (right - left)) * hours), hours);
}

/** The index after a key of a slider; null for other keys. */
export function hourAfter(key: string, index: number, hours: number): number | null {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return clamped(index - 1, hours);
    case 'ArrowRight':
    case 'ArrowUp':
      return clamped(index + 1, hours);
    case 'Home':
      return 0;
    case 'End':
      return hours - 1;
    default:
      return null;
  }
}

const clamped = (index: number, hours: number): number => Math.min(hours - 1, Math.max(0, index));

/** Where an instant stands. */
export function placeOf(at: string, { from, hours }: Pick<Traffic, 'from' | 'hours'>, { left, right }: Edges): number {
  return left + ((Date.parse(at) - Date.parse(from)) / (hours.length * HOUR_MS)) * (right - left);
}

export function isWithinHour({ at }: Pick<TrafficMark, 'at'>, hour: { at: string } | undefined): boolean {
  if (hour === undefined) return false;
  const since = Date.parse(at) - Date.parse(hour.at);
  return since >= 0 && since < HOUR_MS;
}

/** The mark nearest to a pointer; undefined where none is within reach. */
export function markAt(
  x: number,
  traffic: Pick<Traffic, 'from' | 'hours' | 'marks'>,
  { reach, ...edges }: Edges & { reach: number },
): TrafficMark | undefined {
  const distance = (mark: TrafficMark): number => Math.abs(placeOf(mark.at, traffic, edges) - x);
  return traffic.marks
    .filter((mark) => distance(mark) <= reach)
    .toSorted((one, other) => distance(one) - distance(other))[0];
}
