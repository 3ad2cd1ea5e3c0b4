/**
 * When runs of each lane and collections of each source began, hour by hour beside the same hours of the weeks before
 * (D215). The console judges from it which of them is silent; this only counts.
 *
 * Each lane and source looks its few weeks up in an index, whatever the number of years.
 */
import { sql, type RawBuilder } from 'kysely';
import { kstDate, kstDayEnd, kstMidnight } from '../../shared/time/kst.ts';
import type { HourFact, RhythmFact } from '../../shared/wire/facts.ts';
import { byCodePoint } from '../store/code-point-order.ts';
import type { Trx } from '../store/open.ts';
import { LANES } from './runs.ts';
import type { Snapshot } from './snapshot.ts';

/** The weeks that the hours are compared with. */
const WEEKS = 4;
/** A day and the days before it. */
const RECENT_DAYS = 7;
const DAY_MS = 24 * 3_600_000;
const WEEK_MS = 7 * DAY_MS;

/**
 * A run for an older day is a backfill, and says nothing about the lane's rhythm. Around Lunar New Year and Chuseok the
 * next trading day can come a week later.
 */
const MOST_DAYS_LATE = 10;

/** Every source, by jumping from one to the next in the index. */
export const SOURCES = sql`
  recursive sources (source) as (
    (select source from source_collection order by source limit 1)
    union all
    select (select c.source from source_collection c where c.source > s.source order by c.source limit 1)
    from sources s where s.source is not null
  )`;

interface Window {
  from: Date;
  /** Not included. */
  to: Date;
}

export async function readRhythm({ trx, asOf, today }: Snapshot, day: string): Promise<RhythmFact> {
  const windows = windowsOf(day, asOf, today);
  const days = await readNonTradingDays(trx, windows);
  const lastDays = await readLastDays(trx, today);
  return {
    lanes: (await readSigns(trx, LANES, LANE_SIGNS, windows, asOf)).map(({ id, last, hours }) => ({
      id,
      last,
      lastDay: lastDays.get(id) ?? null,
      hours,
      nonTradingDays: days.filter(({ lane }) => lane === id).map((one) => one.day),
    })),
    sources: await readSourceRhythm({ trx, asOf, today }, day),
  };
}

/** A holiday is none of one source: a day counts for all on which any lane was skipped. */
export async function readSourceRhythm({ trx, asOf, today }: Snapshot, day: string): Promise<RhythmFact['sources']> {
  const windows = windowsOf(day, asOf, today);
  const nonTradingDays = [...new Set((await readNonTradingDays(trx, windows)).map((one) => one.day))];
  return (await readSigns(trx, SOURCES, SOURCE_SIGNS, windows, asOf)).map((one) => ({ ...one, nonTradingDays }));
}

/** The days of the windows on which lanes were skipped because no market is open, by day. */
async function readNonTradingDays(trx: Trx, windows: readonly Window[]): Promise<{ day: string; lane: string }[]> {
  // Nothing ran before 1970, and texts of the first years are no days of the database.
  const known = windows.filter(({ from }) => from.getTime() >= 0);
  const from = known.map((window) => kstDate(window.from));
  const to = known.map((window) => kstDate(new Date(window.to.getTime() - 1)));
  const { rows } = await sql<{ day: string; lane: string }>`
    select distinct r.run_date as day, r.lane
    from unnest(${`{${from.join()}}`}::date[], ${`{${to.join()}}`}::date[]) w (since, until)
    join pipeline_run r on r.run_date between w.since and w.until and r.skip_reason = 'NON_TRADING_DAY'
    order by 1, 2`.execute(trx);
  return rows;
}

/** The last day up to today of which each lane has a run, whenever that began. */
async function readLastDays(trx: Trx, today: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ lane: string; day: string | null }>`
    with ${LANES}
    select l.lane, (select max(r.run_date) from pipeline_run r where r.lane = l.lane and r.run_date <= ${today}::date) as day
    from lanes l where l.lane is not null`.execute(trx);
  return new Map(rows.flatMap(({ lane, day }) => (day === null ? [] : [[lane, day] as const])));
}

