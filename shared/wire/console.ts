/**
 * What the tenant's console API answers, as the console reads it (document 1, D10 to D14, D55, D56).
 * Types alone: the server produces them, the renderer draws them.
 */
import type { Evidence, SourceEvent } from './bundle.ts';
import type { FunctionId } from '../policy/matrix.ts';
import type { Role } from '../policy/roles.ts';

/** A request with this header was made by a screen of itself, not by a person: it does not renew the idle time (D9). */
export const AUTOMATIC_HEADER = 'x-causeway-automatic';

/** The states of an explanation in the tenant (D12). */
export const EXPLANATION_STATUSES = [
  'AUTO_PUBLISHED',
  'PENDING_REVIEW',
  'PUBLISHED',
  'REJECTED',
  'BLOCKED',
  'STOPPED',
  'INVALIDATED',
] as const;
export type ExplanationStatus = (typeof EXPLANATION_STATUSES)[number];

/** D11. */
export interface Page<T> {
  items: T[];
  page: number;
  size: number;
  total: number;
}

/** D10, `GET /api/v1/auth/session`. */
export interface SessionState {
  authenticated: true;
  role: Role;
  expiresAt: string;
}

/** D10, `GET /api/v1/session`. */
export interface Profile {
  id: string;
  username: string;
  displayName: string;
  role: Role;
  permissions: FunctionId[];
}

/** The checks of a screening in their order (D14). */
export const CHECKS = ['FORBIDDEN_WORDS', 'SOURCE_COUNT', 'CONFIDENCE', 'EXPLANATION_TYPE', 'SERVING_SCOPE'] as const;
export type CheckName = (typeof CHECKS)[number];

/** What a check says: PASS, REVIEW (a person must look) or BLOCK. */
export type Verdict = 'PASS' | 'REVIEW' | 'BLOCK';

/** One place where a forbidden word stands (D15). */
export interface WordHit {
  wordId: string;
  /** The word as the policy has it. */
  word: string;
  severity: 'BLOCK' | 'REVIEW';
  /** UTF-16 positions in the text as it was received, end exclusive. */
  start: number;
  end: number;
  /** The original text between them. */
  matched: string;
  /** Which pass found it: `strict` folds as D15 says; `loose` also drops punctuation. */
  pass: 'strict' | 'loose';
  /** Why it counts: a sentence for the reviewer. */
  why: string;
}

export interface CheckResult {
  check: CheckName;
  verdict: Verdict;
  /** A sentence for the reviewer, in Korean. */
  message: string;
  hits: WordHit[];
  policyVersion: number | null;
  matcherVersion: string;
}

/** A move of an explanation, in words of D12 plus the ones that come from outside. */
export const MOVES = [
  'receive',
  'approve',
  'approve-edited',
  'reject',
  'block',
  'move-to-review',
  'stop',
  'correct',
  'text-changed',
  'invalidate',
] as const;
export type Move = (typeof MOVES)[number];

/** A row of the state history (D12). */
export interface StateChange {
  move: Move;
  from: ExplanationStatus | null;
  to: ExplanationStatus;
  /** Display name of the member, or `SYSTEM`. */
  actor: string;
  at: string;
  reason: string | null;
  policyVersion: number | null;
}

/** D56. */
export interface ExplanationItem {
  id: string;
  explanation_result_id: string;
  etf_ticker: string;
  etf_name: string;
  market: string | null;
  trade_date: string;
  explanation_as_of: string;
  content_as_of: string | null;
  explanation_type: string | null;
  confidence_level: 'HIGH' | 'MEDIUM' | 'LOW' | null;
  /** `v1` where the bundle names none (document 3 section 9). */
  analysis_engine: string;
  /** A ratio: 0.0123 is +1.23 %. */
  observed_return: number | null;
  status: ExplanationStatus;
  /** What the provision API would decide now, scope included. */
  exposed: boolean;
  /** The text as received. */
  summary: string;
  published_summary: string | null;
  policyVersion: number | null;
  version: number;
  receivedAt: string;
}

/** Evidence under its console names (document 3 section 2, last part). */
export interface ConsoleEvidence {
  kind: 'NEWS' | 'DISCLOSURE' | 'CALCULATION';
  title: string | null;
  source: string;
  published_at: string | null;
  source_uri?: string | null;
  newsId?: string;
  toolRunId?: string;
  itemIds?: string[];
  asOf?: string | null;
  arguments?: Record<string, unknown>;
  output?: Record<string, unknown>;
  formulaLatex?: string | null;
  description?: string;
}

export interface ExplanationDetail extends ExplanationItem {
  etf_instrument_id: string;
  primary_thread_id: string;
  explanation_run_id: string;
  release_bundle_version: string | null;
  source_events: SourceEvent[];
  evidences: ConsoleEvidence[];
  history: StateChange[];
}

/** A review item in the queue (D56). */
export interface ReviewItem {
  id: string;
  explanation_result_id: string;
  etf_ticker: string;
  etf_name: string;
  market: string | null;
  trade_date: string;
  explanation_as_of: string;
  explanation_type: string | null;
  confidence_level: 'HIGH' | 'MEDIUM' | 'LOW' | null;
  observed_return: number | null;
  status: ExplanationStatus;
  summary: string;
  /** Failed checks of the last screening: why it waits. */
  reasons: Pick<CheckResult, 'check' | 'verdict' | 'message' | 'hits'>[];
  edited_summary: string | null;
  comment: string | null;
  version: number;
  receivedAt: string;
  /** Since when it has been in this state. */
  waitingSince: string;
}

export interface ReviewDetail extends ReviewItem {
  etf_instrument_id: string;
  content_as_of: string | null;
  published_summary: string | null;
  explanation_run_id: string;
  release_bundle_version: string | null;
  policyVersion: number | null;
  /** What the text stands on: source events, and the evidence as stored, in snake_case (document 3). */
  grounds: { source_events: SourceEvent[]; evidences: Evidence[] };
  /** Every check of the last screening, passed ones included. */
  checks: CheckResult[];
  history: StateChange[];
}

/** `GET /api/v1/explanations/status-counts`. */
export type StatusCounts = Record<ExplanationStatus, number>;

/** D55. */
export const SYNC_STATES = [
  'NEVER',
  'OK',
  'RETRYING',
  'REFUSED',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'GONE',
  'VIOLATION',
  'REGRESSED',
] as const;
export type SyncState = (typeof SYNC_STATES)[number];

export interface SyncStatus {
  state: SyncState;
  committedCursor: number;
  appliedCursor: number;
  head: number | null;
  lastAttemptAt: string | null;
  lastSuccessAt: string | null;
  lastError: { code: string; message: string; at: string } | null;
  heldInvalidations: number;
  rejectedEntries: number;
  quarantinedBundles: number;
}

/** `GET /api/v1/explanations/feed-status`: how the reception goes, for the head of the board. */
export interface FeedStatus {
  state: SyncState;
  lastReceivedAt: string | null;
  receivedToday: number;
  waiting: number;
}

/** `GET /api/v1/screening/disclaimer`; null while no policy is active. */
export interface Disclaimer {
  disclaimer: string | null;
  policyVersion: number | null;
}

/** One line of the event stream: something changed, look again (D17). */
export interface ChangeNotice {
  /** Counts up with every change seen since the stream opened. */
  seq: number;
}

/** D57: what a channel gets. */
export interface ProvidedExplanation {
  etf_ticker: string;
  etf_name: string;
  trade_date: string;
  explanation_as_of: string;
  content_as_of: string | null;
  text: string;
  disclaimer: string;
}
