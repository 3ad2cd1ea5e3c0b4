/**
 * A second factor (RFC 6238) beside the password. The secret is what both sides reckon a code from, so it is kept as it
 * is, in this table alone; recovery codes are kept as hashes, and each goes once.
 */
export const sql = `
CREATE TABLE second_factor (
  member_id    TEXT PRIMARY KEY REFERENCES member (id),
  secret       TEXT NOT NULL,
  confirmed_at TEXT,
  last_step    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
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
ALTER TABLE member ADD COLUMN factor_reset_at TEXT;
`;
