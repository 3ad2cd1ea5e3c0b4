/** The minutes of a session for display: by the hour, and incomplete ones as stretches. */
import { kstDateTime } from '../../../../shared/time/kst.ts';
import type { MinuteCollection, MinuteState } from '../../../../shared/wire/operator/operator.ts';

export type Session = MinuteCollection['sessions'][number];
export type Minute = Session['minutes'][number];

/** `09:31` of Korea. */
export function clockOf(at: string): string {
  return kstDateTime(new Date(at)).slice(11, 16);
}

export interface Hour {
  /** `09` of Korea. */
  hour: string;
  minutes: readonly Minute[];
}

export function hoursOf(minutes: readonly Minute[]): Hour[] {
  const byHour = Map.groupBy(minutes, ({ at }) => clockOf(at).slice(0, 2));
  return [...byHour].map(([hour, members]) => ({ hour, minutes: members }));
}

/** The number of minutes in each state; absent states are left out. */
export function countMinutes(minutes: readonly Minute[]): [MinuteState, number][] {
  return [...Map.groupBy(minutes, ({ state }) => state)].map(([state, members]) => [state, members.length]);
}

export interface Instruments {
  /** The minutes whose instruments the ledger counted; the sums are over these. */
  counted: number;
  /** The minutes that are over and were not counted: the sums lack them. */
  uncounted: number;
  collected: number;
  expected: number;
  /** Null where it is not known of every counted minute. */
  failed: number | null;
}

/** A minute that lacks most of its instruments is one minute like any other: only the instruments tell how much is missing. */
export function instrumentsOf(minutes: readonly Minute[]): Instruments {
  const sums: Instruments = { counted: 0, uncounted: 0, collected: 0, expected: 0, failed: 0 };
  for (const { state, collected, expected, failed } of minutes) {
    if (collected === null || expected === null) {
      if (state !== 'AHEAD') sums.uncounted += 1;
      continue;
    }
    sums.counted += 1;
    sums.collected += collected;
    sums.expected += expected;
    sums.failed = sum(sums.failed, failed);
  }
  return sums;
}

export interface Stretch {
  state: MinuteState;
  from: string;
  to: string;
  minutes: number;
  errorCode: string | null;
  /** Sums; null where not every minute was counted. */
  expected: number | null;
  collected: number | null;
  failed: number | null;
}

/** The minutes that are over and not complete, neighbours of the same kind together. */
export function stretchesOf(minutes: readonly Minute[]): Stretch[] {
  const stretches: Stretch[] = [];
  let isOpen = false;
  for (const { at, state, errorCode, expected, collected, failed } of minutes) {
    const last = stretches.at(-1);
    if (state === 'COMPLETE' || state === 'AHEAD') {
      isOpen = false;
    } else if (isOpen && last !== undefined && last.state === state && last.errorCode === errorCode) {
      last.to = at;
      last.minutes += 1;
      last.expected = sum(last.expected, expected);
      last.collected = sum(last.collected, collected);
      last.failed = sum(last.failed, failed);
    } else {
      stretches.push({ state, from: at, to: at, minutes: 1, errorCode, expected, collected, failed });
      isOpen = true;
    }
  }
  return stretches;
}

const sum = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;
