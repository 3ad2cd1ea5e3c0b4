/** The ledger's tables as types. Columns that hold JSON are `string`; the module of the subject parses them. */
import type { Generated } from 'kysely';
import type {
  MemberIdentityTable,
  MemberTable,
  RecoveryCodeTable,
  SavedViewTable,
  SecondFactorSettingTable,
  SecondFactorTable,
  SessionTable,
} from './account-tables.ts';
import type { InspectionRequestTable } from './inspection-table.ts';
import type {
  ApprovalSeriesTable,
  ApprovalSettingTable,
  BlindLookTable,
  BlindReviewTable,
  DismissedHitTable,
  HandedOverItemTable,
  PersonalDraftTable,
  PostponedItemTable,
  ReviewClaimTable,
  ReviewNoteTable,
  ReviewSampleTable,
  ReviewTargetTable,
  SecondOpinionTable,
  VersionBesideMovesTable,
  WaitingEditTable,
} from './review-tables.ts';
import type { ScopeExclusionTable, ServingScopeTable } from './scope-tables.ts';
import type { VendorFields } from './vendor-fields.ts';
import type { Role } from '../../../shared/policy/roles.ts';
import type { ExplanationStatus, Move, SyncState, TrafficOutcome } from '../../../shared/wire/console/console.ts';

export interface RawBundleTable {
  cursor_from: number;
  cursor_to: number;
  bundle_id: string;
  entry_count: number;
  body: Uint8Array;
  /** SHA-256 of `body`, 32 bytes. */
  sha256: Uint8Array;
  signature: string | null;
  /** The vendor's statement (D59), once it was verified. */
  statement: string | null;
  received_at: string;
}

export interface QuarantinedBundleTable {
  id: Generated<number>;
  after_cursor: number;
  reason: string;
  body: Uint8Array;
  sha256: Uint8Array;
  received_at: string;
  /** These four belong to a truncated raw bundle; null for a body that was never committed. */
  cursor_to: number | null;
  bundle_id: string | null;
  entry_count: number | null;
  signature: string | null;
  statement: string | null;
}

export interface SyncStateTable {
  id: 1;
  tenant_id: number | null;
  committed_cursor: number;
  applied_cursor: number;
  head: number | null;
  state: SyncState;
  last_attempt_at: string | null;
  last_success_at: string | null;
  statement_at: string | null;
  statement_seen_at: string | null;
  last_error_code: string | null;
  last_error_message: string | null;
  last_error_at: string | null;
  /** The latest beginning of the next pull; null before the Intake's first one. */
  next_attempt_by: string | null;
  /** The next pull follows the last one at once and waits for news for so many seconds; null: by the period. */
  wait_seconds: number | null;
  /** Something on the way ends waits after so many seconds; null: nothing is known to. */
  wait_cut_seconds: number | null;
  /** The number of successive good answers without records although they announced some beyond the committed cursor. */
  withheld_polls: number;
  /** Why applying cannot continue; null while it does. */
  apply_error_code: string | null;
  apply_error_message: string | null;
  apply_error_at: string | null;
  /** The last row of the quarantine that is acknowledged; 0: none. */
  quarantine_seen: Generated<number>;
  /** The number of violating bodies that the quarantine dropped for newer ones. */
  quarantine_dropped: Generated<number>;
}

export interface RejectedEntryTable {
  cursor: number;
  cursor_from: number;
  reason: string;
  entry: string;
  rejected_at: string;
}

export interface HeldInvalidationTable {
  target_id: string;
  cursor: number;
  reason: string;
  held_at: string;
}

export interface InstrumentTable {
  etf_ticker: string;
  etf_instrument_id: string;
  etf_name: string;
  market: string | null;
  sector: string | null;
  /** Grows with each assignment of a sector. */
  version: Generated<number>;
}

