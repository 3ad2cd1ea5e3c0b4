/**
 * The instrument of a load (D205). A result keeps name, ticker and market as its load told them; the instrument itself
 * has those of the newest trade date among published live loads.
 *
 * Written out: one statement renames instrument and entity together.
 */
import { sql } from 'kysely';
import type { Trx } from '../store/open.ts';
import type { Load } from './load.ts';
import { LoadRefusedError } from './refusal.ts';

/**
 * Inserts the instrument where it is new, and locks it until the transaction ends.
 *
 * @returns the number of the name by which the load goes
 * @throws LoadRefusedError INSTRUMENT_CONFLICT
 */
export async function lockInstrument(trx: Trx, load: Load): Promise<number> {
  const { instrument_id: id, ticker, name, market } = load.instrument;
  // The engine names no entity beside the instrument, so both share the id.
  await sql`insert into entity (entity_id, entity_name) values (${id}, ${name}) on conflict do nothing`.execute(trx);
  await sql`
    insert into instrument (instrument_id, entity_id, ticker, market_code) values (${id}, ${id}, ${ticker}, ${market})
    on conflict do nothing`.execute(trx);
  const { rows } = await sql<{ ticker: string; market_code: string }>`
    select ticker, market_code from instrument where instrument_id = ${id} for no key update`.execute(trx);
  const known = rows[0];
  if (known === undefined) throw new Error(`the instrument ${id} is gone`);
  if ((known.ticker !== ticker || known.market_code !== market) && load.instrument_change !== true) {
    throw new LoadRefusedError(
      'INSTRUMENT_CONFLICT',
      `The instrument ${id} is known as ${known.ticker} of ${known.market_code}, and this load says ${ticker} of ${market}: correct the load, or send it with "instrument_change": true when it is meant.`,
    );
  }
  const named = await sql<{ id: number }>`
    select name_of_instrument(${id}::text, ${ticker}::text, ${name}::text, ${market}::text) as id`.execute(trx);
  return named.rows[0]?.id ?? 0;
}

/** After a publication: the newest trade date of live loads names the instrument; of one date, the later load. */
export async function nameInstrument(trx: Trx, load: Load): Promise<void> {
  if (load.mode === 'BACKFILL') return;
  const { instrument_id: id, ticker, name, market } = load.instrument;
  const date = load.mode === 'V2' ? load.analysis.trade_date : load.result.trade_date;
  await sql`
    with renamed as (
      update instrument i set ticker = ${ticker}, market_code = ${market}, named_on = ${date}::date
      from entity e
      where i.instrument_id = ${id} and e.entity_id = i.entity_id and (i.named_on is null or i.named_on <= ${date}::date)
        and (i.ticker, i.market_code, i.named_on, e.entity_name) is distinct from (${ticker}, ${market}, ${date}::date, ${name})
      returning i.entity_id
    )
    update entity e set entity_name = ${name} from renamed
    where e.entity_id = renamed.entity_id and e.entity_name <> ${name}`.execute(trx);
}
