/**
 * The answers of the tenant's console API, as the console reads them (console API 2, D10 to D14, D55, D56). This file
 * has the types and constants. The schemas behind the types are in `console/`, by subject: the server describes itself
 * by them, and the screens need not load them.
 */
export * from './constants.ts';
export type * from './approval-numbers.ts';
export type * from './audit.ts';
export type * from './blind-review.ts';
export type * from './bulk.ts';
export type * from './common.ts';
export type * from './explanation.ts';
export type * from './members.ts';
export type * from './opinion.ts';
export type * from './policy.ts';
export type * from './review.ts';
export type * from './review-target.ts';
export type * from './sample.ts';
export type * from './scope.ts';
export type * from './screening.ts';
export type * from './session.ts';
export type * from './shown.ts';
export type * from './statistics.ts';
export type * from './sync.ts';
export type * from './timeline.ts';
export type * from './traffic.ts';

/** One event of the stream: `change` for read again (D17), `claim` for the reader's own claims alone. */
export interface ChangeNotice {
  /** Increases with every change since the stream opened. */
  seq: number;
}

/** D57: the answer of the provision API to a channel. */
export interface ServedExplanation {
  etf_ticker: string;
  etf_name: string;
  trade_date: string;
  explanation_as_of: string;
  content_as_of: string | null;
  text: string;
  /** Null for a text of v2 while no policy is active (D61). */
  disclaimer: string | null;
  /** Null for a text that no person approved, for one of v2, and where the firm gives no numbers (D211). */
  approval_number: string | null;
}
