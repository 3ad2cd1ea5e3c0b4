/** The two trends over days (operator API 4, facts rules 5 to 7). */
import { sql } from 'kysely';
import type { EntityResolutionTrend, IntradayPoint, IntradayTrend } from '../../shared/wire/facts.ts';
import { daysFrom } from '../pipeline/days.ts';
import type { Trx } from '../store/open.ts';
import { RESULTS_OF_RUN } from './chain.ts';

/** The number of days of entity resolution. */
const RESOLUTION_DAYS = 10;

/**
 * The latest ten days, up to one, on which the load of the assertions was measured; oldest first. The last made run of
 * a day counts, with its successful attempt that started last. The container of a retry did no work and measured
 * nothing.
 */
export async function readEntityResolution(trx: Trx, last: string): Promise<EntityResolutionTrend> {
  const { rows } = await sql<{ date: string; resolved: number; total: number }>`
    select * from (
      select distinct on (r.run_date) r.run_date as date, a.numerator as resolved, a.denominator as total
      from expected_task t
      join pipeline_run r on r.pipeline_run_id = t.pipeline_run_id
      join task_attempt a on a.expected_task_id = t.expected_task_id
      where t.task_key = 'assertions-load' and t.plan_status = 'DUE' and r.run_date <= ${last}::date
        and a.status = 'SUCCEEDED' and not a.duplicate_retry
        and num_nulls(a.numerator, a.denominator, a.started_at, a.ended_at) = 0
      order by r.run_date desc, r.created_at desc, r.pipeline_run_id desc, a.started_at desc, a.task_attempt_id desc
      limit ${RESOLUTION_DAYS}
    ) newest order by date`.execute(trx);
  return {
    points: rows.map(({ date, resolved, total }) => ({
      date,
      totalArguments: total,
      resolvedArguments: resolved,
      rate: total === 0 ? null : resolved / total,
    })),
  };
}

/** One point per day, zeros included, oldest first: as many days as asked for, ending with `last`. */
export async function readIntraday(trx: Trx, asOf: Date, last: string, days: number): Promise<IntradayTrend> {
  const { rows } = await sql<IntradayPoint>`
    with fired as (
      select trigger_id, trade_date from minute_price_trigger
      where signal = 'FIRE' and trade_date > ${last}::date - ${days}::integer and trade_date <= ${last}::date
    ), cohort as (
      select distinct t.trade_date, f.price_observation_id as id
      from fired t join price_observation_trigger f on f.minute_price_trigger_id = t.trigger_id
    ), reached as (
      select c.trade_date, c.id, w.*
      from cohort c left join lateral (
        select bool_or(u.runs > 0) as run, bool_or(u.last_status in ('PENDING', 'RUNNING')) as active,
          bool_or(u.last_status = 'FAILED') as failed, bool_or(u.result) as result, bool_or(u.published) as published
        from explanation_route o
        cross join lateral (
          select count(*) as runs, bool_or(x.result) as result, bool_or(x.published) as published,
            (array_agg(r.status order by r.explanation_as_of desc, r.started_at desc, r.explanation_run_id collate "C" desc))[1] as last_status
          from explanation_run r
          cross join lateral (
            select count(*) > 0 as result, count(*) filter (where p.publication_status = 'PUBLISHED') > 0 as published
            from ${RESULTS_OF_RUN} p
          ) x
          where r.explanation_route_id = o.explanation_route_id
        ) u
        where o.price_observation_id = c.id
      ) w on true
    )
    select d.trade_date as date, d.triggers, count(r.id) as observations,
      count(*) filter (where r.run) as runs, count(*) filter (where r.active) as "activeRuns", count(*) filter (where r.failed) as "failedRuns",
      count(*) filter (where r.result) as results, count(*) filter (where r.published) as published
    from (select trade_date, count(*) as triggers from fired group by trade_date) d
    left join reached r on r.trade_date = d.trade_date
    group by d.trade_date, d.triggers`.execute(trx);
  const measured = new Map(rows.map((row) => [row.date, row]));
  return { asOf: asOf.toISOString(), points: daysFrom(last, days).map((date) => measured.get(date) ?? nothing(date)) };
}

function nothing(date: string): IntradayPoint {
  return { date, triggers: 0, observations: 0, runs: 0, activeRuns: 0, failedRuns: 0, results: 0, published: 0 };
}
