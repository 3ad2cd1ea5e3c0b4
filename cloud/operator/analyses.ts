/**
 * The analyses that the operator sees, as one list (document 2 section 2): results of v1, analyses of v2,
 * and runs that have brought neither, because they are under way or have failed.
 *
 * Every part of the list gives its newest rows by an index and stops, and counting stops, too, so that the
 * length of the history does not matter. A filter that few rows pass looks through more of it.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Analysis, PublicationState } from '../../shared/wire/operator.ts';
import type { Db } from '../store/open.ts';

export interface AnalysisFilter {
  page: number;
  size: number;
  publicationState: PublicationState | null;
  status: Analysis['status'] | null;
  market: string | null;
  /** Ticker, name or instrument id; any part of it. */
  q: string | null;
}

/** Beyond so many the list says "more". */
export const COUNTED_ANALYSES = 1_000;

export interface AnalysisRow {
  id: string;
  /** Null for a run that has brought no result. */
  engine: 'v1' | 'v2' | null;
  explanation_run_id: string;
  mode: 'REALTIME' | 'DAILY' | 'BACKFILL' | 'V2';
  instrument_id: string;
  ticker: string;
  entity_name: string;
  market_code: string;
  observed_return: number | null;
  trade_date: string;
  explanation_as_of: Date;
  created_at: Date;
  evidence_count: number;
  run_status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  publication_status: 'DRAFT' | 'PUBLISHED' | 'WITHDRAWN' | null;
  draft_reason: string | null;
  withdrawal_reason: string | null;
  withdrawn_at: Date | null;
  summary: string | null;
}

/** The three parts of the list, with the same columns each. */
const PARTS = {
  results: sql`
    select a.explanation_result_id as id, 'v1' as engine, a.explanation_run_id, a.explanation_route_id, a.etf_instrument_id as instrument_id,
      a.trade_date, a.explanation_as_of, a.created_at, a.publication_status, a.draft_reason, a.withdrawal_reason, a.withdrawn_at, a.summary
    from explanation_result a`,
  analyses: sql`
    select a.movement_analysis_id as id, 'v2' as engine, a.explanation_run_id, a.explanation_route_id, a.etf_instrument_id as instrument_id,
      a.trade_date, a.explanation_as_of, a.created_at, a.publication_status, null as draft_reason, a.withdrawal_reason, a.withdrawn_at, a.summary
    from movement_analysis a`,
  // A run that has succeeded has brought something.
  runs: sql`
    select a.explanation_run_id as id, null as engine, a.explanation_run_id, a.explanation_route_id, f.instrument_id,
      f.trade_date, a.explanation_as_of, a.created_at, null as publication_status, null as draft_reason, null as withdrawal_reason,
      null::timestamptz as withdrawn_at, null as summary
    from explanation_run a
    join explanation_route ro on ro.explanation_route_id = a.explanation_route_id
    cross join lateral (
      select instrument_id, trade_date from price_movement_trigger where trigger_id = ro.price_movement_trigger_id
      union all
      select instrument_id, trade_date from minute_price_trigger where trigger_id = ro.minute_price_trigger_id
    ) f`,
};
type Part = keyof typeof PARTS;

const WITHOUT_OUTCOME = sql`a.status <> 'SUCCEEDED'
  and not exists (select from explanation_result x where x.explanation_run_id = a.explanation_run_id)
  and not exists (select from movement_analysis x where x.explanation_run_id = a.explanation_run_id)`;

/** What the text of run `a.explanation_run_id` stands on: documents by both branches, and calculations. */
const EVIDENCE_COUNT = sql`(
  (select count(*) from (
     select da.document_id
     from explanation_run_event_evidence re join event_evidence ee using (event_evidence_id) join document_assertion da using (document_assertion_id)
     where re.explanation_run_id = a.explanation_run_id
     union
     select df.document_id
     from explanation_run_disclosure_fact rf join disclosure_fact df using (disclosure_fact_id)
     where rf.explanation_run_id = a.explanation_run_id
   ) d)
  + (select count(*) from explanation_run_calculation c where c.explanation_run_id = a.explanation_run_id)
)`;

