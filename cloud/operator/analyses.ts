/**
 * The list of analyses of the operator console (operator API 2): results of v1, analyses of v2, and runs without
 * either, because they are running or have failed.
 *
 * Every part of the list reads its newest rows by an index and stops, and counting stops too, so that the length of the
 * history does not matter. Each selective filter has an index: instrument, withdrawn, drafts, running runs, failed runs
 * with and without an instrument. Further columns are looked up row by row (`offset 0`), never by reading a table.
 *
 * Four parts of one list each stop at an index of their own.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Analysis, PublicationState } from '../../shared/wire/operator/operator.ts';
import { countReceipts, type ReceiptCounts } from '../publication/receipts.ts';
import type { Db } from '../store/open.ts';
import { textArray } from '../store/text-array.ts';
import { anyHolds } from './holds.ts';

export interface AnalysisFilter {
  page: number;
  size: number;
  publicationState: PublicationState | null;
  status: Analysis['status'] | null;
  market: string | null;
  /** Ticker, name or instrument id, any part of it; or the whole id of an analysis. */
  q: string | null;
}

/** Beyond this number the list reports "more". */
export const COUNTED_ANALYSES = 1_000;

export interface AnalysisRow {
  id: string;
  /** Null for a run without a result. */
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

/** Columns of runs that are null for most of them. */
type Unfinished = Exclude<Analysis['status'], 'COMPLETE'>;

/** Constants of the program are literals in the statement: the planner then sees that a partial index applies. */
const literals = (words: readonly string[]): RawBuilder<unknown> => sql.join(words.map((word) => sql.lit(word)));

/** One of the kinds of rows in the list. */
interface Part {
  /** The same columns for all parts, read from `source`. */
  columns: RawBuilder<unknown>;
  /** The joins of the rows; their own table is `a`. */
  source: RawBuilder<unknown>;
  /** Columns that order the list, the newest first, and narrow it. */
  listedAt: string;
  id: string;
  instrument: string;
  condition: RawBuilder<unknown>;
  /** Whether a row is of a market, by the name that the list shows. */
  isOf(market: string): RawBuilder<unknown>;
}

/** The names under which loads have told a market. */
const namesOf = (market: string): RawBuilder<unknown> =>
  sql`select n.instrument_name_id from instrument_name n where upper(n.market_code) = upper(${market}::text)`;

const results: Part = {
  columns: sql`
    a.explanation_result_id as id, 'v1' as engine, a.explanation_run_id, a.explanation_route_id, a.etf_instrument_id as instrument_id, a.instrument_name_id,
    a.trade_date, a.explanation_as_of, a.created_at, a.publication_status, a.draft_reason, a.withdrawal_reason, a.withdrawn_at, a.summary`,
  source: sql`explanation_result a`,
  listedAt: 'a.created_at',
  id: 'a.explanation_result_id',
  instrument: 'a.etf_instrument_id',
  condition: sql`true`,
  isOf: (market) => sql`a.instrument_name_id in (${namesOf(market)})`,
};

const analyses: Part = {
  ...results,
  columns: sql`
    a.movement_analysis_id as id, 'v2' as engine, a.explanation_run_id, a.explanation_route_id, a.etf_instrument_id as instrument_id, a.instrument_name_id,
    a.trade_date, a.explanation_as_of, a.created_at, a.publication_status, null as draft_reason, a.withdrawal_reason, a.withdrawn_at, a.summary`,
  source: sql`movement_analysis a`,
  id: 'a.movement_analysis_id',
};

/** Runs that have brought neither. A run that has succeeded has brought a result. Their day is that of the firing. */
const barren = (status: Unfinished): Part => ({
  columns: sql`
    a.explanation_run_id as id, null as engine, a.explanation_run_id, a.explanation_route_id, a.instrument_id, null::bigint as instrument_name_id,
    null::date as trade_date,
    a.explanation_as_of, a.created_at, null as publication_status, null as draft_reason, null as withdrawal_reason,
    null::timestamptz as withdrawn_at, null as summary`,
  source: sql`explanation_run a`,
  listedAt: 'a.created_at',
  id: 'a.explanation_run_id',
  instrument: 'a.instrument_id',
  condition: sql`a.status in (${literals(RUN_STATUSES[status])})
    and not exists (select from explanation_result x where x.explanation_run_id = a.explanation_run_id offset 0)
    and not exists (select from movement_analysis x where x.explanation_run_id = a.explanation_run_id offset 0)`,
  // No load has named such a run: its instrument's present market is shown.
  isOf: (market) => sql`a.instrument_id in (
    select i.instrument_id from instrument i where upper(i.market_code) = upper(${market}::text))`,
});

const pending = barren('PENDING');
const failed = barren('FAILED');

/** The rows of a part under a further condition. */
const rowsOf = ({ columns, source, condition }: Part, further: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select ${columns} from ${source} where ${condition} and ${further}`;

/**
 * Runs in a rare status, each with its result or alone. A list that begins with runs is ordered by their age: a result is
 * as old as its run, unless a later load brought it.
 */
function runsIn(status: Unfinished, publicationState: PublicationState | null): Part {
  const ofRun = sql`a.explanation_run_id = r.explanation_run_id`;
  const ofState = publicationState === null ? ofRun : sql`${ofRun} and ${inState(publicationState)}`;
  const brought = [
    ...[results, analyses].map((part) => rowsOf(part, ofState)),
    ...(mayBeBarren(publicationState) ? [rowsOf(barren(status), ofRun)] : []),
  ];
  return {
    columns: sql`a.*`,
    source: sql`explanation_run r cross join lateral (${sql.join(brought, sql` union all `)} offset 0) a`,
    listedAt: 'r.created_at',
    id: 'a.id',
    instrument: 'r.instrument_id',
    condition: sql`r.status in (${literals(RUN_STATUSES[status])})`,
    isOf: (market) => sql`case when a.instrument_name_id is null then ${barren(status).isOf(market)}
      else ${results.isOf(market)} end`,
  };
}

const inState = (state: PublicationState): RawBuilder<unknown> => sql`a.publication_status = ${sql.lit(STATES[state])}`;
/** Conditions that a run without a result never meets: it was not published. */
const mayBeBarren = (state: PublicationState | null): boolean => state === null || state === 'UNPUBLISHED';

/** The grounds of the text of run `a.explanation_run_id`: documents by both branches, and calculations. */
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

/** The columns of a list row, with the name as its load told it, around rows `a` of the parts. */
export function analysisColumns(rows: RawBuilder<unknown>): RawBuilder<AnalysisRow> {
  return sql<AnalysisRow>`
    select a.id, a.engine, a.explanation_run_id, r.mode, i.instrument_id,
      coalesce(n.ticker, i.ticker) as ticker, coalesce(n.entity_name, e.entity_name) as entity_name,
      coalesce(n.market_code, i.market_code) as market_code,
      coalesce(bt.observed_return, mt.observed_return) as observed_return,
      coalesce(a.trade_date, bt.trade_date, mt.trade_date) as trade_date, a.explanation_as_of, a.created_at,
      ${EVIDENCE_COUNT} as evidence_count, r.status as run_status, a.publication_status, a.draft_reason, a.withdrawal_reason,
      a.withdrawn_at, a.summary, coalesce(bt.fired_at, mt.fired_at) as fired_at, r.started_at
    from (${rows}) a
    join explanation_run r on r.explanation_run_id = a.explanation_run_id
    join explanation_route ro on ro.explanation_route_id = a.explanation_route_id
    left join price_movement_trigger bt on bt.trigger_id = ro.price_movement_trigger_id
    left join minute_price_trigger mt on mt.trigger_id = ro.minute_price_trigger_id
    join instrument i on i.instrument_id = a.instrument_id
    join entity e on e.entity_id = i.entity_id
    left join instrument_name n on n.instrument_name_id = a.instrument_name_id`;
}

/** The conditions of a filter, its instruments found. */
interface ListConditions extends Pick<AnalysisFilter, 'publicationState' | 'status' | 'market'> {
  /** An array of ids; null: all instruments. */
  instruments: RawBuilder<unknown> | null;
}

/** The parts that may have matching rows, each with its conditions. */
function matchingParts({
  publicationState,
  status,
  market,
  instruments,
}: ListConditions): [Part, RawBuilder<unknown>][] {
  const narrowed = (part: Part, ...conditions: RawBuilder<unknown>[]): [Part, RawBuilder<unknown>] => [
    part,
    sql.join(
      [sql`true`, ...conditions, ...ofInstruments(part, instruments), ...(market === null ? [] : [part.isOf(market)])],
      sql` and `,
    ),
  ];
  if (status === 'PENDING' || status === 'FAILED') return [narrowed(runsIn(status, publicationState))];
  const isComplete = sql`(select r.status from explanation_run r where r.explanation_run_id = a.explanation_run_id)
    in (${literals(RUN_STATUSES.COMPLETE)})`;
  const conditions = [
    ...(publicationState === null ? [] : [inState(publicationState)]),
    ...(status === null ? [] : [isComplete]),
  ];
  return [
    ...[results, analyses].map((part) => narrowed(part, ...conditions)),
    ...(status === null && mayBeBarren(publicationState) ? [pending, failed].map((part) => narrowed(part)) : []),
  ];
}

const ofInstruments = ({ instrument }: Part, instruments: ListConditions['instruments']): RawBuilder<unknown>[] =>
  instruments === null ? [] : [sql`${sql.ref(instrument)} = any(${instruments})`];

/** The ids of the matching instruments, by a former name and market too; null: all. */
async function findInstruments(db: Db, { market, q }: AnalysisFilter): Promise<string[] | null> {
  if (market === null && q === null) return null;
  const conditions: RawBuilder<unknown>[] = [];
  if (market !== null) {
    const told = sql`select from instrument_name n where n.instrument_id = i.instrument_id and n.instrument_name_id in (${namesOf(market)})`;
    conditions.push(sql`(upper(i.market_code) = upper(${market}::text) or exists (${told}))`);
  }
  if (q !== null) {
    const former = sql`select from instrument_name n where n.instrument_id = i.instrument_id and ${anyHolds(['n.ticker', 'n.entity_name'], q)}`;
    conditions.push(sql`(${anyHolds(['i.ticker', 'e.entity_name', 'i.instrument_id'], q)} or exists (${former}))`);
  }
  const { rows } = await sql<{ id: string }>`
    select i.instrument_id as id from instrument i join entity e on e.entity_id = i.entity_id
    where ${sql.join(conditions, sql` and `)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The newest `most` of each part. */
function newest(asked: ListConditions, most: number): RawBuilder<unknown> {
  const parts = matchingParts(asked).map(
    ([{ columns, source, condition, listedAt, id }, further]) => sql`(
      select ${columns}, ${sql.ref(listedAt)} as listed_at from ${source} where ${condition} and ${further}
      order by ${sql.ref(listedAt)} desc, ${sql.ref(id)} collate "C" desc limit ${most}::bigint)`,
  );
  return sql.join(parts, sql` union all `);
}

/** The number of rows, up to `most`. Counting needs no order. */
async function countUpTo(db: Db, asked: ListConditions, most: number): Promise<number> {
  const { status, publicationState, instruments, market } = asked;
  if (publicationState === null && market === null && (status === 'PENDING' || status === 'FAILED')) {
    // Every run is at least one row: with enough runs, their results need not be counted.
    const part = runsIn(status, null);
    const conditions = [part.condition, ...ofInstruments(part, instruments)];
    const runs = await countRows(db, [sql`explanation_run r where ${sql.join(conditions, sql` and `)}`], most);
    if (runs === most) return most;
  }
  return countRows(
    db,
    matchingParts(asked).map(([{ source, condition }, further]) => sql`${source} where ${condition} and ${further}`),
    most,
  );
}

async function countRows(db: Db, sources: readonly RawBuilder<unknown>[], most: number): Promise<number> {
  const parts = sources.map((source) => sql`(select from ${source} limit ${most}::bigint)`);
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (select from (${sql.join(parts, sql` union all `)}) a limit ${most}::bigint) n`.execute(
    db,
  );
  return rows[0]?.total ?? 0;
}

export interface FoundAnalyses {
  items: Analysis[];
  total: number;
  /** Whether there are more than `total`. */
  more: boolean;
}

/** One page, newest first. */
export async function listAnalyses(db: Db, filter: AnalysisFilter, at: Date): Promise<FoundAnalyses> {
  const { page, size } = filter;
  const found = await findInstruments(db, filter);
  if (found?.length === 0) return findById(db, filter, at);
  const asked = { ...filter, instruments: found === null ? null : textArray(found) };
  const total = await countUpTo(db, asked, COUNTED_ANALYSES + 1);
  const { rows } = await sql<AnalysisRow>`
    ${analysisColumns(sql`
      select * from (${newest(asked, page * size)}) n
      order by n.listed_at desc, n.id collate "C" desc
      limit ${size}::integer offset ${(page - 1) * size}::bigint`)}
    order by a.listed_at desc, a.id collate "C" desc`.execute(db);
  const receipts = await receiptsOf(db, rows, at);
  return {
    items: rows.map((row) => toAnalysis(row, receipts.get(row.id) ?? null)),
    total: Math.min(total, COUNTED_ANALYSES),
    more: total > COUNTED_ANALYSES,
  };
}

/** What names no instrument may be the whole id of an analysis. Ids are not searched in part: there are millions. */
async function findById(db: Db, filter: AnalysisFilter, at: Date): Promise<FoundAnalyses> {
  const { q, page, market, status, publicationState } = filter;
  const isNarrowed = market !== null || status !== null || publicationState !== null;
  if (q === null || isNarrowed || page > 1) return { items: [], total: 0, more: false };
  const { rows } = await sql<AnalysisRow>`${analysisColumns(analysisOfId(q))}`.execute(db);
  const receipts = await receiptsOf(db, rows, at);
  return { items: rows.map((row) => toAnalysis(row, receipts.get(row.id) ?? null)), total: rows.length, more: false };
}

/** The receipts of the last record of each analysis: the withdrawal of a withdrawn one, otherwise the publication. */
export function receiptsOf(
  db: Db,
  rows: readonly Pick<AnalysisRow, 'id' | 'publication_status'>[],
  at: Date,
): Promise<Map<string, ReceiptCounts>> {
  const idsIn = (status: AnalysisRow['publication_status']): string[] =>
    rows.filter(({ publication_status }) => publication_status === status).map(({ id }) => id);
  return countReceipts(db, { published: idsIn('PUBLISHED'), withdrawn: idsIn('WITHDRAWN') }, at);
}

/** The rows of one id: a result, an analysis, or a run without either; ids are unique over results and analyses. */
export function analysisOfId(id: string): RawBuilder<unknown> {
  return sql`
    select n.* from (
      ${sql.join(
        [results, analyses, pending, failed].map((part) => rowsOf(part, sql`${sql.ref(part.id)} = ${id}`)),
        sql` union all `,
      )}
    ) n
    order by n.engine nulls last limit 1`;
}

export function toAnalysis(row: AnalysisRow, receipts: ReceiptCounts | null): Analysis {
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
    receipts,
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
