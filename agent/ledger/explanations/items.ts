/** An explanation as the console API answers it (D56), made from the row that `explanations.ts` reads. */
import type { Evidence, SourceEvent } from '../../../shared/wire/bundle.ts';
import type { ExplanationItem } from '../../../shared/wire/console/console.ts';
import type { explanationShape } from '../../../shared/wire/console/explanation.ts';
import { kstInstant } from '../../../shared/time/kst.ts';
import { readExact } from '../storage/json-text.ts';
import type { ExplanationRow } from './explanations.ts';

/** The fields that items of the board and of the review queue share. */
export function sharedFields(row: ExplanationRow): Pick<ExplanationItem, keyof typeof explanationShape> {
  return {
    id: row.id,
    explanation_result_id: row.explanation_result_id,
    etf_ticker: row.etf_ticker,
    etf_name: row.etf_name,
    market: row.market,
    trade_date: row.trade_date,
    explanation_as_of: row.explanation_as_of,
    explanation_type: row.explanation_type,
    confidence_level: row.confidence_level,
    observed_return: row.observed_return,
    status: row.status,
    summary: row.summary,
    version: row.version,
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
    ...visibilityOf(row),
    content_as_of: row.content_as_of,
    analysis_engine: row.analysis_engine,
    published_summary: row.published_summary,
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
