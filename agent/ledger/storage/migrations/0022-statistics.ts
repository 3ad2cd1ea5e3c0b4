/**
 * What the statistics of the review count in a span of days, by when it happened: decisions, and texts that were
 * provided without one. Without these, a day would cost as much as the whole history.
 */
export const sql = `
CREATE INDEX state_history_decided ON state_history (at)
  WHERE move IN ('approve', 'approve-edited', 'reject', 'block');
CREATE INDEX state_history_provided ON state_history (at, policy_version)
  WHERE to_status = 'AUTO_PUBLISHED' AND move IN ('receive', 'text-changed');
`;
