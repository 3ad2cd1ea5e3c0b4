/**
 * The pipeline's own ledger (operator API 2), which the operator's views and the facts read. Its words about itself
 * (statuses, reasons, lanes, stages) are carried verbatim, so no check narrows them. A null: the ledger gave no signal.
 */

/** White space as JavaScript's `\s` has it: the key of a slot is read the same on both sides. */
const SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

const runs = [
  `create table pipeline_run (
     pipeline_run_id bigint generated always as identity primary key,
     run_key text not null unique,
     lane text not null,
     trading_date date,
     status text not null,
     skip_reason text,
     deadline timestamptz,
     execution_id text,
     expected_execution_id text,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     -- The day that a run belongs to (operator API 4, facts rule 2), written down once for every reader.
     run_date date not null generated always as (coalesce(trading_date, (created_at at time zone 'Asia/Seoul')::date)) stored
   )`,
  // The latest runs of a lane, and one lane after another.
  `create index pipeline_run_by_lane on pipeline_run (lane, run_date desc, created_at desc, pipeline_run_id desc)`,
  // Runs by the time of their creation and slots by their time (D215): a view reads a few weeks of them, never all years.
  `create index pipeline_run_by_creation on pipeline_run (lane, created_at desc) include (run_date)`,
  // By the time of their last change: an old run that was tried again minutes ago needs a look today (D219).
  `create index pipeline_run_by_update on pipeline_run (lane, updated_at desc) include (run_date)`,
  `create index pipeline_run_by_day on pipeline_run (run_date, run_key)`,
  `create index pipeline_run_skipped on pipeline_run (run_date, skip_reason) where skip_reason is not null`,
  `create table expected_task (
     expected_task_id bigint generated always as identity primary key,
     pipeline_run_id bigint not null references pipeline_run,
     task_key text not null,
     stage text not null,
     dataset text,
     plan_status text not null,
     required boolean not null,
     contract_key text,
     expected_as_of date,
     actual_as_of date,
     collected_at timestamptz,
     freshness_status text,
     freshness_reason text,
     records_out bigint,
     unsupported_records bigint,
     failed_records bigint,
     completeness_expected bigint,
     completeness_actual bigint,
     unique (pipeline_run_id, task_key)
   )`,
  `create index expected_task_assertions_load on expected_task (pipeline_run_id) where task_key = 'assertions-load'`,
  `create table task_attempt (
     task_attempt_id bigint generated always as identity primary key,
     expected_task_id bigint not null references expected_task,
     status text not null,
     started_at timestamptz,
     ended_at timestamptz,
     -- The container of a retry that found the work done: it is not counted as an attempt.
     duplicate_retry boolean not null default false,
     error_code text,
     error_message text,
     numerator bigint,
     denominator bigint
   )`,
  `create index task_attempt_by_task on task_attempt (expected_task_id)`,
  `create index task_attempt_measured on task_attempt (started_at desc, expected_task_id)
     where numerator is not null and denominator is not null`,
  // The key of a slot is the run key that its run would have; planned_for is when that run was to begin.
  `create table planner_slot (
     planner_slot_id bigint generated always as identity primary key,
     slot_key text not null unique,
     planned_for timestamptz not null
   )`,

  `create index planner_slot_by_time on planner_slot (planned_for)`,
  `create table reconciliation_issue (
     reconciliation_issue_id bigint generated always as identity primary key,
     planner_slot_id bigint references planner_slot,
     pipeline_run_id bigint references pipeline_run,
     issue_type text not null,
     detail text,
     opened_at timestamptz not null,
     resolved_at timestamptz,
     -- The day of an open gap, so that an index finds the last such day (D46). A slot's key never changes.
     gap_date date
   )`,
  `create index reconciliation_issue_by_slot on reconciliation_issue (planner_slot_id)`,
  `create function slot_date(slot_key text) returns date language plpgsql immutable strict as $$
     declare day text := substring(slot_key from '^[^/${SPACE}]+/([0-9]{4}-[0-9]{2}-[0-9]{2})/[^${SPACE}]+$');
     begin
       return make_date(substr(day, 1, 4)::integer, substr(day, 6, 2)::integer, substr(day, 9, 2)::integer);
     exception when datetime_field_overflow then
       return null;
     end $$`,
  `create function date_gap() returns trigger language plpgsql as $$
     begin
       select coalesce(slot_date(s.slot_key), (new.opened_at at time zone 'Asia/Seoul')::date) into new.gap_date
       from planner_slot s where s.planner_slot_id = new.planner_slot_id;
       return new;
     end $$`,
  `create trigger date_gap before insert or update on reconciliation_issue for each row execute function date_gap()`,
  `create index reconciliation_issue_gap on reconciliation_issue (gap_date desc)
     where resolved_at is null and issue_type = 'PLANNER_MISSING'`,
];

