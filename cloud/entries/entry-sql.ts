/**
 * The content of an entry as SQL, in one place: the function of a bundle joins it (`bundle-entries.ts`).
 *
 * Each look-up is a subquery for one key (`offset 0` keeps the planner from merging subqueries), so that the plan is
 * nested look-ups under any statistics. Indexes: the primary keys of `explanation_result`, `movement_analysis`,
 * `explanation_route`, `explanation_run`, of both triggers and of the lineage tables, those of `explanation_run_…` by
 * their first column, the run.
 *
 * The JSON text is concatenated by hand, because optional fields must be absent and stored numbers must keep their
 * digits; every value passes through to_json or to_char.
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
  || ',"etf_ticker":' || ${json('n.ticker')}
  || ',"etf_name":' || ${json('n.entity_name')}
  || ',"trade_date":"' || to_char(s.trade_date, 'YYYY-MM-DD') || '"'
  || ',"explanation_as_of":' || ${instant('s.explanation_as_of')}
  || ',"explanation_type":' || ${nullableJson('s.explanation_type')}
  || ',"summary":' || ${json('s.summary')}
  || ',"confidence_level":' || ${nullableJson('s.confidence_level')}
  || ',"primary_thread_id":' || ${json('s.primary_thread_id')}
  || ',"content_as_of":' || ${nullableJson('s.content_as_of')}
  || case when s.is_v2 then ',"analysis_engine":"v2"' else '' end
  || ',"market":' || ${json('n.market_code')}
  || ',"observed_return":' || ${nullableJson('firing.observed_return')}
  || '}'`;

const RUN_TEXT = `
  '{"explanation_run_id":' || case when s.is_v2 then ${json('s.id')} else ${json('s.run_id')} end
  || ',"release_bundle_version":' || case when s.is_v2 then 'null' else ${nullableJson('ru.version')} end
  || '}'`;

/** Both branches from a run to its evidence documents, with the source events on the way. */
const REACHED = `
  select ee.source_event_id, da.document_id
  from explanation_run_event_evidence re
  cross join lateral (
    select source_event_id, document_assertion_id from event_evidence where event_evidence_id = re.event_evidence_id offset 0
  ) ee
  cross join lateral (
    select document_id from document_assertion where document_assertion_id = ee.document_assertion_id offset 0
  ) da
  where re.explanation_run_id = s.run_id
  union all
  select df.source_event_id, df.document_id
  from explanation_run_disclosure_fact rf
  cross join lateral (
    select source_event_id, document_id from disclosure_fact where disclosure_fact_id = rf.disclosure_fact_id offset 0
  ) df
  where rf.explanation_run_id = s.run_id`;

const SOURCE_EVENTS = `
  select string_agg(
    '{"source_event_id":' || ${json('se.source_event_id')}
    || ',"source_class":' || ${json('se.source_class')}
    || ',"event_type_code":' || ${json('se.event_type_code')}
    || ',"event_date":' || coalesce('"' || to_char(se.event_date, 'YYYY-MM-DD') || '"', 'null')
    || '}', ',' order by se.source_event_id collate "C")
  from (select distinct source_event_id from reached) r
  cross join lateral (select * from source_event where source_event_id = r.source_event_id offset 0) se`;

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
    || '}', ',' order by rd.position, d.document_id collate "C")
  from (select distinct document_id from reached) r
  cross join lateral (select * from document where document_id = r.document_id offset 0) d
  left join lateral (
    select position, tool_run_id, item_ids from explanation_run_document
    where explanation_run_id = s.run_id and document_id = r.document_id offset 0
  ) rd on true`;

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
    || '}', ',' order by c.position)
  from explanation_run_calculation c
  where c.explanation_run_id = s.run_id`;

/**
 * The content of the NEW entry of a subject, `x.result_id` or `x.analysis_id`, after its cursor: `body` up to the last
 * document, and `calculations` with the text before them, null unless $4 is set. No row when a row that it refers to is missing.
 */
export const SUBJECT_TEXT = `
  select ',"delivery_type":"NEW","explanation_result":' || ${RESULT_TEXT}
    || ',"explanation_run":' || ${RUN_TEXT}
    || ',"source_events":[' || coalesce(lineage.events, '') || ']'
    || ',"evidences":[' || coalesce(lineage.documents, '') as body,
    case when $4 then case when lineage.documents is null then '' else ',' end || (${CALCULATION_EVIDENCES}) end as calculations
  from (
    select false as is_v2, r.explanation_result_id as id, r.explanation_run_id as run_id,
      r.etf_instrument_id, r.instrument_name_id, r.trade_date, r.explanation_as_of, r.explanation_type, r.confidence_level, r.summary,
      r.primary_thread_id, r.content_as_of
    from explanation_result r where r.explanation_result_id = x.result_id
    union all
    select true, m.movement_analysis_id, m.explanation_run_id,
      m.etf_instrument_id, m.instrument_name_id, m.trade_date, m.explanation_as_of, null, null, m.summary,
      m.primary_thread_id, m.content_as_of
    from movement_analysis m where m.movement_analysis_id = x.analysis_id
  ) s
  cross join lateral (
    select n.ticker, n.market_code, n.entity_name from instrument_name n
    where n.instrument_name_id = s.instrument_name_id offset 0
  ) n
  cross join lateral (
    select (select version from release_bundle rb where rb.release_bundle_id = ru.release_bundle_id) as version,
      ru.explanation_route_id as route_id
    from explanation_run ru where ru.explanation_run_id = s.run_id offset 0
  ) ru
  cross join lateral (
    select coalesce(
      (select observed_return from price_movement_trigger where trigger_id = ro.price_movement_trigger_id),
      (select observed_return from minute_price_trigger where trigger_id = ro.minute_price_trigger_id)) as observed_return
    from explanation_route ro where ro.explanation_route_id = ru.route_id offset 0
  ) firing
  cross join lateral (
    with reached as materialized (${REACHED})
    select (${SOURCE_EVENTS}) as events, (${DOCUMENT_EVIDENCES}) as documents
  ) lineage`;

/** When the record `d` was issued (D235). */
export const ISSUED_TEXT = `',"issued_at":' || ${instant('d.created_at')}`;

/** The text of an INVALIDATION record `d`. */
export const INVALIDATION_TEXT = `
  '{"cursor":' || d.cursor || ${ISSUED_TEXT} || ',"delivery_type":"INVALIDATION"'
    || coalesce(',"target_explanation_result_id":' || ${json('d.target_explanation_result_id')}, '')
    || coalesce(',"target_movement_analysis_id":' || ${json('d.target_movement_analysis_id')}, '')
    || ',"reason":' || ${json('d.reason')} || '}'`;
