/**
 * What the vendor's operator API answers, as the operator console reads it (document 2 section 2,
 * D11, D22). The cloud produces them, the operator console draws them.
 * What the screens of the pipeline read is in `operator/`, by subject: words and types here, schemas there.
 */
import type { SourceEvent } from './bundle.ts';
import type { ConsoleEvidence } from './console/explanation.ts';
import type { Outstanding } from './console/session.ts';

export * from './operator/constants.ts';
export type * from './operator/minute.ts';
export type * from './operator/runs.ts';
export type * from './operator/sources.ts';

export type AnalysisStatus = 'COMPLETE' | 'PENDING' | 'FAILED';
export const ANALYSIS_STATUSES = ['COMPLETE', 'PENDING', 'FAILED'] as const satisfies readonly AnalysisStatus[];
/** A separate axis from the execution status. */
export type PublicationState = 'PUBLISHED' | 'UNPUBLISHED' | 'INVALIDATED';
export const PUBLICATION_STATES = [
  'PUBLISHED',
  'UNPUBLISHED',
  'INVALIDATED',
] as const satisfies readonly PublicationState[];

/** One row of `GET /api/v1/analyses`. */
export interface Analysis {
  /**
   * The result's id, or the analysis id of a v2 one; of an analysis that has brought no result, the id of
   * its run. It is what `/analyses/{id}` takes.
   */
  id: string;
  analysisEngine: 'v1' | 'v2';
  instrumentId: string;
  instrumentName: string;
  ticker: string;
  market: string;
  /** The observed return as a ratio: 0.0123 is +1.23 %; null when it was not measured. */
  changeRate: number | null;
  direction: 'UP' | 'DOWN' | 'FLAT' | null;
  tradeDate: string;
  explanationAsOf: string;
  createdAt: string;
  /** Distinct documents and calculations that the text stands on, or that the run has found so far. */
  evidenceCount: number;
  status: AnalysisStatus;
  publicationState: PublicationState;
  /** Why a DRAFT was not published; null otherwise. */
  draftReason: string | null;
  /** Why it was withdrawn, and when; null otherwise. */
  withdrawalReason: string | null;
  withdrawnAt: string | null;
  /** The explanation, a candidate for customers; null while there is none. */
  summary: string | null;
}

/** A value that the text stands on, by the engine's own name for it: a quote's change, a flow's. */
export interface Measurement {
  name: string;
  value: number;
}

/** `GET /api/v1/analyses/{id}` (D24). */
export interface AnalysisDetail extends Analysis {
  runId: string;
  mode: 'REALTIME' | 'DAILY' | 'BACKFILL' | 'V2';
  explanationType: string | null;
  confidenceLevel: 'HIGH' | 'MEDIUM' | 'LOW' | null;
  /** The end of the window that the text describes, with the Korean offset; null when it was not given. */
  contentAsOf: string | null;
  /** When the price movement fired. */
  movementReferenceAt: string;
  startedAt: string;
  /** When the analysis was complete; null while it has brought nothing. */
  completedAt: string | null;
  /** Null when nothing was measured; an empty list never occurs. */
  measurements: Measurement[] | null;
  /** What speaks against the explanation. Null: the engine did not say; empty: it looked and found none. */
  counterFactors: string[] | null;
  /** Documents and calculations under their console names (document 3 section 2). */
  evidences: ConsoleEvidence[];
  sourceEvents: SourceEvent[];
  recipients: Recipients;
}

/** The tenants that have received the NEW and still exist: they are told when it is invalidated. */
export interface Recipients {
  total: number;
  /** The first of them by name, at most `RECIPIENTS_SHOWN`. */
  tenants: { tenantId: number; name: string }[];
}
export const RECIPIENTS_SHOWN = 100;

/** Longest reason of an invalidation, in UTF-16 units. */
export const REASON_LIMIT = 2_000;

/** The answer of `POST /api/v1/analyses/{id}/invalidate`. */
export interface Invalidated {
  id: string;
  publicationState: 'INVALIDATED';
  withdrawnAt: string;
  /** To how many tenants an INVALIDATION record was issued: those that had received the NEW. */
  deliveries: number;
}

/** The answer of `POST /api/v1/auth/login` and `GET /api/v1/auth/session`. */
export interface OperatorSessionState {
  authenticated: true;
  role: 'OPERATOR';
  expiresAt: string;
}

/** The answer of `GET /api/v1/session`. */
export interface OperatorProfile {
  /** What is left to do of the login before anything else can be done; null where nothing is. */
  outstanding: Outstanding | null;
  id: string;
  username: string;
  displayName: string;
  role: 'OPERATOR';
}

/** Longest display name, in UTF-16 units. */
export const DISPLAY_NAME_LIMIT = 100;
