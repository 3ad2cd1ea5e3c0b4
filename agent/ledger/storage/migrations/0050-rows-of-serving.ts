/**
 * Finds the rows of the audit log about a policy version or a ticker that a rebuild hides by their target, whoever wrote
 * them: what was shown is held against them at each reading (D189), at a cost that does not grow with the log.
 */
export const sql = `
CREATE INDEX console_action_of_serving ON console_action_log (target_id, seq)
  WHERE action IN ('policy.publish', 'ledger.rebuild');
`;
