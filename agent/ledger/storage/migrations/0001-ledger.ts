/** The first schema. Guards that must hold whatever the code does are triggers and checks of the database. */
export const sql = `
CREATE TABLE raw_bundle (
  cursor_from  INTEGER PRIMARY KEY CHECK (cursor_from >= 0),
  cursor_to    INTEGER NOT NULL CHECK (cursor_to > cursor_from),
  bundle_id    TEXT NOT NULL,
  entry_count  INTEGER NOT NULL CHECK (entry_count > 0),
  body         BLOB NOT NULL,
  sha256       BLOB NOT NULL CHECK (length(sha256) = 32),
  signature    TEXT,
  received_at  TEXT NOT NULL
) STRICT;
CREATE TRIGGER raw_bundle_is_never_updated BEFORE UPDATE ON raw_bundle
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never changed'); END;
CREATE TRIGGER raw_bundle_is_never_deleted BEFORE DELETE ON raw_bundle
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never deleted'); END;

CREATE TABLE quarantined_bundle (
  id           INTEGER PRIMARY KEY,
  after_cursor INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  body         BLOB NOT NULL,
  sha256       BLOB NOT NULL,
  received_at  TEXT NOT NULL
) STRICT;

CREATE TABLE sync_state (
  id                 INTEGER PRIMARY KEY CHECK (id = 1),
  tenant_id          INTEGER,
  committed_cursor   INTEGER NOT NULL CHECK (committed_cursor >= 0),
  applied_cursor     INTEGER NOT NULL CHECK (applied_cursor >= 0),
  head               INTEGER,
  state              TEXT NOT NULL,
  last_attempt_at    TEXT,
  last_success_at    TEXT,
  last_error_code    TEXT,
  last_error_message TEXT,
  last_error_at      TEXT,
  CHECK (applied_cursor <= committed_cursor)
) STRICT;
INSERT INTO sync_state (id, committed_cursor, applied_cursor, state) VALUES (1, 0, 0, 'NEVER');
CREATE TRIGGER committed_cursor_never_falls BEFORE UPDATE OF committed_cursor ON sync_state
WHEN NEW.committed_cursor < OLD.committed_cursor
BEGIN SELECT RAISE(ABORT, 'the committed cursor never falls'); END;

CREATE TABLE rejected_entry (
  cursor      INTEGER PRIMARY KEY,
  cursor_from INTEGER NOT NULL REFERENCES raw_bundle (cursor_from),
  reason      TEXT NOT NULL,
  entry       TEXT NOT NULL,
  rejected_at TEXT NOT NULL
) STRICT;

CREATE TABLE held_invalidation (
  target_id TEXT PRIMARY KEY,
  cursor    INTEGER NOT NULL,
  reason    TEXT NOT NULL,
  held_at   TEXT NOT NULL
) STRICT;

CREATE TABLE instrument (
  etf_ticker        TEXT PRIMARY KEY,
  etf_instrument_id TEXT NOT NULL,
  etf_name          TEXT NOT NULL,
  market            TEXT,
  sector            TEXT
) STRICT;

CREATE TABLE explanation (
  id                     TEXT PRIMARY KEY,
  explanation_result_id  TEXT NOT NULL UNIQUE,
  etf_instrument_id      TEXT NOT NULL,
  etf_ticker             TEXT NOT NULL,
  etf_name               TEXT NOT NULL,
  market                 TEXT,
  trade_date             TEXT NOT NULL,
  explanation_as_of      TEXT NOT NULL,
  content_as_of          TEXT,
  explanation_type       TEXT,
  confidence_level       TEXT CHECK (confidence_level IN ('HIGH', 'MEDIUM', 'LOW')),
  primary_thread_id      TEXT NOT NULL,
  analysis_engine        TEXT NOT NULL,
  observed_return        REAL,
  summary                TEXT NOT NULL,
  explanation_run_id     TEXT NOT NULL,
  release_bundle_version TEXT,
  source_events          TEXT NOT NULL,
  evidences              TEXT NOT NULL,
  content_hash           TEXT NOT NULL,
  cursor                 INTEGER NOT NULL,
  received_at            TEXT NOT NULL,
  status                 TEXT NOT NULL CHECK (status IN
    ('AUTO_PUBLISHED', 'PENDING_REVIEW', 'PUBLISHED', 'REJECTED', 'BLOCKED', 'STOPPED', 'INVALIDATED')),
  status_since           TEXT NOT NULL,
  published_summary      TEXT,
  edited_summary         TEXT,
  comment                TEXT,
  policy_version         INTEGER,
  failed_checks          TEXT NOT NULL DEFAULT '[]',
  decided                INTEGER NOT NULL DEFAULT 0 CHECK (decided IN (0, 1)),
  version                INTEGER NOT NULL CHECK (version > 0),
  CHECK (status NOT IN ('AUTO_PUBLISHED', 'PUBLISHED') OR published_summary IS NOT NULL)
) STRICT;
CREATE INDEX explanation_by_time ON explanation (trade_date DESC, explanation_as_of DESC, id);
CREATE INDEX explanation_by_status ON explanation (status, trade_date DESC, explanation_as_of DESC, id);
CREATE INDEX explanation_waiting ON explanation (status, status_since, id);
CREATE INDEX explanation_received ON explanation (received_at);
CREATE INDEX explanation_provided ON explanation (etf_ticker, trade_date DESC, explanation_as_of DESC, cursor DESC)
  WHERE published_summary IS NOT NULL;
CREATE TRIGGER invalidated_is_final BEFORE UPDATE OF status ON explanation
WHEN OLD.status = 'INVALIDATED' AND NEW.status <> 'INVALIDATED'
BEGIN SELECT RAISE(ABORT, 'a withdrawn explanation never comes back'); END;

CREATE TABLE screening (
  id              INTEGER PRIMARY KEY,
  explanation_id  TEXT NOT NULL REFERENCES explanation (id),
  at              TEXT NOT NULL,
  outcome         TEXT NOT NULL,
  policy_version  INTEGER,
  matcher_version TEXT NOT NULL,
  checks          TEXT NOT NULL
) STRICT;
CREATE INDEX screening_of_explanation ON screening (explanation_id, id);

CREATE TABLE state_history (
  id             INTEGER PRIMARY KEY,
  explanation_id TEXT NOT NULL REFERENCES explanation (id),
  move           TEXT NOT NULL,
  from_status    TEXT,
  to_status      TEXT NOT NULL,
  actor_id       TEXT,
  actor          TEXT NOT NULL,
  at             TEXT NOT NULL,
  reason         TEXT,
  policy_version INTEGER
) STRICT;
CREATE INDEX state_history_of_explanation ON state_history (explanation_id, id);
CREATE TRIGGER state_history_is_never_updated BEFORE UPDATE ON state_history
BEGIN SELECT RAISE(ABORT, 'state history is never changed'); END;
CREATE TRIGGER state_history_is_never_deleted BEFORE DELETE ON state_history
BEGIN SELECT RAISE(ABORT, 'state history is never deleted'); END;

CREATE TABLE console_action_log (
  seq         INTEGER PRIMARY KEY,
  at          TEXT NOT NULL,
  actor_id    TEXT,
  actor       TEXT NOT NULL,
  actor_role  TEXT,
  action      TEXT NOT NULL,
  target_type TEXT NOT NULL,
  target_id   TEXT,
  detail      TEXT NOT NULL,
  prev_hash   TEXT NOT NULL,
  hash        TEXT NOT NULL
) STRICT;
CREATE TRIGGER console_action_log_is_never_updated BEFORE UPDATE ON console_action_log
BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END;
CREATE TRIGGER console_action_log_is_never_deleted BEFORE DELETE ON console_action_log
BEGIN SELECT RAISE(ABORT, 'the audit log is never deleted'); END;
CREATE TRIGGER console_action_log_has_no_holes BEFORE INSERT ON console_action_log
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM console_action_log)
BEGIN SELECT RAISE(ABORT, 'the audit log is numbered without holes'); END;

CREATE TABLE policy_version (
  version    INTEGER PRIMARY KEY CHECK (version > 0),
  snapshot   TEXT NOT NULL,
  changes    TEXT NOT NULL,
  author     TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE TRIGGER policy_version_is_never_updated BEFORE UPDATE ON policy_version
BEGIN SELECT RAISE(ABORT, 'a policy version is never changed'); END;
CREATE TRIGGER policy_version_is_never_deleted BEFORE DELETE ON policy_version
BEGIN SELECT RAISE(ABORT, 'a policy version is never deleted'); END;
CREATE TRIGGER policy_version_has_no_holes BEFORE INSERT ON policy_version
WHEN NEW.version <> (SELECT coalesce(max(version), 0) + 1 FROM policy_version)
BEGIN SELECT RAISE(ABORT, 'policy versions are numbered without holes'); END;

CREATE TABLE serving_scope (
  scope_type TEXT NOT NULL CHECK (scope_type IN ('MARKET', 'CHANNEL', 'INSTRUMENT', 'SECTOR')),
  scope_key  TEXT NOT NULL,
  enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  changed_by TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  PRIMARY KEY (scope_type, scope_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE member (
  id            TEXT PRIMARY KEY,
  username      TEXT NOT NULL UNIQUE,
  display_name  TEXT NOT NULL,
  role          TEXT NOT NULL CHECK (role IN ('TENANT_ADMIN', 'COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY')),
  password_hash TEXT NOT NULL,
  active        INTEGER NOT NULL CHECK (active IN (0, 1)),
  created_at    TEXT NOT NULL,
  last_login_at TEXT
) STRICT;

CREATE TABLE session (
  token_hash   TEXT PRIMARY KEY,
  member_id    TEXT NOT NULL REFERENCES member (id),
  created_at   TEXT NOT NULL,
  last_seen_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_of_member ON session (member_id);

CREATE TABLE channel (
  channel    TEXT PRIMARY KEY,
  key_hash   TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE traffic_minute (
  minute   INTEGER NOT NULL,
  channel  TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  requests INTEGER NOT NULL CHECK (requests > 0),
  PRIMARY KEY (minute, channel, outcome)
) STRICT, WITHOUT ROWID;
`;