const IDS: Record<Part, string> = {
  results: 'a.explanation_result_id',
  analyses: 'a.movement_analysis_id',
  runs: 'a.explanation_run_id',
};

/** The columns of a list row around rows `a` of the parts. */
export function analysisColumns(rows: RawBuilder<unknown>): RawBuilder<AnalysisRow> {
  return sql<AnalysisRow>`
    select a.id, a.engine, a.explanation_run_id, r.mode, i.instrument_id, i.ticker, e.entity_name, i.market_code,
      coalesce(bt.observed_return, mt.observed_return) as observed_return, a.trade_date, a.explanation_as_of, a.created_at,
      ${EVIDENCE_COUNT} as evidence_count, r.status as run_status, a.publication_status, a.draft_reason, a.withdrawal_reason,
      a.withdrawn_at, a.summary, coalesce(bt.fired_at, mt.fired_at) as fired_at, r.started_at
    from (${rows}) a
    join explanation_run r on r.explanation_run_id = a.explanation_run_id
    join explanation_route ro on ro.explanation_route_id = a.explanation_route_id
    left join price_movement_trigger bt on bt.trigger_id = ro.price_movement_trigger_id
    left join minute_price_trigger mt on mt.trigger_id = ro.minute_price_trigger_id
    join instrument i on i.instrument_id = a.instrument_id
    join entity e on e.entity_id = i.entity_id`;
}

const STATES: Record<PublicationState, 'PUBLISHED' | 'DRAFT' | 'WITHDRAWN'> = {
  PUBLISHED: 'PUBLISHED',
  UNPUBLISHED: 'DRAFT',
  INVALIDATED: 'WITHDRAWN',
};
const RUN_STATUSES: Record<Analysis['status'], readonly AnalysisRow['run_status'][]> = {
  COMPLETE: ['SUCCEEDED'],
  PENDING: ['PENDING', 'RUNNING'],
  FAILED: ['FAILED', 'CANCELLED'],
};

/** Words of the program stand in the statement itself: the planner then sees that a partial index will do. */
const literals = (words: readonly string[]): RawBuilder<unknown> => sql.join(words.map((word) => sql.lit(word)));

/** What narrows one part; null when none of its rows can be meant. */
function conditionsOf(part: Part, filter: AnalysisFilter): RawBuilder<unknown> | null {
  const conditions: RawBuilder<unknown>[] = [];
  if (part === 'runs') {
    if (filter.publicationState !== null && filter.publicationState !== 'UNPUBLISHED') return null;
    if (filter.status === 'COMPLETE') return null;
    conditions.push(WITHOUT_OUTCOME);
    if (filter.status !== null) conditions.push(sql`a.status in (${literals(RUN_STATUSES[filter.status])})`);
  } else {
    if (filter.publicationState !== null)
      conditions.push(sql`a.publication_status = ${sql.lit(STATES[filter.publicationState])}`);
    if (filter.status !== null)
      conditions.push(
        sql`exists (select from explanation_run r where r.explanation_run_id = a.explanation_run_id and r.status in (${literals(RUN_STATUSES[filter.status])}))`,
      );
  }
  if (filter.market !== null || filter.q !== null)
    conditions.push(
      sql`${sql.ref(part === 'runs' ? 'f.instrument_id' : 'a.etf_instrument_id')} in (${instruments(filter)})`,
    );
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

function instruments({ market, q }: AnalysisFilter): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [];
  if (market !== null) conditions.push(sql`i.market_code = ${market}`);
  if (q !== null) {
    // position, not like: what is typed has no wildcards.
    const needle = sql`lower(${q}::text)`;
    const places = ['i.ticker', 'e.entity_name', 'i.instrument_id'].map(
      (place) => sql`position(${needle} in lower(${sql.ref(place)})) > 0`,
    );
    conditions.push(sql`(${sql.join(places, sql` or `)})`);
  }
  return sql`select i.instrument_id from instrument i join entity e on e.entity_id = i.entity_id where ${sql.join(conditions, sql` and `)}`;
}

