/** The operator's views of the pipeline over a year of history, compared with one month, and their first screen. */
import { sql } from 'kysely';
import { Client } from 'undici';
import { demoWorld } from '../../../cloud/demo/pipeline/pipeline.ts';
import { writeHistory } from '../../../cloud/demo/pipeline/generate-day.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { live, read } from '../../support/cloud/loads.ts';
import { AT } from '../../support/cloud/store.ts';
import { ensurePages } from '../../../electron/packaging/build/pages.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import { alternate, median, quantile, ratioRow, valueRow, type Bench, type BenchFixture, type Row } from '../bench.ts';
import { consoleRows } from './console-load.ts';
import { startCloud } from './serving.ts';
import { initialise } from './store.ts';

const MONTH = 30;
const YEAR = 365;
/** Results per day, besides the pipeline's own. */
const RESULTS_PER_DAY = 40;
const ROUNDS = 200;

export const pipeline: Bench = {
  name: 'pipeline',
  about: "the operator's views over a year of the pipeline's history",
  run: async (fixture) => {
    // The cloud serves the pages that exist when it starts.
    await ensurePages({ pages: 'operator', log: fixture.say });
    const now = new Date();
    const month = await connect(fixture, MONTH, now);
    const year = await connect(fixture, YEAR, now);
    const rows: Row[] = [];
    for (const view of viewsOf(year)) {
      const times = await alternate(
        { month: { run: () => month.get(view) }, year: { run: () => year.get(view) } },
        { rounds: ROUNDS },
      );
      const name = view.replace(/(sessionId|runKey)=.*$/, '$1');
      rows.push(
        valueRow(`${name}, a year, p99`, 'ms', quantile(times.year, 0.99), { atMost: 100 }),
        ratioRow(`${name}, a year over a month`, 'ms', median(times.year), median(times.month), { atMost: 1.2 }),
      );
    }
    return [...rows, ...(await consoleRows(fixture, year.url, year.cookie))];
  },
};

const viewsOf = ({ session, task }: Pick<Views, 'session' | 'task'>): string[] => [
  'sources/overview',
  'sources/report',
  'sources/grid',
  'sources/lineage/news',
  'sources/minute',
  'sources/minute/daily',
  `sources/minute/judgments?sessionId=${session}`,
  'sources/impact/holdings',
  `sources/impact/task?${task}`,
  'sources/failures',
  'console/withdrawals',
  'analyses',
  'analyses?status=FAILED',
  'analyses?status=FAILED&q=069500',
  'analyses?status=PENDING',
  'analyses?publicationState=INVALIDATED',
  'analyses?publicationState=UNPUBLISHED',
  'analyses?market=KRX',
  'analyses?q=KODEX',
  'analyses?q=nothing',
  'analyses/res-base',
  'tenants',
];

interface Views {
  url: string;
  cookie: string;
  /** The latest session of intraday minutes. */
  session: string;
  /** The latest task of a lane with a lineage, for its impact. */
  task: string;
  get(view: string): Promise<void>;
}

