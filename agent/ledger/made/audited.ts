/**
 * What the audit log vouches for (D199): each thing here is told by the row of the act that made or changed it, by a
 * digest. A table or column that is missing from both lists fails the test of the schema.
 */
export interface Audited {
  /** The columns that name a thing; a thing may have several rows. */
  key: readonly string[];
  columns: readonly string[];
  /** Secret or guessable: its digest is an HMAC with the host's key, because all roles read the log. */
  isSecret: boolean;
  /** Only rows with this column count. */
  present?: string;
  /** The row that the schema itself makes, for which no act has a row. */
  initial?: readonly unknown[];
  /** The database counts the key: it is known after the insertion alone, and replaces no row. */
  isNumbered?: true;
}

/** In words for findings, with the key behind them. */
export const AUDITED_WORDS = {
  policy_version: 'policy version',
  policy_timing: 'hold and expiry of policy version',
  policy_start: 'start of policy version',
  policy_proposal: 'proposal',
  member: 'member',
  member_identity: 'single sign-on of member',
  second_factor: 'second factor of member',
  recovery_code: 'recovery codes of member',
  second_factor_setting: 'setting of second factors',
  review_target: 'target of the review',
  approval_setting: 'setting of approval numbers',
  channel: 'channel',
  serving_scope: 'scope entry',
  scope_exclusion: 'exclusion from the scope',
  instrument: 'sector of instrument',
  review_note: 'note',
} as const;

export type AuditedTable = keyof typeof AUDITED_WORDS;

export const AUDITED: Readonly<Record<AuditedTable, Audited>> = {
  policy_version: {
    key: ['version'],
    columns: ['version', 'snapshot', 'changes', 'author', 'created_at', 'sample_share', 'blind_share'],
    isSecret: false,
  },
  policy_timing: { key: ['version'], columns: ['version', 'hold_seconds', 'expires_at'], isSecret: false },
  policy_start: {
    key: ['version'],
    columns: ['version', 'starts_at', 'author_id', 'started_at', 'cancelled_at', 'cancelled_by', 'reason'],
    isSecret: false,
  },
  policy_proposal: {
    key: ['id'],
    columns: ['id', 'base_version', 'draft', 'snapshot', 'changes', 'author_id', 'author', 'at'],
    isSecret: false,
  },
  member: {
    key: ['id'],
    columns: [
      ...['id', 'username', 'display_name', 'role', 'password_hash', 'active', 'created_at', 'version'],
      ...['temporary_password', 'factor_reset_at'],
    ],
    isSecret: true,
  },
  member_identity: { key: ['member_id'], columns: ['issuer', 'subject', 'member_id', 'linked_at'], isSecret: true },
  second_factor: { key: ['member_id'], columns: ['member_id', 'secret', 'confirmed_at'], isSecret: true },
  recovery_code: { key: ['member_id'], columns: ['member_id', 'code_hash'], isSecret: true },
  second_factor_setting: {
    key: ['id'],
    columns: ['id', 'reviewers', 'version'],
    isSecret: false,
    initial: [1, 0, 1],
  },
  review_target: { key: ['id'], columns: ['id', 'minutes', 'version'], isSecret: false, initial: [1, null, 1] },
  approval_setting: {
    key: ['id'],
    columns: ['id', 'pattern', 'valid_days', 'closed_at', 'version'],
    isSecret: false,
    initial: [1, null, null, null, 1],
  },
  channel: { key: ['channel'], columns: ['channel', 'key_hash', 'created_at'], isSecret: true },
  serving_scope: {
    key: ['scope_type', 'scope_key'],
    columns: ['scope_type', 'scope_key', 'enabled', 'changed_by', 'changed_at', 'version'],
    isSecret: false,
  },
  scope_exclusion: {
    key: ['scope_type', 'scope_key'],
    columns: ['scope_type', 'scope_key', 'reason', 'confirmed_reason', 'confirmed_by', 'confirmed_at'],
    isSecret: false,
  },
  // The row is the program's; the sector alone is a person's.
  instrument: {
    key: ['etf_ticker'],
    columns: ['etf_ticker', 'sector'],
    isSecret: false,
    present: 'sector',
  },
  review_note: {
    key: ['id'],
    columns: ['id', 'explanation_id', 'author_id', 'author', 'at', 'text'],
    isSecret: false,
    isNumbered: true,
  },
};

