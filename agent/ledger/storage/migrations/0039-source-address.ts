/**
 * The audit log tells from where somebody acted. A restore from a backup is found at once, since the checkpoints of the
 * log are explained by it.
 */
export const sql = `
ALTER TABLE console_action_log ADD COLUMN source_address TEXT;
CREATE INDEX console_action_restore ON console_action_log (seq) WHERE action = 'ledger.restore';
`;
