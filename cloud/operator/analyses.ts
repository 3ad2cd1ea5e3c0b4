/** The analyses that the operator sees, and their invalidation (document 2 sections 2 to 4). */
import { sql, type RawBuilder } from 'kysely';
import type { Analysis, Invalidated, PublicationState } from '../../shared/wire/operator.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import { fanOutTransaction, type FanOutObserver } from '../publication/fan-out.ts';
import { withdraw } from '../publication/withdraw.ts';
import type { Db, Store } from '../store/open.ts';

export interface AnalysisFilter {
  page: number;
  size: number;
  publicationState: PublicationState | null;
  status: Analysis['status'] | null;
  market: string | null;
  /** Ticker, name or instrument id; any part of it. */
  q: string | null;
}

interface AnalysisRow {
  id: string;
  engine: 'v1' | 'v2';
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
  publication_status: 'DRAFT' | 'PUBLISHED' | 'WITHDRAWN';
  draft_reason: string | null;
  withdrawal_reason: string | null;
  withdrawn_at: Date | null;
  summary: string;
}

/** Both generations as one list. */
const ANALYSES = sql`(
  select explanation_result_id as id, 'v1' as engine, explanation_run_id, explanation_route_id, etf_instrument_id, trade_date, explanation_as_of,
    created_at, publication_status, draft_reason, withdrawal_reason, withdrawn_at, summary
  from explanation_result
  union all
  select movement_analysis_id, 'v2', explanation_run_id, explanation_route_id, etf_instrument_id, trade_date, explanation_as_of,
    created_at, publication_status, null, withdrawal_reason, withdrawn_at, summary
  from movement_analysis
)`;

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

const STATES: Record<PublicationState, AnalysisRow['publication_status']> = {
  PUBLISHED: 'PUBLISHED',
  UNPUBLISHED: 'DRAFT',
  INVALIDATED: 'WITHDRAWN',
};
const RUN_STATUSES: Record<Analysis['status'], readonly AnalysisRow['run_status'][]> = {
  COMPLETE: ['SUCCEEDED'],
  PENDING: ['PENDING', 'RUNNING'],
  FAILED: ['FAILED', 'CANCELLED'],
};

/** One page, newest first. */
export async function listAnalyses(db: Db, filter: AnalysisFilter): Promise<{ items: Analysis[]; total: number }> {
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (filter.publicationState !== null) conditions.push(sql`a.publication_status = ${STATES[filter.publicationState]}`);
  if (filter.status !== null) conditions.push(sql`r.status in (${sql.join(RUN_STATUSES[filter.status])})`);
  if (filter.market !== null) conditions.push(sql`i.market_code = ${filter.market}`);
  if (filter.q !== null) {
    // position, not like: what is typed has no wildcards.
    const needle = sql`lower(${filter.q}::text)`;
    conditions.push(
      sql`(position(${needle} in lower(i.ticker)) > 0 or position(${needle} in lower(e.entity_name)) > 0 or position(${needle} in lower(i.instrument_id)) > 0)`,
    );
  }
  const from = sql`
    from ${ANALYSES} a
    join explanation_run r on r.explanation_run_id = a.explanation_run_id
    join explanation_route ro on ro.explanation_route_id = a.explanation_route_id
    left join price_movement_trigger bt on bt.trigger_id = ro.price_movement_trigger_id
    left join minute_price_trigger mt on mt.trigger_id = ro.minute_price_trigger_id
    join instrument i on i.instrument_id = a.etf_instrument_id
    join entity e on e.entity_id = i.entity_id
    where ${sql.join(conditions, sql` and `)}`;
  const total = await sql<{ total: number }>`select count(*) as total ${from}`.execute(db);
  const { rows } = await sql<AnalysisRow>`
    select a.id, a.engine, i.instrument_id, i.ticker, e.entity_name, i.market_code, coalesce(bt.observed_return, mt.observed_return) as observed_return,
      a.trade_date, a.explanation_as_of, a.created_at, ${EVIDENCE_COUNT} as evidence_count, r.status as run_status, a.publication_status,
      a.draft_reason, a.withdrawal_reason, a.withdrawn_at, a.summary
    ${from}
    order by a.created_at desc, a.id collate "C" desc
    limit ${filter.size}::integer offset ${(filter.page - 1) * filter.size}::bigint`.execute(db);
  return { items: rows.map(toAnalysis), total: total.rows[0]?.total ?? 0 };
}

function toAnalysis(row: AnalysisRow): Analysis {
  return {
    id: row.id,
    analysisEngine: row.engine,
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
      return 'UNPUBLISHED';
    case 'WITHDRAWN':
      return 'INVALIDATED';
  }
}

/**
 * Withdraws what is published, tells the tenants that had received it and writes the audit entry, in
 * one transaction (document 2 section 3).
 * @throws ApiError COMMON404, ANALYSIS4091
 */
export async function invalidate(
  store: Store,
  id: string,
  reason: string,
  operatorId: number,
  at: Date,
  observer?: FanOutObserver,
): Promise<Invalidated> {
  return fanOutTransaction(
    store,
    async (trx) => {
      const { rows } = await sql<{
        engine: 'v1' | 'v2';
      }>`select a.engine from ${ANALYSES} a where a.id = ${id}`.execute(trx);
      const engine = rows[0]?.engine;
      if (engine === undefined) throw new ApiError('COMMON404');
      const deliveries = await withdraw(
        trx,
        engine === 'v2' ? { movementAnalysisId: id } : { explanationResultId: id },
        reason,
        at,
        observer,
      );
      if (deliveries === null) throw new ApiError('ANALYSIS4091');
      await trx
        .insertInto('admin_activity_log')
        .values({
          occurred_at: at,
          operator_id: operatorId,
          activity_type: 'ANALYSIS_INVALIDATED',
          target_type: engine === 'v2' ? 'MOVEMENT_ANALYSIS' : 'EXPLANATION_RESULT',
          target_id: id,
          reason,
        })
        .execute();
      return { id, publicationState: 'INVALIDATED', withdrawnAt: at.toISOString(), deliveries };
    },
    observer,
  );
}
