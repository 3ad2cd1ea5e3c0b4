/** The later snapshot of a ticker that decides whether approving an earlier one exposes it. */
import { sql, type RawBuilder } from 'kysely';
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
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

interface TickerDay {
  ticker: string;
  day: string;
  asOf: string;
  cursor: number;
}

const isLater = ({ day, asOf, cursor }: TickerDay): RawBuilder<boolean> =>
  sql<boolean>`(explanation.trade_date, explanation.explanation_as_of, explanation.cursor) > (${day}, ${asOf}, ${cursor})`;

const laterCandidate = prepared((of: TickerDay, moment: Moment) =>
  sqlite
    .selectFrom('instrument')
    .innerJoin('explanation', (join) => join.on('explanation.id', '=', candidateOf('instrument', moment)))
    .select(['explanation.id', 'status', 'trade_date', 'explanation_as_of', sql.lit<1>(1).as('replaces')])
    .where('instrument.etf_ticker', '=', sql<string>`+${of.ticker}`)
    .where(isLater(of)),
);
/** It ends at its first row: an item that has waited for long has thousands of later ones. */
const latestWaiting = prepared(
  (of: TickerDay) => sql<LaterRow>`
    SELECT id, status, trade_date, explanation_as_of, 0 AS replaces FROM explanation
    WHERE etf_ticker = ${of.ticker} AND trade_date >= ${of.day} AND ${isLater(of)} AND +status = 'PENDING_REVIEW'
    ORDER BY trade_date DESC, explanation_as_of DESC, cursor DESC LIMIT 1`,
);

/** Undefined without one. */
export function laterOf(
  reader: LedgerReader,
  row: { etf_ticker: string; trade_date: string; explanation_as_of: string; cursor: number },
  now: Date,
): LaterRow | undefined {
  const { etf_ticker: ticker, trade_date: day, explanation_as_of: asOf, cursor } = row;
  const of = { ticker, day, asOf, cursor };
  return reader.first(laterCandidate(of, momentOf(now))) ?? reader.first(latestWaiting(of));
}
