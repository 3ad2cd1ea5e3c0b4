/** The tables of the review as types: people's texts about an item, and the reviews by second persons. */
import type { Generated } from 'kysely';
import type {
  BlindReviewState,
  Decision,
  Opinion,
  SampleKind,
  SampleOutcome,
} from '../../../shared/wire/console/console.ts';

/** The text that one person is writing about an item. `authors` is a JSON array of `Author` (`authors.ts`). */
export interface PersonalDraftTable {
  explanation_id: string;
  author_id: string;
  author: string;
  /** Null where only a comment is kept, or nothing any more. */
  text: string | null;
  comment: string | null;
  at: string;
  version: number;
  authors: string;
}

/** The version that an edit's last first approval made: it is no move, and no other journal records it. */
export interface VersionBesideMovesTable {
  explanation_id: string;
  version: number;
}

/** A text that one person has edited and approved, until a second one approves it too (four eyes). */
export interface WaitingEditTable {
  explanation_id: string;
  text: string;
  /** The first person to approve it; `authors` wrote it (JSON, as in a draft). */
  author_id: string;
  author: string;
  at: string;
  comment: string | null;
  authors: string;
}

/** A second opinion that a reviewer has requested; ended at most once, and never deleted. */
export interface SecondOpinionTable {
  id: Generated<number>;
  explanation_id: string;
  /** The last row of the state history before it. */
  after_move: number;
  asked_by_id: string;
  asked_by: string;
  asked_at: string;
  question: string;
  outcome: 'OPEN' | 'GIVEN' | 'WITHDRAWN' | 'OVERTAKEN';
  ended_by_id: string | null;
  ended_by: string | null;
  ended_at: string | null;
  opinion: Opinion | null;
  answer: string | null;
}

/** A text that was provided without a review, for a person to look at afterwards. */
export interface ReviewSampleTable {
  explanation_id: string;
  sampled_at: string;
  policy_version: number;
  share: number;
  outcome: SampleOutcome;
  seen_by_id: string | null;
  seen_by: string | null;
  seen_at: string | null;
  /** Whether the text was provided or blocked without a person. */
  kind: Generated<SampleKind>;
}

/** A decision for a second person's blind review; `move_id` is its row of the history. */
export interface BlindReviewTable {
  move_id: number;
  explanation_id: string;
  /** The person who decided. */
  first_id: string;
  drawn_at: string;
  policy_version: number;
  share: number;
  state: BlindReviewState;
  /** These six are set once the second person has stated a decision. */
  outcome: Decision | null;
  reason: string | null;
  reviewer_id: string | null;
  reviewer: string | null;
  reviewed_at: string | null;
  was_blind: number | null;
}

/** People who have looked up a decision while its blind review was open. */
export interface BlindLookTable {
  move_id: number;
  member_id: string;
  at: string;
}

/** A word found in an explanation that a reviewer marked as false. */
export interface DismissedHitTable {
  explanation_id: string;
  word_id: string;
  reason: string;
  author_id: string;
  author: string;
  at: string;
}

/** A table of one row. */
export interface ReviewTargetTable {
  id: 1;
  minutes: number | null;
  version: number;
}

/** A table of one row (D211). */
export interface ApprovalSettingTable {
  id: 1;
  /** Null: approvals have no number. */
  pattern: string | null;
  /** Null: approvals do not end. */
  valid_days: number | null;
  /** When a restore may have lost numbers; null: they are open. */
  closed_at: string | null;
  version: number;
}

export interface ApprovalSeriesTable {
  /** `seriesOf` the pattern. */
  series: string;
  last: number;
}

export interface ReviewClaimTable {
  /** `session.token_hash`: a session has at most one claim. */
  session: string;
  explanation_id: string;
  claimed_at: string;
  expires_at: string;
}

/** An item that a reviewer has put off (D222). */
export interface PostponedItemTable {
  member_id: string;
  explanation_id: string;
  until: string;
}

/** A waiting item that a reviewer has handed over, to one person or to any other reviewer (D236). */
export interface HandedOverItemTable {
  explanation_id: string;
  given_by_id: string;
  given_by: string;
  /** Null: to any other reviewer. */
  given_to_id: string | null;
  given_to: string | null;
  given_at: string;
}

/** A note beside an explanation, for colleagues alone. */
export interface ReviewNoteTable {
  id: Generated<number>;
  explanation_id: string;
  author_id: string;
  author: string;
  at: string;
  text: string;
}
