/** The members, their credentials and sessions, and their saved views. */
export const accounts = `
CREATE TABLE member (
  id                 TEXT PRIMARY KEY,
  username           TEXT NOT NULL UNIQUE,
  display_name       TEXT NOT NULL,
  role               TEXT NOT NULL CHECK (role IN ('TENANT_ADMIN', 'COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY')),
  password_hash      TEXT NOT NULL,
  active             INTEGER NOT NULL CHECK (active IN (0, 1)),
  created_at         TEXT NOT NULL,
  last_login_at      TEXT,
  version            INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
  -- Set by somebody else: the member sets another one before anything else.
  temporary_password INTEGER NOT NULL DEFAULT 0 CHECK (temporary_password IN (0, 1)),
  factor_reset_at    TEXT
) STRICT;

-- A member at the provider of single sign-on (D21): a subject of an issuer, never a name that may pass to another person.
CREATE TABLE member_identity (
  issuer    TEXT NOT NULL,
  subject   TEXT NOT NULL,
  member_id TEXT NOT NULL UNIQUE REFERENCES member (id),
  linked_at TEXT NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  token_hash   TEXT PRIMARY KEY,
  member_id    TEXT NOT NULL REFERENCES member (id),
  created_at   TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  -- The address that ends the session at the provider, as the login knew it.
  sign_out_url TEXT,
  -- Which host began it (D199).
  proof        TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX session_of_member ON session (member_id);

-- RFC 6238. Both sides compute the code from the secret, so the ledger keeps it as it is, in this table alone.
CREATE TABLE second_factor (
  member_id    TEXT PRIMARY KEY REFERENCES member (id),
  secret       TEXT NOT NULL,
  confirmed_at TEXT,
  last_step    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
-- Each code works once.
CREATE TABLE recovery_code (
  member_id TEXT NOT NULL REFERENCES member (id),
  code_hash TEXT NOT NULL,
  PRIMARY KEY (member_id, code_hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE second_factor_setting (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  reviewers INTEGER NOT NULL CHECK (reviewers IN (0, 1)),
  version   INTEGER NOT NULL CHECK (version > 0)
) STRICT;
INSERT INTO second_factor_setting (id, reviewers, version) VALUES (1, 0, 1);

CREATE TABLE saved_view (
  id        TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES member (id),
  screen    TEXT NOT NULL CHECK (screen IN ('explanations', 'review')),
  name      TEXT NOT NULL CHECK (name <> ''),
  search    TEXT NOT NULL,
  saved_at  TEXT NOT NULL,
  UNIQUE (member_id, screen, name)
) STRICT, WITHOUT ROWID;
`;
