/**
 * The progress of the day's firings (operator API 2, `chain`; D50): the cohort is the triggers of the day, and each
 * stage counts the distinct observations of the cohort that reached it, by any of their routes and reruns.
 *
 * What is materialized decides the plan of the stages.
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
  // Goes from stage to stage by lists of ids, so that the rows of a day, which lie together, are read in one pass.
  const { rows } = await sql<FeedRow>`
    with batch as materialized (
      select distinct price_observation_id as id from price_observation_trigger where price_movement_trigger_id = any(array(
        select trigger_id from price_movement_trigger where trade_date = ${day}::date))
    ), intraday as materialized (
      select distinct price_observation_id as id from price_observation_trigger where minute_price_trigger_id = any(array(
        select trigger_id from minute_price_trigger where trade_date = ${day}::date and signal = 'FIRE'))
    ), route as materialized (
      select explanation_route_id as route, price_observation_id as id from explanation_route
      where price_observation_id = any(array(select id from batch union all select id from intraday))
    ), run as materialized (
      select explanation_run_id as run, explanation_route_id as route from explanation_run
      where explanation_route_id = any(array(select route from route))
    ), result as materialized (
      select explanation_run_id as run, publication_status as status from explanation_result
      where explanation_run_id = any(array(select run from run))
      union all
      select explanation_run_id, publication_status from movement_analysis
      where explanation_run_id = any(array(select run from run))
    ), reached as materialized (
      select o.id, bool_or(r.run is not null) as ran, bool_or(s.status is not null) as resulted,
        bool_or(s.status is not null and s.status = 'PUBLISHED') as published
      from route o left join run r using (route) left join result s using (run)
      group by o.id
    )
    select c.feed, count(*) as observations, count(r.id) as routes, count(*) filter (where r.ran) as runs,
      count(*) filter (where r.resulted) as results, count(*) filter (where r.published) as published
    from (select 'batch' as feed, id from batch union all select 'intraday', id from intraday) c left join reached r using (id)
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
