/**
 * News lineage: the funnel of one day's documents, a sample of them, and the extraction of intraday minutes, which is
 * another ledger (operator API 2). Only facts of the ledger are claimed.
 */
import { sql } from 'kysely';
import { kstDayEnd, kstMidnight } from '../../shared/time/kst.ts';
import {
  DOCUMENT_SAMPLE_CAP,
  NEWS_UNMEASURED,
  type NewsLineage,
  type NewsStage,
} from '../../shared/wire/operator/operator.ts';
import type { Trx } from '../store/open.ts';
import type { Snapshot } from './snapshot.ts';

/** The error code of a document that extraction has given up. */
const DEAD = 'DEAD';

/**
 * A day's documents of kind NEWS with the progress of each. `offset 0`: each document looks its own rows up, and the
 * planner never gathers those of all years first.
 */
const documentsOf = (date: string) => sql`(
  select d.document_id, d.title, d.source_code, d.source_uri, d.published_at, d.available_at,
    case
      when exists (
        select from document_assertion a join event_evidence e using (document_assertion_id) join explanation_run_event_evidence r using (event_evidence_id)
        where a.document_id = d.document_id offset 0) then 'USED'
      when exists (select from document_assertion a where a.document_id = d.document_id offset 0) then 'STRUCTURED'
      else 'COLLECTED'
    end as stage
  from document d
  where d.document_type = 'NEWS' and d.available_at >= ${kstMidnight(date)}::timestamptz and d.available_at < ${kstDayEnd(date)}::timestamptz
)`;

/** The stages that a document has passed when it got at least this far. */
const AT_LEAST: Record<NewsStage, readonly NewsStage[]> = {
  COLLECTED: ['COLLECTED', 'STRUCTURED', 'USED'],
  STRUCTURED: ['STRUCTURED', 'USED'],
  USED: ['USED'],
};

export async function readNewsLineage({ trx, asOf }: Snapshot, date: string, stage: NewsStage): Promise<NewsLineage> {
  const counts = await countStages(trx, date);
  const reached = (least: NewsStage): number => AT_LEAST[least].reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
  const [collected, structured, used] = [reached('COLLECTED'), reached('STRUCTURED'), reached('USED')];
  return {
    asOf: asOf.toISOString(),
    date,
    stage,
    tiles: [
      { stage: 'COLLECTED', count: collected, of: null, ratio: null, definition: 'NEWS_DOCUMENTS_OF_DATE' },
      {
        stage: 'STRUCTURED',
        count: structured,
        of: collected,
        ratio: ratioOf(structured, collected),
        definition: 'WITH_ASSERTION_OF_COLLECTED',
      },
      {
        stage: 'USED',
        count: used,
        of: structured,
        ratio: ratioOf(used, structured),
        definition: 'REACHED_BY_RUN_OF_STRUCTURED',
      },
    ],
    documents: { items: await sampleOf(trx, date, stage), total: reached(stage), cap: DOCUMENT_SAMPLE_CAP },
    intradayExtraction: await countExtraction(trx, date),
    unmeasured: [...NEWS_UNMEASURED],
  };
}

function ratioOf(count: number, of: number): number | null {
  return of === 0 ? null : count / of;
}

async function countStages(trx: Trx, date: string): Promise<Map<NewsStage, number>> {
  const { rows } = await sql<{ stage: NewsStage; count: number }>`
    select stage, count(*) as count from ${documentsOf(date)} d group by stage`.execute(trx);
  return new Map(rows.map(({ stage, count }) => [stage, count]));
}

async function sampleOf(trx: Trx, date: string, stage: NewsStage): Promise<NewsLineage['documents']['items']> {
  const { rows } = await sql<{
    document_id: string;
    stage: NewsStage;
    title: string | null;
    source_code: string;
    source_uri: string | null;
    published_at: Date | null;
    available_at: Date;
  }>`
    select * from ${documentsOf(date)} d where stage in (${sql.join(AT_LEAST[stage])})
    order by available_at desc, document_id collate "C" limit ${DOCUMENT_SAMPLE_CAP}::integer`.execute(trx);
  return rows.map((row) => ({
    documentId: row.document_id,
    stage: row.stage,
    title: row.title,
    source: row.source_code,
    sourceUri: row.source_uri,
    publishedAt: row.published_at?.toISOString() ?? null,
    collectedAt: row.available_at.toISOString(),
  }));
}

async function countExtraction(trx: Trx, date: string): Promise<NewsLineage['intradayExtraction']> {
  const { rows } = await sql<{ error_code: string | null; count: number }>`
    select error_code, count(*) as count from intraday_extraction
    where extracted_at >= ${kstMidnight(date)}::timestamptz and extracted_at < ${kstDayEnd(date)}::timestamptz
    group by error_code order by error_code collate "C" nulls first`.execute(trx);
  return {
    ledger: 'INTRADAY_EXTRACTION',
    total: rows.reduce((sum, { count }) => sum + count, 0),
    dead: rows.find(({ error_code }) => error_code === DEAD)?.count ?? 0,
    byErrorCode: rows.map(({ error_code, count }) => ({ errorCode: error_code, count })),
  };
}
