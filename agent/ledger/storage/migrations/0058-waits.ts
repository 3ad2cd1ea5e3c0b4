/** The reception may wait at the cloud for news (D223). */
export const sql = `
ALTER TABLE sync_state ADD COLUMN wait_seconds INTEGER;
ALTER TABLE sync_state ADD COLUMN wait_cut_seconds INTEGER;
`;
