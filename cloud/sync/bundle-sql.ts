/**
 * The one statement behind a pull (document 3 section 4): who the certificate belongs to, how far the
 * tenant's records go, and the whole bundle as JSON text, all from one snapshot.
 *
 * Indexes it uses: `tenant_certificate_pkey`; the primary key of the tenant's partition of
 * `tenant_delivery`, forwards for the range and backwards for the head; the primary keys of
 * `explanation_result`, `movement_analysis`, `explanation_run` and of the lineage tables.
 *
 * Text is put together by hand, because optional fields must be absent and stored JSON must leave
 * digit by digit; every value passes through to_json or to_char.
 */
const json = (column: string): string => `to_json(${column})::text`;
const nullableJson = (column: string): string => `coalesce(to_json(${column})::text, 'null')`;
/** D2: UTC with milliseconds. */
const instant = (column: string): string =>
  `'"' || to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') || 'Z"'`;
const nullableInstant = (column: string): string => `coalesce(${instant(column)}, 'null')`;

const RESULT_TEXT = `
  '{"explanation_result_id":' || ${json('s.id')}
  || ',"etf_instrument_id":' || ${json('s.etf_instrument_id')}
  || ',"etf_ticker":' || ${json('i.ticker')}
  || ',"etf_name":' || ${json('e.entity_name')}
  || ',"trade_date":"' || to_char(s.trade_date, 'YYYY-MM-DD') || '"'
  || ',"explanation_as_of":' || ${instant('s.explanation_as_of')}
  || ',"explanation_type":' || ${nullableJson('s.explanation_type')}
  || ',"summary":' || ${json('s.summary')}
  || ',"confidence_level":' || ${nullableJson('s.confidence_level')}
  || ',"primary_thread_id":' || ${json('s.primary_thread_id')}
  || ',"content_as_of":' || ${nullableJson('s.content_as_of')}
  || case when s.is_v2 then ',"analysis_engine":"v2"' else '' end
  || ',"market":' || ${json('i.market_code')}
  || ',"observed_return":' || ${nullableJson('coalesce(bt.observed_return, mt.observed_return)')}
  || '}'`;

const RUN_TEXT = `
  '{"explanation_run_id":' || case when s.is_v2 then ${json('s.id')} else ${json('s.run_id')} end
  || ',"release_bundle_version":' || case when s.is_v2 then 'null' else ${nullableJson('rb.version')} end
  || '}'`;

const SOURCE_EVENTS = `
  select string_agg(
    '{"source_event_id":' || ${json('se.source_event_id')}
    || ',"source_class":' || ${json('se.source_class')}
    || ',"event_type_code":' || ${json('se.event_type_code')}
    || ',"event_date":' || coalesce('"' || to_char(se.event_date, 'YYYY-MM-DD') || '"', 'null')
    || '}', ',' order by se.source_event_id collate "C") as body
  from (
    select ee.source_event_id
    from explanation_run_event_evidence re join event_evidence ee on ee.event_evidence_id = re.event_evidence_id
    where re.explanation_run_id = s.run_id
    union
    select df.source_event_id
    from explanation_run_disclosure_fact rf join disclosure_fact df on df.disclosure_fact_id = rf.disclosure_fact_id
    where rf.explanation_run_id = s.run_id
  ) reached
  join source_event se on se.source_event_id = reached.source_event_id`;

const DOCUMENT_EVIDENCES = `
  select string_agg(
    '{"kind":' || ${json('d.document_type')}
    || ',"title":' || ${nullableJson('d.title')}
    || ',"source":' || ${json('d.source_code')}
    || ',"published_at":' || ${nullableInstant('d.published_at')}
    || ',"source_uri":' || ${nullableJson('d.source_uri')}
    || coalesce(',"news_id":' || ${json("case when d.document_type = 'NEWS' then d.news_id end")}, '')
    || coalesce(',"tool_run_id":' || ${json('rd.tool_run_id')}, '')
    || coalesce(',"item_ids":' || rd.item_ids::text, '')
    || '}', ',' order by rd.position, d.document_id collate "C") as body
  from (
    select da.document_id
    from explanation_run_event_evidence re
    join event_evidence ee on ee.event_evidence_id = re.event_evidence_id
    join document_assertion da on da.document_assertion_id = ee.document_assertion_id
    where re.explanation_run_id = s.run_id
    union
    select df.document_id
    from explanation_run_disclosure_fact rf join disclosure_fact df on df.disclosure_fact_id = rf.disclosure_fact_id
    where rf.explanation_run_id = s.run_id
  ) reached
  join document d on d.document_id = reached.document_id
  left join explanation_run_document rd on rd.explanation_run_id = s.run_id and rd.document_id = d.document_id`;

