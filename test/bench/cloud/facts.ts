/**
 * The facts of one day over five years of history, compared with one month; then the rules over that answer. The viewed
 * day and the ten usual ones have full size (60 runs, 1,500 tasks, 3,000 triggers), the days before them a tenth of it.
 */
import { sql } from 'kysely';
import { judge } from '../../../cloud/console/rules/engine.ts';
import { readFacts, type FactsParts } from '../../../cloud/facts/facts.ts';
import { migrate } from '../../../cloud/store/migrations/migrate.ts';
import { MIGRATIONS } from '../../../cloud/store/migrations/index.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { AT, addTenants } from '../../support/cloud/store.ts';
import type { Facts } from '../../../shared/wire/facts.ts';
import { alternate, median, quantile, ratioRow, valueRow, type Bench, type BenchFixture } from '../bench.ts';

/** The viewed Friday; the clock stands on the day after, so that usual values exist. */
const VIEWED = '2026-11-20';
const MONTH = 30;
const FIVE_YEARS = 5 * 365;
const ROUNDS = 300;

export const facts: Bench = {
  name: 'facts',
  about: 'the facts of one day with five years of history, and the rules over them',
  run: async (fixture) => {
    const month = await makeStore(fixture, MONTH);
    const years = await makeStore(fixture, FIVE_YEARS);
    const times = await alternate(
      { month: { run: () => ask(month, VIEWED) }, years: { run: () => ask(years, VIEWED) } },
      { rounds: ROUNDS },
    );
    const searches = await alternate(
      { month: { run: () => ask(month, null) }, years: { run: () => ask(years, null) } },
      { rounds: ROUNDS / 3 },
    );
    const answer = await ask(years, VIEWED);
    if (answer.runs.length !== 60 || answer.tasks.length !== 1500 || answer.chain?.feeds[0]?.v !== 1500)
      throw new Error('the viewed day is not of the size that is measured');
    const judged = await alternate({ rules: { run: async () => judge(answer, answer) } }, { rounds: ROUNDS });
    return [
      valueRow('facts of a day, five years, p99', 'ms', quantile(times.years, 0.99), { atMost: 150 }),
      ratioRow('facts of a day, five years over a month', 'ms', median(times.years), median(times.month), {
        atMost: 1.2,
      }),
      ratioRow('facts, day searched, five years over a month', 'ms', median(searches.years), median(searches.month), {
        atMost: 1.2,
      }),
      valueRow('rules over these facts, p99', 'ms', quantile(judged.rules, 0.99), { atMost: 5 }),
    ];
  },
};

const ask = (parts: FactsParts, day: string | null): Promise<Facts> => readFacts(parts, day, () => undefined);

async function makeStore(fixture: BenchFixture, days: number): Promise<FactsParts> {
  const url = await (await fixture.postgres()).createDatabase();
  const store = await openPostgres(url, 2);
  fixture.after(() => store.close());
  await migrate(store, MIGRATIONS, AT);
  await addTenants(store, 2);
  fixture.say(`writing ${days} days`);
  await fill(store, days);
  await sql`vacuum (analyze)`.execute(store.db);
  const now = new Date('2026-11-21T03:00:00Z');
  return { store, databaseClock: async () => now, workflows: null, queues: null };
}

/** Weekdays up to the viewed one, each with its numbers of rows. */
const DAYS = (days: number): string => `
  create temporary table day on commit drop as
  select d::date as day, row_number() over (order by d desc) as back, case when row_number() over (order by d desc) <= 11 then 1 else 10 end as share
  from generate_series(date '${VIEWED}' - ${days}, date '${VIEWED}', interval '1 day') d where extract(isodow from d) < 6`;

