/**
 * From a task to the ETFs that depend on it, to their analyses of the day and the tenants that have not received them
 * (D132). Only facts of the store are claimed: a lane without a lineage of its own gives a marked upper bound.
 *
 * One statement marks the analyses of a week that used the lane, by its basis. `offset 0`: the rows of an
 * analysis are looked up one by one, and no table of all years is read as a whole.
 */
import { sql, type RawBuilder } from 'kysely';
import { ApiError } from '../../shared/wire/envelope.ts';
import {
  IMPACT_CAP,
  type LineageBasis,
  type PublicationState,
  type TaskImpact,
} from '../../shared/wire/operator/operator.ts';
import { listWaitingTenants } from '../publication/receipts.ts';
import type { Trx } from '../store/open.ts';
import { daysFrom } from './days.ts';
import { toFailedRun, toFailedTask } from './failures.ts';
import { PUBLICATION_OF } from './holdings.ts';
import { judgeRun } from './judge.ts';
import { recoveriesOf } from './recovery.ts';
import { findRun, taskDetailsOf, type TaskRow } from './runs.ts';
import type { Snapshot } from './snapshot.ts';

/** The number of days of analyses that show an ETF's dependencies: a failed source leaves no trace on its own day. */
const LOOK_BACK_DAYS = 7;

/** The data of each lane. An unlisted lane leaves no lineage in the store. */
const BASES: Readonly<Record<string, LineageBasis>> = {
  market: 'BATCH_FIRINGS',
  news: 'NEWS_DOCUMENTS',
  disclosure: 'DISCLOSURE_DOCUMENTS',
  intraday_flow: 'INTRADAY_FIRINGS',
};

/** @throws ApiError COMMON404 for a run or task that the ledger does not have */
export async function readTaskImpact(
  { trx, asOf }: Snapshot,
  { runKey, taskKey }: { runKey: string; taskKey: string },
): Promise<TaskImpact> {
  const run = await findRun(trx, runKey);
  const tasks = run === null ? [] : await taskDetailsOf(trx, run);
  const task = tasks.find(({ task_key }) => task_key === taskKey);
  if (run === null || task === undefined) throw new ApiError('COMMON404');
  const verdict = judgeRun(run, tasks, asOf);
  const { outcomes } = verdict;
  const outcome = outcomes.get(task.id);
  if (outcome === undefined) throw new ApiError('COMMON404');
  const recoveries = await recoveriesOf(trx, [{ run, verdict }]);
  const recovery = recoveries.get(run.id)?.tasks.get(taskKey) ?? null;
  const basis = Object.hasOwn(BASES, run.lane) ? (BASES[run.lane] ?? 'NOT_RECORDED') : 'NOT_RECORDED';
  const days = daysFrom(run.run_date, basis === 'NOT_RECORDED' ? 1 : LOOK_BACK_DAYS);
  const window = { from: days[0] ?? run.run_date, to: run.run_date };
  const without =
    outcome === 'SUCCEEDED'
      ? null
      : { since: task.last_at ?? run.created_at, until: recovery === null ? asOf : new Date(recovery.at) };
  const analyses = await analysesOf(trx, basis, window, without);
  const issuedIn = (state: PublicationState): string[] =>
    analyses.items.filter(({ publicationState }) => publicationState === state).map(({ id }) => id);
  return {
    asOf: asOf.toISOString(),
    run: toFailedRun(run),
    task: toFailedTask(task, outcome, recovery),
    blocked: blockedOf(tasks, outcomes),
    lineage: { basis, ...window },
    etfs: await etfsOf(trx, basis, window),
    analyses,
    tenants: await listWaitingTenants(
      trx,
      { published: issuedIn('PUBLISHED'), withdrawn: issuedIn('INVALIDATED') },
      IMPACT_CAP,
    ),
  };
}

const blockedOf = (tasks: readonly TaskRow[], outcomes: ReadonlyMap<number, string>): string[] =>
  tasks.filter(({ id }) => outcomes.get(id) === 'MISSING').map(({ task_key }) => task_key);

interface Window {
  from: string;
  to: string;
}

const documentsOf = (type: 'NEWS' | 'DISCLOSURE'): RawBuilder<boolean> => sql`(
  exists (
    select from explanation_run_event_evidence re join event_evidence ee on ee.event_evidence_id = re.event_evidence_id
    join document_assertion da on da.document_assertion_id = ee.document_assertion_id
    join document d on d.document_id = da.document_id
    where re.explanation_run_id = a.explanation_run_id and d.document_type = ${sql.lit(type)} offset 0)
  or exists (
    select from explanation_run_disclosure_fact rf join disclosure_fact df on df.disclosure_fact_id = rf.disclosure_fact_id
    join document d on d.document_id = df.document_id
    where rf.explanation_run_id = a.explanation_run_id and d.document_type = ${sql.lit(type)} offset 0))`;

