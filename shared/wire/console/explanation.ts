/** The status board (D12, D56). */
import { z } from 'zod';
import { sourceEventSchema } from '../bundle.ts';
import { instant } from './common.ts';
import { CONFIDENCE_LEVELS, EXPLANATION_STATUSES, OBSTACLES, MOVES, SYNC_STATES } from './constants.ts';
import { sampleSchema } from './sample.ts';

/** A row of the state history. */
export const stateChangeSchema = z.strictObject({
  move: z.enum(MOVES),
  from: z.enum(EXPLANATION_STATUSES).nullable(),
  to: z.enum(EXPLANATION_STATUSES),
  /** Display name of the member, or `SYSTEM`. */
  actor: z.string(),
  at: instant,
  reason: z.string().nullable(),
  policyVersion: z.int().nullable(),
  /** The end of the hold that the move began; null where it began none. */
  heldUntil: instant.nullable(),
  /** Whether the transition came during the hold: no channel ever got the text. */
  duringHold: z.boolean(),
  /**
   * Display names of the authors of the text that the move exposed; empty where no person wrote it.
   */
  authors: z.array(z.string()),
  /** Number and end of the approval by which a person let the text out (D211); null where it has none. */
  approvalNumber: z.string().nullable(),
  validUntil: instant.nullable(),
  /** Whether the caller made the transition. */
  mine: z.boolean(),
});
export type StateChange = z.infer<typeof stateChangeSchema>;

/** The fields of an explanation that the status board and the review queue share. */
export const explanationShape = {
  /** Opaque; used in paths. */
  id: z.string(),
  explanation_result_id: z.string(),
  etf_ticker: z.string(),
  etf_name: z.string(),
  market: z.string().nullable(),
  trade_date: z.iso.date(),
  explanation_as_of: instant,
  explanation_type: z.string().nullable(),
  confidence_level: z.enum(CONFIDENCE_LEVELS).nullable(),
  /** A ratio: 0.0123 is +1.23 %. */
  observed_return: z.number().nullable(),
  status: z.enum(EXPLANATION_STATUSES),
  /** The text as received. */
  summary: z.string(),
  version: z.int(),
  receivedAt: instant,
  /** When its time comes, while that lies ahead (D203); null: it has come. */
  aheadUntil: instant.nullable(),
  /** Number and end of the approval of the text that is let out (D211); null where it has none. */
  approvalNumber: z.string().nullable(),
  validUntil: instant.nullable(),
};

const itemShape = {
  ...explanationShape,
  content_as_of: z.string().nullable(),
  /** `v1` where the bundle names none (sync protocol 9). */
  analysis_engine: z.string(),
  /** The provision API's decision now, scope included. */
  exposed: z.boolean(),
  /** The first obstacle to exposure; null while exposed. */
  obstacle: z.enum(OBSTACLES).nullable(),
  /** End of the hold, or the time of a text that lies ahead; null where it is not held now. */
  heldUntil: instant.nullable(),
  /** When texts of its trade date expire by the active policy; null if they do not. */
  expiresAt: instant.nullable(),
  published_summary: z.string().nullable(),
  policyVersion: z.int().nullable(),
};
export const explanationItemSchema = z.strictObject(itemShape);
export type ExplanationItem = z.infer<typeof explanationItemSchema>;

/** Evidence under its console names (sync protocol 2.9). */
export const consoleEvidenceSchema = z.strictObject({
  kind: z.enum(['NEWS', 'DISCLOSURE', 'CALCULATION']),
  title: z.string().nullable(),
  source: z.string(),
  published_at: z.string().nullable(),
  source_uri: z.string().nullable().exactOptional(),
  newsId: z.string().exactOptional(),
  toolRunId: z.string().exactOptional(),
  itemIds: z.array(z.string()).exactOptional(),
  asOf: z.string().nullable().exactOptional(),
  arguments: z.record(z.string(), z.unknown()).exactOptional(),
  output: z.record(z.string(), z.unknown()).exactOptional(),
  formulaLatex: z.string().nullable().exactOptional(),
  description: z.string().exactOptional(),
});
export type ConsoleEvidence = z.infer<typeof consoleEvidenceSchema>;

/** One of the snapshots of a ticker and day, which stand side by side (sync protocol 3). */
export const snapshotSchema = z.strictObject({
  id: z.string(),
  explanation_as_of: instant,
  /** Both null for another snapshot whose decision awaits the caller's blind review. */
  status: z.enum(EXPLANATION_STATUSES).nullable(),
  exposed: z.boolean().nullable(),
});

const servedSchema = z.strictObject({ channel: z.string(), times: z.int(), firstAt: instant, lastAt: instant });
export type Served = z.infer<typeof servedSchema>;

export const explanationDetailSchema = z.strictObject({
  ...itemShape,
  etf_instrument_id: z.string(),
  primary_thread_id: z.string(),
  explanation_run_id: z.string(),
  release_bundle_version: z.string().nullable(),
  source_events: z.array(sourceEventSchema),
  evidences: z.array(consoleEvidenceSchema),
  /** Every snapshot of this ticker and day, this one included, latest first. */
  snapshots: z.array(snapshotSchema),
  history: z.array(stateChangeSchema),
  /** How often each channel got it, up to about a second ago; channels that never did are left out. */
  served: z.array(servedSchema),
  /** Null if it is not a sample. */
  sample: sampleSchema.nullable(),
  /** Whether the screening blocked it, so that a Compliance Reviewer may send it to review (D209). */
  canUnblock: z.boolean(),
});
export type ExplanationDetail = z.infer<typeof explanationDetailSchema>;

/** `GET /api/v1/explanations/status-counts`. */
export const statusCountsSchema = z.record(z.enum(EXPLANATION_STATUSES), z.int());
export type StatusCounts = z.infer<typeof statusCountsSchema>;

/** `GET /api/v1/explanations/feed-status`: the state of the reception, for the head of the status board. */
export const feedStatusSchema = z.strictObject({
  state: z.enum(SYNC_STATES),
  lastReceivedAt: instant.nullable(),
  receivedToday: z.int(),
  waiting: z.int(),
  /** On hold before any channel gets them: approved just now, or dated ahead. */
  held: z.int(),
});
export type FeedStatus = z.infer<typeof feedStatusSchema>;
