/**
 * What the vendor's operator API answers, as the operator console reads it (document 2 section 2,
 * D11, D22). The cloud produces them, the operator console draws them.
 */
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
  /** The result's id, or the analysis id of a v2 one: what `/analyses/{id}/invalidate` takes. */
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
  /** Distinct documents and calculations that the text stands on. */
  evidenceCount: number;
  status: AnalysisStatus;
  publicationState: PublicationState;
  /** Why a DRAFT was not published; null otherwise. */
  draftReason: string | null;
  /** Why it was withdrawn, and when; null otherwise. */
  withdrawalReason: string | null;
  withdrawnAt: string | null;
  summary: string;
}

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
  id: string;
  username: string;
  displayName: string;
  role: 'OPERATOR';
}