/** The newest `most` of all that fit, of each part. */
function newest(filter: AnalysisFilter, most: number): RawBuilder<unknown> {
  const parts = (Object.keys(PARTS) as Part[]).flatMap((part) => {
    const conditions = conditionsOf(part, filter);
    if (conditions === null) return [];
    return [
      sql`(${PARTS[part]} where ${conditions} order by a.created_at desc, ${sql.ref(IDS[part])} collate "C" desc limit ${most}::bigint)`,
    ];
  });
  return sql.join(parts, sql` union all `);
}

export interface FoundAnalyses {
  items: Analysis[];
  total: number;
  /** Whether there are more than `total`. */
  more: boolean;
}

/** One page, newest first. */
export async function listAnalyses(db: Db, filter: AnalysisFilter): Promise<FoundAnalyses> {
  const { page, size } = filter;
  const counted = await sql<{ total: number }>`
    select count(*) as total from (select from (${newest(filter, COUNTED_ANALYSES + 1)}) a limit ${COUNTED_ANALYSES + 1}::bigint) n`.execute(
    db,
  );
  const total = counted.rows[0]?.total ?? 0;
  const { rows } = await sql<AnalysisRow>`
    ${analysisColumns(sql`
      select * from (${newest(filter, page * size)}) n
      order by n.created_at desc, n.id collate "C" desc
      limit ${size}::integer offset ${(page - 1) * size}::bigint`)}
    order by a.created_at desc, a.id collate "C" desc`.execute(db);
  return {
    items: rows.map(toAnalysis),
    total: Math.min(total, COUNTED_ANALYSES),
    more: total > COUNTED_ANALYSES,
  };
}

/** The rows of one id: a result, an analysis, or a run without either; ids are unique over results and analyses. */
export function analysisOfId(id: string): RawBuilder<unknown> {
  return sql`
    select n.* from (
      ${PARTS.results} where a.explanation_result_id = ${id}
      union all
      ${PARTS.analyses} where a.movement_analysis_id = ${id}
      union all
      ${PARTS.runs} where a.explanation_run_id = ${id} and ${WITHOUT_OUTCOME}
    ) n
    order by n.engine nulls last limit 1`;
}

export function toAnalysis(row: AnalysisRow): Analysis {
  return {
    id: row.id,
    analysisEngine: row.engine ?? (row.mode === 'V2' ? 'v2' : 'v1'),
    instrumentId: row.instrument_id,
    instrumentName: row.entity_name,
    ticker: row.ticker,
    market: row.market_code,
    changeRate: row.observed_return,
    direction:
      row.observed_return === null ? null : row.observed_return > 0 ? 'UP' : row.observed_return < 0 ? 'DOWN' : 'FLAT',
    tradeDate: row.trade_date,
    explanationAsOf: row.explanation_as_of.toISOString(),
    createdAt: row.created_at.toISOString(),
    evidenceCount: row.evidence_count,
    status: statusOf(row.run_status),
    publicationState: stateOf(row.publication_status),
    draftReason: row.draft_reason,
    withdrawalReason: row.withdrawal_reason,
    withdrawnAt: row.withdrawn_at?.toISOString() ?? null,
    summary: row.summary,
  };
}

function statusOf(status: AnalysisRow['run_status']): Analysis['status'] {
  switch (status) {
    case 'SUCCEEDED':
      return 'COMPLETE';
    case 'PENDING':
    case 'RUNNING':
      return 'PENDING';
    case 'FAILED':
    case 'CANCELLED':
      return 'FAILED';
  }
}

function stateOf(status: AnalysisRow['publication_status']): PublicationState {
  switch (status) {
    case 'PUBLISHED':
      return 'PUBLISHED';
    case 'DRAFT':
    case null:
      return 'UNPUBLISHED';
    case 'WITHDRAWN':
      return 'INVALIDATED';
  }
}
