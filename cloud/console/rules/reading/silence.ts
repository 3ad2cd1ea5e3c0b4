/**
 * Which lanes and sources are silent, by their own rhythm (D215): an hour is usual where the same hour of the same weekday
 * had something in two of the four weeks before at least. A usual hour is missed when it is over and nothing began in it.
 * Something in the hour before counts for it, where the two are not usual side by side. Pure.
 */
import { kstDate, kstDayEnd, kstMidnight, kstMinute } from '../../../../shared/time/kst.ts';
import type { HourFact } from '../../../../shared/wire/facts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** One week is no rhythm: a run that somebody started once would be missed a week later. */
const LEAST_WEEKS = 2;
/** A day is compared with the hours of itself and of the days before, these in all. */
const DAYS_OF_RHYTHM = 7;

interface Heard {
  last: string | null;
  hours: readonly HourFact[];
  /** On these the rhythm says nothing: the ledger has skipped them as holidays. */
  nonTradingDays: readonly string[];
}

export interface Silence {
  /** When the last one began before the silence; null: none is known. */
  since: string | null;
  /** The first usual hour that was missed. */
  missed: HourFact;
  /** The hour in which the next one began; null: none did, up to now or to the end of the viewed day. */
  until: string | null;
  /** Whether it lasts at the time of the facts; else only on the viewed day. */
  lasts: boolean;
}

/** A lane or source that has no rhythm, and of which the viewed day has nothing: neither silent nor well. */
export interface Quiet {
  /** When the last one began before the end of the viewed day; null: none is known. */
  since: string | null;
  /** False: nobody expects anything, since a day has not passed, or it is a weekend or a holiday. */
  isUnknown: boolean;
}

const startOf = ({ at }: HourFact): number => Date.parse(at);
/** The beginning of an instant's hour. Korea's offset is whole hours. */
const hourOf = (at: string): number => Math.floor(Date.parse(at) / HOUR_MS) * HOUR_MS;
const weeksOf = ({ before }: HourFact): number => before.filter((count) => count > 0).length;
const isUsual = (hour: HourFact): boolean => weeksOf(hour) >= LEAST_WEEKS;

/** The usual hours in which nothing began, although they are over. */
function missedHours({ hours, nonTradingDays }: Heard, now: number): HourFact[] {
  const byStart = new Map(hours.map((hour) => [startOf(hour), hour]));
  return hours.filter(
    (hour) =>
      hour.count === 0 &&
      isUsual(hour) &&
      !nonTradingDays.includes(kstDate(new Date(hour.at))) &&
      startOf(hour) + HOUR_MS <= now &&
      !cameEarly(hour, byStart.get(startOf(hour) - HOUR_MS)) &&
      !cameLate(hour, byStart.get(startOf(hour) + HOUR_MS)),
  );
}

/** Both hours had something in the same weeks, so that neither stands for the other. */
const areSideBySide = (one: HourFact, other: HourFact): boolean =>
  one.before.filter((count, week) => count > 0 && (other.before[week] ?? 0) > 0).length >= LEAST_WEEKS;

/** What is usual in an hour began in the hour before. */
const cameEarly = (hour: HourFact, previous: HourFact | undefined): boolean =>
  previous !== undefined &&
  previous.count > 0 &&
  (!areSideBySide(hour, previous) || previous.count > Math.max(...previous.before));

/** What begins now in the one hour and now in the next began in the next. */
const cameLate = (hour: HourFact, next: HourFact | undefined): boolean =>
  next !== undefined && next.count > 0 && isUsual(next) && !areSideBySide(hour, next);

/** The silence that lasts at `now`; null: none. */
export function silenceNow(heard: Heard, now: string): Silence | null {
  const { last } = heard;
  const since = last === null ? Number.NEGATIVE_INFINITY : hourOf(last);
  const missed = missedHours(heard, Date.parse(now)).find((hour) => startOf(hour) > since);
  return missed === undefined ? null : { since: last, missed, until: null, lasts: true };
}