const collection = [
  `create table source_collection (
     source_collection_id bigint generated always as identity primary key,
     source text not null,
     status text not null,
     collected_at timestamptz not null,
     processed_at timestamptz,
     next_due_at timestamptz,
     records bigint,
     error_code text,
     error_message text
   )`,
  `create index source_collection_latest on source_collection (source, collected_at desc, source_collection_id desc)`,
  `create index source_collection_processed on source_collection (source, processed_at desc) where processed_at is not null`,
  `create index source_collection_error on source_collection (source, collected_at desc, source_collection_id desc)
     where error_code is not null`,
  // response_trading_date is the date in the raw response; it is never derived from another value.
  `create table nav_collection (
     nav_collection_id bigint generated always as identity primary key,
     expected_task_id bigint not null references expected_task,
     collected_at timestamptz not null,
     response_trading_date date
   )`,
  `create index nav_collection_by_task on nav_collection (expected_task_id)`,
];

/** An expected ETF need not be an instrument that the store knows. */
const holdings = [
  `create table holdings_snapshot (
     reference_date date primary key,
     taken_at timestamptz not null
   )`,
  `create table holdings_expected (
     reference_date date not null references holdings_snapshot,
     etf_instrument_id text not null,
     primary key (reference_date, etf_instrument_id)
   )`,
  `create table holdings_load (
     holdings_load_id bigint generated always as identity primary key,
     reference_date date not null,
     status text not null,
     started_at timestamptz not null,
     ended_at timestamptz
   )`,
  `create index holdings_load_by_date on holdings_load (reference_date desc, started_at, holdings_load_id)`,
  `create table holdings_loaded (
     reference_date date not null,
     etf_instrument_id text not null,
     holdings_load_id bigint not null references holdings_load,
     loaded_at timestamptz not null,
     constituents integer,
     primary key (reference_date, etf_instrument_id)
   )`,
];

const intraday = [
  `create table minute_session (
     session_id text primary key,
     trading_date date not null,
     market text not null,
     opens_at timestamptz not null,
     closes_at timestamptz not null,
     -- Its grid has one place per minute, so it has to end.
     check (closes_at > opens_at and closes_at <= opens_at + interval '24 hours')
   )`,
  `create index minute_session_by_day on minute_session (trading_date desc, session_id)`,
  `create table minute_collection (
     session_id text not null references minute_session,
     minute_at timestamptz not null,
     expected_instruments integer,
     collected_instruments integer,
     failed_instruments integer,
     collected_at timestamptz,
     error_code text,
     primary key (session_id, minute_at)
   )`,
  `create table minute_daily_judgment (
     session_id text primary key references minute_session,
     verdict text not null,
     judged_at timestamptz not null,
     minutes_expected integer,
     minutes_collected integer,
     reason text
   )`,
  `create table minute_judgment_ground (
     minute_judgment_ground_id bigint generated always as identity primary key,
     session_id text not null references minute_session,
     instrument_id text not null,
     minute_at timestamptz not null,
     judgment text not null,
     price double precision,
     reference_price double precision,
     change_rate double precision,
     threshold double precision,
     reason text,
     original_text text,
     judged_at timestamptz not null
   )`,
  `create index minute_judgment_ground_by_session on minute_judgment_ground (session_id, minute_at, minute_judgment_ground_id)`,
  `create table intraday_extraction (
     intraday_extraction_id bigint generated always as identity primary key,
     extracted_at timestamptz not null,
     document_id text,
     error_code text
   )`,
  `create index intraday_extraction_by_time on intraday_extraction (extracted_at, error_code)`,
];

/** Tables that the adapters of the kind `database` read (D26). */
const adapters = [
  `create table workflow_execution (
     execution_id text primary key,
     status text not null,
     stopped_at timestamptz
   )`,
  // Without a dead-letter queue its columns are null.
  `create table message_queue (
     queue_name text primary key,
     visible bigint not null,
     in_flight bigint not null,
     delayed bigint not null,
     dead_visible bigint,
     dead_in_flight bigint,
     dead_delayed bigint
   )`,
];

export const pipeline = [...runs, ...collection, ...holdings, ...intraday, ...adapters];
