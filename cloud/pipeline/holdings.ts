/**
 * Holdings-gap impact (operator API 2): the snapshot's expected ETFs minus the loaded ones of the reference date, and
 * the analyses of that date that this concerns. It triggers no rerun. It is no history: a later load that fills the
 * date shows the gap as resolved.
 *
 * Dates are cast (`::date`), so that the index of the day is used.
 */
import { sql } from 'kysely';
import {
  AFFECTED_ANALYSES_CAP,
  type HoldingsImpact,
  type HoldingsState,
  type PublicationState,
} from '../../shared/wire/operator/operator.ts';
import type { Trx } from '../store/open.ts';
import type { Snapshot } from './snapshot.ts';

interface LoadRow {
  holdings_load_id: number;
  status: string;
  started_at: Date;
  ended_at: Date | null;
}

interface ExpectedRow {
  instrument_id: string;
  ticker: string | null;
  name: string | null;
  loaded_at: Date | null;
  holdings_load_id: number | null;
}

/** @param date null: the latest reference date that has a load */
export async function readHoldingsImpact({ trx, asOf, today }: Snapshot, date: string | null): Promise<HoldingsImpact> {
  const referenceDate = date ?? (await latestReferenceDate(trx, today));
  const loads = referenceDate === null ? [] : await loadsOf(trx, referenceDate);
  const latest = loads.at(-1);
  const snapshotTakenAt = referenceDate === null ? null : await snapshotOf(trx, referenceDate);
  const unjudged: HoldingsImpact = {
    asOf: asOf.toISOString(),
    referenceDate,
    state: 'UNKNOWN',
    reason: 'REFERENCE_DATE_ABSENT',
    snapshotTakenAt: snapshotTakenAt?.toISOString() ?? null,
    load:
      latest === undefined
        ? null
        : {
            status: latest.status,
            startedAt: latest.started_at.toISOString(),
            endedAt: latest.ended_at?.toISOString() ?? null,
          },
    expected: null,
    loaded: null,
    missing: null,
    resolved: null,
    analyses: null,
    rerunRecommended: null,
  };
  const [first] = loads;
  if (referenceDate === null || latest === undefined || first === undefined) return unjudged;
  if (snapshotTakenAt === null) return { ...unjudged, reason: 'EXPECTED_LIST_ABSENT' };
  if (latest.ended_at === null) return { ...unjudged, state: 'WITHHELD', reason: 'LOAD_IN_PROGRESS' };

  const expected = await expectedOf(trx, referenceDate);
  const missing = expected.filter(({ loaded_at }) => loaded_at === null);
  const resolved = expected.flatMap((row) =>
    row.loaded_at === null || row.holdings_load_id === first.holdings_load_id
      ? []
      : [{ ...toInstrument(row), loadedAt: row.loaded_at.toISOString() }],
  );
  return {
    ...unjudged,
    state: stateOf(missing.length, resolved.length),
    reason: null,
    expected: expected.length,
    loaded: expected.length - missing.length,
    missing: missing.map(toInstrument),
    resolved,
    analyses: await affectedAnalyses(trx, referenceDate),
    rerunRecommended: missing.length > 0,
  };
}

function stateOf(missing: number, resolved: number): HoldingsState {
  if (missing > 0) return 'IMPACT';
  return resolved > 0 ? 'RESOLVED' : 'NO_IMPACT';
}

async function latestReferenceDate(trx: Trx, today: string): Promise<string | null> {
  const { rows } = await sql<{ date: string | null }>`
    select max(reference_date) as date from holdings_load where reference_date <= ${today}::date`.execute(trx);
  return rows[0]?.date ?? null;
}

/** In the order of their start. */
async function loadsOf(trx: Trx, date: string): Promise<LoadRow[]> {
  const { rows } = await sql<LoadRow>`
    select holdings_load_id, status, started_at, ended_at from holdings_load
    where reference_date = ${date}::date order by started_at, holdings_load_id`.execute(trx);
  return rows;
}

async function snapshotOf(trx: Trx, date: string): Promise<Date | null> {
  const { rows } = await sql<{ taken_at: Date }>`
    select taken_at from holdings_snapshot where reference_date = ${date}::date`.execute(trx);
  return rows[0]?.taken_at ?? null;
}

async function expectedOf(trx: Trx, date: string): Promise<ExpectedRow[]> {
  const { rows } = await sql<ExpectedRow>`
    select x.etf_instrument_id as instrument_id, i.ticker, e.entity_name as name, l.loaded_at, l.holdings_load_id
    from holdings_expected x
    left join holdings_loaded l on l.reference_date = x.reference_date and l.etf_instrument_id = x.etf_instrument_id
    left join instrument i on i.instrument_id = x.etf_instrument_id left join entity e using (entity_id)
    where x.reference_date = ${date}::date
    order by x.etf_instrument_id collate "C"`.execute(trx);
  return rows;
}

function toInstrument({ instrument_id, ticker, name }: ExpectedRow) {
  return { instrumentId: instrument_id, ticker, name };
}

/** The store's words for a publication on the wire. */
export const PUBLICATION_OF: Record<'DRAFT' | 'PUBLISHED' | 'WITHDRAWN', PublicationState> = {
  DRAFT: 'UNPUBLISHED',
  PUBLISHED: 'PUBLISHED',
  WITHDRAWN: 'INVALIDATED',
};

/** Analyses of both generations of an ETF that is expected and not loaded, each named as its load told it (D205). */
async function affectedAnalyses(trx: Trx, date: string): Promise<NonNullable<HoldingsImpact['analyses']>> {
  const { rows } = await sql<{
    id: string;
    engine: 'v1' | 'v2';
    ticker: string;
    name: string;
    explanation_as_of: Date;
    publication_status: keyof typeof PUBLICATION_OF;
    total: number;
  }>`
    with missing as (
      select x.etf_instrument_id from holdings_expected x
      where x.reference_date = ${date}::date and not exists (
        select from holdings_loaded l where l.reference_date = x.reference_date and l.etf_instrument_id = x.etf_instrument_id)
    ), affected as (
      select explanation_result_id as id, 'v1' as engine, instrument_name_id, explanation_as_of, publication_status
      from explanation_result join missing using (etf_instrument_id) where trade_date = ${date}::date
      union all
      select movement_analysis_id, 'v2', instrument_name_id, explanation_as_of, publication_status
      from movement_analysis join missing using (etf_instrument_id) where trade_date = ${date}::date
    )
    select a.id, a.engine, n.ticker, n.entity_name as name, a.explanation_as_of, a.publication_status, count(*) over () as total
    from affected a join instrument_name n using (instrument_name_id)
    order by n.ticker collate "C", a.explanation_as_of desc, a.id collate "C"
    limit ${AFFECTED_ANALYSES_CAP}::integer`.execute(trx);
  return {
    items: rows.map((row) => ({
      id: row.id,
      analysisEngine: row.engine,
      ticker: row.ticker,
      instrumentName: row.name,
      explanationAsOf: row.explanation_as_of.toISOString(),
      publicationState: PUBLICATION_OF[row.publication_status],
    })),
    total: rows[0]?.total ?? 0,
    cap: AFFECTED_ANALYSES_CAP,
  };
}
