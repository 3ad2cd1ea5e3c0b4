/** The outcome of the latest firing of each ETF of the day (operator API 2, `etfLedger`; D51). */
import { sql } from 'kysely';
import type { EtfFact } from '../../shared/wire/facts.ts';
import type { Trx } from '../store/open.ts';

interface EtfRow {
  etf: string;
  name: string;
  outcome: string | null;
}

/** By ticker. The latest firing: batch and intraday together; REVERT markers are none. */
export async function readEtfLedger(trx: Trx, day: string): Promise<{ rows: EtfFact[] }> {
  const { rows } = await sql<EtfRow>`
    with fired as (
      select instrument_id, fired_at, trigger_id, true as batch from price_movement_trigger where trade_date = ${day}::date
      union all
      select instrument_id, fired_at, trigger_id, false from minute_price_trigger where trade_date = ${day}::date and signal = 'FIRE'
    ), latest as materialized (
      select distinct on (instrument_id) instrument_id, trigger_id, batch
      from fired order by instrument_id, fired_at desc, batch, trigger_id collate "C" desc
    ), route as materialized (
      select price_movement_trigger_id as trigger_id, true as batch, explanation_route_id as route from explanation_route
      where price_movement_trigger_id = any(array(select trigger_id from latest where batch))
      union all
      select minute_price_trigger_id, false, explanation_route_id from explanation_route
      where minute_price_trigger_id = any(array(select trigger_id from latest where not batch))
    ), outcome as (
      select distinct on (o.batch, o.trigger_id) o.batch, o.trigger_id, r.status
      from route o join explanation_run r on r.explanation_route_id = o.route
      where r.explanation_route_id = any(array(select route from route))
      order by o.batch, o.trigger_id, r.explanation_as_of desc, r.started_at desc, r.explanation_run_id collate "C" desc
    )
    select i.ticker as etf, coalesce(nullif(e.entity_name, ''), i.ticker) as name, u.status as outcome
    from latest l
    join instrument i on i.instrument_id = l.instrument_id
    join entity e on e.entity_id = i.entity_id
    left join outcome u on u.batch = l.batch and u.trigger_id = l.trigger_id
    order by i.ticker collate "C", i.instrument_id collate "C"`.execute(trx);
  return {
    rows: rows.map((row) => ({ etf: row.etf, name: row.name, triggered: true, outcome: row.outcome, error: null })),
  };
}
