/**
 * Stores the lineage of a run (sync protocol 2, lineage). Documents, source events and evidences are shared between
 * runs, and a bundle shows their state at its assembly: so a known row keeps its values, and only missing ones are
 * filled in.
 *
 * All rows of a load travel as one parameter, `json_to_recordset`.
 */
import { sql } from 'kysely';
import type { Lineage, Load } from './load.ts';
import type { Trx } from '../store/open.ts';
import { LoadRefusedError } from './refusal.ts';

/**
 * Upserts the shared rows, always in the same order of tables and ids, so that two loads cannot deadlock.
 *
 * @returns documents of the load that stay as an earlier load told them
 */
export async function upsertLineage(trx: Trx, lineage: Lineage, at: Date): Promise<UnchangedDocument[]> {
  const events = JSON.stringify(lineage.source_events);
  const documents = JSON.stringify(lineage.documents);
  const evidences = JSON.stringify(lineage.event_evidences);
  const facts = JSON.stringify(lineage.disclosure_facts);
  if (lineage.source_events.length > 0) {
    await sql`
      insert into source_event as known (source_event_id, source_class, event_type_code, event_date, available_at)
      select source_event_id, source_class, event_type_code, event_date, ${at}::timestamptz
      from json_to_recordset(${events}::json) as x (source_event_id text, source_class text, event_type_code text, event_date date)
      order by source_event_id collate "C"
      on conflict (source_event_id) do update set event_date = excluded.event_date
      where known.event_date is null and excluded.event_date is not null`.execute(trx);
  }
  if (lineage.documents.length > 0) {
    await sql`
      insert into document as known (document_id, document_type, title, source_code, published_at, source_uri, news_id, available_at)
      select document_id, document_type, title, source, published_at, source_uri, news_id, ${at}::timestamptz
      from json_to_recordset(${documents}::json)
        as x (document_id text, document_type text, title text, source text, published_at timestamptz, source_uri text, news_id text)
      order by document_id collate "C"
      on conflict (document_id) do update set
        title = coalesce(known.title, excluded.title),
        published_at = coalesce(known.published_at, excluded.published_at),
        source_uri = coalesce(known.source_uri, excluded.source_uri),
        news_id = coalesce(known.news_id, excluded.news_id)
      where (known.title is null and excluded.title is not null)
        or (known.published_at is null and excluded.published_at is not null)
        or (known.source_uri is null and excluded.source_uri is not null)
        or (known.news_id is null and excluded.news_id is not null)`.execute(trx);
  }
  if (lineage.event_evidences.length > 0) {
    // The engine names no assertions: each evidence asserts its document once.
    await sql`
      insert into document_assertion (document_assertion_id, document_id, available_at)
      select event_evidence_id, document_id, ${at}::timestamptz
      from json_to_recordset(${evidences}::json) as x (event_evidence_id text, document_id text)
      order by event_evidence_id collate "C"
      on conflict do nothing`.execute(trx);
    await sql`
      insert into event_evidence (event_evidence_id, source_event_id, document_assertion_id)
      select event_evidence_id, source_event_id, event_evidence_id
      from json_to_recordset(${evidences}::json) as x (event_evidence_id text, source_event_id text)
      order by event_evidence_id collate "C"
      on conflict do nothing`.execute(trx);
  }
  if (lineage.disclosure_facts.length > 0) {
    await sql`
      insert into disclosure_fact as known (disclosure_fact_id, document_id, source_event_id)
      select disclosure_fact_id, document_id, source_event_id
      from json_to_recordset(${facts}::json) as x (disclosure_fact_id text, document_id text, source_event_id text)
      order by disclosure_fact_id collate "C"
      on conflict (disclosure_fact_id) do update set source_event_id = excluded.source_event_id
      where known.source_event_id is null and excluded.source_event_id is not null`.execute(trx);
  }
  return await refuseOtherMeaning(trx, { events, documents, evidences, facts });
}

/** A document whose title, time or address is another one than in the load. */
export interface UnchangedDocument {
  id: string;
  title: string | null;
}

