/**
 * What stands still and is not told by the state of the reception: when the Intake will ask next, since when
 * the cloud has told of records that it does not give, and why applying cannot go on.
 *
 * And a way out of raw records that must not count (damaged on the disk, or never the cloud's): one may leave
 * the raw store only when the quarantine keeps it whole, and the committed cursor may fall only to where the
 * raw records then end. What is in the quarantine stays there.
 */
export const sql = `
ALTER TABLE sync_state ADD COLUMN next_attempt_by TEXT;
ALTER TABLE sync_state ADD COLUMN withheld_polls INTEGER NOT NULL DEFAULT 0 CHECK (withheld_polls >= 0);
ALTER TABLE sync_state ADD COLUMN apply_error_code TEXT;
ALTER TABLE sync_state ADD COLUMN apply_error_message TEXT;
ALTER TABLE sync_state ADD COLUMN apply_error_at TEXT;

-- Of a raw bundle that was set aside, all of it; null for a body that was never committed.
ALTER TABLE quarantined_bundle ADD COLUMN cursor_to INTEGER;
ALTER TABLE quarantined_bundle ADD COLUMN bundle_id TEXT;
ALTER TABLE quarantined_bundle ADD COLUMN entry_count INTEGER;
ALTER TABLE quarantined_bundle ADD COLUMN signature TEXT;
CREATE INDEX quarantined_after ON quarantined_bundle (after_cursor);
CREATE TRIGGER quarantined_bundle_is_never_updated BEFORE UPDATE ON quarantined_bundle
BEGIN SELECT RAISE(ABORT, 'a quarantined bundle is never changed'); END;
CREATE TRIGGER quarantined_bundle_is_never_deleted BEFORE DELETE ON quarantined_bundle
BEGIN SELECT RAISE(ABORT, 'a quarantined bundle is never deleted'); END;

DROP TRIGGER raw_bundle_is_never_deleted;
CREATE TRIGGER raw_bundle_is_never_deleted BEFORE DELETE ON raw_bundle
WHEN NOT EXISTS (SELECT 1 FROM quarantined_bundle AS kept
  WHERE (kept.after_cursor, kept.cursor_to, kept.bundle_id, kept.entry_count, kept.body, kept.sha256, kept.signature, kept.received_at)
    IS (OLD.cursor_from, OLD.cursor_to, OLD.bundle_id, OLD.entry_count, OLD.body, OLD.sha256, OLD.signature, OLD.received_at))
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never deleted'); END;

DROP TRIGGER committed_cursor_never_falls;
CREATE TRIGGER committed_cursor_never_falls BEFORE UPDATE OF committed_cursor ON sync_state
WHEN NEW.committed_cursor < OLD.committed_cursor
  AND NEW.committed_cursor IS NOT (SELECT coalesce(max(cursor_to), 0) FROM raw_bundle)
BEGIN SELECT RAISE(ABORT, 'the committed cursor never falls'); END;
`;