export const AUDITED_TABLES = Object.keys(AUDITED) as AuditedTable[];

const DERIVED = 'follows from the received bundles and the history: "verify" derives it again';
const HELD = 'written together with rows of the audit log: "verify" holds both against each other';
const DISPLAY = 'kept by triggers for lists, searches and counts: decides nothing about what is provided';
const RECEPTION = 'state of the reception, which no act changes';
const OF_THE_LOG = 'is the audit log itself, by which everything is judged';
const COUNTS = 'counts requests, without an act';
const NOTICED = 'no act and no signed byte tells it again: "verify" gives notice of a trace that an alteration leaves';
const OF_THE_REVIEW = 'work of the review: decides nothing by itself, and the decision is in history and audit log';

/** The tables, and columns of audited tables, that no digest covers, each with its reason. */
export const NOT_AUDITED: Readonly<Record<string, string>> = {
  'member.last_login_at': 'changes at each login',
  'second_factor.last_step': 'changes with each code that is given',
  'instrument.etf_instrument_id': DERIVED,
  'instrument.etf_name': DERIVED,
  'instrument.market': DERIVED,
  'instrument.version': 'only counts the assignments, against stale screens',
  archived_body: DERIVED,
  raw_archive: DERIVED,
  raw_bundle: 'holds its own hash and the vendor’s statement, and the rows of its texts name it',
  quarantined_bundle: RECEPTION,
  rejected_entry: DERIVED,
  held_invalidation: DERIVED,
  sync_event: RECEPTION,
  // Cursors and tenant follow from the received bundles, and the newest statement counts for texts that lie ahead (D203).
  sync_state: NOTICED,
  console_action_log: OF_THE_LOG,
  audit_block: OF_THE_LOG,
  audit_group: OF_THE_LOG,
  decision_outbox: 'records of the decision journal, each with its own proof',
  explanation: DERIVED,
  explanation_count: DERIVED,
  explanation_day: DISPLAY,
  explanation_place:
    'names the explanations that there must be: each reading of what was shown is held against it (D156)',
  explanation_search: DERIVED,
  explanation_since: DERIVED,
  explanation_term: DERIVED,
  search_progress: DERIVED,
  screening:
    'named by a move of the history, whose row in the audit log tells instant, policy and what came of it; a dossier repeats it',
  word_hit: DERIVED,
  state_history: HELD,
  version_beside_moves: OF_THE_REVIEW,
  approval_series: 'says where numbers go on: those that were given are in history and audit log, and none comes twice',
  // But for the vendor's former fields and the program's market of a ticker, of which no row tells (D189).
  serving_fact: HELD,
  held_ticker: 'kept by a rebuild while it runs',
  // A count at or after the end of a hold ends it for good (D101).
  served_period: NOTICED,
  traffic_hour: COUNTS,
  traffic_minute: COUNTS,
  session: 'ends by itself; bears the seal of the host that began it',
  review_claim: 'ends by itself',
  postponed_item: 'ends by itself, and hides an item from its person alone',
  handed_over_item: 'says whose turn it is, and keeps nobody from deciding',
  saved_view: 'a list’s filter',
  personal_draft: OF_THE_REVIEW,
  waiting_edit: 'follows from the audit log: "verify" derives it again',
  dismissed_hit: OF_THE_REVIEW,
  second_opinion: OF_THE_REVIEW,
  blind_review: OF_THE_REVIEW,
  blind_look: OF_THE_REVIEW,
  review_sample: OF_THE_REVIEW,
  inspection_request: 'a request and the state of its file; the dossiers in it prove themselves',
};