/** A cloud over this many days of history, and an operator's connection to it. */
async function connect(fixture: BenchFixture, days: number, now: Date): Promise<Views> {
  const url = await (await fixture.postgres()).createDatabase();
  const { pki } = await initialise(url, fixture.folder('pki'));
  const store = await openPostgres(url, 2);
  fixture.after(() => store.close());
  fixture.say(`writing ${days} days`);
  await writeHistory(store, demoWorld(), kstDate(now), days, now);
  await writeResults(store, kstDate(now), days);
  await sql`vacuum (analyze)`.execute(store.db);
  const { rows } = await sql<{ id: string }>`
    select session_id as id from minute_session order by trading_date desc limit 1`.execute(store.db);
  const { rows: tasks } = await sql<{ runKey: string; taskKey: string }>`
    select r.run_key as "runKey", t.task_key as "taskKey" from pipeline_run r join expected_task t using (pipeline_run_id)
    where r.lane = 'market' and t.plan_status = 'DUE' order by r.run_date desc, r.run_key, t.task_key limit 1`.execute(
    store.db,
  );
  const operator = await startCloud(fixture, { url, pki }, 'operator');
  const client = new Client(operator);
  fixture.after(() => client.close());
  const login = await client.request({
    method: 'POST',
    path: '/api/v1/auth/login',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: 'causeway-demo' }),
  });
  await login.body.dump();
  const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
  return {
    url: operator,
    cookie,
    session: rows[0]?.id ?? '',
    task: new URLSearchParams({ ...tasks[0] }).toString(),
    get: async (view) => {
      const { statusCode, body } = await client.request({
        method: 'GET',
        path: `/api/v1/${view}`,
        headers: { cookie },
      });
      await body.arrayBuffer();
      if (statusCode !== 200) throw new Error(`${view} was answered ${statusCode}`);
    },
  };
}

/**
 * Results of every day, distributed over all ETFs, each with its own firing and run: most are published, some
 * withdrawn, some drafts.
 */
async function writeResults(store: Store, last: string, days: number): Promise<void> {
  await publish(store, read(live({ key: 'base' })), AT);
  await store.transaction(async (trx) => {
    await sql`
      create temporary table made on commit drop as
      select 'bench-' || back || '-' || n as id, i.instrument_id, ${last}::date - back as day, n,
        ${AT}::timestamptz - make_interval(days => back, mins => n) as at
      from generate_series(0, ${days - 1}::integer) back, generate_series(1, ${RESULTS_PER_DAY}::integer) n
      join (select instrument_id, row_number() over (order by instrument_id) as place from instrument) i on i.place = n * 2`.execute(
      trx,
    );
    await sql`
      insert into price_movement_trigger (trigger_id, instrument_id, trade_date, fired_at, observed_return)
      select id, instrument_id, day, at, 0.02 from made`.execute(trx);
    await sql`
      insert into price_observation (price_observation_id, instrument_id, trade_date, observed_at)
      select id, instrument_id, day, at from made`.execute(trx);
    await sql`
      insert into price_observation_trigger (price_observation_id, price_movement_trigger_id) select id, id from made`.execute(
      trx,
    );
    await sql`
      insert into explanation_route (price_movement_trigger_id, price_observation_id) select id, id from made`.execute(
      trx,
    );
    await sql`
      insert into explanation_run (explanation_run_id, explanation_route_id, mode, status, started_at, explanation_as_of, lineage_hash, created_at)
      select id, r.explanation_route_id, 'DAILY', 'SUCCEEDED', at, at, id, at
      from made join explanation_route r on r.price_movement_trigger_id = id`.execute(trx);
    await sql`
      insert into explanation_result (explanation_result_id, explanation_run_id, explanation_route_id, etf_instrument_id, trade_date,
        explanation_as_of, summary, primary_thread_id, publication_status, publication_number, draft_reason, published_at, withdrawn_at,
        withdrawal_reason, delivered, load_hash, created_at)
      select m.id, m.id, r.explanation_route_id, m.instrument_id, m.day, m.at, base.summary, base.primary_thread_id, k.status,
        case when k.status <> 'DRAFT' then nextval('publication_number') end,
        case when k.status = 'DRAFT' then 'surface_absent' end, case when k.status <> 'DRAFT' then m.at end,
        case when k.status = 'WITHDRAWN' then m.at end, case when k.status = 'WITHDRAWN' then 'bench' end, k.status <> 'DRAFT', m.id, m.at
      from made m join explanation_route r on r.price_movement_trigger_id = m.id
      cross join (select summary, primary_thread_id from explanation_result where explanation_result_id = 'res-base') base
      cross join lateral (select case m.n when 7 then 'DRAFT' when 19 then 'WITHDRAWN' else 'PUBLISHED' end as status) k`.execute(
      trx,
    );
  });
}
