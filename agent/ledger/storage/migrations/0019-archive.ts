/**
 * Raw bodies may move into an archive file beside the ledger: everything else of a raw bundle stays, its SHA-256 above
 * all, so what is read back is still proved. A bundle leaves only when it is said where its body lies, to come again
 * without it; a body comes back only with that forgotten. Nothing else of a raw bundle changes.
 *
 * It leaves and comes again, instead of being changed, because SQLite joins pages that have become empty only when a row
 * is deleted: changed in its place, a small body would leave its page to nobody.
 *
 * And the counts of requests are kept by the hour once their minutes are of no use to anybody.
 */
export const sql = `
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

DROP TRIGGER raw_bundle_is_never_updated;
CREATE TRIGGER raw_bundle_is_never_updated BEFORE UPDATE ON raw_bundle
WHEN NOT (
  NEW.cursor_from = OLD.cursor_from AND NEW.cursor_to = OLD.cursor_to AND NEW.bundle_id = OLD.bundle_id
  AND NEW.entry_count = OLD.entry_count AND NEW.sha256 = OLD.sha256 AND NEW.signature IS OLD.signature
  AND NEW.received_at = OLD.received_at
  AND length(OLD.body) = 0 AND length(NEW.body) > 0
  AND NOT EXISTS (SELECT 1 FROM archived_body WHERE cursor_from = NEW.cursor_from)
)
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never changed'); END;

DROP TRIGGER raw_bundle_is_never_deleted;
CREATE TRIGGER raw_bundle_is_never_deleted BEFORE DELETE ON raw_bundle
WHEN NOT EXISTS (SELECT 1 FROM quarantined_bundle AS kept
  WHERE (kept.after_cursor, kept.cursor_to, kept.bundle_id, kept.entry_count, kept.body, kept.sha256, kept.signature, kept.received_at)
    IS (OLD.cursor_from, OLD.cursor_to, OLD.bundle_id, OLD.entry_count, OLD.body, OLD.sha256, OLD.signature, OLD.received_at))
  AND NOT EXISTS (SELECT 1 FROM archived_body
    WHERE cursor_from = OLD.cursor_from AND sha256 = OLD.sha256 AND length(OLD.body) > 0)
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never deleted'); END;
CREATE TRIGGER raw_bundle_is_never_empty BEFORE INSERT ON raw_bundle
WHEN length(NEW.body) = 0
  AND NOT EXISTS (SELECT 1 FROM archived_body WHERE cursor_from = NEW.cursor_from AND sha256 = NEW.sha256)
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never empty'); END;

CREATE TABLE traffic_hour (
  hour     INTEGER NOT NULL,
  channel  TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  requests INTEGER NOT NULL CHECK (requests > 0),
  PRIMARY KEY (hour, channel, outcome)
) STRICT, WITHOUT ROWID;
`;
