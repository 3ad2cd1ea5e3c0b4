/**
 * What the Intake is about to apply, written before it does: where the process ends meanwhile, the next one knows, goes on
 * entry by entry, and sets aside the one at which it ended twice.
 */
export const sql = `
-- The cursor after which it applies; null: nothing is under way.
ALTER TABLE sync_state ADD COLUMN attempt_after INTEGER;
-- The process; null between two entries that are applied one by one.
ALTER TABLE sync_state ADD COLUMN attempt_by TEXT;
-- How many entries are still to be applied one by one; 0: a whole batch.
ALTER TABLE sync_state ADD COLUMN attempt_singly INTEGER NOT NULL DEFAULT 0 CHECK (attempt_singly >= 0);
-- How many processes have ended at this entry when it was applied alone.
ALTER TABLE sync_state ADD COLUMN attempt_ended INTEGER NOT NULL DEFAULT 0 CHECK (attempt_ended >= 0);
`;
