/** Reference data, and the sources of a text. `available_at` is the time at which the store first knew the row. */
export const lineage = [
  `create table entity (
     entity_id text primary key,
     entity_name text not null
   )`,
  `create table instrument (
     instrument_id text primary key,
     entity_id text not null references entity,
     ticker text not null,
     market_code text not null,
     -- The trade date of the live load that named it; null: it was named before any live publication.
     named_on date
   )`,
  `create index instrument_by_ticker on instrument (ticker)`,
  // Each way in which loads have named it (D205). Rows never change.
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
  `create table release_bundle (
     release_bundle_id bigint generated always as identity primary key,
     version text not null unique
   )`,
  `create table event_thread (
     event_thread_id text primary key,
     title text
   )`,
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
  // The documents of a day and their state, found without reading those of other days.
  `create index document_by_availability on document (document_type, available_at, document_id)`,
  `create index document_assertion_by_availability on document_assertion (available_at)`,
  `create index document_assertion_by_document on document_assertion (document_id)`,
  `create index source_event_by_availability on source_event (available_at)`,
  `create index event_evidence_by_assertion on event_evidence (document_assertion_id)`,
  // From a row back to those that refer to it.
  `create index event_evidence_by_event on event_evidence (source_event_id)`,
  `create index disclosure_fact_by_document on disclosure_fact (document_id)`,
  `create index disclosure_fact_by_event on disclosure_fact (source_event_id)`,
  `create index instrument_by_entity on instrument (entity_id)`,
];
