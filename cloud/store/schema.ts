/** The store's tables as Kysely sees them; the columns that code writes or reads through the builder. */
import type { Generated } from 'kysely';

export interface TenantTable {
  tenant_id: Generated<number>;
  name: string;
  environment: 'POC' | 'PRODUCTION';
  admin_name: string | null;
  admin_email: string | null;
  memo: string | null;
  polling_seconds: Generated<number>;
  retention_floor: Generated<number>;
  /** The number of fan-outs that skipped the tenant. Set by the store when the tenant joins. */
  cursor_lag: Generated<number>;
  created_at: Date;
  removed_at: Date | null;
}

export interface RetentionDefaultTable {
  only_row: Generated<boolean>;
  /** Null: records are kept without an end. */
  days: number | null;
}

export interface TenantCertificateTable {
  /** SHA-256 over the certificate's DER, lower-case hexadecimal (D29). */
  fingerprint: string;
  tenant_id: number;
  serial_number: string;
  subject: string;
  not_before: Date;
  not_after: Date;
  issued_at: Date;
  revoked_at: Date | null;
}

export interface TenantDeliveryTable {
  tenant_id: number;
  cursor: number;
  delivery_type: 'NEW' | 'INVALIDATION';
  explanation_result_id: string | null;
  movement_analysis_id: string | null;
  target_explanation_result_id: string | null;
  target_movement_analysis_id: string | null;
  reason: string | null;
  created_at: Date;
  /** Of withdrawals: when the tenant received and applied it, as far as was noted (D230). */
  received_at: Generated<Date | null>;
  applied_at: Generated<Date | null>;
}

export interface ExplanationResultTable {
  explanation_result_id: string;
  explanation_run_id: string;
  explanation_route_id: number;
  etf_instrument_id: string;
  trade_date: string;
  explanation_as_of: Date;
  explanation_type: string | null;
  confidence_level: 'HIGH' | 'MEDIUM' | 'LOW' | null;
  summary: string;
  primary_thread_id: string;
  content_as_of: string | null;
  surface: Record<string, number> | null;
  surface_units: Record<string, string> | null;
  counter_factors: string[] | null;
  publication_status: 'DRAFT' | 'PUBLISHED' | 'WITHDRAWN';
  draft_reason: 'route_already_published' | 'surface_absent' | null;
  published_at: Date | null;
  withdrawn_at: Date | null;
  withdrawal_reason: string | null;
  load_hash: string;
  created_at: Date;
}

export interface MovementAnalysisTable {
  movement_analysis_id: string;
  explanation_run_id: string;
  explanation_route_id: number;
  etf_instrument_id: string;
  trade_date: string;
  explanation_as_of: Date;
  summary: string;
  primary_thread_id: string;
  content_as_of: string | null;
  exposure_status: 'AUTO_PUBLISHED';
  publication_status: 'PUBLISHED' | 'WITHDRAWN';
  published_at: Date;
  withdrawn_at: Date | null;
  withdrawal_reason: string | null;
  load_hash: string;
  created_at: Date;
}

export interface OperatorAccountTable {
  operator_id: Generated<number>;
  username: string;
  display_name: string;
  password_hash: string;
  created_at: Date;
  last_login_at: Date | null;
  active: Generated<boolean>;
  /** Another person has set the password. */
  temporary_password: Generated<boolean>;
  /** The secret of the authenticator app; null: the password is enough. */
  second_factor: string | null;
  /** The time step of the last accepted code. */
  second_factor_step: Generated<number>;
}

export interface OperatorSessionTable {
  token_hash: string;
  operator_id: number;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

export interface AdminActivityLogTable {
  admin_activity_log_id: Generated<number>;
  occurred_at: Date;
  /** Null for a command, and for a login that was refused. */
  operator_id: number | null;
  actor: string;
  source_address: string | null;
  activity_type: ActivityType;
  target_type: string;
  target_id: string;
  reason: string | null;
  /** Set by the database. */
  position: Generated<number>;
  previous_hash: Generated<string | null>;
  hash: Generated<string>;
}

export type ActivityType =
  | 'ANALYSIS_INVALIDATED'
  | 'AUTHORITY_MADE'
  | 'AUTHORITY_PREPARED'
  | 'AUTHORITY_RETIRED'
  | 'AUTHORITY_SWITCHED'
  | 'CERTIFICATE_ISSUED'
  | 'CERTIFICATE_REVOKED'
  | 'OPERATOR_ACTIVATED'
  | 'OPERATOR_ADDED'
  | 'OPERATOR_DEACTIVATED'
  | 'OPERATOR_LOGGED_IN'
  | 'OPERATOR_LOGGED_OUT'
  | 'OPERATOR_LOGIN_REFUSED'
  | 'OPERATOR_PASSWORD_CHANGED'
  | 'OPERATOR_PASSWORD_REFUSED'
  | 'OPERATOR_PASSWORD_SET'
  | 'OPERATOR_RENAMED'
  | 'OPERATOR_SECOND_FACTOR_REMOVED'
  | 'OPERATOR_SECOND_FACTOR_SET'
  | 'RETENTION_APPLIED'
  | 'SERVER_CERTIFICATE_ISSUED'
  | 'SIGNING_KEY_MADE'
  | 'SIGNING_KEY_PREPARED'
  | 'SIGNING_KEY_RETIRED'
  | 'SIGNING_KEY_SWITCHED'
  | 'STORE_RESTORED'
  | 'TENANT_ADDED'
  | 'TENANT_REMOVED';

export interface TenantPullStateTable {
  tenant_id: number;
  pulls: number;
  entries: number;
  last_pull_at: Date;
  last_outcome: string;
  last_good_pull_at: Date | null;
  /** The cursor that the tenant had committed then. */
  last_good_after: number | null;
  last_event_sync_at: Date | null;
  last_error_at: Date | null;
  last_error_code: string | null;
  last_error_message: string | null;
  /** Taken for connected and waiting until then (D223); null: polls. */
  waiting_until: Generated<Date | null>;
  /** What its last good pull told of its applying (D230), `Applied` or an empty object; null: no pull since then. */
  told: Generated<Record<string, unknown> | null>;
}

export interface Tables {
  retention_default: RetentionDefaultTable;
  tenant: TenantTable;
  tenant_certificate: TenantCertificateTable;
  tenant_delivery: TenantDeliveryTable;
  tenant_pull_state: TenantPullStateTable;
  explanation_result: ExplanationResultTable;
  movement_analysis: MovementAnalysisTable;
  operator_account: OperatorAccountTable;
  operator_session: OperatorSessionTable;
  admin_activity_log: AdminActivityLogTable;
}