const firedBy = (column: string): RawBuilder<boolean> => sql`exists (
  select from explanation_route ro where ro.explanation_route_id = a.explanation_route_id and ${sql.ref(column)} is not null offset 0)`;

/** Whether analysis `a` used the data of a lane of this basis. */
function stoodOn(basis: LineageBasis): RawBuilder<boolean> {
  switch (basis) {
    case 'NEWS_DOCUMENTS':
      return documentsOf('NEWS');
    case 'DISCLOSURE_DOCUMENTS':
      return documentsOf('DISCLOSURE');
    case 'BATCH_FIRINGS':
      return firedBy('ro.price_movement_trigger_id');
    case 'INTRADAY_FIRINGS':
      return firedBy('ro.minute_price_trigger_id');
    case 'NOT_RECORDED':
      return sql`true`;
  }
}

/** The ETFs of the window with analyses that used the lane, with their number and that of the last day. */
const hanging = (basis: LineageBasis, { from, to }: Window): RawBuilder<unknown> => sql`
  of_window as materialized (
    select explanation_result_id as id, explanation_run_id, explanation_route_id, etf_instrument_id, instrument_name_id, trade_date, explanation_as_of, publication_status
    from explanation_result where trade_date between ${from}::date and ${to}::date
    union all
    select movement_analysis_id, explanation_run_id, explanation_route_id, etf_instrument_id, instrument_name_id, trade_date, explanation_as_of, publication_status
    from movement_analysis where trade_date between ${from}::date and ${to}::date
  ), hanging as materialized (
    select a.etf_instrument_id, count(*) filter (where a.stood) as uses, count(*) filter (where a.trade_date = ${to}::date) as analyses
    from (select a.*, ${stoodOn(basis)} as stood from of_window a) a
    group by a.etf_instrument_id having bool_or(a.stood)
  )`;

async function etfsOf(trx: Trx, basis: LineageBasis, window: Window): Promise<TaskImpact['etfs']> {
  const { rows } = await sql<{
    instrument_id: string;
    ticker: string;
    name: string;
    uses: number;
    analyses: number;
    total: number;
  }>`
    with ${hanging(basis, window)}
    select i.instrument_id, i.ticker, e.entity_name as name, h.uses, h.analyses, count(*) over () as total
    from hanging h join instrument i on i.instrument_id = h.etf_instrument_id join entity e on e.entity_id = i.entity_id
    order by h.uses desc, i.ticker collate "C", i.instrument_id collate "C" limit ${IMPACT_CAP}::integer`.execute(trx);
  return {
    items: rows.map(({ instrument_id, ticker, name, uses, analyses }) => ({
      instrumentId: instrument_id,
      ticker,
      name,
      uses,
      analyses,
    })),
    total: rows[0]?.total ?? 0,
  };
}

/** Each named as its load told it (D205). @param without the period without the task's work; null: none */
async function analysesOf(
  trx: Trx,
  basis: LineageBasis,
  window: Window,
  without: { since: Date; until: Date } | null,
): Promise<TaskImpact['analyses']> {
  const isWithout =
    without === null
      ? sql`false`
      : sql`(r.started_at >= ${without.since}::timestamptz and r.started_at < ${without.until}::timestamptz)`;
  const { rows } = await sql<{
    id: string;
    ticker: string;
    name: string;
    explanation_as_of: Date;
    started_at: Date;
    is_without: boolean;
    publication_status: keyof typeof PUBLICATION_OF;
    total: number;
    without: number;
  }>`
    with ${hanging(basis, window)}, of_day as (
      select a.id, a.instrument_name_id, a.explanation_as_of, a.publication_status, r.started_at, ${isWithout} as is_without
      from of_window a join hanging h on h.etf_instrument_id = a.etf_instrument_id
      cross join lateral (select x.started_at from explanation_run x where x.explanation_run_id = a.explanation_run_id offset 0) r
      where a.trade_date = ${window.to}::date
    )
    select d.id, n.ticker, n.entity_name as name, d.explanation_as_of, d.started_at, d.is_without, d.publication_status,
      count(*) over () as total, count(*) filter (where d.is_without) over () as without
    from of_day d join instrument_name n using (instrument_name_id)
    order by d.is_without desc, n.ticker collate "C", d.explanation_as_of desc, d.id collate "C" limit ${IMPACT_CAP}::integer`.execute(
    trx,
  );
  return {
    items: rows.map((row) => ({
      id: row.id,
      ticker: row.ticker,
      instrumentName: row.name,
      explanationAsOf: row.explanation_as_of.toISOString(),
      startedAt: row.started_at.toISOString(),
      isWithout: row.is_without,
      publicationState: PUBLICATION_OF[row.publication_status],
    })),
    total: rows[0]?.total ?? 0,
    without: rows[0]?.without ?? 0,
  };
}