/** The seven days up to the viewed one, and up to today: one window where they meet. */
function windowsOf(day: string, asOf: Date, today: string): Window[] {
  const [ofDay, ofToday] = [startOfWeek(day), startOfWeek(today)];
  const [dayEnd, to] = [kstDayEnd(day), new Date(asOf.getTime() + 1)];
  return dayEnd < ofToday
    ? [
        { from: ofDay, to: dayEnd },
        { from: ofToday, to },
      ]
    : [{ from: ofDay < ofToday ? ofDay : ofToday, to }];
}

/** The midnight with which the seven days up to a day begin. */
const startOfWeek = (day: string): Date => new Date(kstMidnight(day).getTime() - (RECENT_DAYS - 1) * DAY_MS);

interface Signs {
  /** All ids as a recursive table: name and column. */
  ids: RawBuilder<unknown>;
  rows: (id: RawBuilder<unknown>) => RawBuilder<unknown>;
  dueAt: (id: RawBuilder<unknown>) => RawBuilder<unknown>;
}

const LANE_SIGNS: Signs = {
  ids: sql`(select lane as id from lanes where lane is not null)`,
  rows: (id) => sql`(
    select created_at as at from pipeline_run
    where lane = ${id} and run_date >= (created_at at time zone 'Asia/Seoul')::date - ${MOST_DAYS_LATE}::integer)`,
  dueAt: () => sql`null::timestamptz`,
};

const SOURCE_SIGNS: Signs = {
  ids: sql`(select source as id from sources where source is not null)`,
  rows: (id) => sql`(select collected_at as at from source_collection where source = ${id})`,
  dueAt: (id) => sql`(
    select next_due_at from source_collection where source = ${id}
    order by collected_at desc, source_collection_id desc limit 1)`,
};

interface Sign {
  id: string;
  last: string | null;
  dueAt: string | null;
  hours: HourFact[];
}

async function readSigns(
  trx: Trx,
  table: RawBuilder<unknown>,
  { ids, rows, dueAt }: Signs,
  windows: readonly Window[],
  asOf: Date,
): Promise<Sign[]> {
  const id = sql`i.id`;
  const { rows: found } = await sql<{ id: string; last: Date | null; due_at: Date | null }>`
    with ${table}
    select i.id, ${dueAt(id)} as due_at,
      (select s.at from ${rows(id)} s where s.at <= ${asOf}::timestamptz order by s.at desc limit 1) as last
    from ${ids} i`.execute(trx);
  const back = (at: Date, week: number): Date => new Date(at.getTime() - week * WEEK_MS);
  const ranges = windows
    .flatMap(({ from, to }) =>
      Array.from({ length: WEEKS + 1 }, (_, week) => ({ week, from: back(from, week), to: back(to, week) })),
    )
    // Nothing ran before 1970, and texts of the first years are no instants of the database.
    .filter(({ from }) => from.getTime() >= 0)
    .map(({ week, from, to }) => ({ week, from: from.toISOString(), to: to.toISOString() }));
  const list = (name: keyof (typeof ranges)[number]): string => `{${ranges.map((range) => range[name]).join()}}`;
  const counts = await sql<{ id: string; at: Date; week: number; count: number }>`
    with ${table}
    select i.id, date_trunc('hour', s.at + w.week * interval '168 hours', 'UTC') as at, w.week, count(*) as count
    from ${ids} i
    cross join unnest(${list('week')}::integer[], ${list('from')}::timestamptz[], ${list('to')}::timestamptz[]) w (week, since, until)
    cross join lateral (select at from ${rows(id)} x where x.at >= w.since and x.at < w.until offset 0) s
    group by 1, 2, 3`.execute(trx);
  const ofId = Map.groupBy(counts.rows, (row) => row.id);
  return found
    .map((row) => ({
      id: row.id,
      last: row.last?.toISOString() ?? null,
      dueAt: row.due_at?.toISOString() ?? null,
      hours: toHours(ofId.get(row.id) ?? []),
    }))
    .toSorted((a, b) => byCodePoint(a.id, b.id));
}

function toHours(counts: readonly { at: Date; week: number; count: number }[]): HourFact[] {
  const hours = Map.groupBy(counts, ({ at }) => at.getTime());
  return [...hours.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([at, ofHour]) => {
      const [count = 0, ...before] = Array.from(
        { length: WEEKS + 1 },
        (_, week) => ofHour.find((one) => one.week === week)?.count ?? 0,
      );
      return { at: new Date(at).toISOString(), count, before };
    });
}
