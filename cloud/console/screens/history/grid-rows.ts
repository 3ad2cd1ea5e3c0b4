/** The rows of the run history: the slots of each lane and day, and which days are told as counts. Pure. */
import type { RunGrid } from '../../../../shared/wire/operator/operator.ts';
import { byTime, countSlots, isFailed, type Slot, type SlotCount } from '../../runs/slots.ts';

/** More slots of a day than these are told as counts, where more than one day is in view. */
export const MOST_MARKS = 12;

export interface GridCell {
  date: string;
  /** Every slot of the day, by time. */
  slots: readonly Slot[];
  /** Its slots by kind; null: each has a mark of its own. */
  counts: readonly SlotCount[] | null;
}

export interface GridRow {
  lane: string;
  cells: readonly GridCell[];
}

/** @param onlyFailed without slots that need no attention, and without lanes that have no other */
export function rowsOf(lanes: RunGrid['lanes'], onlyFailed: boolean): GridRow[] {
  const rows = lanes.map(({ lane, days }) => ({
    lane,
    cells: days.map(({ date, runs, planningGaps }) => {
      const slots = byTime(runs, planningGaps).filter((slot) => !onlyFailed || isFailed(slot));
      const isCrowded = days.length > 1 && slots.length > MOST_MARKS;
      return { date, slots, counts: isCrowded ? countSlots(slots) : null };
    }),
  }));
  return onlyFailed ? rows.filter(({ cells }) => cells.some(({ slots }) => slots.length > 0)) : rows;
}

/** The slots of a row that can be reached: of a counted day the latest of each kind. */
export const reachedIn = ({ cells }: GridRow): Slot[] =>
  cells.flatMap(({ slots, counts }) => (counts === null ? slots : counts.map(({ latest }) => latest)));

export interface ListedSlot {
  /** Null: its key cannot be read. */
  lane: string | null;
  date: string | null;
  slot: Slot;
}

/** Every slot with its lane and day, and at the end the slots of which neither can be read. */
export const slotsOf = (rows: readonly GridRow[], unreadableGaps: RunGrid['unreadableGaps']): ListedSlot[] => [
  ...rows.flatMap(({ lane, cells }) => cells.flatMap(({ date, slots }) => slots.map((slot) => ({ lane, date, slot })))),
  ...byTime([], unreadableGaps).map((slot) => ({ lane: null, date: null, slot })),
];
