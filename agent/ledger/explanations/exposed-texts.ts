/**
 * The texts exposed at a moment, for the dry run of a policy: which would be screened again, and which would expire
 * (D16).
 */
import { sql, type NotNull } from 'kysely';
import {
  expiredBy,
  expiry,
  momentOf,
  exposedUnlessExpired,
  type ExposedExplanation,
  type Moment,
} from '../serving/visibility.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';
import { SCREENED_COLUMNS, type ScreenedRow } from './recent.ts';

/** The fate of a text where texts expire at another time: it expires at once, or when its time comes. */
export type ExpiryEffect = 'exposedAgain' | 'exposedNoMore' | 'exposedLonger' | 'exposedShorter';

/** A text that is exposed now, or would be if it had not expired. */
export interface Expiring extends Pick<
  ExposedExplanation,
  'id' | 'etf_ticker' | 'etf_name' | 'trade_date' | 'explanation_as_of'
> {
  status: 'AUTO_PUBLISHED' | 'PUBLISHED';
}

const expiring = prepared((moment: Moment) =>
  exposedUnlessExpired(moment)
    .select([
      'explanation.id',
      'explanation.etf_ticker',
      'explanation.etf_name',
      'explanation.trade_date',
      'explanation.explanation_as_of',
    ])
    .select(sql<Expiring['status']>`explanation.status`.as('status'))
    .select(expiry.as('expires_at')),
);

/** An exposed text with the fields that a screening reads; `summary` is the exposed text. */
export interface ExposedRow extends Omit<ScreenedRow, 'row'> {
  status: Expiring['status'];
  version: number;
}

const exposed = prepared((moment: Moment) =>
  exposedUnlessExpired(moment)
    .select(SCREENED_COLUMNS.map((column) => `explanation.${column}` as const))
    .select(['explanation.version', 'explanation.published_summary'])
    .where(sql<boolean>`NOT ${expiredBy('explanation', expiry, moment)}`)
    .where('analysis_engine', '!=', sql.lit('v2'))
    .$narrowType<{ status: Expiring['status']; published_summary: NotNull }>(),
);

/** Every exposed text of v1: results of v2 are never screened (D14). */
export function screenedExposedTexts(reader: LedgerReader, now: Date): ExposedRow[] {
  return reader.all(exposed(momentOf(now))).map(({ published_summary: summary, ...row }) => ({ ...row, summary }));
}

/** The fate of every text if the active policy let texts expire at another time (`HH:MM`; null: never). */
export function effectsOfExpiry(
  reader: LedgerReader,
  after: string | null,
  now: Date,
): { text: Expiring; effect: ExpiryEffect }[] {
  const moment = momentOf(now);
  return reader.all(expiring(moment)).flatMap(({ expires_at, ...text }) => {
    const [ends, wouldEnd] = [expires_at, after].map((time) => (time === null ? NEVER : `${text.trade_date}T${time}`));
    const effect = effectOf(ends ?? NEVER, wouldEnd ?? NEVER, moment.minute);
    return effect === null ? [] : [{ text, effect }];
  });
}

/** After every minute. */
const NEVER = '\u{10ffff}';

function effectOf(ends: string, wouldEnd: string, minute: string): ExpiryEffect | null {
  if (ends === wouldEnd || (ends <= minute && wouldEnd <= minute)) return null;
  if (ends <= minute) return 'exposedAgain';
  if (wouldEnd <= minute) return 'exposedNoMore';
  return wouldEnd > ends ? 'exposedLonger' : 'exposedShorter';
}
