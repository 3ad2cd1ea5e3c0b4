/**
 * Firings, observations, routes and runs. Two trigger tables, because the contract counts them apart; a route is one
 * firing of either. Every firing that the engine loads was observed.
 */
export const runs = [
  `create table price_movement_trigger (
     trigger_id text primary key,
     instrument_id text not null references instrument,
     trade_date date not null,
     fired_at timestamptz not null,
     observed_return double precision
   )`,
  `create table minute_price_trigger (
     trigger_id text primary key,
     instrument_id text not null references instrument,
     trade_date date not null,
     signal text not null check (signal in ('FIRE', 'REVERT')),
     fired_at timestamptz not null,
     observed_return double precision
   )`,
  `create index price_movement_trigger_by_day on price_movement_trigger (trade_date)`,
  `create index minute_price_trigger_by_day on minute_price_trigger (trade_date, signal)`,
  `create table price_observation (
     price_observation_id text primary key,
     instrument_id text not null references instrument,
     trade_date date not null,
     observed_at timestamptz not null
   )`,
  `create table price_observation_trigger (
     price_observation_id text not null references price_observation,
     price_movement_trigger_id text references price_movement_trigger,
     minute_price_trigger_id text references minute_price_trigger,
     check (num_nonnulls(price_movement_trigger_id, minute_price_trigger_id) = 1)
   )`,
  `create unique index price_observation_trigger_batch
     on price_observation_trigger (price_movement_trigger_id, price_observation_id) where price_movement_trigger_id is not null`,
  `create unique index price_observation_trigger_minute
     on price_observation_trigger (minute_price_trigger_id, price_observation_id) where minute_price_trigger_id is not null`,
  `create table explanation_route (
     explanation_route_id bigint generated always as identity primary key,
     price_movement_trigger_id text unique references price_movement_trigger,
     minute_price_trigger_id text unique references minute_price_trigger,
     price_observation_id text references price_observation,
     check (num_nonnulls(price_movement_trigger_id, minute_price_trigger_id) = 1)
   )`,
  `create index explanation_route_by_observation on explanation_route (price_observation_id)`,
  // A run has the instrument of its firing: the operator's list asks for the failed runs of one instrument.
  `create table explanation_run (
     explanation_run_id text primary key,
     explanation_route_id bigint not null references explanation_route,
     release_bundle_id bigint references release_bundle,
     mode text not null check (mode in ('REALTIME', 'DAILY', 'BACKFILL', 'V2')),
     status text not null check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
     started_at timestamptz not null,
     explanation_as_of timestamptz(3) not null,
     lineage_hash text not null,
     created_at timestamptz not null,
     instrument_id text not null references instrument
   )`,
  `create function run_has_instrument() returns trigger language plpgsql as $$
     begin
       new.instrument_id := (
  select coalesce(b.instrument_id, m.instrument_id) from explanation_route ro
  left join price_movement_trigger b on b.trigger_id = ro.price_movement_trigger_id
  left join minute_price_trigger m on m.trigger_id = ro.minute_price_trigger_id
  where ro.explanation_route_id = new.explanation_route_id);
       return new;
     end $$`,
  `create trigger run_has_instrument before insert on explanation_run for each row execute function run_has_instrument()`,
  `create index explanation_run_by_route on explanation_run (explanation_route_id)`,
  `create index explanation_run_pending on explanation_run (created_at desc) where status in ('PENDING', 'RUNNING')`,
  `create index explanation_run_failed on explanation_run (created_at desc) where status in ('FAILED', 'CANCELLED')`,
  `create index explanation_run_failed_by_instrument on explanation_run (instrument_id, created_at desc)
     where status in ('FAILED', 'CANCELLED')`,
  `create table explanation_run_event_evidence (
     explanation_run_id text not null references explanation_run,
     event_evidence_id text not null references event_evidence,
     stage_code text not null default 'PROMPT' check (stage_code in ('PROMPT')),
     primary key (explanation_run_id, event_evidence_id, stage_code)
   )`,
  `create index explanation_run_event_evidence_by_evidence on explanation_run_event_evidence (event_evidence_id)`,
  `create table explanation_run_disclosure_fact (
     explanation_run_id text not null references explanation_run,
     disclosure_fact_id text not null references disclosure_fact,
     primary key (explanation_run_id, disclosure_fact_id)
   )`,
  `create index explanation_run_disclosure_fact_by_fact on explanation_run_disclosure_fact (disclosure_fact_id)`,
  // A run's own facts about a document that it used: the document itself is shared between runs.
  `create table explanation_run_document (
     explanation_run_id text not null references explanation_run,
     document_id text not null references document,
     position integer not null,
     tool_run_id text,
     item_ids jsonb check (jsonb_typeof(item_ids) = 'array'),
     primary key (explanation_run_id, document_id)
   )`,
  // json, not jsonb: arguments and output leave as they were stored, digits and order included.
  `create table explanation_run_calculation (
     explanation_run_id text not null references explanation_run,
     position integer not null,
     title text not null,
     source text not null,
     as_of text,
     tool_run_id text not null,
     item_ids jsonb not null check (jsonb_typeof(item_ids) = 'array'),
     arguments json not null check (json_typeof(arguments) = 'object'),
     output json not null check (json_typeof(output) = 'object'),
     formula_latex text,
     description text not null,
     primary key (explanation_run_id, position)
   )`,
];
