/**
 * Snapshots that lie ahead (D203): the trade date had not begun in Korea, or `explanation_as_of` had not come, when the
 * entry was received or the person decided. The later of the host's clock and the newest verified statement's time
 * counts, so that a host whose clock is slow takes no right text for one that lies ahead. A text is on hold until its
 * time, as an approved one is for some seconds (`hold.ts`): until then it is not exposed and replaces nothing.
 */
import { sql, type NotNull, type RawBuilder } from 'kysely';
import { kstMidnight } from '../../../shared/time/kst.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { VendorFields } from '../storage/vendor-fields.ts';

export type Dated = Pick<VendorFields, 'trade_date' | 'explanation_as_of'>;

/** When the time of a snapshot comes, ISO. */
export function comesAt({ trade_date, explanation_as_of }: Dated): string {
  const begins = kstMidnight(trade_date).toISOString();
  return begins > explanation_as_of ? begins : explanation_as_of;
}

/** When the time of a row of `explanation` comes; null: it has. */
export const aheadNow = ({ now }: { now: string }): RawBuilder<string | null> => sql<string | null>`(
  SELECT iif(comes > max(+${now}, iif(sync_state.statement_seen_at <= +${now}, sync_state.statement_at, '')), comes, NULL)
  FROM sync_state, (SELECT max(strftime('%Y-%m-%dT%H:%M:%fZ', explanation.trade_date, '-9 hours'),
    explanation.explanation_as_of) AS comes))`;

/** The moment by which a snapshot lies ahead: an entry's reception, whenever it is applied, or a person's act. */
export interface Came {
  /** By the host's clock, ISO. */
  at: string;
  /** The newest verified statement then: its time, and the host's when it came; null: there is none. */
  stated: { at: string; seenAt: string } | null;
  /** The bundle of an entry. */
  bundleId?: string;
}

/** One that came later than now tells nothing of now; so one that somebody has altered is off by `CLOCK_OFF`, or harmless. */
const newestStatement = prepared((now: string) =>
  sqlite
    .selectFrom('sync_state')
    .select(['statement_at as at', 'statement_seen_at as seenAt'])
    .where('statement_at', 'is not', null)
    .where('statement_seen_at', '<=', now)
    .$narrowType<{ at: NotNull; seenAt: NotNull }>(),
);

/** Of what happens now. */
export const cameNow = (reader: LedgerReader, at: string): Came => ({
  at,
  stated: reader.first(newestStatement(at)) ?? null,
});

/** Until when a snapshot is on hold, by the host's clock; null: it did not lie ahead. */
export function heldAhead(dated: Dated, { at, stated }: Came): string | null {
  const comes = comesAt(dated);
  if (comes <= at) return null;
  if (stated === null) return comes;
  if (comes <= stated.at) return null;
  const slowMs = Math.max(0, Date.parse(stated.at) - Date.parse(stated.seenAt));
  return new Date(Date.parse(comes) - slowMs).toISOString();
}
