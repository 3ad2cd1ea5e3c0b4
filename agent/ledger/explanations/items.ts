/** An explanation as the console API answers it (D56), made from the row that `explanations.ts` reads. */
import type { Evidence, SourceEvent } from '../../../shared/wire/bundle.ts';
import type { ExplanationItem } from '../../../shared/wire/console/console.ts';
import { explanationItemSchema, explanationShape } from '../../../shared/wire/console/explanation.ts';
import { kstInstant } from '../../../shared/time/kst.ts';
import { readExact } from '../storage/json-text.ts';
import { columnsIn } from '../storage/vendor-fields.ts';
import type { ExplanationRow } from './explanations.ts';

/** The fields that items of the board and of the review queue share; the vendor's are those that their shape names. */
export function sharedFields(row: ExplanationRow): Pick<ExplanationItem, keyof typeof explanationShape> {
  return {
    ...columnsIn(row, explanationShape),
    receivedAt: row.received_at,
    aheadUntil: row.ahead_until,
    approvalNumber: row.approval_number,
    validUntil: row.valid_until,
  };
}

/** The item as the console API answers it (D56). */
export function toItem(row: ExplanationRow): ExplanationItem {
  return {
    ...sharedFields(row),
    ...columnsIn(row, explanationItemSchema.shape),
    ...visibilityOf(row),
    policyVersion: row.policy_version,
  };
}

/** Whether it is exposed, and otherwise the obstacle. */
export function visibilityOf({
  obstacle,
  held_until,
  trade_date,
  expires_at,
}: Pick<ExplanationRow, 'obstacle' | 'held_until' | 'trade_date' | 'expires_at'>): Pick<
  ExplanationItem,
  'exposed' | 'obstacle' | 'heldUntil' | 'expiresAt'
> {
  return {
    exposed: obstacle === null,
    obstacle,
    heldUntil: obstacle === 'HELD' || obstacle === 'AHEAD' ? held_until : null,
    expiresAt: expires_at === null ? null : kstInstant(trade_date, expires_at).toISOString(),
  };
}

/**
 * Source events and evidences as stored, in the bundle's own form; numbers keep their digits through `JSON.stringify`.
 */
export function storedGrounds(row: Pick<ExplanationRow, 'source_events' | 'evidences'>): {
  source_events: SourceEvent[];
  evidences: Evidence[];
} {
  return {
    source_events: readExact(row.source_events) as SourceEvent[],
    evidences: readExact(row.evidences) as Evidence[],
  };
}
