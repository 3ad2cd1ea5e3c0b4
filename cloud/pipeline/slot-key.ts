/** The key of a planned slot, which is the key that its run would have: `lane/YYYY-MM-DD/slot`. */
import { isCalendarDate } from '../../shared/time/kst.ts';

export interface SlotKey {
  lane: string;
  date: string;
}

/** Lane and day of a slot; null when the key cannot be read. */
export function readSlotKey(key: string): SlotKey | null {
  const [, lane, date] = /^([^/\s]+)\/(\d{4}-\d{2}-\d{2})\/[^\s]+$/.exec(key) ?? [];
  return lane === undefined || date === undefined || !isCalendarDate(date) ? null : { lane, date };
}
