/**
 * The instrument of a load (D205). A result keeps name, ticker and market as its load told them; the instrument itself
 * has those of the newest trade date among published live loads.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Trx } from '../store/open.ts';
import type { Load } from './load.ts';
import type { Subject } from './fan-out.ts';
import { LoadRefusedError } from './refusal.ts';

const TICKER_LOCK = 'etf-ticker';

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
  await sql`select from instrument where instrument_id = ${id} for no key update`.execute(trx);
  // A withdrawal does not wait for this lock.
  await forgetWithdrawnName(trx, id);
  const { rows } = await sql<{ ticker: string; market_code: string; is_named: boolean }>`
    select ticker, market_code, named_on is not null as is_named from instrument where instrument_id = ${id}`.execute(
    trx,
  );
  const known = rows[0];
  if (known === undefined) throw new Error(`the instrument ${id} is gone`);
  // A backfill or a draft that came first names nothing.
  if (known.is_named && (known.ticker !== ticker || known.market_code !== market) && load.instrument_change !== true) {
    throw new LoadRefusedError(
      'INSTRUMENT_CONFLICT',
      `The instrument ${id} is known as ${known.ticker} of ${known.market_code}, and this load says ${ticker} of ${market}: correct the load, or send it with "instrument_change": true when it is meant.`,
    );
  }
  if (!known.is_named || load.instrument_change === true) await lockTicker(trx, ticker);
  if (!known.is_named && load.instrument_change !== true) await refuseTaken(trx, load);
  const named = await sql<{ id: number }>`
    select name_of_instrument(${id}::text, ${ticker}::text, ${name}::text, ${market}::text) as id`.execute(trx);
  return named.rows[0]?.id ?? 0;
}

const lockOf = (ticker: string): RawBuilder<unknown> => sql`hashtextextended(${`${TICKER_LOCK}:${ticker}`}, 0)`;

/** Of two instruments whose first loads come at once under one ticker, the second sees that the first has it. */
async function lockTicker(trx: Trx, ticker: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(ticker)})`.execute(trx);
}

/** A withdrawal waits for no load: whoever holds the lock is giving the ticker away. */
async function hasNoOther(trx: Trx, ticker: string, id: string): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_xact_lock(${lockOf(ticker)}) as held`.execute(
    trx,
  );
  if (rows[0]?.held !== true) return false;
  const others = await sql`
    select from instrument where ticker = ${ticker} and instrument_id <> ${id} and named_on is not null limit 1`.execute(
    trx,
  );
  return others.rows.length === 0;
}

/**
 * A wrong ticker in the first load of an instrument would go out in place of another one's text. A backfill may be of a
 * time before that one had it.
 */
async function refuseTaken(trx: Trx, load: Load): Promise<void> {
  const { instrument_id: id, ticker } = load.instrument;
  const of = load.mode === 'BACKFILL' ? (load.result?.trade_date ?? null) : null;
  const { rows } = await sql<{ id: string }>`
    select instrument_id as id from instrument i
    where ticker = ${ticker} and instrument_id <> ${id} and named_on is not null and (${of}::date is null or exists (
      select from ${live(sql.ref('i.instrument_id'))} told join instrument_name n using (instrument_name_id)
      where n.ticker = i.ticker and told.trade_date <= ${of}::date))
    order by named_on desc limit 1`.execute(trx);
  const holder = rows[0];
  if (holder !== undefined)
    throw new LoadRefusedError(
      'INSTRUMENT_CONFLICT',
      `The ticker ${ticker} is that of the instrument ${holder.id}, and this load gives it to ${id}: correct the load, or send it with "instrument_change": true when it is meant.`,
    );
}

/** After a publication: the newest trade date of live loads names the instrument; of one date, the later load. */
export async function nameInstrument(trx: Trx, load: Load): Promise<void> {
  if (load.mode === 'BACKFILL') return;
  await rename(trx, load.instrument, load.mode === 'V2' ? load.analysis.trade_date : load.result.trade_date);
}

async function rename(
  trx: Trx,
  { instrument_id: id, ticker, name, market }: Load['instrument'],
  date: string,
): Promise<void> {
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

/**
 * After a withdrawal: a load that is withdrawn names the instrument no longer. It never waits for a load of the same
 * instrument (D151): the next load repeats it under its lock.
 */
export async function nameAfterWithdrawal(trx: Trx, target: Subject): Promise<void> {
  const subject =
    'explanationResultId' in target
      ? sql`select etf_instrument_id from explanation_result where explanation_result_id = ${target.explanationResultId}`
      : sql`select etf_instrument_id from movement_analysis where movement_analysis_id = ${target.movementAnalysisId}`;
  const { rows } = await sql<{ id: string }>`
    select instrument_id as id from instrument where instrument_id = (${subject})
    for no key update skip locked`.execute(trx);
  for (const { id } of rows) await forgetWithdrawnName(trx, id);
}

/** The published live loads of an instrument. */
const live = (id: string | RawBuilder<unknown>) => sql`(
  select s.instrument_name_id, s.trade_date, s.published_at, s.publication_number
  from explanation_result s join explanation_run r using (explanation_run_id)
  where s.etf_instrument_id = ${id} and s.publication_status = 'PUBLISHED' and r.mode <> 'BACKFILL'
  union all
  select s.instrument_name_id, s.trade_date, s.published_at, s.publication_number
  from movement_analysis s where s.etf_instrument_id = ${id} and s.publication_status = 'PUBLISHED')`;

/**
 * Where no published live load of its date tells the present name any more, the newest of the others does, or none: also
 * where that is under a ticker which this one had left and another one has by now, so that its next load is judged anew.
 */
async function forgetWithdrawnName(trx: Trx, id: string): Promise<void> {
  const forgotten = await sql`
    update instrument i set named_on = null from entity e
    where i.instrument_id = ${id} and e.entity_id = i.entity_id and i.named_on is not null and not exists (
      select from ${live(id)} told join instrument_name n using (instrument_name_id)
      where told.trade_date = i.named_on
        and (n.ticker, n.market_code, n.entity_name) = (i.ticker, i.market_code, e.entity_name))`.execute(trx);
  if (forgotten.numAffectedRows === 0n) return;
  const { rows } = await sql<{ ticker: string; name: string; market: string; date: string; is_present: boolean }>`
    select n.ticker, n.entity_name as name, n.market_code as market, told.trade_date::text as date,
      n.ticker = (select ticker from instrument where instrument_id = ${id}) as is_present
    from ${live(id)} told join instrument_name n using (instrument_name_id)
    order by told.trade_date desc, told.published_at desc, told.publication_number desc limit 1`.execute(trx);
  for (const { date, is_present: isPresent, ...told } of rows)
    if (isPresent || (await hasNoOther(trx, told.ticker, id))) await rename(trx, { instrument_id: id, ...told }, date);
}
