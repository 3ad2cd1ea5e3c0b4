/** The shown facts, and their origin. */
import { kstDate } from '../../../../../shared/time/kst.ts';
import type { Text } from '../../../../../shared/ui/i18n/use-text.ts';
import { kstText } from '../../../../../shared/ui/time/format.ts';
import type { MessageId } from '../../../i18n/use-text.ts';
import { areApart } from '../../../rules/backlog-growing.ts';
import type { ReadFacts } from '../../../rules/rule.ts';

export interface ShownFacts {
  facts: ReadFacts;
  /** The name of the file that they were read from; null: the server's answer. */
  file: string | null;
}

/** How long an earlier reading of the same day is kept. */
const READINGS_MS = 10 * 60_000;

/** Whether the day was the current one at its reading. */
export const isToday = ({ meta }: ReadFacts): boolean => kstDate(new Date(meta.db)) === meta.today;

/**
 * Whether no later day has a run: `since` is when the last one began, null where none ever did. A run of the day that was
 * tried again later is none of a later day. Null: the viewed day is today, a later day has one, or the answer does not say.
 */
export function nothingSince({ meta, rhythm }: ReadFacts): { since: string | null } | null {
  if (rhythm === undefined || meta.today >= kstDate(new Date(meta.db))) return null;
  const since = rhythm.lanes.reduce<string | null>(
    (last, lane) =>
      lane.last !== null && (last === null || Date.parse(lane.last) > Date.parse(last)) ? lane.last : last,
    null,
  );
  const days = rhythm.lanes.flatMap(({ last, lastDay }) => lastDay ?? (last === null ? [] : kstDate(new Date(last))));
  return days.some((day) => day > meta.today) ? null : { since };
}

/** The facts that rules may compare with: an earlier day, or an earlier reading of the same one. */
export function earlierOf(facts: ReadFacts, other: ReadFacts): ReadFacts | null {
  const { today, db } = facts.meta;
  if (other.meta.today !== today) return other.meta.today < today ? other : null;
  return Date.parse(other.meta.db) < Date.parse(db) ? other : null;
}

/** The readings of one day, oldest first, with the new one: none older than ten minutes, but for the one before. */
export function keepReadings(readings: readonly ReadFacts[], next: ReadFacts): ReadFacts[] {
  const same = readings.filter(({ meta }) => meta.today === next.meta.today);
  const oldest = Date.parse(next.meta.db) - READINGS_MS;
  return [...same.filter(({ meta }, index) => index === same.length - 1 || Date.parse(meta.db) >= oldest), next];
}

/** The oldest reading that is far enough back for a comparison; null without one. */
export function earlierReading(readings: readonly ReadFacts[], facts: ReadFacts): ReadFacts | null {
  return readings.find((one) => one.meta.today === facts.meta.today && areApart(one, facts)) ?? null;
}

/** The facts that a pointer leads into, in words. */
export function whoseFacts(text: Text<MessageId>, { meta }: ReadFacts, isEarlier: boolean): string {
  return isEarlier
    ? text('verdict.earlier', { day: meta.today, at: kstText(meta.db, 'second') ?? meta.db })
    : text('verdict.viewed', { day: meta.today });
}