const CALCULATION_EVIDENCES = `
  select string_agg(
    '{"kind":"CALCULATION","title":' || ${json('c.title')}
    || ',"source":' || ${json('c.source')}
    || ',"published_at":null,"as_of":' || ${nullableJson('c.as_of')}
    || ',"tool_run_id":' || ${json('c.tool_run_id')}
    || ',"item_ids":' || c.item_ids::text
    || ',"arguments":' || c.arguments::text
    || ',"output":' || c.output::text
    || ',"formula_latex":' || ${nullableJson('c.formula_latex')}
    || ',"description":' || ${json('c.description')}
    || '}', ',' order by c.position) as body
  from explanation_run_calculation c
  where $5::boolean and c.explanation_run_id = s.run_id`;

/** What the statement is called at the server that prepares it. */
export const PULL_STATEMENT = 'sync_pull';

/** $1 fingerprint, $2 now, $3 after (null: only say who it is), $4 limit, $5 whether calculations are delivered. */
export const PULL_SQL = `
with who as materialized (
  select c.tenant_id, t.retention_floor,
    case
      when c.revoked_at is not null or t.removed_at is not null then 'REVOKED'
      when $2::timestamptz < c.not_before or $2::timestamptz > c.not_after then 'EXPIRED'
      else 'VALID'
    end as standing
  from tenant_certificate c join tenant t on t.tenant_id = c.tenant_id
  where c.fingerprint = $1::text
),
picked as materialized (
  select d.cursor, d.delivery_type, d.explanation_result_id, d.movement_analysis_id,
    d.target_explanation_result_id, d.target_movement_analysis_id, d.reason
  from tenant_delivery d
  where d.tenant_id = (select tenant_id from who where standing = 'VALID' and $3::bigint >= retention_floor)
    and d.cursor > $3::bigint
  order by d.cursor
  limit $4::integer
),
subject as (
  select p.cursor, false as is_v2, r.explanation_result_id as id, r.explanation_run_id as run_id, r.explanation_route_id as route_id,
    r.etf_instrument_id, r.trade_date, r.explanation_as_of, r.explanation_type, r.confidence_level, r.summary,
    r.primary_thread_id, r.content_as_of
  from picked p join explanation_result r on r.explanation_result_id = p.explanation_result_id
  union all
  select p.cursor, true, m.movement_analysis_id, m.explanation_run_id, m.explanation_route_id,
    m.etf_instrument_id, m.trade_date, m.explanation_as_of, null, null, m.summary,
    m.primary_thread_id, m.content_as_of
  from picked p join movement_analysis m on m.movement_analysis_id = p.movement_analysis_id
),
entry as (
  select s.cursor,
    '{"cursor":' || s.cursor || ',"delivery_type":"NEW","explanation_result":' || ${RESULT_TEXT}
    || ',"explanation_run":' || ${RUN_TEXT}
    || ',"source_events":[' || coalesce(events.body, '') || ']'
    || ',"evidences":[' || concat_ws(',', documents.body, calculations.body) || ']}' as body
  from subject s
  join instrument i on i.instrument_id = s.etf_instrument_id
  join entity e on e.entity_id = i.entity_id
  join explanation_route ro on ro.explanation_route_id = s.route_id
  left join price_movement_trigger bt on bt.trigger_id = ro.price_movement_trigger_id
  left join minute_price_trigger mt on mt.trigger_id = ro.minute_price_trigger_id
  join explanation_run ru on ru.explanation_run_id = s.run_id
  left join release_bundle rb on rb.release_bundle_id = ru.release_bundle_id
  cross join lateral (${SOURCE_EVENTS}) events
  cross join lateral (${DOCUMENT_EVIDENCES}) documents
  cross join lateral (${CALCULATION_EVIDENCES}) calculations
  union all
  select p.cursor,
    '{"cursor":' || p.cursor || ',"delivery_type":"INVALIDATION"'
    || coalesce(',"target_explanation_result_id":' || ${json('p.target_explanation_result_id')}, '')
    || coalesce(',"target_movement_analysis_id":' || ${json('p.target_movement_analysis_id')}, '')
    || ',"reason":' || ${json('p.reason')} || '}'
  from picked p
  where p.delivery_type = 'INVALIDATION'
)
select w.tenant_id, w.standing, w.retention_floor,
  greatest(w.retention_floor, coalesce((
    select d.cursor from tenant_delivery d where d.tenant_id = w.tenant_id order by d.cursor desc limit 1), 0)) as head,
  (select count(*) from picked) as picked_count,
  (select max(cursor) from picked) as cursor_to,
  bundled.entry_count, bundled.entries
from who w
cross join (select count(*) as entry_count, string_agg(body, ',' order by cursor) as entries from entry) bundled`;