export interface ExplanationTable extends VendorFields {
  /** Ascending; `explanation_search` is keyed by it. */
  number: Generated<number>;
  id: string;
  cursor: number;
  received_at: string;
  // The state of the explanation at this tenant.
  status: ExplanationStatus;
  status_since: string;
  published_summary: string | null;
  edited_summary: string | null;
  comment: string | null;
  policy_version: number | null;
  /** The checks of the last screening that did not pass, a JSON array of check names. */
  failed_checks: string;
  /** 1 once a person has decided anything about it. */
  decided: number;
  version: number;
  /** The end of the hold of an approved text; the value stays afterwards. */
  held_until: string | null;
  /** `published_summary` before the text that is, or was, held. */
  published_before: string | null;
  /** Where it was received, or a person approved it (`explanations/position.ts`). */
  stated_position: string;
  /** Where it was taken off after it was provided; null while it never was. */
  ended_position: string | null;
  /** Number and end of the approval of the text that is let out; null where no person approved it, or it has none. */
  approval_number: string | null;
  valid_until: string | null;
}

export interface ScreeningTable {
  id: Generated<number>;
  explanation_id: string;
  at: string;
  outcome: string;
  policy_version: number | null;
  matcher_version: string;
  checks: string;
}

/** The forbidden words that screenings found in explanations. `received_at` is the explanation's. */
export interface WordHitTable {
  word_id: string;
  received_at: string;
  explanation_id: string;
}

export interface StateHistoryTable {
  id: Generated<number>;
  explanation_id: string;
  move: Move;
  from_status: ExplanationStatus | null;
  to_status: ExplanationStatus;
  actor_id: string | null;
  actor: string;
  at: string;
  reason: string | null;
  policy_version: number | null;
  /** The text that the move exposed; null where it exposed none. */
  published_summary: string | null;
  /** SHA-256 of the vendor's text that `receive` or `text-changed` was about; null where it was about none. */
  text_sha256: Uint8Array | null;
  /** The screening of that text; null where none was made (v2). */
  screening_id: number | null;
  /** The end of the hold that the move begins; null where it begins none. */
  held_until: string | null;
  /** 1 where the move ended such a hold before its time: no channel was given that text. */
  during_hold: number;
  /** Where the move stands in the order of the cursors (`explanations/position.ts`). */
  position: string;
  /** JSON array of the authors of the text that the move exposed; null where no person wrote it. */
  authors: string | null;
  /** Number and end of the approval by which a person let the text out (D211). */
  approval_number: string | null;
  valid_until: string | null;
}

export interface ConsoleActionLogTable {
  seq: number;
  at: string;
  actor_id: string | null;
  actor: string;
  actor_role: Role | 'SYSTEM' | null;
  action: string;
  target_type: string;
  target_id: string | null;
  detail: string;
  prev_hash: string;
  hash: string;
  source_address: string | null;
  /** JSON of `Made` (`audit/made.ts`): digests of what the act made or changed; null where it did neither. */
  made: string | null;
}

/** See `audit/log-tree.ts`. */
export interface AuditBlockTable {
  block: number;
  root: Uint8Array;
}

/** See `audit/log-tree.ts`. */
export interface AuditGroupTable {
  block_group: number;
  root: Uint8Array;
}

/** See `journal/README.md`. */
export interface DecisionOutboxTable {
  seq: number;
  /** SHA-256 of `record` in hex. */
  hash: string;
  record: string;
}

export interface PolicyVersionTable {
  version: number;
  snapshot: string;
  changes: string;
  author: string;
  created_at: string;
  /** A copy of the snapshot's value, readable without the snapshot. */
  sample_share: number;
  blind_share: number;
}

/** The times that a policy version sets, to be read without its snapshot. */
export interface PolicyTimingTable {
  version: number;
  hold_seconds: number;
  /** `HH:MM` in Korea; null: a text does not expire. */
  expires_at: string | null;
}

/** The start of a policy version that does not take effect at its publication (D212); decided once. */
export interface PolicyStartTable {
  version: number;
  starts_at: string;
  author_id: string;
  started_at: string | null;
  cancelled_at: string | null;
  cancelled_by: string | null;
  reason: string | null;
}

/** A ticker that a rebuild hides while it corrects its explanations; may be left by an interrupted rebuild. */
export interface HeldTickerTable {
  etf_ticker: string;
}

/** See `serving/record.ts`; `value` is JSON. */
export interface ServingFactTable {
  seq: Generated<number>;
  at: string;
  kind: string;
  ticker: string | null;
  value: string;
}

