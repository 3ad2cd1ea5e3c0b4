/**
 * The vendor's signed statement about an answer (D59) stays beside the raw record, and moves with it: into the archive,
 * into the quarantine, never changed. Bundles from before have none.
 */
const COLUMNS = ['cursor_to', 'bundle_id', 'entry_count', 'body', 'sha256', 'signature', 'statement', 'received_at'];
const of = (row: string): string => COLUMNS.map((name) => `${row}.${name}`).join(', ');

export const sql = `
ALTER TABLE raw_bundle ADD COLUMN statement TEXT;
ALTER TABLE quarantined_bundle ADD COLUMN statement TEXT;

DROP TRIGGER raw_bundle_is_never_updated;
CREATE TRIGGER raw_bundle_is_never_updated BEFORE UPDATE ON raw_bundle
WHEN NOT (
  NEW.cursor_from = OLD.cursor_from AND NEW.cursor_to = OLD.cursor_to AND NEW.bundle_id = OLD.bundle_id
  AND NEW.entry_count = OLD.entry_count AND NEW.sha256 = OLD.sha256 AND NEW.signature IS OLD.signature
  AND NEW.statement IS OLD.statement AND NEW.received_at = OLD.received_at
  AND length(OLD.body) = 0 AND length(NEW.body) > 0
  AND NOT EXISTS (SELECT 1 FROM archived_body WHERE cursor_from = NEW.cursor_from)
)
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never changed'); END;

DROP TRIGGER raw_bundle_is_never_deleted;
CREATE TRIGGER raw_bundle_is_never_deleted BEFORE DELETE ON raw_bundle
WHEN NOT EXISTS (SELECT 1 FROM quarantined_bundle AS kept
  WHERE (kept.after_cursor, ${of('kept')}) IS (OLD.cursor_from, ${of('OLD')}))
  AND NOT EXISTS (SELECT 1 FROM archived_body
    WHERE cursor_from = OLD.cursor_from AND sha256 = OLD.sha256 AND length(OLD.body) > 0)
BEGIN SELECT RAISE(ABORT, 'a raw bundle is never deleted'); END;
`;
