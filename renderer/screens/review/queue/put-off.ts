import { workingMsBetween } from '../../../../shared/time/working-hours.ts';
import type { ReviewItem } from '../../../../shared/wire/console/console.ts';
import { targetStateOf } from './target.ts';

/**
 * Whether the person's own queue leaves an item out now, because they have put it off (D222). The target of the firm
 * goes before it: an item that is late is listed.
 *
 * @param minutes the target; null without one
 */
export function isPutOff(
  { postponedUntil, waitingSince }: Pick<ReviewItem, 'postponedUntil' | 'waitingSince'>,
  now: Date,
  minutes: number | null,
): boolean {
  if (postponedUntil === null || Date.parse(postponedUntil) <= now.getTime()) return false;
  return minutes === null || targetStateOf(workingMsBetween(new Date(waitingSince), now), minutes) !== 'over';
}
