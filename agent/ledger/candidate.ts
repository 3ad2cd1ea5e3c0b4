/**
 * Which snapshot of a ticker may be shown (D60): the latest one that has ever been provided. Nothing that a machine does
 * brings an earlier one back. A person does, by approving it while no later one is on show: then it takes the place of
 * the latest, until a later one is provided or another one is lifted to that place.
 */
import { sql, type RawBuilder } from 'kysely';
import { statement, type LedgerReader } from './ledger.ts';
import type { VendorFields } from './tables.ts';

/** In which place a row of `explanation` stands among those of its ticker. The index `explanation_provided` says the same words. */
const placeOf = (alias: string): string =>
  `max(${alias}.trade_date || 'T' || ${alias}.explanation_as_of, coalesce(${alias}.lifted_to, ''))`;

/** The order in which rows of a ticker stand, the candidate first. */
export const candidateFirst = (alias: string): RawBuilder<unknown> =>
  sql.raw(`${placeOf(alias)} DESC, ${alias}.lift DESC, ${alias}.cursor DESC`);

export interface Lift {
  /** Null: its own place. */
  lifted_to: string | null;
  lift: number;
}

const liftsInPlace = statement<[of: { ticker: string; place: string }], { lift: number | null }>(`
  SELECT max(lift) AS lift FROM explanation WHERE etf_ticker = @ticker AND lifted_to = @place`);

/** What comes in stands before an earlier one that was lifted to its very place. */
export function liftOnReceipt(
  reader: LedgerReader,
  { etf_ticker, trade_date, explanation_as_of }: Pick<VendorFields, 'etf_ticker' | 'trade_date' | 'explanation_as_of'>,
): number {
  const of = { ticker: etf_ticker, place: `${trade_date}T${explanation_as_of}` };
  return reader.first(liftsInPlace(of))?.lift ?? 0;
}

/** Only where something stands before the row, and nothing that is later than it is on show. */
const liftOf = statement<[of: { id: string }], Lift>(`
  SELECT max(${placeOf('other')}) AS lifted_to, max(other.lift) + 1 AS lift
  FROM explanation AS mine JOIN explanation AS other
    ON other.etf_ticker = mine.etf_ticker AND other.published_summary IS NOT NULL AND other.id <> mine.id
  WHERE mine.id = @id
  HAVING max((${placeOf('other')}, other.lift, other.cursor) > (${placeOf('mine')}, mine.lift, mine.cursor)) = 1
    AND max(other.status IN ('AUTO_PUBLISHED', 'PUBLISHED') AND (other.trade_date, other.explanation_as_of, other.cursor)
      > (mine.trade_date, mine.explanation_as_of, mine.cursor)) = 0`);

/** The place that an explanation takes when it is put on show now; undefined where it keeps its own. */
export function liftFor(reader: LedgerReader, id: string): Lift | undefined {
  return reader.first(liftOf({ id }));
}
