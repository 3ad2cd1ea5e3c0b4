/** One analysis with all of the store's facts about it (operator API 2, D24). */
import { sql } from 'kysely';
import { ApiError } from '../../shared/wire/envelope.ts';
import { parseJson } from '../../shared/wire/json.ts';
import type { SourceEvent } from '../../shared/wire/bundle.ts';
import type { ConsoleEvidence } from '../../shared/wire/console/console.ts';
import { RECIPIENTS_SHOWN, type AnalysisDetail, type Recipients } from '../../shared/wire/operator/operator.ts';
import { withdrawnBy } from '../accounts/activity-log.ts';
import { listRecipients } from '../publication/recipients.ts';
import type { Db } from '../store/open.ts';
import { analysisColumns, analysisOfId, receiptsOf, toAnalysis, type AnalysisRow } from './analyses.ts';

interface DetailRow extends AnalysisRow {
  fired_at: Date;
  started_at: Date;
}

/** Fields that only a result has; none of them for a run without one. */
interface ResultFields {
  explanation_type: string | null;
  confidence_level: AnalysisDetail['confidenceLevel'];
  content_as_of: string | null;
  surface: Record<string, number> | null;
  surface_units: Record<string, string> | null;
  counter_factors: string[] | null;
}
const NO_RESULT: ResultFields = {
  explanation_type: null,
  confidence_level: null,
  content_as_of: null,
  surface: null,
  surface_units: null,
  counter_factors: null,
};

/** @throws ApiError COMMON404 */
export async function findAnalysis(db: Db, id: string, at: Date): Promise<AnalysisDetail> {
  const { rows } = await sql<DetailRow>`${analysisColumns(analysisOfId(id))}`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new ApiError('COMMON404');
  const said = await findResultFields(db, row);
  const receipts = await receiptsOf(db, [row], at);
  return {
    ...toAnalysis(row, receipts.get(row.id) ?? null),
    runId: row.explanation_run_id,
    mode: row.mode,
    explanationType: said.explanation_type,
    confidenceLevel: said.confidence_level,
    contentAsOf: said.content_as_of,
    movementReferenceAt: row.fired_at.toISOString(),
    startedAt: row.started_at.toISOString(),
    completedAt: row.engine === null ? null : row.created_at.toISOString(),
    measurements: measurementsOf(said),
    counterFactors: said.counter_factors,
    evidences: [
      ...(await documentsOf(db, row.explanation_run_id)),
      ...(await calculationsOf(db, row.explanation_run_id)),
    ],
    sourceEvents: await sourceEventsOf(db, row.explanation_run_id),
    recipients: await recipientsOf(db, row, 'NEW', at),
    withdrawal: row.withdrawn_at === null ? null : await withdrawalOf(db, row, at),
  };
}

async function findResultFields(db: Db, { engine, id }: DetailRow): Promise<ResultFields> {
  switch (engine) {
    case null:
      return NO_RESULT;
    case 'v1':
      return db
        .selectFrom('explanation_result')
        .select([
          'explanation_type',
          'confidence_level',
          'content_as_of',
          'surface',
          'surface_units',
          'counter_factors',
        ])
        .where('explanation_result_id', '=', id)
        .executeTakeFirstOrThrow();
    case 'v2': {
      const { content_as_of } = await db
        .selectFrom('movement_analysis')
        .select('content_as_of')
        .where('movement_analysis_id', '=', id)
        .executeTakeFirstOrThrow();
      return { ...NO_RESULT, content_as_of };
    }
  }
}

function measurementsOf({ surface, surface_units: units }: ResultFields): AnalysisDetail['measurements'] {
  const entries = Object.entries(surface ?? {});
  const unitOf = (name: string): string | null =>
    units !== null && Object.hasOwn(units, name) ? (units[name] ?? null) : null;
  return entries.length === 0 ? null : entries.map(([name, value]) => ({ name, value, unit: unitOf(name) }));
}

