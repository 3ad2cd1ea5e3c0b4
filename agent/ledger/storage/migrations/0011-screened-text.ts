/**
 * The history says which text a screening was about, so that a text that came into a row without one can be told;
 * and which screening it was. Null in rows that older programs wrote.
 *
 * The quarantine is bounded: what violated the envelope may go when newer bodies need its place, and is counted. What
 * was taken out of the raw bundles stays for good. Somebody can say that they have seen what lies in it.
 *
 * A withdrawal waits for nothing where its explanation is withdrawn already.
 */
export const sql = `
ALTER TABLE state_history ADD COLUMN text_sha256 BLOB CHECK (length(text_sha256) = 32);
ALTER TABLE state_history ADD COLUMN screening_id INTEGER;

ALTER TABLE sync_state ADD COLUMN quarantine_seen INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sync_state ADD COLUMN quarantine_dropped INTEGER NOT NULL DEFAULT 0 CHECK (quarantine_dropped >= 0);
DROP TRIGGER quarantined_bundle_is_never_deleted;
CREATE TRIGGER quarantined_bundle_is_never_deleted BEFORE DELETE ON quarantined_bundle
WHEN OLD.cursor_to IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a quarantined bundle is never deleted'); END;

DELETE FROM held_invalidation WHERE target_id IN
  (SELECT explanation_result_id FROM explanation WHERE status = 'INVALIDATED');
`;
