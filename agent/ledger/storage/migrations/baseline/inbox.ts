/** The received bundles, their archive and quarantine, and how far reception and application have come. */
const MOVED = ['cursor_to', 'bundle_id', 'entry_count', 'body', 'sha256', 'signature', 'statement', 'received_at'];
const bundle = (row: string): string => MOVED.map((name) => `${row}.${name}`).join(', ');

export const inbox = `
CREATE TABLE raw_bundle (
  cursor_from  INTEGER PRIMARY KEY CHECK (cursor_from >= 0),
  cursor_to    INTEGER NOT NULL CHECK (cursor_to > cursor_from),
  bundle_id    TEXT NOT NULL,
  entry_count  INTEGER NOT NULL CHECK (entry_count > 0),
  -- Empty where the body lies in an archive.
  body         BLOB NOT NULL,
  sha256       BLOB NOT NULL CHECK (length(sha256) = 32),
  signature    TEXT,
  -- The vendor's signed statement about the answer (D59).
  statement    TEXT,
  received_at  TEXT NOT NULL
) STRICT;
-- The same bundle again changes nothing (D36). SQLite asks no other trigger about the row that INSERT OR REPLACE removes.
CREATE TRIGGER raw_bundle_is_never_replaced BEFORE INSERT ON raw_bundle
WHEN EXISTS (SELECT 1 FROM raw_bundle WHERE cursor_from = NEW.cursor_from)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER raw_bundle_is_never_empty BEFORE INSERT ON raw_bundle
WHEN length(NEW.body) = 0
  AND NOT EXISTS (SELECT 1 FROM archived_body WHERE cursor_from = NEW.cursor_from AND sha256 = NEW.sha256)
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never empty'); END;
-- The one change is the way back of an archived body, once the ledger has forgotten where it lay.
CREATE TRIGGER raw_bundle_is_never_updated BEFORE UPDATE ON raw_bundle
WHEN NOT (
  NEW.cursor_from = OLD.cursor_from AND NEW.cursor_to = OLD.cursor_to AND NEW.bundle_id = OLD.bundle_id
  AND NEW.entry_count = OLD.entry_count AND NEW.sha256 = OLD.sha256 AND NEW.signature IS OLD.signature
  AND NEW.statement IS OLD.statement AND NEW.received_at = OLD.received_at
  AND length(OLD.body) = 0 AND length(NEW.body) > 0
  AND NOT EXISTS (SELECT 1 FROM archived_body WHERE cursor_from = NEW.cursor_from)
)
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never changed'); END;
-- A bundle leaves for the quarantine, which keeps it whole, or to come again at once without its archived body:
-- SQLite joins pages only after a DELETE, so a body emptied by UPDATE would leave its page unused.
CREATE TRIGGER raw_bundle_is_never_deleted BEFORE DELETE ON raw_bundle
WHEN NOT EXISTS (SELECT 1 FROM quarantined_bundle AS kept
  WHERE (kept.after_cursor, ${bundle('kept')}) IS (OLD.cursor_from, ${bundle('OLD')}))
  AND NOT EXISTS (SELECT 1 FROM archived_body
    WHERE cursor_from = OLD.cursor_from AND sha256 = OLD.sha256 AND length(OLD.body) > 0)
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never deleted'); END;

-- An archive is a file beside the ledger. The SHA-256 in raw_bundle proves every body that is read back from it.
CREATE TABLE raw_archive (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> '' AND instr(name, '/') = 0)
) STRICT;
CREATE TABLE archived_body (
  cursor_from INTEGER PRIMARY KEY,
  archive_id  INTEGER NOT NULL REFERENCES raw_archive (id),
  position    INTEGER NOT NULL CHECK (position >= 0),
  bytes       INTEGER NOT NULL CHECK (bytes > 0),
  sha256      BLOB NOT NULL CHECK (length(sha256) = 32)
) STRICT;
CREATE TRIGGER archived_body_is_never_updated BEFORE UPDATE ON archived_body
BEGIN SELECT RAISE(ABORT, 'where an archived body lies is never changed'); END;

CREATE TABLE quarantined_bundle (
  id           INTEGER PRIMARY KEY,
  after_cursor INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  body         BLOB NOT NULL,
  sha256       BLOB NOT NULL,
  received_at  TEXT NOT NULL,
  -- All of a raw bundle that was set aside; null for a body that was never committed.
  cursor_to    INTEGER,
  bundle_id    TEXT,
  entry_count  INTEGER,
  signature    TEXT,
  statement    TEXT
) STRICT;
CREATE INDEX quarantined_after ON quarantined_bundle (after_cursor);
CREATE TRIGGER quarantined_bundle_is_never_updated BEFORE UPDATE ON quarantined_bundle
BEGIN SELECT RAISE(ABORT, 'a quarantined bundle is never changed'); END;
CREATE TRIGGER quarantined_bundle_is_never_replaced BEFORE INSERT ON quarantined_bundle
WHEN EXISTS (SELECT 1 FROM quarantined_bundle WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a quarantined bundle is never replaced'); END;
-- A violating body may make room for newer ones, which is counted; a raw bundle that was set aside stays.
CREATE TRIGGER quarantined_bundle_is_never_deleted BEFORE DELETE ON quarantined_bundle
WHEN OLD.cursor_to IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a quarantined bundle is never deleted'); END;

CREATE TABLE sync_state (
  id                  INTEGER PRIMARY KEY CHECK (id = 1),
  tenant_id           INTEGER,
  committed_cursor    INTEGER NOT NULL CHECK (committed_cursor >= 0),
  applied_cursor      INTEGER NOT NULL CHECK (applied_cursor >= 0),
  head                INTEGER,
  state               TEXT NOT NULL,
  last_attempt_at     TEXT,
  last_success_at     TEXT,
  -- The time of the newest verified statement (D59), and this host's when it came.
  statement_at        TEXT,
  statement_seen_at   TEXT,
  last_error_code     TEXT,
  last_error_message  TEXT,
  last_error_at       TEXT,
  next_attempt_by     TEXT,
  -- Good answers in a row without a record, although the cloud told of records beyond the committed cursor.
  withheld_polls      INTEGER NOT NULL DEFAULT 0 CHECK (withheld_polls >= 0),
  -- The reason that keeps the Intake from applying.
  apply_error_code    TEXT,
  apply_error_message TEXT,
  apply_error_at      TEXT,
  quarantine_seen     INTEGER NOT NULL DEFAULT 0,
  quarantine_dropped  INTEGER NOT NULL DEFAULT 0 CHECK (quarantine_dropped >= 0),
  -- How long a pull waits at the cloud for news, and after which time waits were cut (D223).
  wait_seconds        INTEGER,
  wait_cut_seconds    INTEGER,
  CHECK (applied_cursor <= committed_cursor)
) STRICT;
INSERT INTO sync_state (id, committed_cursor, applied_cursor, state) VALUES (1, 0, 0, 'NEVER');
-- It falls only to the end of the raw bundles, after some of them were set aside.
CREATE TRIGGER committed_cursor_never_falls BEFORE UPDATE OF committed_cursor ON sync_state
WHEN NEW.committed_cursor < OLD.committed_cursor
  AND NEW.committed_cursor IS NOT (SELECT coalesce(max(cursor_to), 0) FROM raw_bundle)
BEGIN SELECT RAISE(ABORT, 'the committed cursor never falls'); END;

CREATE TABLE sync_event (
  id      INTEGER PRIMARY KEY,
  at      TEXT NOT NULL,
  state   TEXT NOT NULL,
  code    TEXT,
  message TEXT
) STRICT;

CREATE TABLE rejected_entry (
  cursor      INTEGER PRIMARY KEY,
  cursor_from INTEGER NOT NULL REFERENCES raw_bundle (cursor_from),
  reason      TEXT NOT NULL,
  entry       TEXT NOT NULL,
  rejected_at TEXT NOT NULL
) STRICT;

-- Withdrawals whose explanation has not come yet (D35).
CREATE TABLE held_invalidation (
  target_id TEXT PRIMARY KEY,
  cursor    INTEGER NOT NULL,
  reason    TEXT NOT NULL,
  held_at   TEXT NOT NULL
) STRICT;
`;
