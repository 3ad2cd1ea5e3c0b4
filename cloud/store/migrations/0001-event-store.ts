/**
 * The event store of sync protocol 2: reference data, lineage, runs, results, v2 analyses,
 * tenants with their delivery records, the operator's accounts and audit.
 */
import type { Migration } from './migrate.ts';

/** How many hash partitions hold the delivery records. A tenant's records all lie in one of them. */
const DELIVERY_PARTITIONS = 16;

const reference = [
  `create table entity (
     entity_id text primary key,
     entity_name text not null
   )`,
  `create table instrument (
     instrument_id text primary key,
     entity_id text not null references entity,
     ticker text not null,
     market_code text not null
   )`,
  `create index instrument_by_ticker on instrument (ticker)`,
  `create table release_bundle (
     release_bundle_id bigint generated always as identity primary key,
     version text not null unique
   )`,
  `create table event_thread (
     event_thread_id text primary key,
     title text
   )`,
];

/** What a text stands on. `available_at` is when the store first knew the row. */
const lineage = [
  `create table source_event (
     source_event_id text primary key,
     source_class text not null check (source_class in ('NEWS', 'DISCLOSURE')),
     event_type_code text not null,
     event_date date,
     available_at timestamptz not null
   )`,
  `create table document (
     document_id text primary key,
     document_type text not null check (document_type in ('NEWS', 'DISCLOSURE')),
     title text,
     source_code text not null,
     published_at timestamptz(3),
     source_uri text,
     news_id text,
     available_at timestamptz not null
   )`,
  `create table document_assertion (
     document_assertion_id text primary key,
     document_id text not null references document,
     available_at timestamptz not null
   )`,
  `create table event_evidence (
     event_evidence_id text primary key,
     source_event_id text not null references source_event,
     document_assertion_id text not null references document_assertion
   )`,
  `create table disclosure_fact (
     disclosure_fact_id text primary key,
     document_id text not null references document,
     source_event_id text references source_event
   )`,
];

