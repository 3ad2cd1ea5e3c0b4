/** Samples are drawn from the program's blocks too, and the statistics count both kinds (D209). */
export const sql = `
ALTER TABLE review_sample ADD COLUMN kind TEXT NOT NULL DEFAULT 'PROVIDED' CHECK (kind IN ('PROVIDED', 'BLOCKED'));
DROP INDEX review_sample_by_outcome;
CREATE INDEX review_sample_by_outcome ON review_sample (outcome, sampled_at, explanation_id, kind);
CREATE INDEX state_history_blocked ON state_history (at, policy_version)
  WHERE to_status = 'BLOCKED' AND move IN ('receive', 'text-changed') AND screening_id IS NOT NULL;
`;
