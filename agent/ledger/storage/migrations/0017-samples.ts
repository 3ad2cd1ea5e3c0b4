/** A share of what was provided without a review, to be looked at afterwards. The share stands beside its policy, so that reading it costs nothing. */
export const sql = `
ALTER TABLE policy_version ADD COLUMN sample_share INTEGER NOT NULL DEFAULT 0 CHECK (sample_share BETWEEN 0 AND 100);

CREATE TABLE review_sample (
  explanation_id TEXT PRIMARY KEY REFERENCES explanation (id),
  sampled_at     TEXT NOT NULL,
  policy_version INTEGER NOT NULL REFERENCES policy_version (version),
  share          INTEGER NOT NULL CHECK (share BETWEEN 1 AND 100),
  outcome        TEXT NOT NULL CHECK (outcome IN ('OPEN', 'FINE', 'MISSED', 'ACTED')),
  seen_by_id     TEXT,
  seen_by        TEXT,
  seen_at        TEXT,
  CHECK ((outcome = 'OPEN') = (seen_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX review_sample_by_outcome ON review_sample (outcome, sampled_at, explanation_id);
`;