/** Two trigger tables, because the contract counts them apart; a route is one firing of either. */
const runs = [
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
  `create table explanation_route (
     explanation_route_id bigint generated always as identity primary key,
     price_movement_trigger_id text unique references price_movement_trigger,
     minute_price_trigger_id text unique references minute_price_trigger,
     check (num_nonnulls(price_movement_trigger_id, minute_price_trigger_id) = 1)
   )`,
  `create table explanation_run (
     explanation_run_id text primary key,
     explanation_route_id bigint not null references explanation_route,
     release_bundle_id bigint references release_bundle,
     mode text not null check (mode in ('REALTIME', 'DAILY', 'BACKFILL', 'V2')),
     status text not null check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
     started_at timestamptz not null,
     explanation_as_of timestamptz(3) not null,
     lineage_hash text not null,
     created_at timestamptz not null
   )`,
  `create index explanation_run_by_route on explanation_run (explanation_route_id)`,
  `create table explanation_run_event_evidence (
     explanation_run_id text not null references explanation_run,
     event_evidence_id text not null references event_evidence,
     stage_code text not null default 'PROMPT' check (stage_code in ('PROMPT')),
     primary key (explanation_run_id, event_evidence_id, stage_code)
   )`,
  `create table explanation_run_disclosure_fact (
     explanation_run_id text not null references explanation_run,
     disclosure_fact_id text not null references disclosure_fact,
     primary key (explanation_run_id, disclosure_fact_id)
   )`,
  // What a run says about a document that it used: the document itself is shared between runs.
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

const results = [
  `create table explanation_result (
     explanation_result_id text primary key,
     explanation_run_id text not null references explanation_run,
     explanation_route_id bigint not null references explanation_route,
     etf_instrument_id text not null references instrument,
     trade_date date not null,
     explanation_as_of timestamptz(3) not null,
     explanation_type text,
     confidence_level text check (confidence_level in ('HIGH', 'MEDIUM', 'LOW')),
     summary text not null,
     primary_thread_id text not null references event_thread,
     content_as_of text,
     surface jsonb,
     publication_status text not null check (publication_status in ('DRAFT', 'PUBLISHED', 'WITHDRAWN')),
     draft_reason text check (draft_reason in ('route_already_published', 'surface_absent')),
     published_at timestamptz,
     withdrawn_at timestamptz,
     withdrawal_reason text,
     load_hash text not null,
     created_at timestamptz not null,
     check ((publication_status = 'DRAFT') = (draft_reason is not null)),
     check ((publication_status = 'DRAFT') = (published_at is null)),
     check ((publication_status = 'WITHDRAWN') = (withdrawn_at is not null)),
     check ((publication_status = 'WITHDRAWN') = (withdrawal_reason is not null))
   )`,
  `create unique index explanation_result_one_published_per_grain
     on explanation_result (etf_instrument_id, trade_date, explanation_as_of) where publication_status = 'PUBLISHED'`,
  `create unique index explanation_result_one_published_per_route
     on explanation_result (explanation_route_id) where publication_status = 'PUBLISHED'`,
  `create index explanation_result_by_creation on explanation_result (created_at desc, explanation_result_id)`,
  `create table movement_analysis (
     movement_analysis_id text primary key,
     explanation_run_id text not null references explanation_run,
     explanation_route_id bigint not null references explanation_route,
     etf_instrument_id text not null references instrument,
     trade_date date not null,
     explanation_as_of timestamptz(3) not null,
     summary text not null,
     primary_thread_id text not null references event_thread,
     content_as_of text,
     exposure_status text not null check (exposure_status in ('AUTO_PUBLISHED')),
     publication_status text not null check (publication_status in ('PUBLISHED', 'WITHDRAWN')),
     published_at timestamptz not null,
     withdrawn_at timestamptz,
     withdrawal_reason text,
     load_hash text not null,
     created_at timestamptz not null,
     check ((publication_status = 'WITHDRAWN') = (withdrawn_at is not null)),
     check ((publication_status = 'WITHDRAWN') = (withdrawal_reason is not null))
   )`,
  `create index movement_analysis_by_creation on movement_analysis (created_at desc, movement_analysis_id)`,
  `create table movement_analysis_status_history (
     movement_analysis_status_history_id bigint generated always as identity primary key,
     movement_analysis_id text not null references movement_analysis,
     from_status text,
     to_status text not null,
     note text not null,
     changed_at timestamptz not null
   )`,
  `create index movement_analysis_status_history_by_analysis on movement_analysis_status_history (movement_analysis_id)`,
];

const tenants = [
  `create table tenant (
     tenant_id bigint generated by default as identity primary key check (tenant_id between 1 and 9007199254740991),
     name text not null check (btrim(name) <> ''),
     environment text not null check (environment in ('POC', 'PRODUCTION')),
     admin_name text,
     admin_email text,
     memo text,
     polling_seconds integer not null default 60 check (polling_seconds > 0),
     retention_floor bigint not null default 0 check (retention_floor >= 0),
     created_at timestamptz not null,
     removed_at timestamptz
   )`,
  `create unique index tenant_name_in_use on tenant (name) where removed_at is null`,
  `create table tenant_certificate (
     fingerprint text primary key check (fingerprint ~ '^[0-9a-f]{64}$'),
     tenant_id bigint not null references tenant,
     serial_number text not null,
     subject text not null,
     not_before timestamptz not null,
     not_after timestamptz not null,
     issued_at timestamptz not null,
     revoked_at timestamptz
   )`,
  `create index tenant_certificate_by_tenant on tenant_certificate (tenant_id)`,
  // No reference to tenant: rows only ever come from a select over it, and tenants are never deleted.
  `create table tenant_delivery (
     tenant_id bigint not null,
     cursor bigint not null check (cursor between 1 and 9007199254740991),
     delivery_type text not null,
     explanation_result_id text references explanation_result,
     movement_analysis_id text references movement_analysis,
     target_explanation_result_id text references explanation_result,
     target_movement_analysis_id text references movement_analysis,
     reason text,
     created_at timestamptz not null,
     primary key (tenant_id, cursor),
     constraint tenant_delivery_shape check (
       case delivery_type
         when 'NEW' then
           num_nonnulls(explanation_result_id, movement_analysis_id) = 1
           and num_nonnulls(target_explanation_result_id, target_movement_analysis_id, reason) = 0
         when 'INVALIDATION' then
           num_nonnulls(explanation_result_id, movement_analysis_id) = 0
           and num_nonnulls(target_explanation_result_id, target_movement_analysis_id) = 1
           and reason is not null and btrim(reason) <> ''
         else false
       end)
   ) partition by hash (tenant_id)`,
  ...Array.from(
    { length: DELIVERY_PARTITIONS },
    (_, remainder) =>
      `create table tenant_delivery_${String(remainder).padStart(2, '0')} partition of tenant_delivery
         for values with (modulus ${DELIVERY_PARTITIONS}, remainder ${remainder})`,
  ),
  // One record of each kind per tenant; led by the id, so that they also find who received it.
  ...[
    'explanation_result_id',
    'movement_analysis_id',
    'target_explanation_result_id',
    'target_movement_analysis_id',
  ].map(
    (column) =>
      `create unique index tenant_delivery_once_per_${column} on tenant_delivery (${column}, tenant_id) where ${column} is not null`,
  ),
  // The pull log in constant space per tenant: one row of state, and a ring of the last pulls.
  `create table tenant_pull_state (
     tenant_id bigint primary key references tenant,
     pulls bigint not null,
     entries bigint not null,
     last_pull_at timestamptz not null,
     last_outcome text not null,
     last_good_pull_at timestamptz,
     last_event_sync_at timestamptz,
     last_error_at timestamptz,
     last_error_code text,
     last_error_message text
   )`,
  `create table tenant_pull_history (
     tenant_id bigint not null references tenant,
     slot integer not null,
     pulled_at timestamptz not null,
     after_cursor bigint,
     to_cursor bigint,
     entry_count integer not null,
     outcome text not null,
     message text,
     primary key (tenant_id, slot)
   )`,
];

const operators = [
  `create table operator_account (
     operator_id bigint generated always as identity primary key,
     username text not null unique,
     display_name text not null,
     password_hash text not null,
     created_at timestamptz not null,
     last_login_at timestamptz
   )`,
  `create table operator_session (
     token_hash text primary key,
     operator_id bigint not null references operator_account,
     created_at timestamptz not null,
     last_seen_at timestamptz not null,
     expires_at timestamptz not null
   )`,
  `create index operator_session_by_expiry on operator_session (expires_at)`,
  `create table admin_activity_log (
     admin_activity_log_id bigint generated always as identity primary key,
     occurred_at timestamptz not null,
     operator_id bigint not null references operator_account,
     activity_type text not null,
     target_type text not null,
     target_id text not null,
     reason text not null
   )`,
  `create function refuse_change() returns trigger language plpgsql as $$
     begin raise exception '% only takes new rows', tg_table_name; end $$`,
  `create trigger admin_activity_log_append_only before update or delete or truncate on admin_activity_log
     for each statement execute function refuse_change()`,
];

export const eventStore: Migration = {
  version: 1,
  name: 'event-store',
  statements: [...reference, ...lineage, ...runs, ...results, ...tenants, ...operators],
};
