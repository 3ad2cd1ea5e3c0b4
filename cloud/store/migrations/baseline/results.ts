/** The two subjects of a publication: results of v1 and analyses of v2. */
export const results = [
  `create sequence publication_number`,
  `create table explanation_result (
     explanation_result_id text primary key,
     explanation_run_id text not null references explanation_run,
     explanation_route_id bigint not null references explanation_route,
     etf_instrument_id text not null references instrument,
     -- Name, ticker and market as its load told them (D205).
     instrument_name_id bigint not null references instrument_name,
     trade_date date not null,
     explanation_as_of timestamptz(3) not null,
     explanation_type text,
     confidence_level text check (confidence_level in ('HIGH', 'MEDIUM', 'LOW')),
     summary text not null,
     primary_thread_id text not null references event_thread,
     content_as_of text,
     surface jsonb,
     -- The units of its measured values, as its load told them (D217).
     surface_units jsonb,
     publication_status text not null check (publication_status in ('DRAFT', 'PUBLISHED', 'WITHDRAWN')),
     draft_reason text check (draft_reason in ('route_already_published', 'surface_absent')),
     published_at timestamptz,
     withdrawn_at timestamptz,
     withdrawal_reason text,
     load_hash text not null,
     created_at timestamptz not null,
     -- The publication's number: the records below a retention floor stay a few ranges of numbers.
     publication_number bigint unique,
     -- Whether any tenant has ever got it.
     delivered boolean not null default false,
     -- The opposing factors as the engine tells them (operator API 2); null: it told none.
     counter_factors jsonb,
     check ((publication_status = 'DRAFT') = (draft_reason is not null)),
     check ((publication_status = 'DRAFT') = (published_at is null)),
     check ((publication_status = 'WITHDRAWN') = (withdrawn_at is not null)),
     check ((publication_status = 'WITHDRAWN') = (withdrawal_reason is not null)),
     constraint explanation_result_numbered_when_published
       check ((publication_status = 'DRAFT') = (publication_number is null))
   )`,
  `create unique index explanation_result_one_published_per_grain
     on explanation_result (etf_instrument_id, trade_date, explanation_as_of) where publication_status = 'PUBLISHED'`,
  `create unique index explanation_result_one_published_per_route
     on explanation_result (explanation_route_id) where publication_status = 'PUBLISHED'`,
  `create index explanation_result_by_creation on explanation_result (created_at desc, explanation_result_id)`,
  // The lists of the operator: an index for each filter that leaves few of many rows.
  `create index explanation_result_by_instrument on explanation_result (etf_instrument_id, created_at desc)`,
  `create index explanation_result_drafts on explanation_result (created_at desc) where publication_status = 'DRAFT'`,
  `create index explanation_result_withdrawn on explanation_result (created_at desc) where publication_status = 'WITHDRAWN'`,
  // The facts of a day.
  `create index explanation_result_by_day on explanation_result (trade_date, etf_instrument_id)`,
  `create index explanation_result_by_run on explanation_result (explanation_run_id)`,
  `create index explanation_result_published_by_day on explanation_result (trade_date) where publication_status = 'PUBLISHED'`,
  `create index explanation_result_undelivered on explanation_result (explanation_result_id) where publication_status = 'PUBLISHED' and not delivered`,
  `create table movement_analysis (
     movement_analysis_id text primary key,
     explanation_run_id text not null references explanation_run,
     explanation_route_id bigint not null references explanation_route,
     etf_instrument_id text not null references instrument,
     -- Name, ticker and market as its load told them (D205).
     instrument_name_id bigint not null references instrument_name,
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
     -- The publication's number: the records below a retention floor stay a few ranges of numbers.
     publication_number bigint unique,
     -- Whether any tenant has ever got it.
     delivered boolean not null default false,
     check ((publication_status = 'WITHDRAWN') = (withdrawn_at is not null)),
     check ((publication_status = 'WITHDRAWN') = (withdrawal_reason is not null)),
     constraint movement_analysis_numbered_when_published
       check ((publication_status = 'DRAFT') = (publication_number is null))
   )`,
  `create index movement_analysis_by_creation on movement_analysis (created_at desc, movement_analysis_id)`,
  `create index movement_analysis_by_instrument on movement_analysis (etf_instrument_id, created_at desc)`,
  `create index movement_analysis_withdrawn on movement_analysis (created_at desc) where publication_status = 'WITHDRAWN'`,
  `create index movement_analysis_by_day on movement_analysis (trade_date, etf_instrument_id)`,
  `create index movement_analysis_by_run on movement_analysis (explanation_run_id)`,
  `create index movement_analysis_published_by_day on movement_analysis (trade_date) where publication_status = 'PUBLISHED'`,
  `create index movement_analysis_undelivered on movement_analysis (movement_analysis_id) where publication_status = 'PUBLISHED' and not delivered`,
  `create table movement_analysis_status_history (
     movement_analysis_status_history_id bigint generated always as identity primary key,
     movement_analysis_id text not null references movement_analysis,
     from_status text,
     to_status text not null,
     note text not null,
     changed_at timestamptz not null
   )`,
  `create index movement_analysis_status_history_by_analysis on movement_analysis_status_history (movement_analysis_id)`,
  // A row of another writer goes by the instrument's present name.
  `create function takes_present_name() returns trigger language plpgsql as $$
   begin
     new.instrument_name_id := (
       select name_of_instrument(i.instrument_id, i.ticker, e.entity_name, i.market_code)
       from instrument i join entity e using (entity_id) where i.instrument_id = new.etf_instrument_id);
     return new;
   end $$`,
  ...['explanation_result', 'movement_analysis'].map(
    (table) => `create trigger takes_present_name before insert on ${table} for each row
       when (new.instrument_name_id is null) execute function takes_present_name()`,
  ),
];