/** The silences of a day by what it had itself: each ends with the next sign of the day, the last one maybe with the day. */
function silencesOf(heard: Heard, day: string, now: string): Silence[] {
  const [from, to] = [kstMidnight(day).getTime(), kstDayEnd(day).getTime()];
  const ofDay = heard.hours.filter((hour) => startOf(hour) >= from && startOf(hour) < to);
  const begun = ofDay.filter(({ count }) => count > 0);
  const silences = new Map<string | null, Silence>();
  for (const missed of missedHours(heard, Math.min(Date.parse(now), to))) {
    if (startOf(missed) < from) continue;
    const until = begun.find((hour) => startOf(hour) > startOf(missed))?.at ?? null;
    const since = begun.findLast((hour) => startOf(hour) < startOf(missed))?.at ?? null;
    if (!silences.has(until)) silences.set(until, { since, missed, until, lasts: false });
  }
  return [...silences.values()];
}

/** The silence that a past day ended with, whatever began later; null: none. */
export const silenceOfDay = (heard: Heard, day: string, now: string): Silence | null =>
  silencesOf(heard, day, now).find(({ until }) => until === null) ?? null;

/** The silences of a day that are over: something began again on the same day. */
export const pastSilences = (heard: Heard, day: string, now: string): (Silence & { until: string })[] =>
  silencesOf(heard, day, now).flatMap((one) => (one.until === null ? [] : [{ ...one, until: one.until }]));

const isToday = (day: string, now: string): boolean => day === kstDate(new Date(now));

/** The worst silence of a day. A silence of now counts on today alone: a past day is judged by what it had itself. */
export function silenceOn(heard: Heard, day: string, now: string): Silence | null {
  const open = isToday(day, now) ? silenceNow(heard, now) : silenceOfDay(heard, day, now);
  return open ?? longest(pastSilences(heard, day, now));
}

const lengthOf = ({ missed, until }: Silence): number => Date.parse(until ?? missed.at) - startOf(missed);
const longest = (silences: readonly Silence[]): Silence | null =>
  silences.reduce<Silence | null>((most, one) => (most !== null && lengthOf(most) >= lengthOf(one) ? most : one), null);

/** The hours that a day is compared with. */
function hoursFor({ hours }: Heard, day: string): HourFact[] {
  const to = kstDayEnd(day).getTime();
  return hours.filter((hour) => startOf(hour) >= to - DAYS_OF_RHYTHM * DAY_MS && startOf(hour) < to);
}

/** Whether a day has weeks before it to compare with. */
export const hasRhythm = (heard: Heard, day: string): boolean => hoursFor(heard, day).some(isUsual);

/** Null: there is a rhythm, or something began on the day. */
export function quietOn(heard: Heard, day: string, now: string): Quiet | null {
  if (hasRhythm(heard, day)) return null;
  const end = Math.min(kstDayEnd(day).getTime(), Date.parse(now));
  const known = hoursFor(heard, day).findLast(({ count }) => count > 0)?.at ?? null;
  // The last one of all is exact, and may lie after a past day.
  const since = heard.last !== null && Date.parse(heard.last) <= end ? heard.last : known;
  if (since !== null && Date.parse(since) >= kstMidnight(day).getTime()) return null;
  const days = since === null ? Number.POSITIVE_INFINITY : (end - Date.parse(since)) / DAY_MS;
  return {
    since,
    isUnknown: days > DAYS_OF_RHYTHM || (days > 1 && !isWeekend(day) && !heard.nonTradingDays.includes(day)),
  };
}

const isWeekend = (day: string): boolean => [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay());

/** A source is late by its due time, and without one by its rhythm. */
export const isSourceLate = (source: Heard & { dueAt: string | null }, now: string): boolean =>
  source.dueAt === null ? silenceNow(source, now) !== null : Date.parse(source.dueAt) < Date.parse(now);

/** Whether nothing says that a source is late, and nothing that it is not. */
export const isSourceUnknown = (source: Heard & { dueAt: string | null }, now: string): boolean =>
  source.dueAt === null && (quietOn(source, kstDate(new Date(now)), now)?.isUnknown ?? false);

/** A time in Korea for the sentences, the same in both languages: `2026-11-16 10:05`. */
export const minuteWords = (at: string): string => kstMinute(new Date(at)).replace('T', ' ');
