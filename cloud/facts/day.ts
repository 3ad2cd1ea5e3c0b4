/**
 * The viewed day, and the days that count as usual (operator API 4, facts rules 1 to 4; baseline rules 1, 2).
 *
 * The recursive walk over days stops at the first that fits.
 */
import { sql, type RawBuilder } from 'kysely';
import { GAPS, OPEN_GAP } from '../pipeline/gaps.ts';
import type { Trx } from '../store/open.ts';

/** The later of the last day with runs and the last day with a planning gap, up to today; with neither, today. */
export async function latestDay(trx: Trx, today: string): Promise<string> {
  const { rows } = await sql<{ day: string }>`
    select coalesce(greatest(
      (select max(run_date) from pipeline_run where run_date <= ${today}::date),
      (select i.gap_date from ${GAPS} where i.gap_date <= ${today}::date and ${OPEN_GAP} order by i.gap_date desc limit 1)
    ), ${today}::date) as day`.execute(trx);
  return rows[0]?.day ?? today;
}

export interface Baseline {
  /** Whether the viewed day itself is not a trading day. */
  nonTrading: boolean;
  /** The sample, latest first. */
  days: string[];
}

/** The number of days in a sample. */
const SAMPLE = 10;

/** A weekend, or a day on which the ledger skipped a run because of a holiday: the date counts, not the run. */
const isNonTrading = (day: RawBuilder<unknown>): RawBuilder<boolean> => sql`(
  extract(isodow from ${day}) >= 6
  or exists (select from pipeline_run n where n.run_date = ${day} and n.skip_reason = 'NON_TRADING_DAY'))`;

const dayBefore = (day: RawBuilder<unknown>): RawBuilder<unknown> => sql`greatest(
  (select max(r.run_date) from pipeline_run r where r.run_date < ${day}),
  (select i.gap_date from ${GAPS} where i.gap_date < ${day} and ${OPEN_GAP} order by i.gap_date desc limit 1))`;

/**
 * The latest ten trading days before the viewed one that had runs or planning gaps (D49). Goes from day to day through
 * two indexes and stops at the tenth without reading further. `offset 0`: each day is looked up once, not at each
 * reference.
 */
export async function findBaseline(trx: Trx, viewed: string): Promise<Baseline> {
  const { rows } = await sql<{ day: string; non_trading: boolean }>`
    with recursive walk (day, found) as (
      select ${viewed}::date, 0
      union all
      select next.day, w.found + case when ${isNonTrading(sql`next.day`)} then 0 else 1 end
      from walk w cross join lateral (select ${dayBefore(sql`w.day`)} as day offset 0) next
      where w.found < ${SAMPLE} and next.day is not null
    )
    select w.day, ${isNonTrading(sql`w.day`)} as non_trading from walk w order by w.day desc`.execute(trx);
  const [own, ...before] = rows;
  return {
    nonTrading: own?.non_trading ?? false,
    days: before.filter((row) => !row.non_trading).map(({ day }) => day),
  };
}
