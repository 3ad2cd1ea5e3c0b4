/**
 * Moves the shipped loads to the present. The file describes one reference week, Monday to Friday. Each finished
 * trading day gets the loads of its weekday, moved by whole weeks, so that "last Friday" in a text stays true and one
 * trading day always gets the same loads under the same ids: a restart repeats known loads, and a new day brings its
 * own.
 */
import { kstDate } from '../../shared/time/kst.ts';
import { loadSchema, type Load } from '../publication/load.ts';
import { addDays, daysBetween, finishedTradingDays } from './generation/calendar.ts';

/** A trading day with its loads. */
export interface LoadedDay {
  date: string;
  /** The number of weeks after the reference week. */
  weeks: number;
  loads: Load[];
}

/** Ids of the shipped file carry the date that they belong to as their second part: `er-20260615-01`. */
const DATED_ID = /^([a-z]+-)(\d{4})(\d{2})(\d{2})(-[0-9a-z-]+)$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const KST_INSTANT = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}\+09:00)$/;

/** The loads of the last `count` finished trading days, oldest first. Pure. */
export function loadedDays(reference: readonly Load[], now: Date, count = 5): LoadedDay[] {
  const byDate = new Map<string, Load[]>();
  for (const load of reference) {
    // The day of the engine's run: a backfill has an earlier trade date than its run.
    const date = kstDate(new Date(load.run.started_at));
    byDate.set(date, [...(byDate.get(date) ?? []), load]);
  }
  return finishedTradingDays(now, count).flatMap((date) => {
    for (const [referenceDate, loads] of byDate) {
      const weeks = daysBetween(referenceDate, date) / 7;
      if (Number.isInteger(weeks)) return [{ date, weeks, loads: loads.map((load) => moveLoad(load, weeks)) }];
    }
    return [];
  });
}

/** The same load `weeks` later: every date, instant and dated id moves, texts and numbers stay. */
export function moveLoad(load: Load, weeks: number): Load {
  return loadSchema.parse(moveValue(load, weeks * 7));
}

/** The id that a shipped id has `weeks` later. */
export function moveId(id: string, weeks: number): string {
  return moveText(id, weeks * 7);
}

function moveValue(value: unknown, days: number): unknown {
  if (typeof value === 'string') return moveText(value, days);
  if (Array.isArray(value)) return value.map((item) => moveValue(item, days));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, moveValue(item, days)]));
}

function moveText(text: string, days: number): string {
  if (DATE.test(text)) return addDays(text, days);
  const instant = KST_INSTANT.exec(text);
  if (instant?.[1] !== undefined) return `${addDays(instant[1], days)}${instant[2]}`;
  const id = DATED_ID.exec(text);
  if (id !== null) return `${id[1]}${addDays(`${id[2]}-${id[3]}-${id[4]}`, days).replaceAll('-', '')}${id[5]}`;
  return text;
}