const FILL = [
  `insert into entity select 'e' || n, 'ETF ' || n from generate_series(1, 300) n`,
  `insert into instrument select 'i' || n, 'e' || n, lpad(n::text, 6, '0'), 'KRX' from generate_series(1, 300) n`,
  `insert into event_thread values ('t', null)`,
  `insert into pipeline_run (run_key, lane, trading_date, status, deadline, created_at, updated_at)
   select 'lane' || n % 5 || '/' || day || '/' || n, 'lane' || n % 5, day, 'SUCCEEDED', day + time '09:00', day + time '07:00', day + time '08:00'
   from day, generate_series(1, 60) n`,
  `insert into expected_task (pipeline_run_id, task_key, stage, dataset, plan_status, required, contract_key, expected_as_of, actual_as_of,
     collected_at, freshness_status, records_out, unsupported_records, failed_records, completeness_expected, completeness_actual)
   select r.pipeline_run_id, 'k' || n, (array['raw', 'normalize', 'load'])[1 + n % 3], 'dataset' || n % 40, 'DUE', true, 'c', d.day, d.day,
     r.updated_at, 'FRESH', 100, 0, 0, 100, 100
   from pipeline_run r join day d on d.day = r.run_date, generate_series(1, 25) n where n <= case d.share when 1 then 25 else 3 end`,
  `insert into task_attempt (expected_task_id, status, started_at, ended_at) select expected_task_id, 'SUCCEEDED', collected_at, collected_at from expected_task`,
  // One unresolved gap a week.
  `insert into planner_slot (slot_key, planned_for) select 'gap/' || day || '/x', day from day where extract(isodow from day) = 3`,
  `insert into reconciliation_issue (planner_slot_id, issue_type, opened_at, gap_date)
   select planner_slot_id, 'PLANNER_MISSING', planned_for, slot_date(slot_key) from planner_slot`,
  ...['price_movement_trigger', 'minute_price_trigger'].flatMap((table) => {
    const minute = table.startsWith('minute');
    const id = `${table}_id`;
    return [
      `insert into ${table} (trigger_id, instrument_id, trade_date, fired_at${minute ? ', signal' : ''})
       select '${table}' || day || '-' || n, 'i' || 1 + n % 300, day, day + time '02:00' + n * interval '1 second'${minute ? `, 'FIRE'` : ''}
       from day, generate_series(1, 1500) n where n <= 1500 / share`,
      `insert into price_observation (price_observation_id, instrument_id, trade_date, observed_at)
       select 'o' || trigger_id, instrument_id, trade_date, fired_at from ${table}`,
      `insert into price_observation_trigger (price_observation_id, ${id}) select 'o' || trigger_id, trigger_id from ${table}`,
      `insert into explanation_route (${id}, price_observation_id) select trigger_id, 'o' || trigger_id from ${table}`,
    ];
  }),
  `insert into explanation_run (explanation_run_id, explanation_route_id, instrument_id, mode, status, started_at, explanation_as_of, lineage_hash, created_at)
   select 'r' || o.explanation_route_id, o.explanation_route_id, p.instrument_id, 'REALTIME', 'SUCCEEDED', now(), now(), 'h', now()
   from explanation_route o join price_observation p using (price_observation_id)`,
  `insert into explanation_result (explanation_result_id, explanation_run_id, explanation_route_id, etf_instrument_id, trade_date, explanation_as_of,
     summary, primary_thread_id, publication_status, publication_number, published_at, withdrawn_at, withdrawal_reason, load_hash, created_at, delivered)
   select 'x' || o.explanation_route_id, 'r' || o.explanation_route_id, o.explanation_route_id, p.instrument_id, p.trade_date,
     p.observed_at + o.explanation_route_id * interval '1 millisecond', 's', 't', w.status, o.explanation_route_id, now(),
     case w.status when 'WITHDRAWN' then now() end, case w.status when 'WITHDRAWN' then 'r' end, 'h', now(), true
   from explanation_route o join price_observation p using (price_observation_id),
     lateral (select case when o.explanation_route_id % 50 = 0 then 'WITHDRAWN' else 'PUBLISHED' end as status) w`,
  `insert into tenant_delivery (tenant_id, cursor, delivery_type, explanation_result_id, created_at)
   select t.tenant_id, x.publication_number, 'NEW', x.explanation_result_id, now() from explanation_result x, tenant t`,
  `insert into tenant_delivery (tenant_id, cursor, delivery_type, target_explanation_result_id, reason, created_at)
   select t.tenant_id, 10000000 + x.publication_number, 'INVALIDATION', x.explanation_result_id, 'r', now()
   from explanation_result x, tenant t where x.publication_status = 'WITHDRAWN'`,
  `update delivery_count set records = (select count(*) from tenant_delivery) where kind = 'ISSUED'`,
  `insert into document (document_id, document_type, source_code, available_at)
   select 'd' || day || '-' || n, 'NEWS', 's', day + time '01:00' + n * interval '1 second' from day, generate_series(1, 1000) n where n <= 1000 / share`,
  `insert into document_assertion select 'a' || document_id, document_id, available_at from document`,
  `insert into source_event select 'e' || document_id, 'NEWS', 'X', null, available_at from document`,
];

async function fill(store: Store, days: number): Promise<void> {
  await store.transaction(async (trx) => {
    // Rows refer to rows of the same transaction, and delivery marks are written in their final state.
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const statement of [DAYS(days), ...FILL]) await sql.raw(statement).execute(trx);
  });
}
