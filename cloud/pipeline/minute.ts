/**
 * Intraday 1-minute collection, the daily judgements of its grid, and the stored grounds of price judgements.
 *
 * Dates are cast (`::date`), so that the index of the day is used.
 */
import { sql } from 'kysely';
import { ApiError } from '../../shared/wire/envelope.ts';
import {
  JUDGMENT_NOT_OFFERED,
  type MinuteCollection,
  type MinuteDaily,
  type MinuteJudgments,
  type MinuteState,
} from '../../shared/wire/operator/operator.ts';
import type { Trx } from '../store/open.ts';
import type { Snapshot } from './snapshot.ts';

const MINUTE_MS = 60 * 1000;

interface SessionRow {
  session_id: string;
  trading_date: string;
  market: string;
  opens_at: Date;
  closes_at: Date;
}

interface MinuteRow {
  session_id: string;
  minute_at: Date;
  expected_instruments: number | null;
  collected_instruments: number | null;
  failed_instruments: number | null;
  collected_at: Date | null;
  error_code: string | null;
}

/** @param date null: the day of the latest session up to today */
export async function readMinutes({ trx, asOf, today }: Snapshot, date: string | null): Promise<MinuteCollection> {
  const wanted = date ?? (await latestDay(trx, today));
  if (wanted === null) return { asOf: asOf.toISOString(), date: null, sessions: [] };
  const sessions = await sql<SessionRow>`
    select * from minute_session where trading_date = ${wanted}::date order by session_id collate "C"`.execute(trx);
  const minutes = await sql<MinuteRow>`
    select m.* from minute_session s join minute_collection m using (session_id) where s.trading_date = ${wanted}::date`.execute(
    trx,
  );
  const bySession = Map.groupBy(minutes.rows, ({ session_id }) => session_id);
  return {
    asOf: asOf.toISOString(),
    date: wanted,
    sessions: sessions.rows.map((session) => toSession(session, bySession.get(session.session_id) ?? [], asOf)),
  };
}

async function latestDay(trx: Trx, today: string): Promise<string | null> {
  const { rows } = await sql<{ date: string | null }>`
    select max(trading_date) as date from minute_session where trading_date <= ${today}::date`.execute(trx);
  return rows[0]?.date ?? null;
}

function toSession(session: SessionRow, rows: readonly MinuteRow[], asOf: Date): MinuteCollection['sessions'][number] {
  const known = new Map(rows.map((row) => [row.minute_at.getTime(), row]));
  const grid: number[] = [];
  for (let at = session.opens_at.getTime(); at < session.closes_at.getTime(); at += MINUTE_MS) grid.push(at);
  const due = grid.filter((at) => at + MINUTE_MS <= asOf.getTime());
  // Records collected outside the grid are listed as well.
  const all = [...new Set([...grid, ...known.keys()])].toSorted((a, b) => a - b);
  return {
    ...sessionFields(session),
    opensAt: session.opens_at.toISOString(),
    closesAt: session.closes_at.toISOString(),
    minutesDue: due.length,
    minutesInLedger: due.filter((at) => known.has(at)).length,
    minutes: all.map((at) => toMinute(at, known.get(at), asOf)),
  };
}

function sessionFields(session: Pick<SessionRow, 'session_id' | 'trading_date' | 'market'>) {
  return { sessionId: session.session_id, tradingDate: session.trading_date, market: session.market };
}

function toMinute(
  at: number,
  row: MinuteRow | undefined,
  asOf: Date,
): MinuteCollection['sessions'][number]['minutes'][number] {
  return {
    at: new Date(at).toISOString(),
    state: row === undefined ? (at + MINUTE_MS <= asOf.getTime() ? 'ABSENT' : 'AHEAD') : stateOf(row),
    expected: row?.expected_instruments ?? null,
    collected: row?.collected_instruments ?? null,
    failed: row?.failed_instruments ?? null,
    collectedAt: row?.collected_at?.toISOString() ?? null,
    errorCode: row?.error_code ?? null,
  };
}

function stateOf({ expected_instruments: expected, collected_instruments: collected }: MinuteRow): MinuteState {
  if (expected === null || collected === null) return 'UNKNOWN';
  if (collected >= expected) return 'COMPLETE';
  return collected === 0 ? 'EMPTY' : 'PARTIAL';
}

/** The sessions of the last days with any. */
export async function readMinuteDaily({ trx, asOf, today }: Snapshot, days: number): Promise<MinuteDaily> {
  const { rows } = await sql<{
    session_id: string;
    trading_date: string;
    market: string;
    verdict: string | null;
    judged_at: Date | null;
    minutes_expected: number | null;
    minutes_collected: number | null;
    reason: string | null;
    grounds: number;
  }>`
    with last_days as (
      select distinct trading_date from minute_session where trading_date <= ${today}::date order by trading_date desc limit ${days}::integer
    )
    select s.session_id, s.trading_date, s.market, j.verdict, j.judged_at, j.minutes_expected, j.minutes_collected, j.reason,
      (select count(*) from minute_judgment_ground g where g.session_id = s.session_id) as grounds
    from last_days d join minute_session s using (trading_date) left join minute_daily_judgment j using (session_id)
    order by s.trading_date desc, s.session_id collate "C"`.execute(trx);
  return {
    asOf: asOf.toISOString(),
    days: rows.map((row) => ({
      ...sessionFields(row),
      judgment:
        row.verdict === null || row.judged_at === null
          ? null
          : {
              verdict: row.verdict,
              judgedAt: row.judged_at.toISOString(),
              minutesExpected: row.minutes_expected,
              minutesCollected: row.minutes_collected,
              reason: row.reason,
            },
      grounds: row.grounds,
    })),
  };
}

/** @throws ApiError COMMON404 for a session that the ledger does not have */
export async function readJudgments(
  { trx }: Snapshot,
  query: { sessionId: string; page: number; size: number },
): Promise<MinuteJudgments> {
  const found = await sql<SessionRow>`select * from minute_session where session_id = ${query.sessionId}`.execute(trx);
  const session = found.rows[0];
  if (session === undefined) throw new ApiError('COMMON404');
  const total = await sql<{ total: number }>`
    select count(*) as total from minute_judgment_ground where session_id = ${query.sessionId}`.execute(trx);
  const { rows } = await sql<{
    instrument_id: string;
    ticker: string | null;
    name: string | null;
    minute_at: Date;
    judgment: string;
    price: number | null;
    reference_price: number | null;
    change_rate: number | null;
    threshold: number | null;
    reason: string | null;
    original_text: string | null;
    judged_at: Date;
  }>`
    select g.*, i.ticker, e.entity_name as name
    from minute_judgment_ground g left join instrument i using (instrument_id) left join entity e using (entity_id)
    where g.session_id = ${query.sessionId}
    order by g.minute_at, g.minute_judgment_ground_id
    limit ${query.size}::integer offset ${(query.page - 1) * query.size}::bigint`.execute(trx);
  return {
    ...sessionFields(session),
    items: rows.map((row) => ({
      instrumentId: row.instrument_id,
      ticker: row.ticker,
      name: row.name,
      minute: row.minute_at.toISOString(),
      judgment: row.judgment,
      price: row.price,
      referencePrice: row.reference_price,
      changeRate: row.change_rate,
      threshold: row.threshold,
      reason: row.reason,
      originalText: row.original_text,
      judgedAt: row.judged_at.toISOString(),
    })),
    page: query.page,
    size: query.size,
    total: total.rows[0]?.total ?? 0,
    notOffered: [...JUDGMENT_NOT_OFFERED],
  };
}
