/** What became of the latest firing of each ETF of the day (document 2 section 2, `etfLedger`; D51). */
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
    ), latest as (
      select distinct on (instrument_id) instrument_id, trigger_id, batch
      from fired order by instrument_id, fired_at desc, batch, trigger_id collate "C" desc
    )
    select i.ticker as etf, coalesce(nullif(e.entity_name, ''), i.ticker) as name, u.status as outcome
    from latest l
    join instrument i on i.instrument_id = l.instrument_id
    join entity e on e.entity_id = i.entity_id
    left join lateral (
      select r.status from explanation_route o join explanation_run r on r.explanation_route_id = o.explanation_route_id
      where o.price_movement_trigger_id = case when l.batch then l.trigger_id end
        or o.minute_price_trigger_id = case when l.batch then null else l.trigger_id end
      order by r.explanation_as_of desc, r.started_at desc, r.explanation_run_id collate "C" desc limit 1
    ) u on true
    order by i.ticker collate "C", i.instrument_id collate "C"`.execute(trx);
  return {
    rows: rows.map((row) => ({ etf: row.etf, name: row.name, triggered: true, outcome: row.outcome, error: null })),
  };
}
