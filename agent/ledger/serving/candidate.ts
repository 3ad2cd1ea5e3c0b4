/**
 * The later snapshot of a ticker that decides whether approving an earlier one exposes it.
 *
 * Written out: it ends at its first row, because an item that has waited for long has thousands of later ones.
 */
import { sql } from 'kysely';
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { sqlite, statement } from '../storage/query.ts';
import { candidateOf, momentOf, type Moment } from './visibility.ts';

/** A later snapshot of a ticker that hides an earlier one, or will. */
export interface LaterRow {
  id: string;
  status: ExplanationStatus;
  trade_date: string;
  explanation_as_of: string;
  /** 1 where no decision exposes the earlier one; 0 where the later one still waits itself. */
  replaces: 0 | 1;
}

interface Asked {
  ticker: string;
  day: string;
  asOf: string;
  cursor: number;
}

const LATER = '(explanation.trade_date, explanation.explanation_as_of, explanation.cursor) > (@day, @asOf, @cursor)';

const laterCandidate = statement<[of: Asked & Moment], LaterRow>(
  sqlite
    .selectFrom('instrument')
    .innerJoin('explanation', (join) => join.on(sql<boolean>`explanation.id = ${candidateOf('instrument')}`))
    .select(['explanation.id', 'status', 'trade_date', 'explanation_as_of', sql.lit(1).as('replaces')])
    .where(sql<boolean>`instrument.etf_ticker = +@ticker AND ${sql.raw(LATER)}`)
    .compile().sql,
);
const latestWaiting = statement<[of: Asked], LaterRow>(`
  SELECT id, status, trade_date, explanation_as_of, 0 AS replaces FROM explanation
  WHERE etf_ticker = @ticker AND trade_date >= @day AND ${LATER} AND +status = 'PENDING_REVIEW'
  ORDER BY trade_date DESC, explanation_as_of DESC, cursor DESC LIMIT 1`);

/** Undefined without one. */
export function laterOf(
  reader: LedgerReader,
  row: { etf_ticker: string; trade_date: string; explanation_as_of: string; cursor: number },
  now: Date,
): LaterRow | undefined {
  const { etf_ticker: ticker, trade_date: day, explanation_as_of: asOf, cursor } = row;
  const of = { ticker, day, asOf, cursor };
  return reader.first(laterCandidate({ ...of, ...momentOf(now) })) ?? reader.first(latestWaiting(of));
}
