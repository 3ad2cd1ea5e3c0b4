/** A clock and ids that tests set. */
import type { Clock, Ids } from '../../../shared/time/clock.ts';

export class SetClock implements Clock {
  at: Date;
  constructor(at: Date) {
    this.at = at;
  }
  now(): Date {
    return this.at;
  }
}

/** `00000000-0000-4000-8000-000000000001` and so on. */
export function countingIds(): Ids {
  let count = 0;
  return { uuid: () => `00000000-0000-4000-8000-${String((count += 1)).padStart(12, '0')}` };
}
