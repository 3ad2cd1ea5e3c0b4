/**
 * How far the day's firings went (document 2 section 2, `chain`; D50): the cohort is the triggers of the day, and each
 * stage counts the distinct observations of the cohort that reached it, by whichever of their routes and reruns.
 */
import { sql } from 'kysely';
import type { ChainFact, StageFact } from '../../shared/wire/facts.ts';
import type { Trx } from '../store/open.ts';

/** A result of a run, of either generation. Reads `r`, a run. */
export const RESULTS_OF_RUN = sql`(
  select publication_status from explanation_result x where x.explanation_run_id = r.explanation_run_id
  union all
  select publication_status from movement_analysis y where y.explanation_run_id = r.explanation_run_id)`;

const STAGES = [
  { id: 'c.obs', label: 'observation', src: 'price_observation', column: 'observations' },
  { id: 'c.route', label: 'route', src: 'explanation_route', column: 'routes' },
  { id: 'c.run', label: 'run', src: 'explanation_run', column: 'runs' },
  { id: 'c.res', label: 'result', src: 'explanation_result', column: 'results' },
  { id: 'c.pub', label: 'published', src: 'explanation_result', column: 'published' },
] as const;

interface FeedRow {
  feed: 'batch' | 'intraday';
  observations: number;
  routes: number;
  runs: number;
  results: number;
  published: number;
}

export async function readChain(trx: Trx, day: string): Promise<ChainFact> {
  const triggers = await sql<{ batch: number; intraday: number }>`
    select (select count(*) from price_movement_trigger where trade_date = ${day}::date) as batch,
      (select count(*) from minute_price_trigger where trade_date = ${day}::date and signal = 'FIRE') as intraday`.execute(
    trx,
  );
  const { rows } = await sql<FeedRow>`
    with cohort as (
      select distinct 'batch' as feed, f.price_observation_id as id
      from price_movement_trigger t join price_observation_trigger f on f.price_movement_trigger_id = t.trigger_id
      where t.trade_date = ${day}::date
      union all
      select distinct 'intraday', f.price_observation_id
      from minute_price_trigger t join price_observation_trigger f on f.minute_price_trigger_id = t.trigger_id
      where t.trade_date = ${day}::date and t.signal = 'FIRE'
    )
    select c.feed, count(distinct c.id) as observations, count(distinct c.id) filter (where o.explanation_route_id is not null) as routes,
      count(distinct c.id) filter (where r.explanation_run_id is not null) as runs,
      count(distinct c.id) filter (where num_nonnulls(x.publication_status, y.publication_status) > 0) as results,
      count(distinct c.id) filter (where 'PUBLISHED' in (x.publication_status, y.publication_status)) as published
    from cohort c
    left join explanation_route o on o.price_observation_id = c.id
    left join explanation_run r on r.explanation_route_id = o.explanation_route_id
    left join explanation_result x on x.explanation_run_id = r.explanation_run_id
    left join movement_analysis y on y.explanation_run_id = r.explanation_run_id
    group by c.feed`.execute(trx);
  const ofFeed = (feed: FeedRow['feed'], column: (typeof STAGES)[number]['column']): number =>
    rows.find((row) => row.feed === feed)?.[column] ?? 0;
  const counted = triggers.rows[0];
  return {
    feeds: [
      {
        id: 'feed.batch',
        label: 'batch trigger',
        v: counted?.batch ?? 0,
        unit: 'triggers',
        src: 'price_movement_trigger',
      },
      {
        id: 'feed.intraday',
        label: 'intraday trigger',
        v: counted?.intraday ?? 0,
        unit: 'triggers',
        src: 'minute_price_trigger',
      },
    ],
    stages: STAGES.map(({ id, label, src, column }): StageFact => ({
      id,
      label,
      batch: ofFeed('batch', column),
      intraday: ofFeed('intraday', column),
      src,
    })),
  };
}
