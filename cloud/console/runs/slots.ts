/** Places runs and planned slots without a run by time, so that one hour has the same place on every day. */
import { kstMinute } from '../../../shared/time/kst.ts';
import {
  needsAttention,
  STATES_BY_URGENCY,
  type OperationalState,
  type PipelineRun,
  type PlanningGap,
} from '../../../shared/wire/operator/operator.ts';
import { skippedFor } from './skipped-for.ts';

export interface Slot {
  /** The key of the run, or of the slot that has none. */
  key: string;
  at: string;
  /** Null: planned, and no run of it exists. */
  run: PipelineRun | null;
}

/** What a slot counts as. GAP: it has no run. */
export type SlotKind = OperationalState | 'GAP' | 'RECOVERED' | 'SKIPPED';

export function kindOf({ run }: Pick<Slot, 'run'>): SlotKind {
  if (run === null) return 'GAP';
  if (skippedFor(run) !== null) return 'SKIPPED';
  // What a repair leaves open still counts: records that are lacking stay lacking.
  return run.recovery !== null && !needsAttention(run.openState) ? 'RECOVERED' : run.openState;
}

/** The order of counts: what needs attention first. */
const KINDS = ['GAP', ...STATES_BY_URGENCY, 'RECOVERED', 'SKIPPED'] as const satisfies SlotKind[];

/** Whether a slot needs attention: an open failure, or no run at all. */
export function isFailed(slot: Pick<Slot, 'run'>): boolean {
  const kind = kindOf(slot);
  return kind === 'GAP' || (kind !== 'RECOVERED' && kind !== 'SKIPPED' && needsAttention(kind));
}

export interface SlotCount {
  kind: SlotKind;
  count: number;
  /** The latest of them, which stands for all. */
  latest: Slot;
}

/** The slots of a day by kind, those that need attention first. @param slots by time */
export function countSlots(slots: readonly Slot[]): SlotCount[] {
  const byKind = Map.groupBy(slots, kindOf);
  return KINDS.flatMap((kind) => {
    const members = byKind.get(kind) ?? [];
    const latest = members.at(-1);
    return latest === undefined ? [] : [{ kind, count: members.length, latest }];
  });
}

/** The earliest first. */
export function byTime(runs: readonly PipelineRun[], gaps: readonly PlanningGap[]): Slot[] {
  return [
    ...runs.map((run) => ({ key: run.runKey, at: run.createdAt, run })),
    ...gaps.map(({ slotKey, plannedFor }) => ({ key: slotKey, at: plannedFor, run: null })),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

const clockOf = (at: string): string => kstMinute(new Date(at)).slice(11);
/** `MM-DD` in Korea. */
const dayOf = (at: string): string => kstMinute(new Date(at)).slice(5, 10);

/** The day of each slot where it differs from that of the one before; else null. By time. */
export const newDays = (slots: readonly Slot[]): (string | null)[] =>
  slots.map(({ at }, index) => {
    const before = slots[index - 1];
    return before !== undefined && dayOf(before.at) === dayOf(at) ? null : dayOf(at);
  });

export const hourOf = (at: string): string => clockOf(at).slice(0, 2);

/** The slot of the day that a key names, `lane/YYYY-MM-DD/slot`; of another key the time. */
function nameOf({ key, at }: Slot): string {
  return /\/\d{4}-\d{2}-\d{2}\/(.+)$/u.exec(key)?.[1] ?? clockOf(at);
}

/** Most places of one line. */
const MOST_PLACES = 24;

export interface Places {
  /** The hour of each place, in the order of the day. */
  hours: readonly string[];
  /** The content of each place on one day. */
  of: (slots: readonly Slot[]) => Slot[][];
}

/** The places of a lane over several days: a slot has the same one on each of them. */
export function placesOf(days: readonly (readonly Slot[])[]): Places {
  const first = new Map<string, string>();
  for (const slot of days.flat()) {
    const [name, clock] = [nameOf(slot), clockOf(slot.at)];
    const known = first.get(name);
    if (known === undefined || clock < known) first.set(name, clock);
  }
  if (first.size > MOST_PLACES) return { hours: [], of: (slots) => slots.map((slot) => [slot]) };
  const names = [...first].toSorted(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    hours: names.map(([, clock]) => clock.slice(0, 2)),
    of: (slots) => names.map(([name]) => slots.filter((slot) => nameOf(slot) === name)),
  };
}