/** The meaning of an id never changes: the same id with another meaning is an error of the engine. */
async function refuseOtherMeaning(
  trx: Trx,
  sent: Record<'events' | 'documents' | 'evidences' | 'facts', string>,
): Promise<UnchangedDocument[]> {
  const { rows } = await sql<{ what: string; id: string; title: string | null }>`
    select 'document' as what, document_id as id, null as title
    from json_to_recordset(${sent.documents}::json) as x (document_id text, document_type text, source text)
    join document known using (document_id)
    where known.document_type <> x.document_type or known.source_code <> x.source
    union all
    select 'source event', source_event_id, null
    from json_to_recordset(${sent.events}::json) as x (source_event_id text, source_class text, event_type_code text)
    join source_event known using (source_event_id)
    where known.source_class <> x.source_class or known.event_type_code <> x.event_type_code
    union all
    select 'event evidence', event_evidence_id, null
    from json_to_recordset(${sent.evidences}::json) as x (event_evidence_id text, source_event_id text, document_id text)
    join event_evidence known using (event_evidence_id)
    join document_assertion a using (document_assertion_id)
    where known.source_event_id <> x.source_event_id or a.document_id <> x.document_id
    union all
    select 'disclosure fact', disclosure_fact_id, null
    from json_to_recordset(${sent.facts}::json) as x (disclosure_fact_id text, document_id text, source_event_id text)
    join disclosure_fact known using (disclosure_fact_id)
    where known.document_id <> x.document_id or known.source_event_id <> x.source_event_id
    union all
    select 'kept', document_id, known.title
    from json_to_recordset(${sent.documents}::json)
      as x (document_id text, title text, published_at timestamptz, source_uri text, news_id text)
    join document known using (document_id)
    where known.title <> x.title or known.published_at <> x.published_at
      or known.source_uri <> x.source_uri or known.news_id <> x.news_id`.execute(trx);
  const first = rows.find(({ what }) => what !== 'kept');
  if (first !== undefined) {
    throw new LoadRefusedError(
      'LINEAGE_CONFLICT',
      `The ${first.what} ${first.id} is known already and means something else: give what is new an id of its own.`,
    );
  }
  return rows;
}

/**
 * Ties a run to its lineage. Called once, when the run's row is made: a run's lineage never grows.
 * @param calculations the JSON text of the calculations, digits as the engine wrote them
 */
export async function linkLineage(trx: Trx, runId: string, load: Load, calculations: string): Promise<void> {
  const { lineage } = load;
  if (lineage.event_evidences.length > 0) {
    await sql`
      insert into explanation_run_event_evidence (explanation_run_id, event_evidence_id, stage_code)
      select ${runId}::text, event_evidence_id, 'PROMPT'
      from json_to_recordset(${JSON.stringify(lineage.event_evidences)}::json) as x (event_evidence_id text)`.execute(
      trx,
    );
  }
  if (lineage.disclosure_facts.length > 0) {
    await sql`
      insert into explanation_run_disclosure_fact (explanation_run_id, disclosure_fact_id)
      select ${runId}::text, disclosure_fact_id
      from json_to_recordset(${JSON.stringify(lineage.disclosure_facts)}::json) as x (disclosure_fact_id text)`.execute(
      trx,
    );
  }
  if (lineage.documents.length > 0) {
    const placed = lineage.documents.map((document, position) => ({ ...document, position }));
    await sql`
      insert into explanation_run_document (explanation_run_id, document_id, position, tool_run_id, item_ids)
      select ${runId}::text, document_id, position, tool_run_id, item_ids
      from json_to_recordset(${JSON.stringify(placed)}::json)
        as x (document_id text, position integer, tool_run_id text, item_ids jsonb)`.execute(trx);
  }
  if (lineage.calculations.length > 0) {
    await sql`
      insert into explanation_run_calculation
        (explanation_run_id, position, title, source, as_of, tool_run_id, item_ids, arguments, output, formula_latex, description)
      select ${runId}::text, x.position, c.*
      from json_array_elements(${calculations}::json) with ordinality as x (value, position),
        json_to_record(x.value)
          as c (title text, source text, as_of text, tool_run_id text, item_ids jsonb, arguments json, output json, formula_latex text, description text)`.execute(
      trx,
    );
  }
}