/** A run without a result was never published. */
function recipientsOf(db: Db, { engine, id }: DetailRow, kind: 'NEW' | 'INVALIDATION', at: Date): Promise<Recipients> {
  if (engine === null) return Promise.resolve({ total: 0, received: 0, neverConnected: 0, overdue: 0, tenants: [] });
  const subject = engine === 'v2' ? { movementAnalysisId: id } : { explanationResultId: id };
  return listRecipients(db, subject, kind, { at, shown: RECIPIENTS_SHOWN });
}

/** Republication withdraws as well, without an operator. */
async function withdrawalOf(db: Db, row: DetailRow, at: Date): Promise<AnalysisDetail['withdrawal']> {
  return { by: await withdrawnBy(db, row.id), recipients: await recipientsOf(db, row, 'INVALIDATION', at) };
}

/** Both branches from a run to its documents, with the source events on the way (sync protocol 2). */
const reached = (runId: string) => sql`
  select ee.source_event_id, da.document_id
  from explanation_run_event_evidence re
  join event_evidence ee on ee.event_evidence_id = re.event_evidence_id
  join document_assertion da on da.document_assertion_id = ee.document_assertion_id
  where re.explanation_run_id = ${runId}
  union all
  select df.source_event_id, df.document_id
  from explanation_run_disclosure_fact rf
  join disclosure_fact df on df.disclosure_fact_id = rf.disclosure_fact_id
  where rf.explanation_run_id = ${runId}`;

async function documentsOf(db: Db, runId: string): Promise<ConsoleEvidence[]> {
  const { rows } = await sql<{
    document_type: 'NEWS' | 'DISCLOSURE';
    title: string | null;
    source_code: string;
    published_at: Date | null;
    source_uri: string | null;
    news_id: string | null;
    tool_run_id: string | null;
    item_ids: string[] | null;
  }>`
    select d.document_type, d.title, d.source_code, d.published_at, d.source_uri, d.news_id, rd.tool_run_id, rd.item_ids
    from (select distinct document_id from (${reached(runId)}) b) r
    join document d on d.document_id = r.document_id
    left join explanation_run_document rd on rd.explanation_run_id = ${runId} and rd.document_id = r.document_id
    order by rd.position, d.document_id collate "C"`.execute(db);
  return rows.map((row) => ({
    kind: row.document_type,
    title: row.title,
    source: row.source_code,
    published_at: row.published_at?.toISOString() ?? null,
    source_uri: row.source_uri,
    // Identifiers are never guessed: an identifier that is not stored is absent.
    ...(row.document_type === 'NEWS' && row.news_id !== null ? { newsId: row.news_id } : {}),
    ...(row.tool_run_id === null ? {} : { toolRunId: row.tool_run_id }),
    ...(row.item_ids === null ? {} : { itemIds: row.item_ids }),
  }));
}

async function calculationsOf(db: Db, runId: string): Promise<ConsoleEvidence[]> {
  const { rows } = await sql<{
    title: string;
    source: string;
    as_of: string | null;
    tool_run_id: string;
    item_ids: string[];
    arguments: string;
    output: string;
    formula_latex: string | null;
    description: string;
  }>`
    select title, source, as_of, tool_run_id, item_ids, arguments::text as arguments, output::text as output, formula_latex, description
    from explanation_run_calculation where explanation_run_id = ${runId} order by position`.execute(db);
  return rows.map((row) => ({
    kind: 'CALCULATION',
    title: row.title,
    source: row.source,
    published_at: null,
    toolRunId: row.tool_run_id,
    itemIds: row.item_ids,
    asOf: row.as_of,
    arguments: storedObject(row.arguments),
    output: storedObject(row.output),
    formulaLatex: row.formula_latex,
    description: row.description,
  }));
}

/** A stored object for an answer: numbers keep their stored digits. */
function storedObject(text: string): Record<string, unknown> {
  return parseJson(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value,
  ) as Record<string, unknown>;
}

async function sourceEventsOf(db: Db, runId: string): Promise<SourceEvent[]> {
  const { rows } = await sql<SourceEvent>`
    select se.source_event_id, se.source_class, se.event_type_code, se.event_date
    from (select distinct source_event_id from (${reached(runId)}) b) r
    join source_event se on se.source_event_id = r.source_event_id
    order by se.source_event_id collate "C"`.execute(db);
  return rows;
}
