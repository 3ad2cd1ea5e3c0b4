/** What each row of the audit log made or changed, by digests (D199). */
export const sql = `
ALTER TABLE console_action_log ADD COLUMN made TEXT;
CREATE INDEX console_action_made ON console_action_log (seq) WHERE made IS NOT NULL;
-- The Intake asks about the active policy at every batch.
CREATE INDEX console_action_of_policies ON console_action_log (seq) WHERE action IN ('policy.publish', 'audit.begin');
`;
