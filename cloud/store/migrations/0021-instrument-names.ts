/**
 * A result keeps name, ticker and market as its load told them (D205). Entries are joined from these names and no longer
 * from the instrument, whose changes keep their texts.
 */
import { CREATE_BUNDLE_ENTRIES } from '../../entries/bundle-entries.ts';
import type { Migration } from './migrate.ts';
import {
  alwaysOn,
  deletionDropsAllTexts,
  dropsAllTexts,
  dropsTexts,
  keep,
  refusesTruncation,
  RESULT,
} from './baseline/entry-texts.ts';

/** The two subjects, with the columns that an entry shows. */
const SUBJECTS = [
  ['explanation_result', 'explanation_result_id', 'false', `${RESULT} explanation_type confidence_level`],
  ['movement_analysis', 'movement_analysis_id', 'true', RESULT],
] as const;

const PRESENT = `
  select name_of_instrument(i.instrument_id, i.ticker, e.entity_name, i.market_code)
  from instrument i join entity e using (entity_id)`;

export const instrumentNames: Migration = {
  version: 21,
  name: 'instrument-names',
  statements: [
    // The trade date of the live load that named it; null: it was named before any live publication.
    'alter table instrument add column named_on date constraint instrument_finite check (isfinite(named_on))',
    // Each way in which loads have named it. Rows never change.
    `create table instrument_name (
       instrument_name_id bigint generated always as identity primary key,
       instrument_id text not null references instrument,
       ticker text not null,
       entity_name text not null,
       market_code text not null,
       constraint instrument_name_told_once unique (instrument_id, ticker, entity_name, market_code)
     )`,
    `create function name_of_instrument(id text, of_ticker text, of_name text, of_market text) returns bigint language plpgsql as $$
     begin
       insert into instrument_name (instrument_id, ticker, entity_name, market_code) values (id, of_ticker, of_name, of_market)
       on conflict do nothing;
       return (
         select n.instrument_name_id from instrument_name n
         where n.instrument_id = id and n.ticker = of_ticker and n.entity_name = of_name and n.market_code = of_market);
     end $$`,
    // A row of another writer goes by the instrument's present name.
    `create function takes_present_name() returns trigger language plpgsql as $$
     begin
       new.instrument_name_id := (${PRESENT} where i.instrument_id = new.etf_instrument_id);
       return new;
     end $$`,
    ...SUBJECTS.flatMap(([table, id, isV2, columns]) => [
      `alter table ${table} add column instrument_name_id bigint references instrument_name`,
      `update ${table} s set instrument_name_id = (${PRESENT} where i.instrument_id = s.etf_instrument_id)`,
      `alter table ${table} alter column instrument_name_id set not null`,
      `create trigger takes_present_name before insert on ${table} for each row
         when (new.instrument_name_id is null) execute function takes_present_name()`,
      ...dropsTexts(table, `${id} instrument_name_id ${columns}`, `values (old.${id}, ${isV2}), (new.${id}, ${isV2})`),
    ]),
    `update instrument i set named_on = (
       select max(trade_date) from (
         select s.trade_date from explanation_result s join explanation_run using (explanation_run_id)
         where s.etf_instrument_id = i.instrument_id and s.publication_status <> 'DRAFT' and mode <> 'BACKFILL'
         union all
         select s.trade_date from movement_analysis s where s.etf_instrument_id = i.instrument_id) live)`,
    ...['instrument', 'entity'].flatMap((table) =>
      ['drops_texts', 'deletion_drops_all_texts', 'truncation_is_refused'].map(
        (trigger) => `drop trigger ${trigger} on ${table}`,
      ),
    ),
    dropsAllTexts('instrument_name', 'instrument_name_id ticker entity_name market_code'),
    deletionDropsAllTexts('instrument_name'),
    refusesTruncation('instrument_name'),
    alwaysOn,
    keep,
    CREATE_BUNDLE_ENTRIES,
  ],
};
