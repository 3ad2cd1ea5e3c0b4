/**
 * Which lanes and sources are silent, by their own rhythm (D215): an hour is usual where the same hour of the same weekday
 * had something in two of the four weeks before at least, and in half of those weeks in which anything began at all. A
 * usual hour is missed when it is over and nothing began in it or in the hour before. Pure.
 */
import { kstDate, kstDayEnd, kstMidnight, kstMinute } from '../../../../shared/time/kst.ts';
import type { HourFact } from '../../../../shared/wire/facts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** One week is no rhythm: a run that somebody started once would be missed a week later. */
const LEAST_WEEKS = 2;
/** Beyond these days the hours of the weeks before say nothing, and the silence is of unknown meaning. */
const MOST_SILENT_DAYS = 7;

interface Heard {
  last: string | null;
  hours: readonly HourFact[];
}

export interface Silence {
  /** When the last one began before the silence; null: none is known. */
  since: string | null;
  /** The first usual hour that was missed. */
  missed: HourFact;
  /** Whether it lasts at the time of the facts; else only on the viewed day. */
  lasts: boolean;
}

const startOf = ({ at }: HourFact): number => Date.parse(at);
/** The beginning of an instant's hour. Korea's offset is whole hours. */
const hourOf = (at: string): number => Math.floor(Date.parse(at) / HOUR_MS) * HOUR_MS;
const hasBefore = ({ before }: HourFact, week: number): boolean => (before[week] ?? 0) > 0;

function usualHours(hours: readonly HourFact[]): HourFact[] {
  const most = Math.max(0, ...hours.map(({ before }) => before.length));
  const weeks = Array.from({ length: most }, (_, week) => week).filter((week) =>
    hours.some((hour) => hasBefore(hour, week)),
  );
  return hours.filter((hour) => {
    const heard = weeks.filter((week) => hasBefore(hour, week)).length;
    return heard >= LEAST_WEEKS && heard * 2 >= weeks.length;
  });
}

/** The first usual hour of a span that is over and comes after the last sign; undefined: none was missed. */
function firstMissed(hours: readonly HourFact[], last: number, from: number, to: number): HourFact | undefined {
  return usualHours(hours).find(
    (hour) => startOf(hour) >= from && startOf(hour) + HOUR_MS <= to && startOf(hour) > last + HOUR_MS,
  );
}

/** The silence that lasts at `now`; null: none. */
export function silenceNow({ last, hours }: Heard, now: string): Silence | null {
  const since = last === null ? Number.NEGATIVE_INFINITY : hourOf(last);
  const missed = firstMissed(hours, since, Number.NEGATIVE_INFINITY, Date.parse(now));
  return missed === undefined ? null : { since: last, missed, lasts: true };
}

/** The silence that a past day ended with, whatever began later; null: none. */
export function silenceOfDay({ hours }: Heard, day: string): Silence | null {
  const [from, to] = [kstMidnight(day).getTime(), kstDayEnd(day).getTime()];
  const last = hours.findLast((hour) => hour.count > 0 && startOf(hour) >= from && startOf(hour) < to);
  const missed = firstMissed(hours, last === undefined ? Number.NEGATIVE_INFINITY : startOf(last), from, to);
  return missed === undefined ? null : { since: last?.at ?? null, missed, lasts: false };
}

/** A silence of now counts on today alone: a past day is judged by what it had itself. */
export const silenceOn = (heard: Heard, day: string, now: string): Silence | null =>
  day === kstDate(new Date(now)) ? silenceNow(heard, now) : silenceOfDay(heard, day);

/** Whether there are weeks before to compare with. */
export const hasRhythm = ({ hours }: Heard): boolean => usualHours(hours).length > 0;

/** Nothing for a week, and no weeks before to compare with: neither silent nor well. */
export const isUnheard = (heard: Heard, now: string): boolean =>
  !hasRhythm(heard) && (heard.last === null || Date.parse(now) - Date.parse(heard.last) > MOST_SILENT_DAYS * DAY_MS);

/** A source is late by its due time, and without one by its rhythm. */
export const isSourceLate = (source: Heard & { dueAt: string | null }, now: string): boolean =>
  source.dueAt === null ? silenceNow(source, now) !== null : Date.parse(source.dueAt) < Date.parse(now);

/** A time in Korea for the sentences, the same in both languages: `2026-11-16 10:05`. */
export const minuteWords = (at: string): string => kstMinute(new Date(at)).replace('T', ' ');
