/**
 * The worst days of the pipeline, in a fixture with a settable clock: dead (nothing has run for a week, also of a lane that
 * lived for one week alone), flooded (2,000
 * runs of 40 lanes in one day) and deaf (5,000 tenants, most of which have stopped to ask). Written by the store itself,
 * because one statement for each row would take minutes.
 */
import { sql } from 'kysely';
import { minutes, type PipelineFixture } from './pipeline-fixture.ts';
import { AT } from './store.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { withdraw } from '../../../cloud/publication/withdraw.ts';
import { live, read } from './loads.ts';

const DAY = '2026-11-20';
export const LANES = 40;
export const RUNS = 2_000;
export const TENANTS = 5_000;

/** Every lane ran at ten, twelve and fourteen on each weekday of three weeks, and then no more. */
export async function writeDeadWeek(fixture: PipelineFixture): Promise<void> {
  await sql`
    insert into pipeline_run (run_key, lane, trading_date, status, created_at, updated_at)
    select lane || '/' || day || '/' || hour || '00', lane, day, 'SUCCEEDED', at, at + interval '5 minutes'
    from unnest(array['market', 'news', 'disclosure', 'intraday_flow', 'source_observation']) lane,
      generate_series(date '2026-10-26', date '2026-11-13', '1 day') stamp,
      lateral (select stamp::date as day) d, unnest(array[10, 12, 14]) hour,
      lateral (select (day + make_time(hour, 0, 0)) at time zone 'Asia/Seoul' as at) t
    where extract(isodow from day) < 6`.execute(fixture.store.db);
}

/** One lane with a history of one week: every hour from nine to fifteen from Monday 9 to Friday 13, and then no more. */
export async function writeYoungDead(fixture: PipelineFixture): Promise<void> {
  await sql`
    insert into pipeline_run (run_key, lane, trading_date, status, created_at, updated_at)
    select 'news/' || day || '/' || hour || '00', 'news', day, 'SUCCEEDED', at, at + interval '5 minutes'
    from generate_series(date '2026-11-09', date '2026-11-13', '1 day') stamp,
      lateral (select stamp::date as day) d, generate_series(9, 15) hour,
      lateral (select (day + make_time(hour, 0, 0)) at time zone 'Asia/Seoul' as at) t`.execute(fixture.store.db);
  await sql`
    insert into expected_task (pipeline_run_id, task_key, stage, dataset, plan_status, required)
    select pipeline_run_id, 'raw-news', 'raw', 'news', 'DUE', true from pipeline_run`.execute(fixture.store.db);
  await sql`
    insert into task_attempt (expected_task_id, status, started_at, ended_at)
    select t.expected_task_id, 'SUCCEEDED', r.created_at, r.updated_at
    from expected_task t join pipeline_run r using (pipeline_run_id)`.execute(fixture.store.db);
}

/** 40 lanes run 50 times in the day: every tenth run failed, each with a message of 1,000 characters, in four lanes. */
export async function writeFlood(fixture: PipelineFixture): Promise<void> {
  const perLane = RUNS / LANES;
  await sql`
    insert into pipeline_run (run_key, lane, trading_date, status, deadline, created_at, updated_at)
    select lane || '/' || ${DAY}::date || '/' || to_char(n, 'FM0000'), lane, ${DAY}::date,
      case when is_bad then 'FAILED' else 'SUCCEEDED' end, at + interval '1 hour', at, at + interval '4 minutes'
    from generate_series(1, ${LANES}::integer) l, generate_series(1, ${perLane}::integer) n,
      lateral (select 'lane_' || to_char(l, 'FM00') || case when l % 10 = 1 then '_with_a_long_name_of_its_own' else '' end as lane,
        l % 10 = 1 and n % 10 = 0 as is_bad, ${AT}::timestamptz - make_interval(mins => 10 * (${perLane}::integer - n) + 5) as at) x`.execute(
    fixture.store.db,
  );
  await sql`
    insert into expected_task (pipeline_run_id, task_key, stage, dataset, plan_status, required, contract_key, expected_as_of,
      actual_as_of, collected_at, freshness_status, records_out, completeness_expected, completeness_actual)
    select r.pipeline_run_id, case when k = 1 then 'task-' || r.lane || repeat('-of-a-long-key', 9) else 'task-' || k end,
      (array['raw', 'normalize', 'serve'])[k], r.lane || '_d' || k, 'DUE', true, r.lane || '/daily', ${DAY}::date, ${DAY}::date,
      r.created_at, 'FRESH', 1000 * k, 1000, 1000
    from pipeline_run r, generate_series(1, 3) k`.execute(fixture.store.db);
  await sql`
    insert into task_attempt (expected_task_id, status, started_at, ended_at, error_code, error_message)
    select t.expected_task_id, r.status, r.created_at, r.created_at + interval '3 minutes',
      case when r.status = 'FAILED' then 'HTTP_503' end,
      case when r.status = 'FAILED' then repeat('The provider answered 503 and closed the connection.' || chr(10), 19) end
    from expected_task t join pipeline_run r using (pipeline_run_id)
    where r.status <> 'FAILED' or t.stage = 'raw'`.execute(fixture.store.db);
}

/**
 * 5,000 tenants received a text; one in twenty never connected, most asked for the last time an hour before its withdrawal,
 * and two share a name. The first have names of 100 characters.
 */
export async function writeDeafTenants(fixture: PipelineFixture): Promise<void> {
  const { db } = fixture.store;
  await sql`
    insert into tenant (name, environment, admin_name, admin_email, created_at)
    select case when n = 1 then rpad('아주 긴 이름의 증권회사 ', 100, '가나다라') when n = 3 then '고객사 0002' else '고객사 ' || to_char(n, 'FM0000') end,
      case when n = 3 then 'POC' else 'PRODUCTION' end, '김관리', 'admin@tenant.example', ${AT}::timestamptz - interval '60 days'
    from generate_series(1, ${TENANTS}::integer) n`.execute(db);
  await publish(fixture.store, read(live({ key: 'chips', ticker: '900101' })), minutes(-90));
  await fixture.store.transaction((trx) =>
    withdraw(trx, { explanationResultId: 'res-chips' }, '비중이 잘못되었습니다.', minutes(-30)),
  );
  await sql`
    insert into tenant_pull_state (tenant_id, pulls, entries, last_pull_at, last_outcome, last_good_pull_at, last_good_after)
    select tenant_id, 1, 1, ${AT}::timestamptz - interval '1 hour', case when tenant_id % 50 = 0 then 'SYNC4031' else 'COMMON200' end,
      ${AT}::timestamptz - interval '1 hour', 1
    from tenant where tenant_id % 20 <> 0 or tenant_id % 50 = 0`.execute(db);
}
