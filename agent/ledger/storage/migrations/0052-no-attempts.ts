/** The entry in hand stands in a file of its own (D103). */
export const sql = `
ALTER TABLE sync_state DROP COLUMN attempt_after;
ALTER TABLE sync_state DROP COLUMN attempt_by;
ALTER TABLE sync_state DROP COLUMN attempt_singly;
ALTER TABLE sync_state DROP COLUMN attempt_ended;
`;
