/**
 * The candidate of a ticker (D60): the latest snapshot that has ever been provided. No act of the program brings an
 * earlier one back. A person does, by approving it while no later one is exposed: it takes the place of the latest,
 * until a later one is provided or another one is lifted to that place.
 *
 * Written out: provision asks for the candidate at every request, and the Intake for the lifts at every entry.
 */
import { sql, type RawBuilder } from 'kysely';
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { statement, type LedgerReader } from '../storage/ledger.ts';
import type { VendorFields } from '../storage/tables.ts';

/**
 * The place of an `explanation` row among those of its ticker. The index `explanation_provided` has the same
 * expression.
 */
const placeOf = (alias: string): string =>
  `max(${alias}.trade_date || 'T' || ${alias}.explanation_as_of, coalesce(${alias}.lifted_to, ''))`;

/** The order of the rows of a ticker, the candidate first. */
export const candidateFirst = (alias: string): RawBuilder<unknown> =>
  sql.raw(`${placeOf(alias)} DESC, ${alias}.lift DESC, ${alias}.cursor DESC`);

export interface Lift {
  /** Null: its own place. */
  lifted_to: string | null;
  lift: number;
}

/** Asked for every entry that is applied: the index `explanation_lifted` answers it. */
export const LIFTS_IN_PLACE = `
  SELECT max(lift) AS lift FROM explanation WHERE etf_ticker = +@ticker AND lifted_to = +@place`;
const liftsInPlace = statement<[of: { ticker: string; place: string }], { lift: number | null }>(LIFTS_IN_PLACE);

/** A new text precedes an earlier one that was lifted to the same place. */
export function liftOnReceipt(
  reader: LedgerReader,
  { etf_ticker, trade_date, explanation_as_of }: Pick<VendorFields, 'etf_ticker' | 'trade_date' | 'explanation_as_of'>,
): number {
  const of = { ticker: etf_ticker, place: `${trade_date}T${explanation_as_of}` };
  return reader.first(liftsInPlace(of))?.lift ?? 0;
}

/** Only where a row precedes this one, and no later row is exposed. */
const liftOf = statement<[of: { id: string }], Lift>(`
  SELECT max(${placeOf('other')}) AS lifted_to, max(other.lift) + 1 AS lift
  FROM explanation AS mine JOIN explanation AS other
    ON other.etf_ticker = mine.etf_ticker AND other.published_summary IS NOT NULL AND other.id <> mine.id
  WHERE mine.id = @id
  HAVING max((${placeOf('other')}, other.lift, other.cursor) > (${placeOf('mine')}, mine.lift, mine.cursor)) = 1
    AND max(other.status IN ('AUTO_PUBLISHED', 'PUBLISHED') AND (other.trade_date, other.explanation_as_of, other.cursor)
      > (mine.trade_date, mine.explanation_as_of, mine.cursor)) = 0`);

/** The place of an explanation that a person exposes now; undefined where it keeps its own. */
export function liftFor(reader: LedgerReader, id: string): Lift | undefined {
  return reader.first(liftOf({ id }));
}

/** A later snapshot of a ticker that hides an earlier one, or will. */
export interface LaterRow {
  id: string;
  status: ExplanationStatus;
  trade_date: string;
  explanation_as_of: string;
  /** 1 where no decision exposes the earlier one; 0 where the later one still waits itself. */
  replaces: 0 | 1;
}

/** Ends at its first row: an item that has waited for long has thousands of later ones. */
const latestLater = (statuses: string, replaces: 0 | 1) =>
  statement<[of: { ticker: string; day: string; asOf: string; cursor: number }], LaterRow>(`
    SELECT id, status, trade_date, explanation_as_of, ${replaces} AS replaces FROM explanation
    WHERE etf_ticker = @ticker AND trade_date >= @day AND (trade_date, explanation_as_of, cursor) > (@day, @asOf, @cursor)
      AND +status IN (${statuses})
    ORDER BY trade_date DESC, explanation_as_of DESC, cursor DESC LIMIT 1`);
const latestExposed = latestLater("'AUTO_PUBLISHED', 'PUBLISHED'", 1);
const latestWaiting = latestLater("'PENDING_REVIEW'", 0);

/** The later snapshot of a row's ticker that decides whether approving the row exposes it; undefined without one. */
export function laterOf(
  reader: LedgerReader,
  row: { etf_ticker: string; trade_date: string; explanation_as_of: string; cursor: number },
): LaterRow | undefined {
  const { etf_ticker: ticker, trade_date: day, explanation_as_of: asOf, cursor } = row;
  const of = { ticker, day, asOf, cursor };
  // The same condition as in `liftOf`: a later exposed row precedes any approved one.
  return reader.first(latestExposed(of)) ?? reader.first(latestWaiting(of));
}