/** A change of the policy that one person has proposed; never changed. JSON: draft, snapshot, changes. */
export interface PolicyProposalTable {
  id: string;
  base_version: number;
  draft: string;
  snapshot: string;
  changes: string;
  author_id: string;
  author: string;
  at: string;
}

/** Numbers of explanations; kept by triggers. An unknown market is the empty text. */
export interface ExplanationCountTable {
  status: ExplanationStatus;
  trade_date: string;
  market: string;
  n: number;
}

/** Numbers of explanations by state and the day (UTC) since which they have it; kept by triggers. */
export interface ExplanationSinceTable {
  status: ExplanationStatus;
  day: string;
  n: number;
}

/** The range of numbers of a day's explanations, or a wider one; kept by triggers. */
export interface ExplanationDayTable {
  trade_date: string;
  first_number: number;
  last_number: number;
}

/** Which explanations there must be of a ticker, by trade date or 'any' day (D156); only grows. */
export interface ExplanationPlaceTable {
  etf_ticker: string;
  day: string;
  explanation_id: string;
}

/** The changes of the reception's state over time. */
export interface SyncEventTable {
  id: Generated<number>;
  at: string;
  state: SyncState;
  code: string | null;
  message: string | null;
}

export interface ChannelTable {
  channel: string;
  key_hash: string;
  created_at: string;
}

export interface TrafficMinuteTable {
  /** Minutes since 1970. */
  minute: number;
  channel: string;
  outcome: TrafficOutcome;
  requests: number;
}

/** The full-text index (FTS5, trigram) over `explanation_text`; see `search-index.ts`. */
export interface ExplanationSearchTable {
  rowid: number;
  texts: string;
  evidence_titles: string | null;
}

export interface LedgerTables {
  raw_bundle: RawBundleTable;
  quarantined_bundle: QuarantinedBundleTable;
  sync_state: SyncStateTable;
  rejected_entry: RejectedEntryTable;
  held_invalidation: HeldInvalidationTable;
  instrument: InstrumentTable;
  explanation: ExplanationTable;
  explanation_search: ExplanationSearchTable;
  screening: ScreeningTable;
  word_hit: WordHitTable;
  state_history: StateHistoryTable;
  console_action_log: ConsoleActionLogTable;
  audit_block: AuditBlockTable;
  audit_group: AuditGroupTable;
  decision_outbox: DecisionOutboxTable;
  policy_version: PolicyVersionTable;
  policy_timing: PolicyTimingTable;
  policy_proposal: PolicyProposalTable;
  policy_start: PolicyStartTable;
  /** A view: the version in force, or no row. */
  policy_in_force: { version: number };
  serving_scope: ServingScopeTable;
  scope_exclusion: ScopeExclusionTable;
  serving_fact: ServingFactTable;
  review_target: ReviewTargetTable;
  approval_setting: ApprovalSettingTable;
  approval_series: ApprovalSeriesTable;
  review_claim: ReviewClaimTable;
  postponed_item: PostponedItemTable;
  handed_over_item: HandedOverItemTable;
  personal_draft: PersonalDraftTable;
  version_beside_moves: VersionBesideMovesTable;
  review_note: ReviewNoteTable;
  waiting_edit: WaitingEditTable;
  review_sample: ReviewSampleTable;
  blind_review: BlindReviewTable;
  blind_look: BlindLookTable;
  dismissed_hit: DismissedHitTable;
  second_opinion: SecondOpinionTable;
  held_ticker: HeldTickerTable;
  explanation_count: ExplanationCountTable;
  explanation_since: ExplanationSinceTable;
  explanation_day: ExplanationDayTable;
  explanation_place: ExplanationPlaceTable;
  sync_event: SyncEventTable;
  member: MemberTable;
  saved_view: SavedViewTable;
  member_identity: MemberIdentityTable;
  second_factor: SecondFactorTable;
  recovery_code: RecoveryCodeTable;
  second_factor_setting: SecondFactorSettingTable;
  session: SessionTable;
  channel: ChannelTable;
  traffic_minute: TrafficMinuteTable;
  inspection_request: InspectionRequestTable;
}
